// The built-in carriers: the warehouse's own courier for live keys, simulated ones for test keys.
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

/** The built-in carriers of a mode as a connector. They sell by rate cards. */
function builtInConnector(mode: Environment): OwnCarrier {
  const { code, name } = builtInCarrier(mode);
  return {
    calls: "nobody",
    code,
    name,
    carriers: async (db) => (await listTariffs(db)).map(listed),
    offers: async (db, carriage, asked) => {
      const tariffs = (await listTariffs(db)).filter(({ carrier }) => asked?.includes(carrier.code) ?? true);
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

/** Connectors to outside servers, by the name that an account uses. */
export type OutsideCarriers = Readonly<Record<string, OutsideCarrier>>;

/** The connectors that every installation has. */
export const outsideCarriers: OutsideCarriers = { easypost, karrio, shippo };

/** How carriers are asked: through which connectors, and how many milliseconds to wait for the rates of all of them. */
interface CarrierCalling {
  readonly carriers: OutsideCarriers;
  readonly rates_wait_ms: number;
}

// The rest of the eight seconds is for the answer itself.
const usual: CarrierCalling = { carriers: outsideCarriers, rates_wait_ms: 7500 };
const handed_in = new WeakMap<Service, CarrierCalling>();

/** How a service asks carriers. */
export function askingOf(service: Service): CarrierCalling {
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

const ownCarriers: Readonly<Record<Environment, OwnCarrier>> = {
  live: builtInConnector("live"),
  test: builtInConnector("test"),
};

/** The built-in carrier. */
export function ownCarrier(mode: Environment): OwnCarrier {
  return ownCarriers[mode];
}
