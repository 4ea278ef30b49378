import { hmacHex, sameText } from "../../kit/hmac.ts";
import { type Mode, modes } from "../../kit/mode.ts";
import type { Site } from "../../kit/site.ts";

// The page that shows a buyer where a parcel is. Its token names the parcel and proves that we gave the address away.

const proof_digits = 32;
const written = new RegExp(`^([0-9a-z]{1,11})-([0-9a-f]{${proof_digits}})$`);

/** A parcel that a page shows. */
export interface TrackedParcel {
  readonly mode: Mode;
  readonly shipment_id: number;
}

/** The path of a parcel's page, which nobody can guess: 128 bits of a signature stand in it. */
export function trackingPagePath({ secret_key }: Site, parcel: TrackedParcel): string {
  return `/t/${parcel.shipment_id.toString(36)}-${proofOf(secret_key, parcel)}`;
}

/** The parcel that a token names, or null when we did not give it. */
export function readTrackingToken({ secret_key }: Site, token: string): TrackedParcel | null {
  const [, id = "", proof = ""] = written.exec(token) ?? [];
  const shipment_id = Number.parseInt(id, 36);
  const mode = modes.find((one) => sameText(proofOf(secret_key, { mode: one, shipment_id }), proof));
  return mode === undefined || !Number.isSafeInteger(shipment_id) ? null : { mode, shipment_id };
}

function proofOf(secret_key: Uint8Array, { mode, shipment_id }: TrackedParcel): string {
  const key = hmacHex(secret_key, "tracking pages");
  return hmacHex(key, `${mode}/${shipment_id}`).slice(0, proof_digits);
}
