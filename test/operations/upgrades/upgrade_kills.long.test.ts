// A few rounds of `bun run faults upgrades`, on the engine of the process.
import { expect, test } from "bun:test";
import { killUpgrades } from "../../../scripts/faults/upgrade_kills.ts";
import { databaseUrl } from "../../../src/core/config.ts";
import { seed } from "../../volume.ts";

const count = databaseUrl === null ? 2 : 1;

test("killed upgrades and rollbacks leave the old or the new state, and can be finished", async () => {
  console.log(`seed ${seed}`);
  const { upgrades, rollbacks } = await killUpgrades(count, seed, databaseUrl);
  for (const tally of [upgrades, rollbacks]) expect(tally.old + tally.new + tally.mixed).toBe(count);
}, 120_000);
