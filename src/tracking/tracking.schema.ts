import { type Static, Type } from "@sinclair/typebox";
import { csvExportFields } from "../core/csv_columns.ts";
import { choice, closed, momentField, notesField, nullable, pageFields, textField } from "../core/schema.ts";
import { ShipmentView } from "../orders/order.schema.ts";
import { shipmentStatuses } from "../orders/order.transitions.ts";
import { trackingEventStatuses, trackingStatuses } from "../shipping/carriers/tracking.transitions.ts";
import { labelStatuses } from "../shipping/labels/label.transitions.ts";
import { PackageDimensions } from "../shipping/shipping.schema.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";

/** Carriers' bodies differ, so the schema takes anything: the connector reads it. */
export const AnyCallback = Type.Object(
  {},
  { additionalProperties: true, description: "As the carrier sends it. The signature is over its bytes." },
);

export const CallbackView = closed({
  success: Type.Literal(true),
  repeated: Type.Boolean({ description: "It was received before, so nothing was done." }),
  recorded: Type.Integer({ description: "How many parcels known here it updated." }),
  waiting: Type.Integer({
    description: "How many updates are about tracking numbers not known here yet. They are kept until then.",
  }),
});

/** An identifier: an integer, or a text such as `ord_1042`. */
const name = (description: string) =>
  Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], { description });

export const FollowNumber = closed({
  ...ofMerchant,
  tracking_number: textField(100),
  carrier: Type.Optional(
    nullable(
      textField(100, {
        description: "In small letters, such as `usps`. By default it is detected by" + " the number.",
      }),
    ),
  ),
  account_id: Type.Optional(
    nullable(name("The carrier account that reports on it. By default one that sells for the carrier.")),
  ),
  order_id: Type.Optional(nullable(name("The order whose history and tracking page show it."))),
});
export type FollowNumber = Static<typeof FollowNumber>;

const tracked_filters = {
  status: Type.Optional(choice(trackingStatuses)),
  carrier: Type.Optional(textField(100)),
  order_id: Type.Optional(textField(100, { description: "The order's id or its order number." })),
  followed: Type.Optional(
    Type.Boolean({ description: "True: numbers tracked on request that are no order's parcel. False: all others." }),
  ),
};

export const ListTracked = closed({ ...pageFields, ...tracked_filters });
export type ListTracked = Static<typeof ListTracked>;

export const ExportTracked = closed({ ...tracked_filters, ...csvExportFields });
export type ExportTracked = Static<typeof ExportTracked>;

const parcel_filters = {
  order_id: Type.Optional(textField(100, { description: "An order's id or its order number." })),
  status: Type.Optional(choice(shipmentStatuses)),
  carrier: Type.Optional(textField(100)),
  service: Type.Optional(textField(100)),
  tracking_number: Type.Optional(textField(100, { description: "As written or as scanned." })),
  tracking_status: Type.Optional(choice(trackingStatuses, { description: "Its tracking status." })),
  created_after: Type.Optional(momentField()),
  created_before: Type.Optional(momentField()),
  shipped_after: Type.Optional(momentField()),
  shipped_before: Type.Optional(momentField()),
};

export const ListParcels = closed({ ...pageFields, ...parcel_filters });
export type ListParcels = Static<typeof ListParcels>;

export const ExportParcels = closed({ ...parcel_filters, ...csvExportFields });
export type ExportParcels = Static<typeof ExportParcels>;

const nullable_moment = nullable(Type.String({ format: "date-time" }));

export const ParcelView = closed({
  ...ShipmentView.properties,
  order_id: Type.String(),
  order_number: Type.String(),
  customer_name: Type.String(),
  label_ids: Type.Array(Type.String(), { description: "Its labels, newest first, voided ones included." }),
  tracking_status: nullable(choice(trackingStatuses)),
  estimated_delivery: nullable_moment,
  estimated_delivery_day: nullable(
    Type.String({ format: "date", description: "The calendar day of the delivery at its destination." }),
  ),
});

const part = () => Type.Optional(nullable(textField(100, { min: 0 })));

export const RecordScan = closed({
  status: choice(trackingEventStatuses),
  timestamp: Type.Optional(momentField("When it happened; now by default.")),
  message: Type.Optional(nullable(notesField(500))),
  location: Type.Optional(nullable(closed({ city: part(), state: part(), country: part(), facility: part() }))),
  code: Type.Optional(nullable(textField(100, { description: "The carrier's code of the scan." }))),
  reason: Type.Optional(nullable(textField(200))),
  signed_by: Type.Optional(nullable(textField(200))),
});
export type RecordScan = Static<typeof RecordScan>;

export const ChooseShape = closed({ shape: Type.Optional(choice(["a", "b"])) });

export const TrackMany = closed({
  tracking_numbers: Type.Array(textField(100), { minItems: 1, maxItems: 100 }),
});

const text = nullable(Type.String());
const moment = Type.String({ format: "date-time" });
const PlaceView = closed({ city: text, state: text, country: text, facility: text });

const standing = {
  status: choice(trackingStatuses),
  status_detail: Type.String(),
  message: Type.String(),
  estimated_delivery: nullable(moment),
  current_location: PlaceView,
  signed_by: text,
};

const tracked = {
  tracking_number: Type.String(),
  merchant_id: OwnerView,
  ...standing,
  carrier: Type.String(),
  service_type: text,
  shipment_id: text,
  order_id: text,
  account_id: nullable(Type.String({ description: "The carrier account that reports on it." })),
  tracking_url: nullable(Type.String({ description: "The public tracking page: the carrier's, else ours." })),
  next_look_at: nullable(
    Type.String({ format: "date-time", description: "When its carrier is polled next, unless it reports before." }),
  ),
};

/** A record as a list shows it. */
export const TrackedRecordView = closed({ ...tracked, created_at: moment, updated_at: moment });

export const TrackingView = closed({
  ...tracked,
  events: Type.Array(
    closed({
      timestamp: moment,
      status: choice(trackingEventStatuses),
      location: PlaceView,
      description: Type.String(),
      message: Type.String(),
      status_detail: text,
      carrier_status: nullable(Type.String({ description: "The carrier's own status, unchanged." })),
      carrier_code: text,
      reason: text,
    }),
  ),
  shipment_details: closed({ weight: text, weight_unit: text, dimensions: nullable(PackageDimensions) }),
  updated_at: moment,
});

/** What the form of a number tells. */
const numberForm = {
  detected_carriers: Type.Array(
    closed({
      carrier: Type.String(),
      format: Type.String({ description: "The name of such numbers." }),
      checked: Type.Boolean({ description: "Whether a check digit confirms it, or only the form of the number." }),
      tracking_url: text,
    }),
    { description: "All carriers that the number may belong to. If there are several, name the carrier." },
  ),
  wrong_check_digits: Type.Array(
    closed({
      carrier: Type.String(),
      format: Type.String(),
      check_digit: Type.String({ description: "The check digit of the number." }),
      expected: Type.String({ description: "The right one, if all other characters are right." }),
      message: Type.String(),
    }),
    { description: "The forms that the number has with another check digit, if it fits none: it may be mistyped." },
  ),
};

/** A number that was just followed, with what its form tells. */
export const FollowedView = closed({ ...TrackingView.properties, ...numberForm });

export const ShortTrackingView = closed({
  tracking_number: Type.String(),
  carrier: Type.String(),
  status: choice(trackingStatuses),
  status_detail: Type.String(),
  estimated_delivery: nullable(moment),
  events: Type.Array(
    closed({
      status: choice(trackingEventStatuses),
      message: Type.String(),
      location: Type.String(),
      timestamp: moment,
    }),
  ),
});

/** One number of a batch: its record, or why there is none. */
export const TrackedView = closed({
  tracking_number: Type.String(),
  success: Type.Boolean(),
  tracking: nullable(TrackingView),
  error: nullable(
    closed({
      code: choice(["resource_missing", "merchant_required"]),
      message: Type.String(),
      ...numberForm,
    }),
  ),
});

/** The data of the events about a shipment. */
export const ShipmentEventView = closed({
  object: Type.Literal("shipment"),
  id: nullable(Type.String({ description: "Null for a number tracked on request that is no order's parcel." })),
  status: choice(shipmentStatuses),
  carrier: text,
  service: text,
  tracking_number: text,
  tracking_url: text,
  items: Type.Array(closed({ line_id: Type.String(), sku: Type.String(), quantity: Type.Integer() })),
  created_at: moment,
  shipped_at: nullable(moment),
  delivered_at: nullable(moment),
  order_id: nullable(
    Type.String({ description: "The order that the parcel belongs to, or that the number is" + " tracked for." }),
  ),
  order_number: text,
  return_id: nullable(Type.String({ description: "The return in the parcel." })),
  label: nullable(
    closed({
      label_id: Type.String(),
      status: choice(labelStatuses),
      cost: Type.Number(),
      currency: Type.String(),
    }),
  ),
  tracking: closed(standing),
});
