// Migrates both databases of a data directory.
import { Database } from "bun:sqlite";
import type pg from "pg";
import type { Environment } from "../../core/environment.ts";
import { isStartRefused, startRefused } from "../start_refused.ts";
import { databaseCode, storageErrorOf } from "../storage_errors.ts";
import { beginMigrating, isLacking, isOlder, type MigrationState } from "./migrate.ts";
import type { SchemaMigrationState } from "./migrate_postgres.ts";

/** One database of a data directory: its path, and its migrations. */
export interface MigratedDatabase extends MigrationState {
  readonly mode: Environment;
  readonly path: string;
}

/** Hooks around the migration of existing data. */
export interface UpgradeHooks {
  /**
   * Called before a data directory is migrated, with exclusive access and empty logs. Throws to leave everything
   * unchanged.
   */
  before(found: readonly MigratedDatabase[]): Promise<void>;
  /** Called at each start on a data directory, when nothing is missing any more and nobody has written since. */
  after(found: readonly MigratedDatabase[]): void;
  /**
   * Called before breaking migrations of a PostgreSQL database, with exclusive access. Throws to leave everything
   * unchanged.
   */
  beforePostgres(client: pg.Client, standings: readonly SchemaMigrationState[]): Promise<void>;
  /** Called after those, in the same transaction and before its commit. */
  afterPostgres(client: pg.Client, standings: readonly SchemaMigrationState[]): Promise<void>;
}

/**
 * Applies the missing migrations. All of them run before the first database is committed, so that a failure leaves
 * every database unchanged.
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

/** The error of a failed upgrade, with the state of the data, for the operator. */
function failed(error: unknown, committed: readonly Environment[]): Error {
  const full = storageErrorOf(error) === "full" || databaseCode(error) === "ENOSPC";
  const cause = full ? "its disk is full" : error instanceof Error ? error.message : String(error);
  const state =
    committed.length === 0
      ? "The data is unchanged: start the older Packhouse, or this one once the cause is fixed."
      : `The ${committed.join(" and ")} data is upgraded, the rest is unchanged. Start this Packhouse again once ` +
        "the cause is fixed to finish the upgrade, or undo it with packhouse rollback.";
  const reason = full || storageErrorOf(error) !== null ? "storage" : "unsuitable";
  const refusal = startRefused(reason, `The upgrade failed: ${cause}. ${state}`);
  return Object.assign(
    refusal,
    isStartRefused(error) ? { exit_code: error.exit_code, cause: error } : { cause: error },
  );
}
