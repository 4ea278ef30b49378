// How Shippo reports a parcel: a track with one history entry for each scan.

import { equalInConstantTime, hmacHex } from "../../core/crypto.ts";
import { Fault } from "../../core/faults.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import { readCallbackJson, readMoment, readRequired } from "./call_carrier.ts";
import { carrierCode } from "./connector_fields.ts";
import { trackingStarts } from "./tracking.transitions.ts";
import type { CarrierEvent, TrackingUpdate } from "./tracking_update.ts";
import { meaningsOf } from "./tracking_update.ts";

const second_ms = 1000;
/** How far the time of a signature may be from now, before or after. */
const signature_window_ms = 5 * 60 * second_ms;
const words_max = 500;

/** The update of a track. Refuses: validation_failed. */
export function updateOf(track: JsonFields): TrackingUpdate {
  const { carrier, eta, servicelevel } = track;
  return {
    tracking_number: readRequired(track["tracking_number"], "tracking_number"),
    carrier: carrierCode(readText(carrier, 100) ?? "") || null,
    service: readText(fieldsOrNone(servicelevel)["name"], 100),
    estimated_delivery: readMoment(eta),
    events: eventsOf(track),
  };
}

/** The scans, oldest first, and the present status if no scan has it. */
function eventsOf({ tracking_history, tracking_status }: JsonFields): CarrierEvent[] {
  const scans = new Map<string, { scan: JsonFields; occurred_at: number }>();
  for (const scan of [...fieldsIn(tracking_history), fieldsOrNone(tracking_status)]) {
    const occurred_at = readMoment(scan["status_date"]);
    const { code } = fieldsOrNone(scan["substatus"]);
    const key = JSON.stringify([occurred_at, scan["status"], code, scan["status_details"]]);
    if (occurred_at !== null) scans.set(key, { scan, occurred_at });
  }
  const sorted = [...scans.values()].sort((one, other) => one.occurred_at - other.occurred_at);
  const said = sorted.map(({ scan }) => {
    const { code, action_required } = fieldsOrNone(scan["substatus"]);
    const words = { status: readText(scan["status"], 100), detail: readText(code, 100) };
    return { ...words, action_required: action_required === true };
  });
  const meanings = meaningsOf("shippo", said);
  return sorted.map(({ scan, occurred_at }, index) => {
    const { status = null, detail = null } = said[index] ?? {};
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

/** Reads a callback, signed or with the secret in its address. Refuses: invalid_signature, validation_failed. */
export function readCallback(inbound: ShippoCallback, secret: string, now: number) {
  if (secret === "" || !isGenuine(inbound, secret, now)) {
    const words = "The callback has neither a fresh signature by this account's secret nor that secret as its token.";
    throw new Fault("invalid_signature", words);
  }
  const { event, data } = readCallbackJson(inbound.raw);
  return { event_id: null, updates: event === "track_updated" ? [updateOf(fieldsOrNone(data))] : [] };
}

/** Where Shippo signs, the signature is the proof; otherwise the token in the address is. */
function isGenuine({ headers, url, raw }: ShippoCallback, secret: string, now: number): boolean {
  const signature = headers.get("shippo-auth-signature");
  if (signature === null) return equalInConstantTime(url.searchParams.get("token") ?? "", secret);
  const parts = signature.split(",").map((part) => part.trim().split("="));
  const seconds = parts.find(([part]) => part === "t")?.[1] ?? "";
  if (!/^\d{1,12}$/.test(seconds) || Math.abs(Number(seconds) * second_ms - now) > signature_window_ms) return false;
  const right = hmacHex(secret, Buffer.concat([Buffer.from(`${seconds}.`), raw]));
  return parts.some(([part, value = ""]) => part === "v1" && equalInConstantTime(value, right));
}
