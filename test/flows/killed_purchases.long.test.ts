// A short run of `bun run faults purchases`, which does sixty rounds.
import { expect, test } from "bun:test";
import { killPurchases } from "../../scripts/faults/purchases/main.ts";
import { seed } from "../volume.ts";
import { freshDatabase } from "./service.ts";

const kills = 6;

test(`a service that is killed ${kills} times while it buys labels buys each of them once (seed ${seed})`, async () => {
  const { problems, labels, paid } = await killPurchases(kills, seed, await freshDatabase());
  expect(problems).toEqual([]);
  expect([labels, paid]).toEqual([kills, kills]);
}, 300_000);
