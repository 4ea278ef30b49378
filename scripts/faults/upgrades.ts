// Upgrades and rollbacks, killed at random times on both engines.
import { randomInt } from "node:crypto";
import { startPostgres } from "../postgres.ts";
import type { FaultScript } from "./fault_script.ts";
import { killUpgrades } from "./upgrade_kills.ts";

export const upgrades: FaultScript = {
  description: "kills upgrades and rollbacks (50 of each, or the number named) at random times, on both engines",
  lacks: async () => null,
  run: async (count = 50) => {
    const seed = randomInt(1_000_000);
    let failed = 0;
    for (const engine of ["SQLite", "PostgreSQL"]) {
      const server = engine === "PostgreSQL" ? await startPostgres() : null;
      try {
        const begun_at = performance.now();
        const found = await killUpgrades(count, seed, server?.url ?? null);
        const told = Object.entries(found).map(
          ([what, { old, new: upgraded, mixed, late, replacing }]) =>
            `${what}: ${old} left the old state, ${upgraded} the new, ${mixed} one environment of each; ` +
            `${replacing} were replacing files, ${late} had ended`,
        );
        const seconds = ((performance.now() - begun_at) / 1000).toFixed(0);
        console.log(`${engine}, seed ${seed}, ${count} kills each in ${seconds} s; ${told.join("; ")}`);
      } catch (error) {
        failed += 1;
        console.log(`FAILED on ${engine}, seed ${seed}: ${error}`);
      } finally {
        await server?.stop();
      }
    }
    return failed;
  },
};
