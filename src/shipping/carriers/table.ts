import type { Service } from "../../http/service.ts";
import type { Mode } from "../../kit/mode.ts";
import type { OutsideCarrier, OwnCarrier } from "./connector.ts";
import { easypost } from "./easypost.ts";
import { karrio } from "./karrio.ts";
import { builtInConnector } from "./local.ts";
import { shippo } from "./shippo.ts";

/** Connectors that call outside servers, by the name that an account is made with. */
export type OutsideCarriers = Readonly<Record<string, OutsideCarrier>>;

/** The connectors that every installation has. */
export const outsideCarriers: OutsideCarriers = { easypost, karrio, shippo };

const handed_in = new WeakMap<Service, OutsideCarriers>();

/** The connectors that a service calls outside servers by. */
export function outsideCarriersOf(service: Service): OutsideCarriers {
  return handed_in.get(service) ?? outsideCarriers;
}

/** Has a service call by other connectors than those of every installation. */
export function handInCarriers(service: Service, carriers: OutsideCarriers): void {
  handed_in.set(service, carriers);
}

const ownCarriers: Readonly<Record<Mode, OwnCarrier>> = {
  live: builtInConnector("live"),
  test: builtInConnector("test"),
};

/** The carrier that every installation has. */
export function ownCarrier(mode: Mode): OwnCarrier {
  return ownCarriers[mode];
}
