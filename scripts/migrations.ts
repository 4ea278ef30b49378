// `bun run migrations NAME`: drafts the next migration of both engines from db/schema and db/words.ts. Read what it
// wrote before you commit it. Migrations are only added: a released one is never edited, renamed or removed, because
// existing databases have applied it. Only the newest snapshot of drizzle-kit is kept, since that is what it compares
// with.
import { Database } from "bun:sqlite";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { triggerOnPostgres, triggersOnSqlite, type WordList, wordLists } from "../db/words.ts";
import { root } from "./install.ts";

type Engine = "sqlite" | "postgres";

interface Journal {
  readonly entries: { idx: number; tag: string }[];
}

const folderOf = (engine: Engine) => join(root, "db/migrations", engine);

const metaOf = (engine: Engine) => join(folderOf(engine), "meta");

const readJournal = (engine: Engine): Journal =>
  JSON.parse(readFileSync(join(metaOf(engine), "_journal.json"), "utf8")) as Journal;

/** Runs drizzle-kit for one engine. Returns the new migration's file name, or null if the schema has not changed. */
async function draft(engine: Engine, name: string, more: readonly string[] = []): Promise<string | null> {
  const before = readJournal(engine).entries.length;
  const { PACKHOUSE_DATABASE_URL: _, ...env } = process.env;
  const kit = Bun.spawn(
    [
      ...[process.execPath, "--bun", "node_modules/drizzle-kit/bin.cjs", "generate"],
      ...[`--config=db/drizzle.${engine}.ts`, `--name=${name}`, ...more],
    ],
    {
      cwd: root,
      // The address selects the engine of db/kit.ts; nothing connects to it.
      env: engine === "postgres" ? { ...env, PACKHOUSE_DATABASE_URL: "postgres://schema" } : env,
      stdio: ["inherit", "inherit", "inherit"],
    },
  );
  if ((await kit.exited) !== 0) throw new Error(`drizzle-kit failed for ${engine}.`);
  for (const old of snapshots(engine).slice(0, -1)) rmSync(join(metaOf(engine), old));
  const { entries } = readJournal(engine);
  return entries.length > before ? `${entries.at(-1)?.tag}.sql` : null;
}

/** The files of drizzle-kit's snapshots of the schema, oldest first. */
const snapshots = (engine: Engine): string[] =>
  readdirSync(metaOf(engine))
    .filter((file) => file.endsWith("_snapshot.json"))
    .sort();

/** Makes each table STRICT, so that SQLite stores no value of another type than the column's. */
export function strict(migration: string): string {
  return migration.replace(/^(CREATE TABLE [^;]*?^\));/gm, "$1 STRICT;");
}

/** Joins the expressions of indexes, which drizzle-kit splits at their commas as if each part were a column. */
export function whole(migration: string): string {
  const index = /^CREATE (?:UNIQUE )?INDEX `\w+` ON `\w+` \(.*`\)/gm;
  return migration.replace(index, (line) => {
    const [head = "", columns = ""] = line.split(/(?<=` )(?=\()/);
    return /`[^`]*[("]/.test(columns.slice(1)) ? head + columns.replaceAll("`", "") : line;
  });
}

/**
 * Removes the foreign key pragmas: `migrateSqlite` switches foreign keys off and checks them, since no pragma can do
 * that within a transaction.
 */
function withoutPragmas(migration: string): string {
  return migration.replace(/^PRAGMA foreign_keys=\w+;--> statement-breakpoint\n/gm, "");
}

/** Removes the schema name: live and test data are two schemas of one database, which `search_path` selects. */
export function unqualified(migration: string): string {
  return migration.replaceAll('"public".', "");
}

const breakpoint = "--> statement-breakpoint\n";

/** The first line of a draft. A person has to choose between the two; a test refuses the line as it is. */
export const unsaid = "-- additive, or breaking: what would the previous version do wrong alongside it, or after it?\n";

/** A migration without the mark in its first line. */
const unmarked = (text: string) => text.replace(/^-- (?:additive|breaking)\b.*\n/, "");

/** The SQL of an engine's migrations in order, without their marks. */
export function readMigrations(engine: Engine): string[] {
  const files = readdirSync(folderOf(engine)).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => unmarked(readFileSync(join(folderOf(engine), file), "utf8")));
}

/**
 * Brings the triggers of the word lists up to date after these SQLite migrations: those of lists that are new or have
 * changed, and those that were dropped with a rebuilt table.
 */
export function wordStatements(migrations: readonly string[], lists: readonly WordList[]): Record<Engine, string[]> {
  using database = new Database(":memory:");
  for (const text of migrations) database.run(text);
  const there = new Map(
    database
      .query<{ name: string; sql: string }, []>("select name, sql from sqlite_schema where type = 'trigger'")
      .all()
      .map(({ name, sql }) => [name, sql]),
  );
  const sqlite = lists.flatMap((list) =>
    [...triggersOnSqlite(list)]
      .filter(([name, sql]) => there.get(name) !== sql)
      .flatMap(([name, sql]) => [...(there.has(name) ? [`DROP TRIGGER \`${name}\``] : []), sql]),
  );
  const changed = lists.filter((list) => [...triggersOnSqlite(list)].some(([name, sql]) => there.get(name) !== sql));
  return { sqlite, postgres: changed.map(triggerOnPostgres) };
}

function rewrite(engine: Engine, file: string, by: (text: string) => string): void {
  const path = join(folderOf(engine), file);
  writeFileSync(path, by(readFileSync(path, "utf8")));
}

async function main(name: string | undefined): Promise<void> {
  if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
    console.error("Usage: bun run migrations NAME   (small letters, digits and underscores)");
    process.exit(2);
  }
  const drafted: Record<Engine, string | null> = {
    sqlite: await draft("sqlite", name),
    postgres: await draft("postgres", name),
  };
  for (const engine of ["sqlite", "postgres"] as const) {
    const file = drafted[engine];
    if (file === null) continue;
    rewrite(engine, file, engine === "sqlite" ? (text) => withoutPragmas(strict(whole(text))) : unqualified);
  }
  const words = wordStatements(readMigrations("sqlite"), wordLists);
  const changed = drafted.sqlite !== null || drafted.postgres !== null || words.sqlite.length > 0;
  for (const engine of ["sqlite", "postgres"] as const) {
    // Both engines have the same migrations, even if one has nothing to do.
    const file = drafted[engine] ?? (changed ? await draft(engine, name, ["--custom"]) : null);
    if (file === null) continue;
    const written = (text: string) =>
      [text.trimEnd().replace(/;$/, ""), ...words[engine]].filter(Boolean).join(`;${breakpoint}`);
    rewrite(engine, file, (text) => unsaid + written(text));
    console.log(`db/migrations/${engine}/${file}`);
  }
  if (!changed) console.log("The schema has not changed.");
}

if (import.meta.main) await main(process.argv[2]);
