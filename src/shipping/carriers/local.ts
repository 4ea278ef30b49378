// The built-in carrier: the warehouse's own courier for live keys, a simulated one for test keys.
import type { Mode } from "../../kit/mode.ts";
import { builtInCarrier } from "../rates/carrier.ts";
import { offersBy } from "../rates/offers.ts";
import { listReadyCards } from "../rates/store.ts";
import type { OwnCarrier } from "./connector.ts";

/** The built-in carrier of a mode as a connector. It sells by the rate cards. */
export function builtInConnector(mode: Mode): OwnCarrier {
  const { code, name } = builtInCarrier(mode);
  return {
    calls: "nobody",
    code,
    name,
    carriers: async (db) => {
      const cards = await listReadyCards(db);
      return [{ code, name, services: cards.map(({ card }) => ({ code: card.service, name: card.name })) }];
    },
    offers: async (db, carriage) => offersBy({ code, name }, await listReadyCards(db), carriage, db.now),
  };
}
