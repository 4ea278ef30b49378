// PostgreSQL as a house has set it up.
import { readAddress } from "../config.ts";
import { type PostgresFacts, postgresFacts } from "../database/looking.ts";
import { runningServers } from "../database/servers.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const version_min = 150_000;
const skew_ms_max = 2000;
const edit = "in postgresql.conf, then select pg_reload_conf()";

/** A setting that is looked at: what is wrong with its value, and what to do. */
interface Rule {
  readonly name: string;
  readonly state: "problem" | "warning";
  readonly isWrong: (value: string, facts: PostgresFacts) => boolean;
  readonly why: string;
  readonly advice: string;
}

const off = (value: string) => value === "off";

// biome-ignore format: a table is read by its columns.
const rules: readonly Rule[] = [
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
export async function lookAtPostgres(patient: Patient): Promise<Finding[]> {
  const { database_url, now } = patient;
  if (database_url === null) return [];
  const asked_at = now();
  let facts: PostgresFacts;
  try {
    facts = await postgresFacts(database_url);
  } catch (error) {
    const { hostname = "", port = "" } = readAddress(database_url) ?? {};
    const reason = error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error);
    const advice = "Start it, or correct --database-url: its host, port, user, password and database.";
    return [problem("PostgreSQL", `${hostname}:${port || 5432} lets nobody in: ${reason}`, advice)];
  }
  const { settings } = facts;
  const version = Number(settings["server_version_num"]);
  const shown = `version ${settings["server_version"]}`;
  const found: Finding[] = [];
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
): Finding[] {
  const found: Finding[] = [];
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
function skewOf(theirs: number, before: number, after: number): Finding {
  const off_ms = Math.round(theirs < before ? before - theirs : Math.max(theirs - after, 0));
  const said = `PostgreSQL's differs from this machine's by ${off_ms} ms`;
  const advice = "Let both machines keep their clocks by NTP: keys, signatures and certificates go by them.";
  return off_ms > skew_ms_max ? warning("clock", said, advice) : ok("clock", said);
}

/** Whether PostgreSQL lets in as many connections as all servers together may want. */
async function poolOf(
  { stores, connections: each }: Patient,
  { settings, connections }: PostgresFacts,
): Promise<Finding> {
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
