// Converts EasyPost's tracking data: a tracker with one detail per scan.
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import { readRequired, readTimestamp } from "./call_carrier.ts";
import { carrierCode } from "./connector_fields.ts";
import { isAwaited, isDelivered, trackingStarts } from "./tracking.transitions.ts";
import type { CarrierEvent, TrackingUpdate } from "./tracking_update.ts";
import { meaningOf, meaningsOf } from "./tracking_update.ts";

/** EasyPost's names of carriers, by our code. For other codes it detects the carrier itself. */
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

/** Returns the update of a tracker. Refuses: validation_failed. */
export function updateOf(tracker: JsonFields): TrackingUpdate {
  const detail = fieldsOrNone(tracker["carrier_detail"]);
  return {
    tracking_number: readRequired(tracker["tracking_code"], "tracking_code"),
    carrier: carrierCode(readText(tracker["carrier"], 100) ?? "") || null,
    service: readText(detail["service"], 100),
    estimated_delivery: readTimestamp(tracker["est_delivery_date"]),
    events: eventsOf(tracker),
  };
}

/** The scans, oldest first, and the tracker's status if the last scan lacks it. */
function eventsOf(tracker: JsonFields): CarrierEvent[] {
  const scans = fieldsIn(tracker["tracking_details"])
    .flatMap((scan) => {
      const occurred_at = readTimestamp(scan["datetime"]);
      return occurred_at === null ? [] : [{ scan, occurred_at }];
    })
    .sort((a, b) => a.occurred_at - b.occurred_at);
  const meanings = meaningsOf(
    "easypost",
    scans.map(({ scan }) => wordsIn(scan)),
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
  return [...events, ...statusWithoutScan(tracker, events)];
}

const wordsIn = (fields: JsonFields) => ({
  status: readText(fields["status"], 100),
  detail: readText(fields["status_detail"], 100),
});

function eventIn(scan: JsonFields): Omit<CarrierEvent, "status" | "occurred_at" | "signed_by"> {
  const { status, detail } = wordsIn(scan);
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

/** The tracker's own status as an event, if it differs from the last scan. */
function statusWithoutScan(tracker: JsonFields, events: readonly CarrierEvent[]): CarrierEvent[] {
  const words = wordsIn(tracker);
  const last = events.at(-1);
  const means = meaningOf("easypost", words, last !== undefined && !isAwaited(last.status));
  const occurred_at = last?.occurred_at ?? readTimestamp(tracker["updated_at"]);
  const known = words.status === null || words.status === last?.carrier_status || isAwaited(means);
  if (known || occurred_at === null) return [];
  const signed_by = isDelivered(means) ? readText(tracker["signed_by"], 100) : null;
  return [{ ...eventIn({ ...statusFields(tracker), message: null }), status: means, occurred_at, signed_by }];
}

const statusFields = ({ status, status_detail }: JsonFields): JsonFields => ({ status, status_detail });
