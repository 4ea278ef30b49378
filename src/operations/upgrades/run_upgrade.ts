// The steps around a migration of existing data: a snapshot before, and afterwards the numbers that it has reached.
import { Database } from "bun:sqlite";
import type { Clock } from "../../core/clock.ts";
import type { Environment } from "../../core/environment.ts";
import { migrationStateOnSqlite, namesOf } from "../../storage/migrations/migrate.ts";
import type { MigratedDatabase, UpgradeHooks } from "../../storage/migrations/migrate_directory.ts";
import type { SchemaMigrationState } from "../../storage/migrations/migrate_postgres.ts";
import { reachedOnSqlite } from "./rollback_losses.ts";
import { takeSnapshot, unfinishedUpgrade } from "./sqlite_snapshot.ts";
import {
  dropUnfinished,
  forgetUpgrades,
  type KeptUpgrade,
  keptUpgrades,
  type ReachedNumbers,
  saveRecord,
} from "./upgrade.ts";

interface UpgradeSettings {
  readonly data: string;
  readonly database_url: string | null;
  /** Whether to upgrade without a snapshot. */
  readonly no_snapshot: boolean;
  readonly clock: Clock;
  /** Prints a line for the operator. */
  readonly tell: (line: string) => void;
}

/** Returns the steps that run before and after a migration of existing data. */
export function upgradeHooks(settings: UpgradeSettings): UpgradeHooks {
  let begun: number | null = null;
  let dumped: KeptUpgrade | null = null;
  const { data, clock, tell, no_snapshot } = settings;
  const took = () => (begun === null ? "" : ` in ${((clock.elapsed() - begun) / 1000).toFixed(1)} s`);
  return {
    before(found) {
      tell(`Upgrading data of an older version: ${lackingOf(found)}.`);
      const kept = no_snapshot ? unfinishedUpgrade(data, found) : takeSnapshot(data, found, clock.now());
      if (kept === null) dropUnfinished(data, "sqlite");
      tell(kept === null ? noSnapshot : `Snapshot: ${data}/upgrades/${kept.name}.`);
      begun = clock.elapsed();
    },
    after(found) {
      if (begun !== null) tell(`Upgraded${took()}.`);
      noteReached(data, found);
      forgetUpgrades(data, clock.now());
    },
    async beforePostgres(_, standings) {
      const { takeDump } = await import("./postgres_snapshot.ts");
      tell(`Upgrading the database of an older version: ${lackingOf(standings)}.`);
      // The snapshot of an interrupted upgrade is useless, and each attempt leaves one.
      dropUnfinished(data, "postgres");
      forgetUpgrades(data, clock.now());
      dumped = no_snapshot ? null : await takeDump(settings.database_url ?? "", data, standings, clock.now());
      tell(dumped === null ? noSnapshot : `Snapshot: ${data}/upgrades/${dumped.name}.`);
      begun = clock.elapsed();
    },
    async afterPostgres(client, standings) {
      const { reachedOnPostgres } = await import("./postgres_rollback_losses.ts");
      if (begun === null) return;
      tell(`Upgraded${took()}.`);
      if (dumped !== null) await noteReachedBy(data, dumped, standings, (mode) => reachedOnPostgres(client, mode));
    },
  };
}

const noSnapshot = "No snapshot was taken: only a backup can restore the old data.";

const lackingOf = (standings: readonly { readonly missing: readonly { readonly name: string }[] }[]): string =>
  [...new Set(standings.flatMap(({ missing }) => namesOf(missing)))].join(", ");

/**
 * Records the numbers that the environments have reached right after an upgrade, in this process or an earlier one.
 * Does so only if the data has the same commits as the snapshot, so that nothing was written in between.
 */
function noteReached(data: string, found: readonly MigratedDatabase[]): void {
  const [last] = keptUpgrades(data);
  if (last === undefined || last.record.reached !== null || last.record.gone_back_at !== null) return;
  const { after, commits } = last.record;
  const reached: Partial<Record<Environment, ReachedNumbers>> = {};
  for (const { mode, path } of found) {
    using raw = new Database(path, { create: false, readwrite: true, strict: true });
    const come = reachedOnSqlite(raw);
    const has = namesOf(migrationStateOnSqlite(raw, path).applied);
    if (come.commits !== commits?.[mode] || has.join() !== after.join()) return;
    reached[mode] = come;
  }
  saveRecord(data, { ...last, record: { ...last.record, reached: reached as Record<Environment, ReachedNumbers> } });
}

async function noteReachedBy(
  data: string,
  kept: KeptUpgrade,
  standings: readonly SchemaMigrationState[],
  reachedOf: (mode: Environment) => Promise<ReachedNumbers>,
): Promise<void> {
  const reached: Partial<Record<Environment, ReachedNumbers>> = {};
  for (const { mode } of standings) reached[mode] = await reachedOf(mode);
  saveRecord(data, { ...kept, record: { ...kept.record, reached: reached as Record<Environment, ReachedNumbers> } });
}
