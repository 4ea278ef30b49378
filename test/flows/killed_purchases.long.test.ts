// A short run of `bun run faults purchases`, which does sixty rounds.
import { expect, test } from "bun:test";
import { killPurchases } from "../../scripts/faults/purchases/main.ts";
import { engine } from "../../src/core/config.ts";
import { seed } from "../volume.ts";

const kills = 6;

// It starts its own services on SQLite, since it moves their clocks, which PostgreSQL does not allow.
test.skipIf(engine === "postgres")(
  `a service that is killed ${kills} times while it buys labels buys each of them once (seed ${seed})`,
  async () => {
    const { problems, labels, paid } = await killPurchases(kills, seed);
    expect(problems).toEqual([]);
    expect([labels, paid]).toEqual([kills, kills]);
  },
  300_000,
);
