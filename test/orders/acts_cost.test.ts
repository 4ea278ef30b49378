// The number of database statements of each act on an order must not grow.
import { expect, test } from "bun:test";
import { engine } from "../../src/core/config.ts";
import { costsOfActs, costsOfMaking } from "./acts_cost.ts";

const most = {
  // One read is of the shipping rules.
  create: { reads: 11, writes: 20 },
  // One billable event for each of three lines, none of which is read back.
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

/** The acts with more statements than allowed. */
async function beyond(allowed: typeof most, several: boolean) {
  const costs = await costsOfActs({ several });
  const over = Object.entries(allowed).filter(([act, { reads, writes }]) => {
    const cost = costs[act];
    return cost === undefined || cost.reads > reads || cost.writes > writes;
  });
  return over.map(([act]) => ({ act, ...costs[act] }));
}

test.skipIf(engine !== "sqlite")("an act opens its allocation once, for any number of steps", async () => {
  expect(await beyond(most, false)).toEqual([]);
});

test.skipIf(engine !== "sqlite")(
  "with several merchants only acts that admit units check that theirs is not closed",
  async () => {
    expect(await beyond({ ...most, adjust: { reads: 7, writes: 4 } }, true)).toEqual([]);
  },
);

test.skipIf(engine !== "sqlite")("the key of the only merchant costs no more than the operator's", async () => {
  expect(await costsOfMaking("mer_1")).toEqual(await costsOfMaking(null));
});
