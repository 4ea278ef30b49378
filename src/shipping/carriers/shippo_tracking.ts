// How Shippo reports a parcel: a track with one history entry for each scan.
import { Fault } from "../../kit/fault.ts";
import { hmacHex, sameText } from "../../kit/hmac.ts";
import { type Fields, fieldsIn, fieldsOrNone, readText } from "../../outbound/reading.ts";
import { trackingStarts } from "../updates/status.ts";
import type { CarrierEvent, TrackingUpdate } from "../updates/update.ts";
import { meaningsOf } from "../updates/words.ts";
import { readCallbackJson, readMoment, readRequired } from "./asking.ts";
import { carrierCode } from "./naming.ts";

const second_ms = 1000;
/** How far the time of a signature may be from now, before or after. */
const signature_window_ms = 5 * 60 * second_ms;
const words_max = 500;

/** The update of a track. Refuses: validation_failed. */
export function updateOf(track: Fields): TrackingUpdate {
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
function eventsOf({ tracking_history, tracking_status }: Fields): CarrierEvent[] {
  const scans = new Map<string, { scan: Fields; occurred_at: number }>();
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

function placeOf(place: Fields): CarrierEvent["location"] {
  const [city = null, state = null, country = null] = ["city", "state", "country"].map((part) =>
    readText(place[part], 100),
  );
  return city === null && state === null && country === null ? null : { city, state, country, facility: null };
}

interface Inbound {
  readonly headers: Headers;
  readonly url: URL;
  readonly raw: Uint8Array;
}

/** Reads a callback, signed or with the secret in its address. Refuses: invalid_signature, validation_failed. */
export function readCallback(inbound: Inbound, secret: string, now: number) {
  if (secret === "" || !isGenuine(inbound, secret, now)) {
    const words = "The callback has neither a fresh signature by this account's secret nor that secret as its token.";
    throw new Fault("invalid_signature", words);
  }
  const { event, data } = readCallbackJson(inbound.raw);
  return { event_id: null, updates: event === "track_updated" ? [updateOf(fieldsOrNone(data))] : [] };
}

/** Where Shippo signs, the signature is the proof; otherwise the token in the address is. */
function isGenuine({ headers, url, raw }: Inbound, secret: string, now: number): boolean {
  const signature = headers.get("shippo-auth-signature");
  if (signature === null) return sameText(url.searchParams.get("token") ?? "", secret);
  const parts = signature.split(",").map((part) => part.trim().split("="));
  const seconds = parts.find(([part]) => part === "t")?.[1] ?? "";
  if (!/^\d{1,12}$/.test(seconds) || Math.abs(Number(seconds) * second_ms - now) > signature_window_ms) return false;
  const right = hmacHex(secret, Buffer.concat([Buffer.from(`${seconds}.`), raw]));
  return parts.some(([part, value = ""]) => part === "v1" && sameText(value, right));
}
