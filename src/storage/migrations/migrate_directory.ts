// Brings both databases of a data directory to the schema of this program, around which somebody may do something.
import { Database } from "bun:sqlite";
import type pg from "pg";
import type { Environment } from "../../core/environment.ts";
import { isStartRefused, startRefused } from "../start_refused.ts";
import { databaseCode, storageErrorOf } from "../storage_errors.ts";
import { beginMigrating, isLacking, isOlder, type MigrationState } from "./migrate.ts";
import type { SchemaMigrationState } from "./migrate_postgres.ts";

/** One database of a data directory: where it lies, and what it has and lacks of the migrations. */
export interface MigratedDatabase extends MigrationState {
  readonly mode: Environment;
  readonly path: string;
}

/** What is done around the migration of data that is there. */
export interface UpgradeHooks {
  /** Before a data directory is migrated: alone with it, its logs empty. Throws to leave all as it is. */
  before(found: readonly MigratedDatabase[]): void;
  /** At each start on a data directory, when nothing is lacking any more and nobody has written since. */
  after(found: readonly MigratedDatabase[]): void;
  /** Before a PostgreSQL database is migrated by what is breaking: alone with it. Throws to leave all as it is. */
  beforePostgres(client: pg.Client, standings: readonly SchemaMigrationState[]): Promise<void>;
  /** After that, in the same transaction and before it is committed. */
  afterPostgres(client: pg.Client, standings: readonly SchemaMigrationState[]): Promise<void>;
}

/**
 * Applies to the databases what they lack. Each runs all of it before the first is committed, so that one that fails
 * leaves all of them as they were.
 */
export function migrateDirectory(found: readonly MigratedDatabase[]): void {
  const lacking = found.filter(isLacking);
  const opened: Database[] = [];
  const pending: { readonly mode: Environment; commit(): void; undo(): void }[] = [];
  const committed: Environment[] = [];
  try {
    for (const { path, mode } of lacking) {
      const raw = new Database(path, { create: true, readwrite: true, strict: true });
      opened.push(raw);
      for (const pragma of ["busy_timeout=5000", "journal_mode=wal", "synchronous=full"]) raw.run(`pragma ${pragma}`);
      pending.push({ mode, ...beginMigrating(raw, mode, path) });
    }
    for (const { mode, commit } of pending) {
      commit();
      committed.push(mode);
    }
  } catch (error) {
    throw lacking.some(isOlder) ? failed(error, committed) : error;
  } finally {
    for (const { undo } of pending) undo();
    for (const raw of opened) raw.close();
  }
}

/** What became of the data when its upgrade failed, for the operator. */
function failed(error: unknown, committed: readonly Environment[]): Error {
  const full = storageErrorOf(error) === "full" || databaseCode(error) === "ENOSPC";
  const cause = full ? "there is no room left on its disk" : error instanceof Error ? error.message : String(error);
  const state =
    committed.length === 0
      ? "The data is as it was before the upgrade: start the older Packhouse on it, or this one once the cause is gone."
      : `The ${committed.join(" and ")} world is upgraded, the other is as it was. Start this Packhouse again to ` +
        "finish the upgrade once the cause is gone, or go back by packhouse rollback.";
  const reason = full || storageErrorOf(error) !== null ? "storage" : "unsuitable";
  const told = startRefused(reason, `The upgrade failed: ${cause}. ${state}`);
  return Object.assign(told, isStartRefused(error) ? { exit_code: error.exit_code, cause: error } : { cause: error });
}
