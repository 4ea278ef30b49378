// What the acts of an order ask of the database: no act reads more than it did when this was written.
import { expect, test } from "bun:test";
import { engine } from "../../src/config.ts";
import { costsOfActs } from "./acts_cost.ts";

test.skipIf(engine !== "sqlite")("an act opens its claim once, however many steps it performs", async () => {
  const costs = await costsOfActs();
  const most = {
    create: { reads: 10, writes: 20 },
    // A fact for each of three lines, none of which is read again.
    "pick (pending)": { reads: 11, writes: 24 },
    pack: { reads: 8, writes: 8 },
    ship: { reads: 11, writes: 27 },
    "ship (pending)": { reads: 11, writes: 56 },
    label: { reads: 11, writes: 12 },
    "first scan": { reads: 19, writes: 27 },
    "delivered scan": { reads: 17, writes: 12 },
    reserve: { reads: 8, writes: 6 },
    adjust: { reads: 6, writes: 4 },
  };
  const over = Object.entries(most).filter(([act, { reads, writes }]) => {
    const cost = costs[act];
    return cost === undefined || cost.reads > reads || cost.writes > writes;
  });
  expect(over.map(([act]) => ({ act, ...costs[act] }))).toEqual([]);
});
