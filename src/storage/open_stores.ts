// Opens both stores of an installation, in a data directory or a PostgreSQL database.

import { randomInt } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { systemClock } from "../core/clock.ts";
import { type Environment, environments } from "../core/environment.ts";
import type { Store } from "./database.ts";
import { known_migrations, namesOf, refuseOlder, unknownMigrations } from "./migrations/migrate.ts";
import type { AroundPostgres } from "./migrations/migrate_postgres.ts";
import type { Registry } from "./postgres/server_registry.ts";
import { registerClaimHolder } from "./servers.ts";
import { type DirectorySettings, openDataDirectory } from "./sqlite/data_directory.ts";

export interface OpenSettings extends DirectorySettings {
  /** URL of a PostgreSQL database, or null for SQLite in the data directory. */
  readonly database_url: string | null;
  /** The maximum number of connections to PostgreSQL per store; 16 by default. */
  readonly connections?: number | undefined;
  /** The clock of each environment; the machine's by default. */
  readonly clocks?: Readonly<Record<Environment, Clock>>;
}

/** Both stores of an installation. */
export interface Stores {
  readonly live: Store;
  readonly test: Store;
  /** This server's registration among those on the same database; null on SQLite, and for a command. */
  readonly registry: Registry | null;
  /** Closes both and releases the data directory. */
  close(): Promise<void>;
}

/**
 * Opens both stores, with migrations applied. Throws a `StartRefusal` with a message for the operator and an exit code
 * when the data is in use, damaged, from another program, or from a newer version.
 */
export async function openStores(settings: OpenSettings): Promise<Stores> {
  const clocks = settings.clocks ?? { live: systemClock(), test: systemClock() };
  if (settings.database_url === null) return openDirectory(settings, clocks);
  const url = settings.database_url;
  const { log, site, connections } = settings;
  // Loaded only when a PostgreSQL database is used.
  const { openPostgres } = await import("./postgres/postgres_store.ts");
  await migrateSchemas(url, settings);
  const open = (mode: Environment) =>
    openPostgres({ url, schema: mode, mode, clock: clocks[mode], log, site, connections });
  const [live, test] = [open("live"), open("test")];
  const serves = settings.purpose === "serve" && settings.unfinished !== true;
  const registry = serves ? await registered(url, settings, [live, test]) : null;
  const close = async () => {
    await Promise.all([live.close(), test.close()]);
    // If the data was not released by then, the registration could not be removed either.
    await registry?.leave();
  };
  return { live, test, registry, close };
}

/** Opens a data directory. Claims of a server's stores are recorded under a number that no other process has. */
async function openDirectory(settings: OpenSettings, clocks: Readonly<Record<Environment, Clock>>): Promise<Stores> {
  const opened = await openDataDirectory(settings, clocks);
  const process_id = randomInt(1, 2 ** 47);
  if (settings.purpose === "serve") {
    for (const mode of environments) registerClaimHolder(opened[mode], () => process_id);
  }
  return { ...opened, registry: null };
}

/** Registers a server with the others. Claims of its stores are recorded under its id. */
async function registered(url: string, { log }: OpenSettings, stores: readonly Store[]): Promise<Registry> {
  const { openRegistry } = await import("./postgres/server_registry.ts");
  const registry = await openRegistry(url, log);
  for (const store of stores) registerClaimHolder(store, () => registry.id);
  return registry;
}

const breaking_waits = "the database upgrade is breaking: waiting until all other servers and commands have stopped";

/** Migrates both schemas. Breaking migrations wait until nobody uses the schemas; additive ones do not. */
async function migrateSchemas(url: string, { log, older, unfinished, moved, must_exist }: OpenSettings): Promise<void> {
  const { isAdditive, migratePostgresSchemas } = await import("./migrations/migrate_postgres.ts");
  const { requireAlone, requireNoCopy, untilAlone } = await import("./postgres/schema_lock.ts");
  const schemas = environments.map((mode) => ({ schema: mode, mode }));
  const before: AroundPostgres["before"] = async (client, standings) => {
    if (older === "refused") throw refuseOlder("The database");
    await requireNoCopy(client, environments);
    if (standings.every(isAdditive)) {
      log.info("applying additive migrations while other servers keep running");
      return;
    }
    await requireAlone(client, environments);
    await older?.beforePostgres(client, standings);
  };
  const after: AroundPostgres["after"] = async (client, standings) => {
    if (older !== "refused" && !standings.every(isAdditive)) await older?.afterPostgres(client, standings);
  };
  const waits = () => log.warn("waiting for another server that is checking or upgrading the database schema");
  const tell = (there: readonly string[] | null) => {
    if (there === null) log.warn("the database upgrade is waiting for a running backup to finish");
    else log.warn(breaking_waits, { still_there: there.join(", ") });
  };
  const migrate = () =>
    migratePostgresSchemas(url, schemas, { before, after, waits }, undefined, { unfinished, moved, must_exist });
  const standings = await untilAlone(migrate, tell);
  const added = namesOf(standings.flatMap(({ applied }) => unknownMigrations(known_migrations.postgres, applied)));
  if (added.length === 0) return;
  const facts = { added: [...new Set(added)].join() };
  log.info("a newer Packhouse has added migrations to the database; this version is compatible with them", facts);
}
