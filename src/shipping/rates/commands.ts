import type { Tx } from "../../database/store.ts";
import { system } from "../../kit/actor.ts";
import { builtInCarrier } from "./carrier.ts";
import { sampleCards } from "./sample.ts";
import { hasCards, insertCard } from "./store.ts";

/** Gives a store that has no rate card the sample ones. Done at every start, it changes nothing the second time. */
export async function ensureRateCards(tx: Tx): Promise<void> {
  if (await hasCards(tx)) return;
  for (const card of sampleCards(builtInCarrier(tx.mode).code)) await insertCard(tx, card, system("start"));
}
