import { hmacHex, sameText } from "../../kit/hmac.ts";
import { type Mode, modes } from "../../kit/mode.ts";
import type { Site } from "../../kit/site.ts";

// The page that shows a buyer where a parcel is. Its token names the parcel and proves that we gave the address away.

const proof_digits = 32;
// An `N` stands before what is the id of a number that is followed, and no parcel's.
const written = new RegExp(`^(N?)([0-9a-z]{1,11})-([0-9a-f]{${proof_digits}})$`);

/** What a page shows: a parcel, or a number that is followed, by the id of its record. */
export type Shown = { readonly shipment_id: number } | { readonly record_id: number };

/** The path of a parcel's page, which nobody can guess: 128 bits of a signature stand in it. */
export function trackingPagePath({ secret_key }: Site, mode: Mode, shown: Shown): string {
  const id = "shipment_id" in shown ? shown.shipment_id.toString(36) : `N${shown.record_id.toString(36)}`;
  return `/t/${id}-${proofOf(secret_key, mode, shown)}`;
}

/** What a token names and in which mode, or null when we did not give it. */
export function readTrackingToken({ secret_key }: Site, token: string): { mode: Mode; shown: Shown } | null {
  const [, kind = "", digits = "", proof = ""] = written.exec(token) ?? [];
  const id = Number.parseInt(digits, 36);
  const shown = kind === "" ? { shipment_id: id } : { record_id: id };
  const mode = modes.find((one) => sameText(proofOf(secret_key, one, shown), proof));
  return mode === undefined || !Number.isSafeInteger(id) ? null : { mode, shown };
}

function proofOf(secret_key: Uint8Array, mode: Mode, shown: Shown): string {
  const key = hmacHex(secret_key, "tracking pages");
  const name = "shipment_id" in shown ? `${shown.shipment_id}` : `number/${shown.record_id}`;
  return hmacHex(key, `${mode}/${name}`).slice(0, proof_digits);
}
