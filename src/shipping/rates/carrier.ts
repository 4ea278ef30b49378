import type { Mode } from "../../kit/mode.ts";
import { ownCarriers } from "../../orders/shipments/tracking_url.ts";

/** How the carrier is called that every installation has. */
export interface BuiltInCarrier {
  readonly code: string;
  readonly name: string;
}

const builtInCarriers = {
  live: { code: ownCarriers.live, name: "Packhouse Courier" },
  test: { code: ownCarriers.test, name: "Simulated Carrier" },
} as const satisfies Record<Mode, BuiltInCarrier>;

/** The carrier that every installation has: its own courier for live keys, a simulated one for test keys. */
export function builtInCarrier(mode: Mode): BuiltInCarrier {
  return builtInCarriers[mode];
}

/** How people call a carrier: one that is built in by its name, any other as it was given. */
export function carrierName(code: string): string {
  return Object.values(builtInCarriers).find((carrier) => carrier.code === code)?.name ?? code;
}
