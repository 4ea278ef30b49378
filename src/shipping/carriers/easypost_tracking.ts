// How EasyPost reports a parcel: a tracker with one detail for each scan.
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import { readMoment, readRequired } from "./call_carrier.ts";
import { carrierCode } from "./connector_fields.ts";
import { isAwaited, isDelivered, trackingStarts } from "./tracking.transitions.ts";
import type { CarrierEvent, TrackingUpdate } from "./tracking_update.ts";
import { meaningOf, meaningsOf } from "./tracking_update.ts";

/** The carriers whose parcels EasyPost tracks, by our code. For other codes it detects the carrier itself. */
export const trackerNames: Readonly<Record<string, string>> = {
  canada_post: "CanadaPost",
  dhl_express: "DHLExpress",
  fedex: "FedEx",
  ontrac: "OnTrac",
  purolator: "Purolator",
  ups: "UPS",
  usps: "USPS",
};

const words_max = 500;

/** The update of a tracker. Refuses: validation_failed. */
export function updateOf(tracker: JsonFields): TrackingUpdate {
  const detail = fieldsOrNone(tracker["carrier_detail"]);
  return {
    tracking_number: readRequired(tracker["tracking_code"], "tracking_code"),
    carrier: carrierCode(readText(tracker["carrier"], 100) ?? "") || null,
    service: readText(detail["service"], 100),
    estimated_delivery: readMoment(tracker["est_delivery_date"]),
    events: eventsOf(tracker),
  };
}

/** The scans, the oldest first. */
function eventsOf(tracker: JsonFields): CarrierEvent[] {
  const scans = fieldsIn(tracker["tracking_details"])
    .flatMap((scan) => {
      const occurred_at = readMoment(scan["datetime"]);
      return occurred_at === null ? [] : [{ scan, occurred_at }];
    })
    .sort((one, other) => one.occurred_at - other.occurred_at);
  const meanings = meaningsOf(
    "easypost",
    scans.map(({ scan }) => saidIn(scan)),
  );
  const events = scans.map(({ scan, occurred_at }, index) => {
    const status = meanings[index] ?? trackingStarts;
    return {
      ...eventIn(scan),
      status,
      occurred_at,
      signed_by: isDelivered(status) ? readText(tracker["signed_by"], 100) : null,
    };
  });
  return [...events, ...beyond(tracker, events)];
}

const saidIn = (fields: JsonFields) => ({
  status: readText(fields["status"], 100),
  detail: readText(fields["status_detail"], 100),
});

function eventIn(scan: JsonFields): Omit<CarrierEvent, "status" | "occurred_at" | "signed_by"> {
  const { status, detail } = saidIn(scan);
  const place = fieldsOrNone(scan["tracking_location"]);
  const [city, state, country] = ["city", "state", "country"].map((name) => readText(place[name], 100));
  const location = { city: city ?? null, state: state ?? null, country: country ?? null, facility: null };
  return {
    source_event_id: null,
    carrier_status: status,
    status_detail: detail,
    reason: null,
    message: readText(scan["message"], words_max),
    location: city || state || country ? location : null,
    carrier_code: readText(scan["carrier_code"], 100),
  };
}

/** What the tracker itself says, if it knows more than its last scan. */
function beyond(tracker: JsonFields, events: readonly CarrierEvent[]): CarrierEvent[] {
  const said = saidIn(tracker);
  const last = events.at(-1);
  const means = meaningOf("easypost", said, last !== undefined && !isAwaited(last.status));
  const occurred_at = last?.occurred_at ?? readMoment(tracker["updated_at"]);
  const known = said.status === null || said.status === last?.carrier_status || isAwaited(means);
  if (known || occurred_at === null) return [];
  const signed_by = isDelivered(means) ? readText(tracker["signed_by"], 100) : null;
  return [{ ...eventIn({ ...saidAs(tracker), message: null }), status: means, occurred_at, signed_by }];
}

const saidAs = ({ status, status_detail }: JsonFields): JsonFields => ({ status, status_detail });
