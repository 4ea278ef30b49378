// Converts Karrio's tracking data: a tracker with its events.

import { equalInConstantTime, hmacHex } from "../../core/crypto.ts";
import { Fault } from "../../core/faults.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import { readCallbackJson, readRequired, readTimestamp } from "./call_carrier.ts";
import { carrierCode } from "./connector_fields.ts";
import type { CarrierEvent, TrackingUpdate } from "./tracking_update.ts";
import { meaningsOf } from "./tracking_update.ts";

/** Statuses that say more than "in transit". An event whose meaning changes to one of them is reported again. */
const notable = ["out_for_delivery", "exception", "delivered", "returned"];

/** Returns the update of a tracker. Only newer releases give each event a status. Refuses: validation_failed. */
export function updateOf(tracker: JsonFields, now: number): TrackingUpdate {
  const { status, info, carrier_name, estimated_delivery, id } = tracker;
  const { signed_by, expected_delivery, shipment_service } = fieldsOrNone(info);
  const tracking_number = readRequired(tracker["tracking_number"], "tracking_number");
  // The newest event comes first, also among events with the same time.
  const events = fieldsIn(tracker["events"])
    .toReversed()
    .flatMap((event) => {
      const occurred_at = whenOf(event);
      return occurred_at === null ? [] : [{ event, occurred_at }];
    })
    .sort((a, b) => a.occurred_at - b.occurred_at);
  const last = events.length - 1;
  const own = events.map(({ event }) => readText(event["status"], 50));
  const words = own.map((word, at) => ({ status: word ?? (at === last ? readText(status, 50) : null), detail: null }));
  const means = meaningsOf("karrio", words);
  const seen = events.map(({ event, occurred_at }, at): CarrierEvent => {
    const [means_now = "pending", word = null] = [means[at], words[at]?.status];
    const [code, message, place] = [readText(event["code"], 100), readText(event["description"], 500), placeOf(event)];
    const again = own[at] === null && notable.includes(means_now) ? word : null;
    return {
      source_event_id: hmacHex("event", JSON.stringify([tracking_number, occurred_at, code, message, place, again])),
      status: means_now,
      occurred_at,
      message,
      location: place,
      carrier_status: word,
      carrier_code: code,
      status_detail: null,
      reason: readText(event["reason"], 200),
      signed_by: means_now === "delivered" ? readText(signed_by, 200) : null,
    };
  });
  return {
    tracking_number,
    carrier: carrierCode(readText(carrier_name, 100) ?? "") || null,
    service: readText(shipment_service, 100),
    estimated_delivery: readTimestamp(estimated_delivery) ?? readTimestamp(expected_delivery),
    events: seen.length > 0 ? seen : eventWithoutScan(tracking_number, readText(status, 50), readText(id, 100), now),
  };
}

/** The place of an event as one line. Each carrier formats places differently. */
function placeOf({ location }: JsonFields): CarrierEvent["location"] {
  const facility = readText(location, 200);
  return facility === null ? null : { city: null, state: null, country: null, facility };
}

/** The event of a tracker that lists none: its status, at the present time. */
function eventWithoutScan(
  tracking_number: string,
  status: string | null,
  id: string | null,
  now: number,
): CarrierEvent[] {
  const [means = "pending"] = meaningsOf("karrio", [{ status, detail: null }]);
  if (means === "pending") return [];
  return [
    {
      source_event_id: `${id ?? tracking_number}:${status}`,
      status: means,
      occurred_at: now,
      message: null,
      location: null,
      carrier_status: status,
      carrier_code: null,
      status_detail: null,
      reason: null,
      signed_by: null,
    },
  ];
}

/** Reads the time of an event: `2024-05-01` with `13:05` or `01:05 PM`, or a full timestamp; null if there is none. */
function whenOf({ timestamp, date, time }: JsonFields): number | null {
  const full = readTimestamp(timestamp);
  if (full !== null) return full;
  const day = readText(date, 40);
  const [, hours, minutes, seconds = "00", half] =
    /^(\d{1,2}):(\d\d)(?::(\d\d))?\s*([AP]M)?$/i.exec(readText(time, 20) ?? "") ?? [];
  if (hours === undefined || minutes === undefined) return readTimestamp(day);
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toUpperCase() === "PM" ? 12 : 0);
  return readTimestamp(`${day}T${String(hour).padStart(2, "0")}:${minutes}:${seconds}`) ?? readTimestamp(day);
}

/** Reads a callback, which is authenticated by the secret itself. Refuses: invalid_signature, validation_failed. */
export function readCallback(
  { headers, raw }: { readonly headers: Headers; readonly raw: Uint8Array },
  secret: string,
  now: number,
) {
  // Karrio sends the webhook's secret in X-Event-Id. Its events have no ids.
  const proof = headers.get("x-event-id") ?? "";
  if (secret === "" || !equalInConstantTime(proof, secret)) {
    throw new Fault("invalid_signature", "The header X-Event-Id must contain the webhook's secret.");
  }
  const { event, data } = readCallbackJson(raw);
  const is_tracking = typeof event === "string" && /^tracker[._]/.test(event);
  return { event_id: null, updates: is_tracking ? [updateOf(fieldsOrNone(data), now)] : [] };
}
