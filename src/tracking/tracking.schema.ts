import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, momentField, notesField, nullable, Timestamp, textField, timestamp } from "../core/schema.ts";
import { ShipmentView } from "../orders/order_parts.schema.ts";
import { trackingEventStatuses, trackingStatuses } from "../shipping/carriers/tracking.transitions.ts";
import { labelStatuses } from "../shipping/labels/label.transitions.ts";
import { CarrierView, DeliveryDayView, PackageDimensions } from "../shipping/shipping.schema.ts";
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
  tracking_number: textField(100, { description: "The number, as printed or as scanned." }),
  carrier: Type.Optional(
    nullable(
      textField(100, {
        description: "The carrier's code in lower case, such as `usps`. By default it is detected from the number.",
      }),
    ),
  ),
  account_id: Type.Optional(
    nullable(
      name("The carrier account that tracks it; by default, one that sells the carrier's labels. Not for merchants."),
    ),
  ),
  order_id: Type.Optional(nullable(name("The order whose history and tracking page include it."))),
});
export type FollowNumber = Static<typeof FollowNumber>;

export const ParcelView = closed({
  ...ShipmentView.properties,
  order_id: Type.String(),
  order_number: Type.String(),
  customer_name: Type.String({ description: "The name of the buyer." }),
  label_ids: Type.Array(Type.String(), { description: "Its labels, newest first, including voided ones." }),
  tracking_status: nullable(
    choice(trackingStatuses, { description: "Its status at the carrier; null before it has a tracking record." }),
  ),
  estimated_delivery: nullable(timestamp("The end of the day on which it should arrive; null if unknown.")),
  estimated_delivery_day: DeliveryDayView,
});

const part = (description: string) => Type.Optional(nullable(textField(100, { min: 0, description })));
const facility = "The depot or hub.";
const event_status = "What happened: `accepted` shows as `picked_up` on the parcel.";

export const RecordScan = closed({
  status: choice(trackingEventStatuses, { description: event_status }),
  timestamp: Type.Optional(momentField("When it happened; by default, now. Not in the future.")),
  message: Type.Optional(
    nullable({ ...notesField(500), description: "The text to show. Default: one for the status." }),
  ),
  location: Type.Optional(
    nullable({
      ...closed({
        city: part("The city or town."),
        state: part("The state, province or region."),
        country: part("The country, in any spelling."),
        facility: part(facility),
      }),
      description: "Where it happened.",
    }),
  ),
  code: Type.Optional(nullable(textField(100, { description: "The carrier's code of the scan." }))),
  reason: Type.Optional(
    nullable(textField(200, { description: "Why, as of an exception. Shown as `status_detail`." })),
  ),
  signed_by: Type.Optional(nullable(textField(200))),
});
export type RecordScan = Static<typeof RecordScan>;

export const ChooseShape = closed({
  shape: Type.Optional(choice(["a", "b"], { description: "`b`, the default, returns all fields; `a` a short form." })),
});

export const TrackMany = closed({
  tracking_numbers: Type.Array(textField(100), {
    minItems: 1,
    maxItems: 100,
    description: "The numbers, as printed or as scanned.",
  }),
});

const text = nullable(Type.String());
const PlaceView = closed({
  city: text,
  state: text,
  country: nullable(Type.String({ description: "The country as the carrier writes it." })),
  facility: nullable(Type.String({ description: facility })),
});
const record_status = "The status that the newest scan decides. `returned`: sent back to the sender.";
const record_detail = "The carrier's detail of the status, else its standard text.";
const arrival = "When it should arrive, estimated until the carrier reports it; null if unknown.";

const standing = {
  status: choice(trackingStatuses, { description: record_status }),
  status_detail: Type.String({ description: record_detail }),
  message: Type.String({ description: "The text of the scan that decides the status." }),
  estimated_delivery: nullable(timestamp(arrival)),
  current_location: { ...PlaceView, description: "The place of the scan that decides the status." },
  signed_by: nullable(Type.String({ description: "Who signed for it; null if unknown." })),
};

const tracked = {
  tracking_number: Type.String(),
  merchant_id: OwnerView,
  ...standing,
  carrier: Type.String({ description: "The carrier's code, or `unknown`." }),
  service_type: nullable(Type.String({ description: "The carrier's service; null if unknown." })),
  shipment_id: nullable(
    Type.String({ description: "The order's parcel; null for a return or a number tracked on request." }),
  ),
  order_id: nullable(
    Type.String({ description: "The order of the parcel, or for which it is tracked; null if none." }),
  ),
  account_id: nullable(Type.String({ description: "The carrier account that tracks it; null if none." })),
  tracking_url: nullable(
    Type.String({ description: "The public tracking page: the carrier's, or Packhouse's if the carrier has none." }),
  ),
  next_poll_at: nullable(
    Type.String({
      format: "date-time",
      description: "When the carrier is polled next, unless it reports earlier; null if never.",
    }),
  ),
};

export const TrackedRecordView = closed({ ...tracked, created_at: Timestamp, updated_at: Timestamp });

export const TrackingView = closed({
  ...tracked,
  events: Type.Array(
    closed({
      timestamp: timestamp("When it happened."),
      status: choice(trackingEventStatuses, { description: event_status }),
      location: { ...PlaceView, description: "Where it happened. Unknown parts are null." },
      description: Type.String({ description: "What happened, in the carrier's words or a standard text." }),
      message: Type.String({ description: "The same as `description`." }),
      status_detail: nullable(Type.String({ description: "The carrier's detail of the status; null if none." })),
      carrier_status: nullable(Type.String({ description: "The carrier's own status, unchanged." })),
      carrier_code: nullable(Type.String({ description: "The carrier's code of the scan; null if none." })),
      reason: nullable(Type.String({ description: "Why, as of an exception; null if unknown." })),
    }),
    { description: "The scans, newest first." },
  ),
  shipment_details: {
    ...closed({
      weight: nullable(Type.String({ description: "The weight as decimal text; null if unknown." })),
      weight_unit: text,
      dimensions: nullable({ ...PackageDimensions, description: "The outer size; null if unknown." }),
    }),
    description: "The parcel as its label describes it.",
  },
  updated_at: Timestamp,
});

/** The result of detecting the carrier from a number's form. */
const numberForm = {
  detected_carriers: Type.Array(
    closed({
      carrier: CarrierView,
      format: Type.String({ description: "The name of the number format." }),
      checked: Type.Boolean({ description: "Whether a check digit confirms it. If false, only the form matches." }),
      tracking_url: text,
    }),
    { description: "All carriers that the number may belong to. If there are several, send `carrier`." },
  ),
  wrong_check_digits: Type.Array(
    closed({
      carrier: CarrierView,
      format: Type.String({ description: "The format that matches otherwise." }),
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
  carrier: tracked.carrier,
  status: choice(trackingStatuses, { description: record_status }),
  status_detail: Type.String({ description: record_detail }),
  estimated_delivery: nullable(timestamp(arrival)),
  events: Type.Array(
    closed({
      status: choice(trackingEventStatuses, { description: event_status }),
      message: Type.String({ description: "What happened, in the carrier's words or a standard text." }),
      location: Type.String({ description: "Facility, city, state and country on one line; empty if unknown." }),
      timestamp: timestamp("When it happened."),
    }),
    { description: "The scans, newest first." },
  ),
});

/** The result for one number of a batch. */
export const TrackedView = closed({
  tracking_number: Type.String({ description: "The number as the request has it." }),
  success: Type.Boolean({ description: "Whether it was found." }),
  tracking: nullable({ ...TrackingView, description: "The parcel; null if it was not found." }),
  error: nullable({
    ...closed({
      code: choice(["resource_missing", "merchant_required"], {
        description: "`merchant_required`: parcels of several merchants have the number.",
      }),
      message: Type.String(),
      ...numberForm,
    }),
    description: "Why it was not found; null if it was.",
  }),
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
