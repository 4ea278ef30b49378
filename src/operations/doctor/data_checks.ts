// Checks of the data: backups, file permissions, PostgreSQL, restores, migrations and servers.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readAddress } from "../../core/config.ts";
import { environments } from "../../core/environment.ts";
import { hour_ms, minute_ms } from "../../core/time.ts";
import { listRestorations } from "../../storage/installation.ts";
import { isPreRelease, upgrade_before } from "../../storage/migrations/migrate.ts";
import { type PostgresFacts, probeMigrations, probePostgres } from "../../storage/probe.ts";
import { runningServers } from "../../storage/servers.ts";
import { findLastBegun, findLastDone } from "../backups/backup_runs.sql.ts";
import { type CheckContext, type CheckResult, type DataFile, ok, problem, warning } from "./check.ts";

const old_ms = 26 * hour_ms;
const proof_old_ms = 8 * 24 * hour_ms;

/** Checks when the last automatic backup succeeded, and whether one was verified in the last week. */
export async function checkBackups({ stores, data, database_url, now }: CheckContext): Promise<CheckResult[]> {
  if (stores === null) return [];
  const { done, begun, proof } = await stores.live.read(async (db) => ({
    done: await findLastDone(db, "backup"),
    begun: await findLastBegun(db, "backup"),
    proof: await findLastDone(db, "proof"),
  }));
  if (done === null || done.ended_at === null) {
    const advice = "Configure automatic backups (packhouse serve --help), or run packhouse backup regularly.";
    return [warning("backups", "there are no automatic backups", advice)];
  }
  const said = `the last one was made ${ageOf(done.ended_at, now())} ago: ${done.place}`;
  const found: CheckResult[] = [];
  if (begun?.error != null) found.push(warning("backups", `the last one failed: ${begun.error}`, "Fix the cause."));
  const advice = "Check the log and the notices for the reason that none was made since.";
  found.push(now() - done.ended_at > old_ms ? warning("backups", said, advice) : ok("backups", said));
  if (database_url === null) found.push(...checkBackupPlace(done.place, data));
  const is_proven = proof?.ended_at != null && now() - proof.ended_at < proof_old_ms;
  if (!is_proven && now() - done.created_at > proof_old_ms) {
    found.push(warning("backups", "none was verified for a week", "Run packhouse backup verify with the last one."));
  }
  return found;
}

/** Checks that a backup in a folder still exists, on another disk than the data. Does not check buckets. */
function checkBackupPlace(place: string, data: string): CheckResult[] {
  if (place.startsWith("s3://")) return [];
  const [file, folder] = [place, data].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (file === undefined) {
    const advice = "Mount its disk. Otherwise the next backup is written to the disk that has its mount point.";
    return [warning("backups", `${place} does not exist`, advice)];
  }
  if (file.dev !== folder?.dev) return [];
  const advice = "Store them on another disk or in a bucket. If this disk fails, both are lost.";
  return [warning("backups", "they are on the same disk as the data", advice)];
}

function ageOf(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / minute_ms));
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

// File permissions: the data directory contains names, addresses and the secret key.

const others = 0o077;

/** The paths that other users can access. */
export const opensToOthers = (files: readonly DataFile[]): string[] =>
  process.platform === "win32" ? [] : files.filter(({ mode }) => (mode & others) !== 0).map(({ path }) => path);

/** Lists the data directory and everything in it; empty if it does not exist. */
export function filesIn(data: string): DataFile[] {
  if (!existsSync(data)) return [];
  const paths = [data, ...readdirSync(data, { recursive: true }).map((name) => join(data, String(name)))];
  return paths.flatMap((path) => {
    const seen = statSync(path, { throwIfNoEntry: false });
    return seen === undefined ? [] : [{ path, mode: seen.mode, uid: seen.uid }];
  });
}

/** Checks that only the service's user can read and change the data. */
export async function checkFileModes({ data, files }: CheckContext): Promise<CheckResult[]> {
  const [folder] = files;
  if (process.platform === "win32" || folder === undefined) return [];
  const open = opensToOthers(files);
  const foreign = files.filter(({ uid }) => uid !== folder.uid).map(({ path }) => path);
  const found: CheckResult[] = [];
  if (open.length > 0) {
    const advice = `Run chmod -R go= ${data}, and find out who may have read it.`;
    found.push(problem("file modes", `other users can access ${listed(open)}`, advice));
  }
  if (foreign.length > 0) {
    const advice = `Change the owner to the service's user, for example with chown -R packhouse: ${data}.`;
    found.push(warning("file owners", `${listed(foreign)} and the folder have different owners`, advice));
  }
  return found.length > 0
    ? found
    : [ok("file modes", `only the owner can access the ${files.length} files and folders`)];
}

const shown_max = 3;

/** The first of some names, and how many more there are. */
export function listed(paths: readonly string[]): string {
  const more = paths.length > shown_max ? ` and ${paths.length - shown_max} more` : "";
  return `${paths.slice(0, shown_max).join(", ")}${more}`;
}

// The PostgreSQL server.

const version_min = 150_000;
const skew_ms_max = 2000;
const edit = "in postgresql.conf, then select pg_reload_conf()";

/** A setting of PostgreSQL that can be wrong. */
interface PostgresRule {
  readonly name: string;
  readonly state: "problem" | "warning";
  readonly isWrong: (value: string, facts: PostgresFacts) => boolean;
  readonly why: string;
  readonly advice: string;
}

const off = (value: string) => value === "off";

// biome-ignore format: a table is read by its columns.
const rules: readonly PostgresRule[] = [
  { name: "fsync", state: "problem", isWrong: off,
    why: "a power cut can damage the database", advice: `Set fsync = on ${edit}.` },
  { name: "full_page_writes", state: "problem", isWrong: off,
    why: "a power cut can damage the database", advice: `Set full_page_writes = on ${edit}.` },
  { name: "synchronous_commit", state: "warning", isWrong: off,
    why: "Packhouse turns it on for itself, but other programs may lose writes", advice: `Set it on ${edit}.` },
  { name: "default_transaction_read_only", state: "problem", isWrong: (value) => value === "on",
    why: "nothing can be written", advice: "Run alter database … set default_transaction_read_only = off." },
  { name: "archive_mode", state: "warning", isWrong: off,
    why: "the log is not archived: if the disk fails, everything since the last backup is lost",
    advice: "Archive it (archive_mode, archive_command), or accept the loss and rely on serve --backup-to." },
  { name: "track_counts", state: "warning", isWrong: off,
    why: "tables are not vacuumed automatically, so statements become slow", advice: `Set track_counts = on ${edit}.` },
];

/** Checks the settings that the service's guarantees depend on, the number of connections, and the clock. */
export async function checkPostgresServer(context: CheckContext): Promise<CheckResult[]> {
  const { database_url, now } = context;
  if (database_url === null) return [];
  const before = now();
  let facts: PostgresFacts;
  try {
    facts = await probePostgres(database_url);
  } catch (error) {
    const { hostname = "", port = "" } = readAddress(database_url) ?? {};
    const reason = error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error);
    const advice = "Start it, or correct --database-url: its host, port, user, password and database.";
    return [problem("PostgreSQL", `cannot connect to ${hostname}:${port || 5432}: ${reason}`, advice)];
  }
  const { settings } = facts;
  const version = Number(settings["server_version_num"]);
  const shown = `version ${settings["server_version"]}`;
  const found: CheckResult[] = [];
  if (version < version_min) found.push(problem("PostgreSQL", shown, "Use PostgreSQL 15 or newer."));
  else found.push(ok("PostgreSQL", shown));
  for (const { name, state, isWrong, why, advice } of rules) {
    const value = settings[name] ?? "";
    if (!isWrong(value, facts)) continue;
    const said = `${name} is ${value}: ${why}`;
    found.push(state === "problem" ? problem("PostgreSQL", said, advice) : warning("PostgreSQL", said, advice));
  }
  found.push(...ownRules(facts, database_url));
  found.push(skewOf(facts.now, before, now()));
  return [...found, await poolOf(context, facts)];
}

function ownRules(
  { encoding, is_replica, may_create, is_encrypted, unarchived }: PostgresFacts,
  url: string,
): CheckResult[] {
  const found: CheckResult[] = [];
  if (encoding !== "UTF8") {
    const advice = "Create a database with encoding UTF8, and move the data there.";
    found.push(problem("PostgreSQL", `the database has the encoding ${encoding}`, advice));
  }
  if (is_replica) {
    const advice = "Use the address of the primary in --database-url.";
    found.push(problem("PostgreSQL", "it is a read-only replica", advice));
  }
  if (!may_create) {
    const advice =
      "Run grant create on database … to that user, or create the schemas live and test with that user as owner.";
    found.push(warning("PostgreSQL", "the user cannot create schemas, which the first start does", advice));
  }
  if (unarchived !== null) {
    const said = `archiving its log failed at ${unarchived}, and the log is kept until that succeeds`;
    const advice = "Check PostgreSQL's log, and what archive_command needs: its target, free space, permissions.";
    found.push(problem("PostgreSQL", said, advice));
  }
  const { hostname = "" } = readAddress(url) ?? {};
  const is_near = ["", "localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (!is_encrypted && !is_near) {
    const advice = "Add ?sslmode=verify-full to --database-url, and give PostgreSQL a certificate.";
    found.push(warning("PostgreSQL", `the connection to ${hostname} is not encrypted`, advice));
  }
  return found;
}

/** Compares the machine's clock with PostgreSQL's, which the data uses. */
function skewOf(theirs: number, before: number, after: number): CheckResult {
  const off_ms = Math.round(theirs < before ? before - theirs : Math.max(theirs - after, 0));
  const said = `PostgreSQL's clock differs from this machine's by ${off_ms} ms`;
  const advice = "Synchronize both with NTP. Keys, signatures and certificates depend on the time.";
  return off_ms > skew_ms_max ? warning("clock", said, advice) : ok("clock", said);
}

/** Checks that PostgreSQL allows as many connections as all servers may open. */
async function poolOf(
  { stores, connections: each }: CheckContext,
  { settings, connections }: PostgresFacts,
): Promise<CheckResult> {
  const all = Number(settings["max_connections"]) - Number(settings["superuser_reserved_connections"]);
  const running = stores === null ? 0 : (await stores.live.read(runningServers).catch(() => [])).length;
  const count = Math.max(running, 1);
  const wanted = count * (2 * each + registry_connections) + command_connections;
  const servers = count === 1 ? "one server" : `${count} servers`;
  const said = `${servers} may use ${wanted} of ${all} connections (${connections} are open now)`;
  const advice = `Raise max_connections to ${Math.ceil((wanted * 1.5) / 10) * 10} or lower --database-connections.`;
  if (wanted > all) return problem("connections", said, advice);
  return wanted > 0.8 * all ? warning("connections", said, advice) : ok("connections", said);
}

// Each server registers with the others on a connection of its own.
const registry_connections = 1;
// For commands such as doctor and backup.
const command_connections = 4;

/** Checks whether an environment was restored, and whether something is still held since then. */
export async function checkRestored({ stores }: CheckContext): Promise<CheckResult[]> {
  if (stores === null) return [];
  const found: CheckResult[] = [];
  for (const mode of environments) {
    const [last] = await stores[mode].read(listRestorations);
    if (last === undefined) continue;
    const said = `the ${mode} data was restored as of ${new Date(last.as_of).toISOString()}`;
    const count = last.waiting_deliveries + last.waiting_reports + last.waiting_purchases;
    if (last.settled_at !== null) found.push(ok("restored", said));
    else {
      const advice = "Send them with packhouse restored send, or discard them with packhouse restored drop.";
      found.push(warning("restored", `${said}; ${count} deliveries, reports and purchases are held`, advice));
    }
  }
  return found;
}

/** Compares the migrations of both environments with this program's. */
export async function checkSchema({
  data,
  database_url,
  migrations,
  closed_because,
}: CheckContext): Promise<CheckResult[]> {
  const applied = await probeMigrations(data, database_url);
  const found: CheckResult[] = [];
  if (Object.values(applied).some((names) => names?.length === 0)) {
    const where = database_url === null ? data : "the database";
    const flag = database_url === null ? "its folder with --data" : "another one with --database-url";
    const advice = `Name ${flag}, or create it with packhouse serve.`;
    found.push(problem("data", `there is no Packhouse data in ${where}`, advice));
  }
  for (const [mode, names] of Object.entries(applied)) {
    if (names === null) continue;
    const lacking = migrations.filter((name) => !names.includes(name));
    const unknown = isPreRelease(names) ? [] : names.filter((name) => !migrations.includes(name));
    const subject = `migrations (${mode})`;
    if (names.length === 0) continue;
    if (unknown.length > 0 && !names.includes(migrations[0] ?? "")) {
      found.push(problem(subject, "the data is from before the first release", upgrade_before));
    } else if (unknown.length > 0) {
      const said = `a newer Packhouse has added ${unknown.join(", ")}`;
      found.push(warning(subject, said, "Use that version. This one may refuse the data."));
    } else if (lacking.length > 0) {
      const said = `missing: ${lacking.join(", ")}`;
      found.push(warning(subject, said, "The next start runs them. Preview them with packhouse upgrade --check."));
    } else found.push(ok(subject, `all ${names.length} have run`));
  }
  if (closed_because !== null) {
    found.push(problem("data", closed_because, "Fix this first. Checks that read the data were skipped."));
  }
  return found;
}

/** Lists the servers on a PostgreSQL database, and checks that all have the same version. */
export async function checkServers({ database_url, stores }: CheckContext): Promise<CheckResult[]> {
  if (database_url === null || stores === null) return [];
  const running = await stores.live.read(runningServers);
  if (running.length === 0) {
    return [warning("servers", "none is running", "Start packhouse serve, unless it is stopped on purpose.")];
  }
  const shown = running.map(({ host, version, draining }) => `${host} (${version}${draining ? ", stopping" : ""})`);
  const versions = new Set(running.map(({ version, schema }) => `${version} ${schema}`));
  const said = `${running.length} running: ${shown.join(", ")}`;
  if (versions.size === 1) return [ok("servers", said)];
  return [warning("servers", said, "They have different versions. Restart the older ones with the new version.")];
}
