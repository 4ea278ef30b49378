// All connectors: the built-in carriers of each environment, and those that call outside servers.
import type { Environment } from "../../core/environment.ts";
import type { Service } from "../../http/service.ts";
import type { RateMessage } from "../offer.ts";
import { type BuiltInCarrier, builtInCarrier, silentCarrier } from "../rates/built_in_carrier.ts";
import { listTariffs } from "../rates/rate_cards.sql.ts";
import { offersBy } from "../rates/rate_offers.ts";
import { sampleMessage } from "../rates/sample_rate_cards.ts";
import type { Tariff } from "../rates/simulated_tariffs.ts";
import type { OutsideCarrier, OwnCarrier } from "./connector.ts";
import { easypost } from "./easypost.ts";
import { karrio } from "./karrio.ts";
import { shippo } from "./shippo.ts";

/** The built-in carriers of an environment as one connector. They sell by rate cards. */
function builtInConnector(mode: Environment): OwnCarrier {
  const { code, name } = builtInCarrier(mode);
  return {
    calls: "nobody",
    code,
    name,
    carriers: async (db) => (await listTariffs(db)).map(listed),
    offers: async (db, carriage, codes) => {
      const tariffs = (await listTariffs(db)).filter(({ carrier }) => codes?.includes(carrier.code) ?? true);
      const silent = mode === "test" ? silentCarrier(carriage.to.address) : null;
      const answers = tariffs.map(({ carrier, cards }) => {
        if (silent === carrier.code) return { offers: [], messages: [noAnswer(carrier)] };
        const { offers, messages } = offersBy(carrier, cards, carriage, db.now);
        const samples = mode === "live" && offers.some(({ sample }) => sample === true);
        return { offers, messages: samples ? [...messages, sampleMessage(carrier)] : messages };
      });
      return {
        offers: answers.flatMap(({ offers }) => offers),
        messages: answers.flatMap(({ messages }) => messages),
      };
    },
  };
}

function listed({ carrier, cards }: Tariff) {
  return { ...carrier, services: cards.map(({ card }) => ({ code: card.service, name: card.name })) };
}

function noAnswer({ code: carrier, name }: BuiltInCarrier): RateMessage {
  const message = `${name} did not answer in time.`;
  return { carrier, service: null, level: "error", code: "carrier_timeout", message };
}

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

const ownCarriers: Readonly<Record<Environment, OwnCarrier>> = {
  live: builtInConnector("live"),
  test: builtInConnector("test"),
};

/** Returns the built-in carrier connector of an environment. */
export function ownCarrier(mode: Environment): OwnCarrier {
  return ownCarriers[mode];
}
