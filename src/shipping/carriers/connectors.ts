// The connectors that call outside servers.
import type { Service } from "../../http/service.ts";
import type { OutsideCarrier } from "./connector.ts";
import { easypost } from "./easypost.ts";
import { karrio } from "./karrio.ts";
import { shippo } from "./shippo.ts";

/** Connectors to outside servers, by code. */
export type OutsideCarriers = Readonly<Record<string, OutsideCarrier>>;

/** The connectors of every installation. */
export const outsideCarriers: OutsideCarriers = { easypost, karrio, shippo };

/** The connectors that a service uses, and the timeout in milliseconds for all of their rates. */
interface CarrierCalling {
  readonly carriers: OutsideCarriers;
  readonly rates_wait_ms: number;
}

// Clients wait eight seconds. The rest is for building the response.
const default_calling: CarrierCalling = { carriers: outsideCarriers, rates_wait_ms: 7500 };
const overrides = new WeakMap<Service, CarrierCalling>();

/** Returns the connectors and the timeout that a service uses. */
export function carrierCallingOf(service: Service): CarrierCalling {
  return overrides.get(service) ?? default_calling;
}

/** Returns the connectors with which a service calls outside servers. */
export function outsideCarriersOf(service: Service): OutsideCarriers {
  return carrierCallingOf(service).carriers;
}

/** Makes a service use other connectors or another timeout, for tests. */
export function overrideCarriers(
  service: Service,
  carriers: OutsideCarriers,
  rates_wait_ms = default_calling.rates_wait_ms,
): void {
  overrides.set(service, { carriers, rates_wait_ms });
}
