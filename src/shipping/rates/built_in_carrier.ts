import type { Environment } from "../../core/environment.ts";
import { Fault } from "../../core/faults.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import { ownCarriers } from "../../orders/fulfillment/tracking_url.ts";
import type { SimulatedCourse } from "../labels/tracking_number.ts";

/** The code and the display name of a built-in carrier. */
export interface BuiltInCarrier {
  readonly code: string;
  readonly name: string;
}

/** The simulated carriers of test data, in addition to the one that sells by rate cards. */
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

/** Returns the carrier that sells by rate cards: the warehouse's own courier, or in test data a simulated carrier. */
export function builtInCarrier(mode: Environment): BuiltInCarrier {
  return byCards[mode];
}

/** Lists the carriers whose labels Packhouse sells itself, without an account. */
export function builtInCarriers(mode: Environment): readonly BuiltInCarrier[] {
  return all[mode];
}

/** Whether a carrier is built in. */
export function isBuiltIn(mode: Environment, code: string): boolean {
  return all[mode].some((carrier) => carrier.code === code);
}

/** Returns the display name of a built-in carrier; for any other, its code. */
export function carrierName(code: string): string {
  return [...all.live, ...all.test].find((carrier) => carrier.code === code)?.name ?? code;
}

// Magic words in the second line of a recipient's address trigger failures of the simulated carriers, so that clients
// can test their handling, or stop their scans.

const magicWords = [
  "SIM-TIMEOUT",
  "SIM-REFUSED",
  "SIM-ERROR",
  "SIM-VOID-REFUSED",
  "SIM-EXCEPTION",
  "SIM-RETURNED",
  "SIM-NO-SCANS",
] as const;
type MagicWord = (typeof magicWords)[number];

function magicWord(to: Pick<CompleteAddress, "address_line2"> | null): MagicWord | null {
  const words = to?.address_line2?.toUpperCase().split(/[\s,]+/) ?? [];
  return magicWords.find((word) => words.includes(word)) ?? null;
}

/** Returns the simulated carrier that times out on a request for rates to this address, or null. */
export function silentCarrier(to: CompleteAddress | null): string | null {
  return magicWord(to) === "SIM-TIMEOUT" ? simulatedExpress.code : null;
}

/**
 * Fails a simulated purchase if the recipient's address has the magic word. Refuses: carrier_refused, carrier_error.
 */
export function refuseSimulated(carrier: string, to: CompleteAddress): void {
  const word = magicWord(to);
  if (word === "SIM-REFUSED") {
    throw new Fault("carrier_refused", `The carrier ${carrier} refused this parcel (simulated by ${word}).`);
  }
  if (word === "SIM-ERROR") {
    throw new Fault("carrier_error", `The carrier ${carrier} failed (simulated by ${word}). Send the request again.`);
  }
}

/** Whether the simulated carrier refuses to void a label to this address. */
export function refusesVoid(to: CompleteAddress): boolean {
  return magicWord(to) === "SIM-VOID-REFUSED";
}

/** The suffixes of tracking numbers whose parcels do not just travel to their recipient, by magic word. */
const courses: Partial<Readonly<Record<MagicWord, SimulatedCourse>>> = {
  "SIM-EXCEPTION": "EXC",
  "SIM-RETURNED": "RTS",
  "SIM-NO-SCANS": "NSC",
};

/** Returns the suffix of a tracking number for the recipient's magic word; empty without one. */
export function courseOf(to: CompleteAddress): SimulatedCourse | "" {
  const word = magicWord(to);
  return (word !== null && courses[word]) || "";
}
