// Runs while bundling (a Bun macro): the SQL of every migration becomes a literal of the program.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folderOf = (engine: "sqlite" | "postgres") => join(import.meta.dir, "../../db/migrations", engine);

/** The names of the migrations of one engine in their order: those of their files, without `.sql`. */
export function migrationNames(engine: "sqlite" | "postgres"): { name: string }[] {
  const folder = folderOf(engine);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => ({ name: file.slice(0, -".sql".length) }));
}

/**
 * The migrations of one engine in their order. drizzle-kit names the schema "public" in references; it is left out, so
 * that the tables of each store refer to each other.
 */
export function migrationFiles(engine: "sqlite" | "postgres"): { name: string; statements: string[] }[] {
  const statements = (name: string) => statementsOf(join(folderOf(engine), `${name}.sql`));
  return migrationNames(engine).map(({ name }) => ({ name, statements: statements(name) }));
}

/** What makes the schema of the migrations before `0001_base` into that of the base. */
export function takeoverStatements(engine: "sqlite" | "postgres"): string[] {
  return statementsOf(join(import.meta.dir, "../../db/takeover", `${engine}.sql`));
}

function statementsOf(file: string): string[] {
  return readFileSync(file, "utf8")
    .split("--> statement-breakpoint")
    .map((statement) => statement.replaceAll('"public".', "").trim())
    .filter((statement) => statement !== "");
}
