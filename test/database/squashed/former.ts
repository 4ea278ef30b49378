// The migrations of before they began anew with `0001_base`, packed. They make the databases that are taken over.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Migration } from "../../../src/database/migration_sql.ts";

/** The former migrations of one engine in their order. */
export function formerMigrations(engine: "sqlite" | "postgres"): Migration[] {
  const text = gunzipSync(readFileSync(join(import.meta.dir, `${engine}.sql.gz`))).toString();
  return text
    .split(/^--> file /m)
    .filter((part) => part !== "")
    .map((part) => {
      const end = part.indexOf("\n");
      const statements = part
        .slice(end)
        .split("--> statement-breakpoint")
        .map((statement) => statement.replaceAll('"public".', "").trim())
        .filter((statement) => statement !== "");
      return { name: part.slice(0, end), statements };
    });
}
