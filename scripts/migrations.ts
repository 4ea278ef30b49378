// `bun run migrations NAME`: drafts the next migration of both engines from db/schema. Read what it wrote before you
// commit it.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.ts";

type Engine = "sqlite" | "postgres";

interface Journal {
  readonly entries: { idx: number; tag: string }[];
}

const folderOf = (engine: Engine) => join(root, "db/migrations", engine);

const journalOf = (engine: Engine) => join(folderOf(engine), "meta/_journal.json");

function readJournal(engine: Engine): Journal {
  const file = journalOf(engine);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Journal) : { entries: [] };
}

/** Runs drizzle-kit for one engine; the new migration's file name, or null when the schema has not changed. */
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
      // The address chooses the engine of db/kit.ts; nothing connects to it.
      env: engine === "postgres" ? { ...env, PACKHOUSE_DATABASE_URL: "postgres://schema" } : env,
      stdio: ["inherit", "inherit", "inherit"],
    },
  );
  if ((await kit.exited) !== 0) throw new Error(`drizzle-kit failed for ${engine}.`);
  countFromOne(engine);
  const { entries } = readJournal(engine);
  return entries.length > before ? `${entries.at(-1)?.tag}.sql` : null;
}

/** drizzle-kit numbers its first migration 0000 and each next one after the last: make that first one 0001. */
function countFromOne(engine: Engine): void {
  const folder = folderOf(engine);
  const journal = readJournal(engine);
  const first = journal.entries[0];
  if (first?.idx !== 0) return;
  const tag = first.tag.replace(/^0000_/, "0001_");
  renameSync(join(folder, `${first.tag}.sql`), join(folder, `${tag}.sql`));
  renameSync(join(folder, "meta/0000_snapshot.json"), join(folder, "meta/0001_snapshot.json"));
  Object.assign(first, { idx: 1, tag });
  writeFileSync(journalOf(engine), `${JSON.stringify(journal, null, 2)}\n`);
}

/** Makes each table STRICT, so that SQLite keeps no value of another type than the column's. */
export function strict(migration: string): string {
  return migration.replace(/^(CREATE TABLE [^;]*?^\));/gm, "$1 STRICT;");
}

/** Leaves the schema to `search_path`: live and test data are two schemas of one database. */
export function unqualified(migration: string): string {
  return migration.replaceAll('"public".', "");
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
  const changed = drafted.sqlite !== null || drafted.postgres !== null;
  for (const engine of ["sqlite", "postgres"] as const) {
    // Both engines have the same migrations, even where one has nothing to do.
    const file = drafted[engine] ?? (changed ? await draft(engine, name, ["--custom"]) : null);
    if (file === null) continue;
    const path = join(folderOf(engine), file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, engine === "sqlite" ? strict(text) : unqualified(text));
    console.log(`db/migrations/${engine}/${file}`);
  }
  if (!changed) console.log("The schema has not changed.");
}

if (import.meta.main) await main(process.argv[2]);
