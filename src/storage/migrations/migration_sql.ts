// The SQL of all migrations, in its own file so that it is loaded only when a database lacks some of it.
import { migrationFiles } from "./migration_files.ts" with { type: "macro" };

/** The statements of a migration. */
export interface Migration {
  readonly name: string;
  /** Whether the previous version keeps working alongside it; breaking when absent. */
  readonly kind?: "additive" | "breaking";
  /** Why it is breaking. */
  readonly why?: string;
  readonly statements: readonly string[];
}

/** All migrations in order, by engine. */
export const migrations: { readonly sqlite: readonly Migration[]; readonly postgres: readonly Migration[] } = {
  sqlite: migrationFiles("sqlite"),
  postgres: migrationFiles("postgres"),
};
