// Opens the data of an installation: both stores of a data directory or of a PostgreSQL database.

import type { Clock } from "../core/clock.ts";
import { systemClock } from "../core/clock.ts";
import { type Environment, environments } from "../core/environment.ts";
import type { Store } from "./database.ts";
import { known_migrations, namesOf, refuseOlder, strangeMigrations } from "./migrations/migrate.ts";
import type { AroundPostgres } from "./migrations/migrate_postgres.ts";
import type { Registry } from "./postgres/server_registry.ts";
import { holdAs } from "./servers.ts";
import { type DirectorySettings, openDataDirectory } from "./sqlite/data_directory.ts";

export interface OpenSettings extends DirectorySettings {
  /** Address of a PostgreSQL database, or null for SQLite in the data directory. */
  readonly database_url: string | null;
  /** How many connections to PostgreSQL each store may have at once; 16 when absent. */
  readonly connections?: number | undefined;
  /** The clock of each mode; the machine's when absent. */
  readonly clocks?: Readonly<Record<Environment, Clock>>;
}

/** Both stores of an installation. */
export interface Stores {
  readonly live: Store;
  readonly test: Store;
  /** This server's place among those on the same database; null on SQLite, and for a command. */
  readonly registry: Registry | null;
  /** Closes both and lets go of the data directory. */
  close(): Promise<void>;
}

/**
 * Opens both stores, migrated. Throws a `StartRefused` with a message for the operator and an exit code when the data
 * is in use, damaged, another program's, or a newer version's.
 */
export async function openStores(settings: OpenSettings): Promise<Stores> {
  const clocks = settings.clocks ?? { live: systemClock(), test: systemClock() };
  if (settings.database_url === null) return { ...openDataDirectory(settings, clocks), registry: null };
  const url = settings.database_url;
  const { log, site, connections } = settings;
  // Loaded only for a server that is given such a database.
  const { openPostgres } = await import("./postgres/postgres_store.ts");
  await migrateWorlds(url, settings);
  const open = (mode: Environment) =>
    openPostgres({ url, schema: mode, mode, clock: clocks[mode], log, site, connections });
  const [live, test] = [open("live"), open("test")];
  const serves = settings.purpose === "serve" && settings.unfinished !== true;
  const registry = serves ? await enrolled(url, settings, [live, test]) : null;
  const close = async () => {
    await Promise.all([live.close(), test.close()]);
    // Who had not let go of its data by then could not leave either.
    await registry?.leave();
  };
  return { live, test, registry, close };
}

/** Makes a server known to the others; what its stores claim is noted as its own. */
async function enrolled(url: string, { log }: OpenSettings, stores: readonly Store[]): Promise<Registry> {
  const { openRegistry } = await import("./postgres/server_registry.ts");
  const registry = await openRegistry(url, log);
  for (const store of stores) holdAs(store, () => registry.id);
  return registry;
}

const breaking_waits =
  "the upgrade of the database is breaking: it waits until all other servers and commands have stopped";

/** Migrates both schemas. What is breaking waits until nobody works on them; what is additive does not. */
async function migrateWorlds(url: string, { log, older, unfinished, moved, must_exist }: OpenSettings): Promise<void> {
  const { isAdditive, migratePostgresWorlds } = await import("./migrations/migrate_postgres.ts");
  const { requireAlone, requireNoCopy, untilAlone } = await import("./postgres/schema_lock.ts");
  const worlds = environments.map((mode) => ({ schema: mode, mode }));
  const before: AroundPostgres["before"] = async (client, standings) => {
    if (older === "refused") throw refuseOlder("The database");
    await requireNoCopy(client, environments);
    if (standings.every(isAdditive)) {
      log.info("what is new in the database is additive: other servers go on beside it");
      return;
    }
    await requireAlone(client, environments);
    await older?.beforePostgres(client, standings);
  };
  const after: AroundPostgres["after"] = async (client, standings) => {
    if (older !== "refused" && !standings.every(isAdditive)) await older?.afterPostgres(client, standings);
  };
  const waits = () => log.warn("another server looks after the schema of the database, or upgrades it: this one waits");
  const tell = (there: readonly string[] | null) => {
    if (there === null) log.warn("the upgrade of the database waits until the backup of it is made that is under way");
    else log.warn(breaking_waits, { still_there: there.join(", ") });
  };
  const migrate = () =>
    migratePostgresWorlds(url, worlds, { before, after, waits }, undefined, { unfinished, moved, must_exist });
  const standings = await untilAlone(migrate, tell);
  const added = namesOf(standings.flatMap(({ applied }) => strangeMigrations(known_migrations.postgres, applied)));
  if (added.length === 0) return;
  const facts = { added: [...new Set(added)].join() };
  log.info("a newer Packhouse has added to the database, which this one works with", facts);
}
