// Kills moves of an installation at random moments. Checks what both ends report then, and that the next run continues.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../postgres.ts";
import { createDatabase, runCommand, startCommand } from "../service.ts";
import type { FaultScript } from "./fault_script.ts";
import { killUndos } from "./move_kills.ts";
import { at, chance, type Round, told } from "./move_places.ts";

/** Creates the sample businesses in a new data directory, and adds values that are hard to copy. */
async function makeSample(data: string): Promise<void> {
  const made = await runCommand(["demo", ...at(data)]);
  if (made.code !== 0) throw new Error(`The sample could not be created: ${made.err}`);
  for (const mode of ["live", "test"]) addHostile(join(data, `${mode}.db`));
}

const texts = [
  ...["", " ", "\\N", "NULL", "{}", '{"a",NULL}', '"', "'", "\\", "\\x00", "a\tb\r\nc", "%_", "$1", "é", "e\u0301"],
  ...["\ufffd", "\uffff", "😀", "‮abc", "ｶ", "Ａ", "a", "B", "_", "~"],
];

/** Rows with every byte value, the largest integers, and texts whose order and quoting differ between engines. */
function addHostile(path: string): void {
  using raw = new Database(path, { strict: true });
  raw.run("begin");
  for (const [nth, text] of texts.entries()) {
    const until = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 0][nth % 3] as number;
    raw.run("insert into leases (name, owner, until) values (?, ?, ?) on conflict do nothing", [text, text, until]);
    raw.run("insert into leases (name, owner, until) values ('long', ?, 0) on conflict do nothing", [
      "é".repeat(300_000),
    ]);
  }
  const every_byte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const lines of [every_byte, new Uint8Array(0), new Uint8Array(2_000_000).fill(92)]) {
    raw.run("insert into request_blocks (from_at, to_at, count, classes, lines) values (1, 2, 3, 4, ?)", [lines]);
  }
  // As text, 10000 sorts before 9999.
  for (const id of [9999, 10_000]) {
    raw.run("insert into request_blocks (id, from_at, to_at, count, classes, lines) values (?, 1, 2, 3, 4, x'')", [id]);
  }
  const metadata = '{ "b": 1.0, "a": "\\u0000 \\ud800", "a": [1e2, 90071992547409931234] }';
  raw.run("update merchants set metadata = ?", [metadata]);
  raw.run("commit");
}

/** All rows of a data directory by environment and table, except what each directory has of its own. */
export function contentOf(data: string): Map<string, string> {
  const content = new Map<string, string>();
  for (const mode of ["live", "test"]) {
    using raw = new Database(join(data, `${mode}.db`), { readonly: true, safeIntegers: true });
    const query = "select name, sql from sqlite_schema where type = 'table' order by name";
    for (const [table] of raw.query(query).values() as [string][]) {
      const from = table === "installation" ? "id, mode, seal" : table === "commit_sequence" ? "at" : "*";
      const rows = raw.query(`select ${from} from "${table}"`).values() as unknown[][];
      const lines = rows.map((row) =>
        row.map((it) => (it instanceof Uint8Array ? Bun.hash(it) : String(it))).join("|"),
      );
      content.set(`${mode}.${table}`, `${lines.length} ${Bun.hash(lines.sort().join("\n"))}`);
    }
    const made = raw.query("select type, name, sql from sqlite_schema order by type, name").values();
    content.set(`${mode} schema`, String(Bun.hash(JSON.stringify(made.map((row) => row.map(String))))));
  }
  return content;
}

/** What both ends may report after a move was killed. The second to last is the moment between the two marks. */
const states: Readonly<Record<string, "old" | "new" | "between">> = {
  "serves absent": "old",
  "serves serves": "old",
  "serves half": "old",
  "moved half": "between",
  "moved serves": "new",
};

/**
 * Kills a move, checks both ends, and runs it again until it is complete. A target that serves while the source does
 * must be empty, since otherwise there would be two installations.
 */
async function killedMove(from: string, to: string, seed: number, lasts_ms: number): Promise<Round> {
  const words = ["move", "--from", from, "--to", to];
  const killed_after_ms = Math.round(chance(seed) * lasts_ms);
  const child = startCommand(words);
  await Promise.race([Bun.sleep(killed_after_ms), child.exited]);
  child.kill("SIGKILL");
  await child.exited;
  const problems: string[] = [];
  const [source, target] = [await told(from), await told(to)];
  const state = states[`${source} ${target}`];
  if (state === undefined) problems.push(`the source: ${source}; the target: ${target}`);
  if (state === "old" && target === "serves" && (await holdsOrders(to))) problems.push("both ends hold all and serve");
  if (state !== "new") {
    const again = await runCommand(words);
    if (again.code !== 0) problems.push(`run again: ${again.err}`);
  }
  const after = `${await told(from)} ${await told(to)}`;
  if (after !== "moved serves") problems.push(`after the end: ${after}`);
  return { line: `${seed}: killed after ${killed_after_ms} ms: ${state} (${source}, ${target})`, problems };
}

async function holdsOrders(place: string): Promise<boolean> {
  const { out } = await runCommand(["export", "orders", "--mode", "test", ...at(place)]);
  return out.trim().split("\n").length > 1;
}

/** Kills `count` moves back and forth between two engines. Prints each and returns how many failed. */
export async function killMoves(count: number, first_seed: number, database_url: string | null): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-moves-"));
  let failed = 0;
  try {
    const origin = join(folder, "origin");
    await makeSample(origin);
    const before = contentOf(origin);
    const lasts_ms: number[] = [];
    let here = origin;
    // Each move continues from where the previous one ended; every second one leads back to a folder. The first two run
    // to completion, which shows how long the others last.
    for (let round = 0; round < count + 2; round += 1) {
      const there =
        round % 2 === 1 || database_url === null ? join(folder, `r${round}`) : await createDatabase(database_url);
      const begun_at = performance.now();
      const seed = first_seed + round - 2;
      const kill = round < 2 ? wholeMove(here, there) : killedMove(here, there, seed, lasts_ms[round % 2] ?? 0);
      const { line, problems } = await kill;
      lasts_ms[round] = performance.now() - begun_at;
      const all = [...problems, ...(there.includes("://") ? [] : differing(before, contentOf(there)))];
      console.log(`  ${line}${all.map((problem) => `\n    FAILED ${problem}`).join("")}`);
      failed += all.length === 0 ? 0 : 1;
      if (!here.includes("://")) rmSync(here, { recursive: true });
      here = there;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return failed;
}

/** An uninterrupted move. */
async function wholeMove(from: string, to: string): Promise<Round> {
  const { code, out, err } = await runCommand(["move", "--from", from, "--to", to, "--json"]);
  if (code !== 0) return { line: "a complete move", problems: [err] };
  const { rows, seconds } = JSON.parse(out) as { rows: number; seconds: number };
  const speed = [...err.matchAll(/^(\w+: \w+) .* (\d+ rows\/s)/gm)].map(([, what, speed]) => `${what} ${speed}`);
  const way = [from, to].map((place) => (place.includes("://") ? "PostgreSQL" : "a folder")).join(" to ");
  return { line: `${way}: ${rows} rows in ${seconds.toFixed(1)} s (${speed.join(", ")})`, problems: [] };
}

/** The tables that differ. */
export function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const odd = names.filter((name) => before.get(name) !== after.get(name));
  return odd.map((name) => `${name}: ${before.get(name)} became ${after.get(name)}`);
}

export const moves: FaultScript = {
  description: "kills moves of installations from SQLite to PostgreSQL and back, and the undoing of moves",
  lacks: async () => null,
  run: async (count = 50) => {
    const postgres = await startPostgres().catch((error: unknown) => String(error));
    const url = typeof postgres === "string" ? null : postgres.url;
    if (url === null) console.log(`  without PostgreSQL, between folders: ${postgres}`);
    const folder = mkdtempSync(join(tmpdir(), "packhouse-moves-"));
    try {
      const whole = await killMoves(count, 1, url);
      console.log("  undone moves:");
      return whole + (await killUndos(join(folder, "undone"), count, 1, url));
    } finally {
      rmSync(folder, { recursive: true, force: true });
      if (typeof postgres !== "string") await postgres.stop();
    }
  },
};
