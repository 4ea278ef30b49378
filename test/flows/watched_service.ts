// Real services with a secret scan: their logs, responses and data contain none of the secrets that were seen.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { default_secret_key, type ServiceSettings, type StartedService, startService } from "../../scripts/service.ts";
import { Watch } from "../build/secret_watch.ts";

// One per database, however many servers use it, in turn or in parallel.
const watches = new Map<string, Watch>();
const watched = new Map<string, Watch>();

/** The scan of the service at an address; undefined if it was started differently. */
export const watchAt = (url: string): Watch | undefined => watched.get(url);

/** Starts a service. Whenever it stops, its log, responses and data are scanned for secrets; then it may throw. */
export async function startWatchedService(settings: ServiceSettings = {}): Promise<StartedService> {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-log-"));
  const log = join(folder, "log");
  const env = { PACKHOUSE_LOG_LEVEL: "info", PACKHOUSE_SECRET_KEY: default_secret_key, ...settings.env };
  const service = await startService({ ...settings, env, log });
  const { url, data, database_url } = service;
  const watch = watches.get(database_url ?? data) ?? new Watch();
  watches.set(database_url ?? data, watch);
  watched.set(url, watch);
  for (const key of service.output.match(/ph_(?:live|test)_\w+/g) ?? []) watch.keep("an API key", key);
  for (const form of [env.PACKHOUSE_SECRET_KEY, Buffer.from(env.PACKHOUSE_SECRET_KEY, "hex")])
    watch.keep("the secret key", form);
  let passed_on = 0;
  const look = () => {
    const text = existsSync(log) ? readFileSync(log, "utf8") : "";
    watch.see("the log", text);
    for (const name of databaseFiles(data)) watch.see(name, readFileSync(join(data, name)));
    // Warnings are printed for whoever runs the tests, as without the scan.
    const lines = text.slice(passed_on).split("\n");
    const warnings = lines.filter((line) => line !== "" && !/^\{.*"level":"(?:debug|info)"/.test(line));
    if (warnings.length > 0) console.error(warnings.join("\n"));
    passed_on = text.length;
    watch.end();
  };
  return {
    ...service,
    makeKey: async (mode, permission, merchant) => {
      const key = await service.makeKey(mode, permission, merchant);
      watch.keep("an API key", key);
      return key;
    },
    kill: async () => {
      await service.kill();
      look();
    },
    stop: async () => {
      const code = await service.stop();
      look();
      return code;
    },
    remove: async () => {
      await service.stop();
      for (const row of await rowsIn(database_url)) watch.see("the database", row);
      try {
        look();
      } finally {
        await service.remove();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** The names of the database files in a data directory, including snapshots. */
export function databaseFiles(data: string): readonly string[] {
  if (!existsSync(data)) return [];
  return readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => /\.db/.test(name));
}

/** All rows of a service's PostgreSQL database as text; none without an address. */
export async function rowsIn(database_url: string | null): Promise<readonly string[]> {
  if (database_url === null) return [];
  const client = new pg.Client({ connectionString: database_url });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('live', 'test')",
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => row));
  }
  await client.end();
  return texts;
}
