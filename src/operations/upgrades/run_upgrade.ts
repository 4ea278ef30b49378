// The steps around a migration of existing data: a backup before, and afterwards the numbers that it has reached.
import { Database } from "bun:sqlite";
import type { Clock } from "../../core/clock.ts";
import { migrationStateOnSqlite, namesOf } from "../../storage/migrations/migrate.ts";
import type { MigratedDatabase, UpgradeHooks } from "../../storage/migrations/migrate_directory.ts";
import { reachedOnSqlite } from "./rollback_losses.ts";
import { dropUnfinished, forgetUpgrades, type RecordedUpgrade, recordedUpgrades, saveRecord } from "./upgrade.ts";

interface UpgradeSettings {
  readonly data: string;
  readonly database_url: string | null;
  /** Whether to upgrade without a backup. */
  readonly no_backup: boolean;
  /** Finds the key that the secrets in the data are encrypted with; null if it is not available. */
  readonly secretKey: () => Uint8Array | null;
  readonly clock: Clock;
  /** Prints a line for the operator. */
  readonly print: (line: string) => void;
}

/** Returns the steps that run before and after a migration of existing data. */
export function upgradeHooks(settings: UpgradeSettings): UpgradeHooks {
  let begun: number | null = null;
  let backup: RecordedUpgrade | null = null;
  const { data, database_url, clock, print, no_backup } = settings;
  const took = () => (begun === null ? "" : ` in ${((clock.elapsed() - begun) / 1000).toFixed(1)} s`);
  const onBackup = () => {
    print(backup === null ? no_backup_made : `Backup: ${data}/upgrades/${backup.name}.`);
    begun = clock.elapsed();
  };
  const backupSettings = () => ({ data, secret_key: settings.secretKey(), clock });
  return {
    async before(found) {
      const { backUpDirectory, unfinishedUpgrade } = await import("./back_up_before_upgrade.ts");
      print(`Upgrading data of an older version: ${lackingOf(found)}.`);
      backup = no_backup ? unfinishedUpgrade(data, found) : await backUpDirectory(backupSettings(), found);
      if (backup === null) dropUnfinished(data, "sqlite");
      onBackup();
    },
    after(found) {
      if (begun !== null) print(`Upgraded${took()}.`);
      recordUpgraded(data, found);
      forgetUpgrades(data, clock.now());
    },
    async beforePostgres(client, states) {
      const { backUpDatabase } = await import("./back_up_before_upgrade.ts");
      print(`Upgrading the database of an older version: ${lackingOf(states)}.`);
      // Each attempt makes its own backup: servers may have written between two attempts.
      dropUnfinished(data, "postgres");
      forgetUpgrades(data, clock.now());
      const where = { ...backupSettings(), url: database_url ?? "" };
      backup = no_backup ? null : await backUpDatabase(where, client, states);
      onBackup();
    },
    async afterPostgres(client) {
      if (begun === null) return;
      print(`Upgraded${took()}.`);
      if (backup === null) return;
      const { reachedOnPostgres } = await import("./postgres_rollback_losses.ts");
      const reached = await reachedOnPostgres(client);
      saveRecord(data, { ...backup, record: { ...backup.record, reached, upgraded: true } });
    },
  };
}

const no_backup_made = "No backup was made: only an earlier one can restore the old data.";

const lackingOf = (states: readonly { readonly missing: readonly { readonly name: string }[] }[]): string =>
  [...new Set(states.flatMap(({ missing }) => namesOf(missing)))].join(", ");

/**
 * Records the numbers that the databases have reached right after an upgrade, in this process or an earlier one. Does
 * so only if they have the same commits as the backup, so that nothing was written in between.
 */
function recordUpgraded(data: string, found: readonly MigratedDatabase[]): void {
  const [last] = recordedUpgrades(data);
  if (last === undefined || last.record.engine !== "sqlite" || last.record.upgraded || last.record.rolled_back) return;
  const reached = { ...last.record.reached };
  for (const { mode, path } of found) {
    using raw = new Database(path, { create: false, readwrite: true, strict: true });
    const come = reachedOnSqlite(raw);
    const has = namesOf(migrationStateOnSqlite(raw, path).applied);
    if (come.commits !== reached[mode].commits || has.join() !== last.record.after.join()) return;
    reached[mode] = come;
  }
  saveRecord(data, { ...last, record: { ...last.record, reached, upgraded: true } });
}
