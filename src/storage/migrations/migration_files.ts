// A Bun macro, run while bundling: the SQL of every migration becomes a literal of the program.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folderOf = (engine: "sqlite" | "postgres") => join(import.meta.dir, "../../../db/migrations", engine);

/** The mark of a migration, from the first line of its file. */
interface MigrationMark {
  /** Additive: the previous version keeps working alongside it and after it. Breaking: it does not. */
  readonly kind: "additive" | "breaking";
  /** Why it is breaking: what the previous version could not do, or would do wrong. Empty when additive. */
  readonly why: string;
}

/**
 * The migrations of an engine in order, named after their files without `.sql`, each with its mark: `-- additive` or
 * `-- breaking: why` in the first line. One without a mark counts as breaking.
 */
export function migrationNames(engine: "sqlite" | "postgres"): ({ name: string } & MigrationMark)[] {
  const folder = folderOf(engine);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  const mark = (file: string) => markOf(readFileSync(join(folder, file), "utf8")) ?? unmarked;
  return files.sort().map((file) => ({ name: file.slice(0, -".sql".length), ...mark(file) }));
}

const unmarked: MigrationMark = { kind: "breaking", why: "" };

/** Parses the mark in the first line of a migration; null when there is none. */
export function markOf(text: string): MigrationMark | null {
  const [, kind, why = ""] = /^-- (additive|breaking: (\S.*))\n/.exec(text) ?? [];
  if (kind === undefined) return null;
  return kind === "additive" ? { kind, why: "" } : { kind: "breaking", why: why.trim() };
}

/**
 * The migrations of an engine in order. drizzle-kit writes the schema "public" into references; it is removed, so that
 * each store's tables refer to each other.
 */
export function migrationFiles(
  engine: "sqlite" | "postgres",
): ({ name: string; statements: string[] } & MigrationMark)[] {
  const statements = (name: string) => statementsOf(join(folderOf(engine), `${name}.sql`));
  return migrationNames(engine).map((one) => ({ ...one, statements: statements(one.name) }));
}

function statementsOf(file: string): string[] {
  return readFileSync(file, "utf8")
    .replace(/^-- (additive|breaking: .*)\n/, "")
    .split("--> statement-breakpoint")
    .map((statement) => statement.replaceAll('"public".', "").trim())
    .filter((statement) => statement !== "");
}
