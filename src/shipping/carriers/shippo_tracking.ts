// Converts Shippo's tracking data: a track with one history entry per scan.

import { equalInConstantTime, hmacHex } from "../../core/crypto.ts";
import { Fault } from "../../core/faults.ts";
import { second_ms } from "../../core/time.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import { readCallbackJson, readRequired, readTimestamp } from "./call_carrier.ts";
import { carrierCode } from "./connector_fields.ts";
import { trackingStarts } from "./tracking.transitions.ts";
import type { CarrierEvent, TrackingUpdate } from "./tracking_update.ts";
import { meaningsOf } from "./tracking_update.ts";

/** How far a signature's time may be from now, in either direction. */
const signature_window_ms = 5 * 60 * second_ms;
const words_max = 500;

/** Returns the update of a track. Refuses: validation_failed. */
export function updateOf(track: JsonFields): TrackingUpdate {
  const { carrier, eta, servicelevel } = track;
  return {
    tracking_number: readRequired(track["tracking_number"], "tracking_number"),
    carrier: carrierCode(readText(carrier, 100) ?? "") || null,
    service: readText(fieldsOrNone(servicelevel)["name"], 100),
    estimated_delivery: readTimestamp(eta),
    events: eventsOf(track),
  };
}

/** The scans, oldest first, and the present status if no scan has it. */
function eventsOf({ tracking_history, tracking_status }: JsonFields): CarrierEvent[] {
  const scans = new Map<string, { scan: JsonFields; occurred_at: number }>();
  for (const scan of [...fieldsIn(tracking_history), fieldsOrNone(tracking_status)]) {
    const occurred_at = readTimestamp(scan["status_date"]);
    const { code } = fieldsOrNone(scan["substatus"]);
    const key = JSON.stringify([occurred_at, scan["status"], code, scan["status_details"]]);
    if (occurred_at !== null) scans.set(key, { scan, occurred_at });
  }
  const sorted = [...scans.values()].sort((a, b) => a.occurred_at - b.occurred_at);
  const words = sorted.map(({ scan }) => {
    const { code, action_required } = fieldsOrNone(scan["substatus"]);
    const reported = { status: readText(scan["status"], 100), detail: readText(code, 100) };
    return { ...reported, action_required: action_required === true };
  });
  const meanings = meaningsOf("shippo", words);
  return sorted.map(({ scan, occurred_at }, index) => {
    const { status = null, detail = null } = words[index] ?? {};
    return {
      source_event_id: null,
      status: meanings[index] ?? trackingStarts,
      occurred_at,
      carrier_status: status,
      carrier_code: null,
      status_detail: detail,
      reason: null,
      signed_by: null,
      message: readText(scan["status_details"], words_max),
      location: placeOf(fieldsOrNone(scan["location"])),
    };
  });
}

function placeOf(place: JsonFields): CarrierEvent["location"] {
  const [city = null, state = null, country = null] = ["city", "state", "country"].map((part) =>
    readText(place[part], 100),
  );
  return city === null && state === null && country === null ? null : { city, state, country, facility: null };
}

interface ShippoCallback {
  readonly headers: Headers;
  readonly url: URL;
  readonly raw: Uint8Array;
}

/** Reads a callback that is signed or has the secret in its URL. Refuses: invalid_signature, validation_failed. */
export function readCallback(inbound: ShippoCallback, secret: string, now: number) {
  if (secret === "" || !isGenuine(inbound, secret, now)) {
    const words =
      "The callback needs a recent signature with this account's secret, or that secret as `token` in its URL.";
    throw new Fault("invalid_signature", words);
  }
  const { event, data } = readCallbackJson(inbound.raw);
  return { event_id: null, updates: event === "track_updated" ? [updateOf(fieldsOrNone(data))] : [] };
}

/** A signature decides if there is one; otherwise the token in the URL does. */
function isGenuine({ headers, url, raw }: ShippoCallback, secret: string, now: number): boolean {
  const signature = headers.get("shippo-auth-signature");
  if (signature === null) return equalInConstantTime(url.searchParams.get("token") ?? "", secret);
  const parts = signature.split(",").map((part) => part.trim().split("="));
  const seconds = parts.find(([part]) => part === "t")?.[1] ?? "";
  if (!/^\d{1,12}$/.test(seconds) || Math.abs(Number(seconds) * second_ms - now) > signature_window_ms) return false;
  const expected = hmacHex(secret, Buffer.concat([Buffer.from(`${seconds}.`), raw]));
  return parts.some(([part, value = ""]) => part === "v1" && equalInConstantTime(value, expected));
}
