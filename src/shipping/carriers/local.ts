// The built-in carriers: the warehouse's own courier for live keys, simulated ones for test keys.
import type { Mode } from "../../kit/mode.ts";
import type { Message } from "../offer.ts";
import { type BuiltInCarrier, builtInCarrier } from "../rates/carrier.ts";
import { silentCarrier } from "../rates/magic_words.ts";
import { offersBy } from "../rates/offers.ts";
import { sampleMessage } from "../rates/sample.ts";
import type { Tariff } from "../rates/simulated.ts";
import { listTariffs } from "../rates/store.ts";
import type { OwnCarrier } from "./connector.ts";

/** The built-in carriers of a mode as a connector. They sell by rate cards. */
export function builtInConnector(mode: Mode): OwnCarrier {
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

function noAnswer({ code: carrier, name }: BuiltInCarrier): Message {
  const message = `${name} did not answer in time.`;
  return { carrier, service: null, level: "error", code: "carrier_timeout", message };
}
