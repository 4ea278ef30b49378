import type { Service } from "../../http/service.ts";
import type { Mode } from "../../kit/mode.ts";
import type { OutsideCarrier, OwnCarrier } from "./connector.ts";
import { easypost } from "./easypost.ts";
import { karrio } from "./karrio.ts";
import { builtInConnector } from "./local.ts";
import { shippo } from "./shippo.ts";

/** Connectors to outside servers, by the name that an account uses. */
export type OutsideCarriers = Readonly<Record<string, OutsideCarrier>>;

/** The connectors that every installation has. */
export const outsideCarriers: OutsideCarriers = { easypost, karrio, shippo };

/** How carriers are asked: through which connectors, and how many milliseconds to wait for the rates of all of them. */
interface Asking {
  readonly carriers: OutsideCarriers;
  readonly rates_wait_ms: number;
}

// The rest of the eight seconds is for the answer itself.
const usual: Asking = { carriers: outsideCarriers, rates_wait_ms: 7500 };
const handed_in = new WeakMap<Service, Asking>();

/** How a service asks carriers. */
export function askingOf(service: Service): Asking {
  return handed_in.get(service) ?? usual;
}

/** The connectors through which a service calls outside servers. */
export function outsideCarriersOf(service: Service): OutsideCarriers {
  return askingOf(service).carriers;
}

/** Makes a service use other connectors, or another wait. */
export function handInCarriers(service: Service, carriers: OutsideCarriers, rates_wait_ms = usual.rates_wait_ms): void {
  handed_in.set(service, { carriers, rates_wait_ms });
}

const ownCarriers: Readonly<Record<Mode, OwnCarrier>> = {
  live: builtInConnector("live"),
  test: builtInConnector("test"),
};

/** The built-in carrier. */
export function ownCarrier(mode: Mode): OwnCarrier {
  return ownCarriers[mode];
}
