import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, momentField, notesField, nullable, Timestamp, textField } from "../core/schema.ts";
import { ShipmentView } from "../orders/order.schema.ts";
import { trackingEventStatuses, trackingStatuses } from "../shipping/carriers/tracking.transitions.ts";
import { labelStatuses } from "../shipping/labels/label.transitions.ts";
import { PackageDimensions } from "../shipping/shipping.schema.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";

/** The body of a carrier's callback. Each connector has its own format and validates it. */
export const AnyCallback = Type.Object(
  {},
  { additionalProperties: true, description: "The body as the carrier sends it. The signature covers its bytes." },
);

export const CallbackView = closed({
  success: Type.Literal(true),
  repeated: Type.Boolean({ description: "Whether the callback was received before. Then nothing is done." }),
  recorded: Type.Integer({ description: "The number of updated parcels." }),
  waiting: Type.Integer({
    description: "The number of updates for unknown tracking numbers, which are stored until the number is known.",
  }),
});

/** An identifier: an integer, or text such as `ord_1042`. */
const name = (description: string) =>
  Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], { description });

export const FollowNumber = closed({
  ...ofMerchant,
  tracking_number: textField(100),
  carrier: Type.Optional(
    nullable(
      textField(100, {
        description: "The carrier's code in lower case, such as `usps`. By default it is detected from the number.",
      }),
    ),
  ),
  account_id: Type.Optional(
    nullable(name("The carrier account that tracks it; by default, one that sells the carrier's labels.")),
  ),
  order_id: Type.Optional(nullable(name("The order whose history and tracking page include it."))),
});
export type FollowNumber = Static<typeof FollowNumber>;

const nullable_timestamp = nullable(Timestamp);

export const ParcelView = closed({
  ...ShipmentView.properties,
  order_id: Type.String(),
  order_number: Type.String(),
  customer_name: Type.String(),
  label_ids: Type.Array(Type.String(), { description: "Its labels, newest first, including voided ones." }),
  tracking_status: nullable(choice(trackingStatuses)),
  estimated_delivery: nullable_timestamp,
  estimated_delivery_day: nullable(
    Type.String({ format: "date", description: "The calendar day of delivery at the destination." }),
  ),
});

const part = () => Type.Optional(nullable(textField(100, { min: 0 })));

export const RecordScan = closed({
  status: choice(trackingEventStatuses),
  timestamp: Type.Optional(momentField("When it happened; by default, now.")),
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
const PlaceView = closed({ city: text, state: text, country: text, facility: text });

const standing = {
  status: choice(trackingStatuses),
  status_detail: Type.String(),
  message: Type.String(),
  estimated_delivery: nullable(Timestamp),
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
  account_id: nullable(Type.String({ description: "The carrier account that tracks it." })),
  tracking_url: nullable(
    Type.String({ description: "The public tracking page: the carrier's, or Packhouse's if the carrier has none." }),
  ),
  next_look_at: nullable(
    Type.String({ format: "date-time", description: "When the carrier is polled next, unless it reports earlier." }),
  ),
};

export const TrackedRecordView = closed({ ...tracked, created_at: Timestamp, updated_at: Timestamp });

export const TrackingView = closed({
  ...tracked,
  events: Type.Array(
    closed({
      timestamp: Timestamp,
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
  updated_at: Timestamp,
});

/** The result of detecting the carrier from a number's form. */
const numberForm = {
  detected_carriers: Type.Array(
    closed({
      carrier: Type.String(),
      format: Type.String({ description: "The name of the number format." }),
      checked: Type.Boolean({ description: "Whether a check digit confirms it. If false, only the form matches." }),
      tracking_url: text,
    }),
    { description: "All carriers that the number may belong to. If there are several, send `carrier`." },
  ),
  wrong_check_digits: Type.Array(
    closed({
      carrier: Type.String(),
      format: Type.String(),
      check_digit: Type.String({ description: "The check digit in the number." }),
      expected: Type.String({ description: "The correct check digit, if all other characters are correct." }),
      message: Type.String(),
    }),
    {
      description:
        "If no format matches: the formats that match except for the check digit. The number may be mistyped.",
    },
  ),
};

/** A newly tracked number, with the carriers detected from its form. */
export const FollowedView = closed({ ...TrackingView.properties, ...numberForm });

export const ShortTrackingView = closed({
  tracking_number: Type.String(),
  carrier: Type.String(),
  status: choice(trackingStatuses),
  status_detail: Type.String(),
  estimated_delivery: nullable(Timestamp),
  events: Type.Array(
    closed({
      status: choice(trackingEventStatuses),
      message: Type.String(),
      location: Type.String(),
      timestamp: Timestamp,
    }),
  ),
});

/** The result for one number of a batch. */
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

/** The data of shipment events. */
export const ShipmentEventView = closed({
  object: Type.Literal("shipment", { description: "The type of the record." }),
  id: nullable(Type.String({ description: "Null for a number that is tracked on request and is no order's parcel." })),
  status: ShipmentView.properties.status,
  carrier: ShipmentView.properties.carrier,
  service: ShipmentView.properties.service,
  tracking_number: ShipmentView.properties.tracking_number,
  tracking_url: ShipmentView.properties.tracking_url,
  items: ShipmentView.properties.items,
  created_at: Timestamp,
  shipped_at: ShipmentView.properties.shipped_at,
  delivered_at: ShipmentView.properties.delivered_at,
  order_id: nullable(
    Type.String({ description: "The order of the parcel, or the order that the number is tracked for." }),
  ),
  order_number: nullable(Type.String({ description: "The order number of that order." })),
  return_id: nullable(Type.String({ description: "The return that the parcel contains." })),
  label: nullable({
    ...closed({
      label_id: Type.String(),
      status: choice(labelStatuses, { description: "`completed` once it is bought; `voided` after that." }),
      cost: Type.Number({ description: "What the label cost." }),
      currency: Type.String(),
    }),
    description: "The newest label of the parcel; null without one.",
  }),
  tracking: { ...closed(standing), description: "Where the parcel is." },
});
