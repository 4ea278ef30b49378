import type { Environment } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";
import { ownCarriers } from "../../orders/fulfillment/tracking_url.ts";
import type { ParcelAddress } from "../address.ts";

/** The name of a built-in carrier. */
export interface BuiltInCarrier {
  readonly code: string;
  readonly name: string;
}

/** The simulated carriers of test data besides the one that sells by rate cards. */
export const simulatedPost: BuiltInCarrier = { code: "sim_post", name: "Simulated Post" };
export const simulatedExpress: BuiltInCarrier = { code: "sim_express", name: "Simulated Express" };

const byCards = {
  live: { code: ownCarriers.live, name: "Packhouse Courier" },
  test: { code: ownCarriers.test, name: "Simulated Parcel" },
} as const satisfies Record<Environment, BuiltInCarrier>;

const all: Readonly<Record<Environment, readonly BuiltInCarrier[]>> = {
  live: [byCards.live],
  test: [byCards.test, simulatedPost, simulatedExpress],
};

/** The built-in carrier that sells by rate cards: the warehouse's own courier, or a simulated one in test data. */
export function builtInCarrier(mode: Environment): BuiltInCarrier {
  return byCards[mode];
}

/** The carriers whose labels Packhouse itself sells, without an account. */
export function builtInCarriers(mode: Environment): readonly BuiltInCarrier[] {
  return all[mode];
}

/** Whether a carrier is one of them. */
export function isBuiltIn(mode: Environment, code: string): boolean {
  return all[mode].some((carrier) => carrier.code === code);
}

/** The name of a carrier for people: of a built-in one its name, of any other its code. */
export function carrierName(code: string): string {
  return [...all.live, ...all.test].find((carrier) => carrier.code === code)?.name ?? code;
}

// Magic words in the second line of a recipient's address. The simulated carriers of test data act on them, so that a
// client can try what fails with real carriers.

const magicWords = [
  "SIM-TIMEOUT",
  "SIM-REFUSED",
  "SIM-ERROR",
  "SIM-VOID-REFUSED",
  "SIM-EXCEPTION",
  "SIM-RETURNED",
] as const;
type MagicWord = (typeof magicWords)[number];

function magicWord(to: Pick<ParcelAddress, "address_line2"> | null): MagicWord | null {
  const words = to?.address_line2?.toUpperCase().split(/[\s,]+/) ?? [];
  return magicWords.find((word) => words.includes(word)) ?? null;
}

/** The carrier that does not answer a request for rates to this address; null when all answer. */
export function silentCarrier(to: ParcelAddress | null): string | null {
  return magicWord(to) === "SIM-TIMEOUT" ? simulatedExpress.code : null;
}

/** Refuses: carrier_refused, carrier_error, where the recipient's address asks for a failed purchase. */
export function refuseSimulated(carrier: string, to: ParcelAddress): void {
  const word = magicWord(to);
  if (word === "SIM-REFUSED") {
    throw new Fault("carrier_refused", `The carrier ${carrier} does not carry this parcel (simulated by ${word}).`);
  }
  if (word === "SIM-ERROR") {
    throw new Fault("carrier_error", `The carrier ${carrier} failed (simulated by ${word}). Send the request again.`);
  }
}

/** Whether the carrier refuses to void a label to this address. */
export function refusesVoid(to: ParcelAddress): boolean {
  return magicWord(to) === "SIM-VOID-REFUSED";
}

/** The end of a tracking number whose parcel meets an exception or comes back; empty for a plain course. */
export function courseOf(to: ParcelAddress): string {
  const word = magicWord(to);
  return word === "SIM-EXCEPTION" ? "EXC" : word === "SIM-RETURNED" ? "RTS" : "";
}
