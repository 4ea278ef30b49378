// A small share of `bun run faults upgrades`, on the engine of the process.
import { expect, test } from "bun:test";
import { killUpgrades } from "../../../scripts/faults/upgrade_kills.ts";
import { databaseUrl } from "../../../src/core/config.ts";
import { seed } from "../../volume.ts";

const count = databaseUrl === null ? 2 : 1;

test("upgrades and ways back that are killed leave the old state or the new one, and can be gone on with", async () => {
  console.log(`seed ${seed}`);
  const { upgrades, rollbacks } = await killUpgrades(count, seed, databaseUrl);
  for (const tally of [upgrades, rollbacks]) expect(tally.old + tally.new + tally.mixed).toBe(count);
}, 120_000);
