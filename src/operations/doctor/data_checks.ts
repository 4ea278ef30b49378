// The backups that the service makes by itself: how old the last one is, and whether one was proven.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readAddress } from "../../core/config.ts";
import { environments } from "../../core/environment.ts";
import { listRestorations } from "../../storage/installation.ts";
import { isPreRelease, upgrade_before } from "../../storage/migrations/migrate.ts";
import { type PostgresFacts, probeMigrations, probePostgres } from "../../storage/probe.ts";
import { runningServers } from "../../storage/servers.ts";
import { findLastBegun, findLastDone } from "../backups/backup_runs.sql.ts";
import { type CheckContext, type CheckResult, type DataFile, ok, problem, warning } from "./check.ts";

const hour_ms = 3_600_000;
const old_ms = 26 * hour_ms;
const proof_old_ms = 8 * 24 * hour_ms;

/** When the last backup ended well, and whether one has been restored for a trial since. */
export async function checkBackups({ stores, data, database_url, now }: CheckContext): Promise<CheckResult[]> {
  if (stores === null) return [];
  const { done, begun, proof } = await stores.live.read(async (db) => ({
    done: await findLastDone(db, "backup"),
    begun: await findLastBegun(db, "backup"),
    proof: await findLastDone(db, "proof"),
  }));
  if (done === null || done.ended_at === null) {
    const advice = "Have the service make them (packhouse serve --help), or run packhouse backup, and look after it.";
    return [warning("backups", "the service has made none by itself", advice)];
  }
  const said = `the last one ended ${ageOf(done.ended_at, now())} ago and lies in ${done.place}`;
  const found: CheckResult[] = [];
  if (begun?.error != null) found.push(warning("backups", `the last one failed: ${begun.error}`, "See to its cause."));
  const advice = "Look at the log and the notices for why none was made since.";
  found.push(now() - done.ended_at > old_ms ? warning("backups", said, advice) : ok("backups", said));
  if (database_url === null) found.push(...checkBackupPlace(done.place, data));
  const is_proven = proof?.ended_at != null && now() - proof.ended_at < proof_old_ms;
  if (!is_proven && now() - done.created_at > proof_old_ms) {
    found.push(warning("backups", "none was proven for a week", "Run packhouse backup verify on the last one."));
  }
  return found;
}

/** Whether a backup in a folder is still there, and on another disk than the data. Of buckets nothing is asked here. */
function checkBackupPlace(place: string, data: string): CheckResult[] {
  if (place.startsWith("s3://")) return [];
  const [file, folder] = [place, data].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (file === undefined) {
    const advice = "Mount its disk: without it, the next backup lies on the disk on which it is missing.";
    return [warning("backups", `there is no file ${place}`, advice)];
  }
  if (file.dev !== folder?.dev) return [];
  const advice = "Keep them on another disk or in a bucket: a lost disk would take both.";
  return [warning("backups", "they lie on the same disk as the data", advice)];
}

function ageOf(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / 60_000));
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

// Who may read the data folder: it holds names, addresses and the secret key.

const others = 0o077;

/** The data folder and all that is in it; nothing where it is not there. */
export function filesIn(data: string): DataFile[] {
  if (!existsSync(data)) return [];
  const paths = [data, ...readdirSync(data, { recursive: true }).map((name) => join(data, String(name)))];
  return paths.flatMap((path) => {
    const seen = statSync(path, { throwIfNoEntry: false });
    return seen === undefined ? [] : [{ path, mode: seen.mode, uid: seen.uid }];
  });
}

/** Whether nobody but the service's own user may read or change the data. */
export async function checkFileModes({ data, files }: CheckContext): Promise<CheckResult[]> {
  const [folder] = files;
  if (process.platform === "win32" || folder === undefined) return [];
  const open = files.filter(({ mode }) => (mode & others) !== 0).map(({ path }) => path);
  const strange = files.filter(({ uid }) => uid !== folder.uid).map(({ path }) => path);
  const found: CheckResult[] = [];
  if (open.length > 0) {
    const advice = `Run chmod -R go= ${data}, and look who has read it.`;
    found.push(problem("file modes", `others may use ${listed(open)}`, advice));
  }
  if (strange.length > 0) {
    const advice = `Give all of it to the user of the service, such as by chown -R packhouse: ${data}.`;
    found.push(warning("file owners", `${listed(strange)} belong to another user than the folder`, advice));
  }
  return found.length > 0 ? found : [ok("file modes", `${files.length} files and folders are for their owner alone`)];
}

const shown_max = 3;

function listed(paths: readonly string[]): string {
  const more = paths.length > shown_max ? ` and ${paths.length - shown_max} more` : "";
  return `${paths.slice(0, shown_max).join(", ")}${more}`;
}

// PostgreSQL as a house has set it up.

const version_min = 150_000;
const skew_ms_max = 2000;
const edit = "in postgresql.conf, then select pg_reload_conf()";

/** A setting that is looked at: what is wrong with its value, and what to do. */
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
    why: "the service sets it on for itself, other programs may lose writes", advice: `Set it on ${edit}.` },
  { name: "default_transaction_read_only", state: "problem", isWrong: (value) => value === "on",
    why: "nothing can be written", advice: "Run alter database … set default_transaction_read_only = off." },
  { name: "archive_mode", state: "warning", isWrong: off,
    why: "the log is not archived: a lost disk costs what was written since the last backup",
    advice: "Archive it (archive_mode, archive_command), or live with what serve --backup-to keeps." },
  { name: "track_counts", state: "warning", isWrong: off,
    why: "nothing is vacuumed by itself, and statements get slow", advice: `Set track_counts = on ${edit}.` },
];

/** The settings that what the service promises depends on, its pools against what PostgreSQL lets in, and its clock. */
export async function checkPostgresServer(patient: CheckContext): Promise<CheckResult[]> {
  const { database_url, now } = patient;
  if (database_url === null) return [];
  const asked_at = now();
  let facts: PostgresFacts;
  try {
    facts = await probePostgres(database_url);
  } catch (error) {
    const { hostname = "", port = "" } = readAddress(database_url) ?? {};
    const reason = error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error);
    const advice = "Start it, or correct --database-url: its host, port, user, password and database.";
    return [problem("PostgreSQL", `${hostname}:${port || 5432} lets nobody in: ${reason}`, advice)];
  }
  const { settings } = facts;
  const version = Number(settings["server_version_num"]);
  const shown = `version ${settings["server_version"]}`;
  const found: CheckResult[] = [];
  if (version < version_min) found.push(problem("PostgreSQL", shown, "Use PostgreSQL 15 or newer."));
  else found.push(ok("PostgreSQL", `${shown} answers`));
  for (const { name, state, isWrong, why, advice } of rules) {
    const value = settings[name] ?? "";
    if (!isWrong(value, facts)) continue;
    const said = `${name} is ${value}: ${why}`;
    found.push(state === "problem" ? problem("PostgreSQL", said, advice) : warning("PostgreSQL", said, advice));
  }
  found.push(...ownRules(facts, database_url));
  found.push(skewOf(facts.now, asked_at, now()));
  return [...found, await poolOf(patient, facts)];
}

function ownRules(
  { encoding, is_replica, may_create, is_encrypted, unarchived }: PostgresFacts,
  url: string,
): CheckResult[] {
  const found: CheckResult[] = [];
  if (encoding !== "UTF8") {
    const advice = "Make a database with encoding UTF8, and move the data there.";
    found.push(problem("PostgreSQL", `the database's encoding is ${encoding}`, advice));
  }
  if (is_replica) {
    const advice = "Give --database-url the address of the primary.";
    found.push(problem("PostgreSQL", "it is a replica, which takes no writes", advice));
  }
  if (!may_create) {
    const advice =
      "Run grant create on database … to that user, or make the schemas live and test with that user as their owner.";
    found.push(warning("PostgreSQL", "the user may not create schemas, which a first start needs", advice));
  }
  if (unarchived !== null) {
    const said = `its log is not archived: ${unarchived} failed, and the whole log is kept until it succeeds`;
    const advice = "See the log of PostgreSQL, and mend what archive_command needs: a place, room, rights.";
    found.push(problem("PostgreSQL", said, advice));
  }
  const { hostname = "" } = readAddress(url) ?? {};
  const is_near = ["", "localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (!is_encrypted && !is_near) {
    const advice = "Add ?sslmode=verify-full to --database-url, and give PostgreSQL a certificate.";
    found.push(warning("PostgreSQL", `what goes to ${hostname} is not encrypted`, advice));
  }
  return found;
}

/** By how much the machine's clock differs from PostgreSQL's, which counts for the data. */
function skewOf(theirs: number, before: number, after: number): CheckResult {
  const off_ms = Math.round(theirs < before ? before - theirs : Math.max(theirs - after, 0));
  const said = `PostgreSQL's differs from this machine's by ${off_ms} ms`;
  const advice = "Let both machines keep their clocks by NTP: keys, signatures and certificates go by them.";
  return off_ms > skew_ms_max ? warning("clock", said, advice) : ok("clock", said);
}

/** Whether PostgreSQL lets in as many connections as all servers together may want. */
async function poolOf(
  { stores, connections: each }: CheckContext,
  { settings, connections }: PostgresFacts,
): Promise<CheckResult> {
  const all = Number(settings["max_connections"]) - Number(settings["superuser_reserved_connections"]);
  const running = stores === null ? 0 : (await stores.live.read(runningServers).catch(() => [])).length;
  const count = Math.max(running, 1);
  // Commands such as doctor and backup have a few of their own.
  const wanted = count * (2 * each + connections_beside) + connections_for_commands;
  const servers = count === 1 ? "a server" : `${count} servers`;
  const said = `${servers} may want ${wanted} connections of ${all} (${connections} are open now)`;
  const advice = `Raise max_connections to ${Math.ceil((wanted * 1.5) / 10) * 10} or lower --database-connections.`;
  if (wanted > all) return problem("connections", said, advice);
  return wanted > 0.8 * all ? warning("connections", said, advice) : ok("connections", said);
}

// The one by which servers know of each other.
const connections_beside = 1;
const connections_for_commands = 4;

// What waits since a restore until somebody has decided about it.

/** Whether a world came from a backup, and whether what was to go out then still waits. */
export async function checkRestored({ stores }: CheckContext): Promise<CheckResult[]> {
  if (stores === null) return [];
  const found: CheckResult[] = [];
  for (const mode of environments) {
    const [last] = await stores[mode].read(listRestorations);
    if (last === undefined) continue;
    const said = `the ${mode} world was restored as of ${new Date(last.as_of).toISOString()}`;
    const count = last.waiting_deliveries + last.waiting_reports + last.waiting_purchases;
    if (last.settled_at !== null) found.push(ok("restored", said));
    else {
      const waits = `${said}; ${count} deliveries, reports and purchases wait since then`;
      const advice = "Decide whether they are sent or dropped: the guide of restoring says how.";
      found.push(warning("restored", waits, advice));
    }
  }
  return found;
}

// Whether the data is of this program.

/** What both worlds have of the migrations that the program carries. */
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
    const strange = isPreRelease(names) ? [] : names.filter((name) => !migrations.includes(name));
    const subject = `migrations (${mode})`;
    if (names.length === 0) continue;
    if (strange.length > 0 && !names.includes(migrations[0] ?? "")) {
      found.push(problem(subject, "the data is of a Packhouse from before the first release", upgrade_before));
    } else if (strange.length > 0) {
      const said = `a newer Packhouse has added ${strange.join(", ")}`;
      found.push(warning(subject, said, "Use the program of that version; this one may be refused."));
    } else if (lacking.length > 0) {
      const said = `${lacking.length} are still to be run: ${lacking.join(", ")}`;
      found.push(warning(subject, said, "The next start runs them. Look at packhouse upgrade --check first."));
    } else found.push(ok(subject, `all ${names.length} have been run`));
  }
  if (closed_because !== null) {
    found.push(problem("data", closed_because, "What needs the records could not be looked at."));
  }
  return found;
}

// The servers that run on one PostgreSQL database.

/** Who runs, and whether all of them are of one version. */
export async function checkServers({ database_url, stores }: CheckContext): Promise<CheckResult[]> {
  if (database_url === null || stores === null) return [];
  const running = await stores.live.read(runningServers);
  if (running.length === 0) {
    return [warning("servers", "none runs", "Start packhouse serve, unless it is stopped on purpose.")];
  }
  const shown = running.map(({ host, version, draining }) => `${host} (${version}${draining ? ", stopping" : ""})`);
  const versions = new Set(running.map(({ version, schema }) => `${version} ${schema}`));
  const said = `${running.length} run: ${shown.join(", ")}`;
  if (versions.size === 1) return [ok("servers", said)];
  return [warning("servers", said, "They are of different versions: end the upgrade by restarting the older ones.")];
}
