// A few of what `bun run faults purchases` does sixty times.
import { expect, test } from "bun:test";
import { killPurchases } from "../../scripts/faults/purchases/main.ts";
import { engine } from "../../src/core/config.ts";
import { seed } from "../volume.ts";

const kills = 6;

// The services are its own, on SQLite: their clocks go ahead, which PostgreSQL's does not.
test.skipIf(engine === "postgres")(
  `a service that is killed ${kills} times while it buys labels buys each of them once (seed ${seed})`,
  async () => {
    const { problems, labels, paid } = await killPurchases(kills, seed);
    expect(problems).toEqual([]);
    expect([labels, paid]).toEqual([kills, kills]);
  },
  300_000,
);
