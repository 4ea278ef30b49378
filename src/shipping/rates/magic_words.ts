// Magic words in the second line of a recipient's address. The simulated carriers of test data act on them, so that a
// client can try what fails with real carriers.
import { Fault } from "../../kit/fault.ts";
import type { Address } from "../address.ts";
import { simulatedExpress } from "./carrier.ts";

const magicWords = [
  "SIM-TIMEOUT",
  "SIM-REFUSED",
  "SIM-ERROR",
  "SIM-VOID-REFUSED",
  "SIM-EXCEPTION",
  "SIM-RETURNED",
] as const;
type MagicWord = (typeof magicWords)[number];

function magicWord(to: Pick<Address, "address_line2"> | null): MagicWord | null {
  const words = to?.address_line2?.toUpperCase().split(/[\s,]+/) ?? [];
  return magicWords.find((word) => words.includes(word)) ?? null;
}

/** The carrier that does not answer a request for rates to this address; null when all answer. */
export function silentCarrier(to: Address | null): string | null {
  return magicWord(to) === "SIM-TIMEOUT" ? simulatedExpress.code : null;
}

/** Refuses: carrier_refused, carrier_error, where the recipient's address asks for a failed purchase. */
export function refuseSimulated(carrier: string, to: Address): void {
  const word = magicWord(to);
  if (word === "SIM-REFUSED") {
    throw new Fault("carrier_refused", `The carrier ${carrier} does not carry this parcel (simulated by ${word}).`);
  }
  if (word === "SIM-ERROR") {
    throw new Fault("carrier_error", `The carrier ${carrier} failed (simulated by ${word}). Send the request again.`);
  }
}

/** Whether the carrier refuses to void a label to this address. */
export function refusesVoid(to: Address): boolean {
  return magicWord(to) === "SIM-VOID-REFUSED";
}

/** The end of a tracking number whose parcel meets an exception or comes back; empty for a plain course. */
export function courseOf(to: Address): string {
  const word = magicWord(to);
  return word === "SIM-EXCEPTION" ? "EXC" : word === "SIM-RETURNED" ? "RTS" : "";
}
