// The SQL that this program carries, which is loaded when a database lacks some of it.
import { migrationFiles } from "./migration_files.ts" with { type: "macro" };

/** The statements of a migration, by its name. */
export interface Migration {
  readonly name: string;
  /** Whether the version before goes on working beside it; it does not where nothing is said. */
  readonly kind?: "additive" | "breaking";
  /** Why it does not. */
  readonly why?: string;
  readonly statements: readonly string[];
}

/** All migrations in their order, by engine. */
export const migrations: { readonly sqlite: readonly Migration[]; readonly postgres: readonly Migration[] } = {
  sqlite: migrationFiles("sqlite"),
  postgres: migrationFiles("postgres"),
};
