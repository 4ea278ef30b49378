// What the acts of an order ask of the database: no act reads more than it did when this was written.
import { expect, test } from "bun:test";
import { engine } from "../../src/core/config.ts";
import { costsOfActs, costsOfMaking } from "./acts_cost.ts";

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

/** The acts that ask more than they may. */
async function beyond(allowed: typeof most, several: boolean) {
  const costs = await costsOfActs({ several });
  const over = Object.entries(allowed).filter(([act, { reads, writes }]) => {
    const cost = costs[act];
    return cost === undefined || cost.reads > reads || cost.writes > writes;
  });
  return over.map(([act]) => ({ act, ...costs[act] }));
}

test.skipIf(engine !== "sqlite")("an act opens its claim once, however many steps it performs", async () => {
  expect(await beyond(most, false)).toEqual([]);
});

test.skipIf(engine !== "sqlite")(
  "of several merchants only what lets units in asks whether its one is closed",
  async () => {
    expect(await beyond({ ...most, adjust: { reads: 7, writes: 4 } }, true)).toEqual([]);
  },
);

test.skipIf(engine !== "sqlite")("the key of the only merchant asks no more than one of the house", async () => {
  expect(await costsOfMaking("mer_1")).toEqual(await costsOfMaking(null));
});
