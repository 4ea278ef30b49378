// What a start does around the migration of data that is there: a snapshot before, and after it how far all had come.
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
  /** Whether the data is upgraded without a way back. */
  readonly no_snapshot: boolean;
  readonly clock: Clock;
  /** Told what is done, for the operator. */
  readonly tell: (line: string) => void;
}

/** Upgrades data that is there with a snapshot before. */
export function upgradeHooks(settings: UpgradeSettings): UpgradeHooks {
  let begun: number | null = null;
  let dumped: KeptUpgrade | null = null;
  const { data, clock, tell, no_snapshot } = settings;
  const took = () => (begun === null ? "" : ` in ${((clock.elapsed() - begun) / 1000).toFixed(1)} s`);
  return {
    before(found) {
      tell(`The data is of an older Packhouse and is upgraded: ${lackingOf(found)}.`);
      const kept = no_snapshot ? unfinishedUpgrade(data, found) : takeSnapshot(data, found, clock.now());
      if (kept === null) dropUnfinished(data, "sqlite");
      tell(kept === null ? noSnapshot : `The data of before is kept as ${data}/upgrades/${kept.name}.`);
      begun = clock.elapsed();
    },
    after(found) {
      if (begun !== null) tell(`Upgraded${took()}.`);
      noteReached(data, found);
      forgetUpgrades(data, clock.now());
    },
    async beforePostgres(_, standings) {
      const { takeDump } = await import("./postgres_snapshot.ts");
      tell(`The database is of an older Packhouse and is upgraded: ${lackingOf(standings)}.`);
      // What an upgrade that was cut off has left is of no use, and there is one for each attempt.
      dropUnfinished(data, "postgres");
      forgetUpgrades(data, clock.now());
      dumped = no_snapshot ? null : await takeDump(settings.database_url ?? "", data, standings, clock.now());
      tell(dumped === null ? noSnapshot : `The data of before is kept as ${data}/upgrades/${dumped.name}.`);
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

const noSnapshot = "No snapshot is taken: there is no way back but a backup.";

const lackingOf = (standings: readonly { readonly missing: readonly { readonly name: string }[] }[]): string =>
  [...new Set(standings.flatMap(({ missing }) => namesOf(missing)))].join(", ");

/**
 * Notes how far the worlds of an upgrade have come that was finished just now, or before this process began: of one
 * whose snapshot is of the very commits that the worlds have, so that nobody has written since it was taken.
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
