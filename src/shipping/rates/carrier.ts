import type { Mode } from "../../kit/mode.ts";
import { ownCarriers } from "../../orders/shipments/tracking_url.ts";

/** The name of the built-in carrier. */
export interface BuiltInCarrier {
  readonly code: string;
  readonly name: string;
}

const builtInCarriers = {
  live: { code: ownCarriers.live, name: "Packhouse Courier" },
  test: { code: ownCarriers.test, name: "Simulated Carrier" },
} as const satisfies Record<Mode, BuiltInCarrier>;

/** The built-in carrier: the warehouse's own courier for live keys, a simulated one for test keys. */
export function builtInCarrier(mode: Mode): BuiltInCarrier {
  return builtInCarriers[mode];
}

/** The name of a carrier for people: of the built-in one its name, of any other its code. */
export function carrierName(code: string): string {
  return Object.values(builtInCarriers).find((carrier) => carrier.code === code)?.name ?? code;
}
