import type { Mode } from "../../kit/mode.ts";
import { ownCarriers } from "../../orders/shipments/tracking_url.ts";

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
} as const satisfies Record<Mode, BuiltInCarrier>;

const all: Readonly<Record<Mode, readonly BuiltInCarrier[]>> = {
  live: [byCards.live],
  test: [byCards.test, simulatedPost, simulatedExpress],
};

/** The built-in carrier that sells by rate cards: the warehouse's own courier, or a simulated one in test data. */
export function builtInCarrier(mode: Mode): BuiltInCarrier {
  return byCards[mode];
}

/** The carriers whose labels Packhouse itself sells, without an account. */
export function builtInCarriers(mode: Mode): readonly BuiltInCarrier[] {
  return all[mode];
}

/** Whether a carrier is one of them. */
export function isBuiltIn(mode: Mode, code: string): boolean {
  return all[mode].some((carrier) => carrier.code === code);
}

/** The name of a carrier for people: of a built-in one its name, of any other its code. */
export function carrierName(code: string): string {
  return [...all.live, ...all.test].find((carrier) => carrier.code === code)?.name ?? code;
}
