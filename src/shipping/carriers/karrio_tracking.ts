// How Karrio reports a parcel: a tracker with its events.

import { equalInConstantTime, hmacHex } from "../../core/crypto.ts";
import { Fault } from "../../core/faults.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import { readCallbackJson, readMoment, readRequired } from "./call_carrier.ts";
import { carrierCode } from "./connector_fields.ts";
import type { CarrierEvent, TrackingUpdate } from "./tracking_update.ts";
import { meaningsOf } from "./tracking_update.ts";

/** Words that say more than that the parcel is in transit. An event with such a word is reported once more under it. */
const telling = ["out_for_delivery", "exception", "delivered", "returned"];

/** The update of a tracker. Only newer releases say what each event means. Refuses: validation_failed. */
export function updateOf(tracker: JsonFields, now: number): TrackingUpdate {
  const { status, info, carrier_name, estimated_delivery, id } = tracker;
  const { signed_by, expected_delivery, shipment_service } = fieldsOrNone(info);
  const tracking_number = readRequired(tracker["tracking_number"], "tracking_number");
  // The newest event comes first, also among events of one moment.
  const events = fieldsIn(tracker["events"])
    .toReversed()
    .flatMap((event) => {
      const occurred_at = whenOf(event);
      return occurred_at === null ? [] : [{ event, occurred_at }];
    })
    .sort((one, other) => one.occurred_at - other.occurred_at);
  const last = events.length - 1;
  const own = events.map(({ event }) => readText(event["status"], 50));
  const said = own.map((word, at) => ({ status: word ?? (at === last ? readText(status, 50) : null), detail: null }));
  const means = meaningsOf("karrio", said);
  const seen = events.map(({ event, occurred_at }, at): CarrierEvent => {
    const [means_now = "pending", word = null] = [means[at], said[at]?.status];
    const [code, message, place] = [readText(event["code"], 100), readText(event["description"], 500), placeOf(event)];
    const again = own[at] === null && telling.includes(means_now) ? word : null;
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
    estimated_delivery: readMoment(estimated_delivery) ?? readMoment(expected_delivery),
    events: seen.length > 0 ? seen : eventWithoutScan(tracking_number, readText(status, 50), readText(id, 100), now),
  };
}

/** A place as one line. Each carrier writes places differently. */
function placeOf({ location }: JsonFields): CarrierEvent["location"] {
  const facility = readText(location, 200);
  return facility === null ? null : { city: null, state: null, country: null, facility };
}

/** The update of a tracker without events: the status, without a time. */
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

/** `2024-05-01` with `13:05` or `01:05 PM`, or a whole timestamp; null when the event does not say when. */
function whenOf({ timestamp, date, time }: JsonFields): number | null {
  const whole = readMoment(timestamp);
  if (whole !== null) return whole;
  const day = readText(date, 40);
  const [, hours, minutes, seconds = "00", half] =
    /^(\d{1,2}):(\d\d)(?::(\d\d))?\s*([AP]M)?$/i.exec(readText(time, 20) ?? "") ?? [];
  if (hours === undefined || minutes === undefined) return readMoment(day);
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toUpperCase() === "PM" ? 12 : 0);
  return readMoment(`${day}T${String(hour).padStart(2, "0")}:${minutes}:${seconds}`) ?? readMoment(day);
}

/** Reads a callback, which carries the secret itself as proof. Refuses: invalid_signature, validation_failed. */
export function readCallback(
  { headers, raw }: { readonly headers: Headers; readonly raw: Uint8Array },
  secret: string,
  now: number,
) {
  // Karrio sends the webhook's secret as the id of an event; its events have no ids.
  const proof = headers.get("x-event-id") ?? "";
  if (secret === "" || !equalInConstantTime(proof, secret)) {
    throw new Fault("invalid_signature", "The header X-Event-Id does not hold the secret of the webhook.");
  }
  const { event, data } = readCallbackJson(raw);
  const tells = typeof event === "string" && /^tracker[._]/.test(event);
  return { event_id: null, updates: tells ? [updateOf(fieldsOrNone(data), now)] : [] };
}
