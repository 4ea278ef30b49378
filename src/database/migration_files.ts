// Runs while bundling (a Bun macro): the SQL of every migration becomes a literal of the program.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The migrations of one engine in their order: the file's name without `.sql`, and its statements. drizzle-kit names
 * the schema "public" in references; it is left out, so that the tables of each store refer to each other.
 */
export function migrationFiles(engine: "sqlite" | "postgres"): { name: string; statements: string[] }[] {
  const folder = join(import.meta.dir, "../../db/migrations", engine);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => ({
    name: file.slice(0, -".sql".length),
    statements: statementsOf(join(folder, file)),
  }));
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
