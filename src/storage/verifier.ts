// Finds violated invariants with rules in plain SQL that share no code with the commands.
import { asc, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db, ReadStatements } from "./database.ts";
import { prepared } from "./statements.ts";

/** A violation of a rule. */
export interface VerifierDifference {
  /** The broken invariant. */
  readonly rule: string;
  readonly subject: string;
  readonly expected: number | null;
  readonly actual: number | null;
  /** The rows that disagree, and sums over large groups; only for the first hundred violations of a rule. */
  readonly rows: readonly VerifiedRow[];
}

/** A row of a table, or a sum over several, by column name. */
export interface VerifiedRow {
  readonly table: string;
  readonly [column: string]: unknown;
}

/** Finds the rows related to a record of a noun, by its id. */
export type FindVerifiedRows = (db: Db, id: number) => Promise<VerifiedRow[]>;

/** A rule that every record of a noun must satisfy. */
export interface VerifierRule<Noun extends string = string> {
  readonly rule: string;
  readonly noun: Noun;
  /**
   * A query of `id, expected, actual` for every record of the noun. Rows where the two differ are violations. The id is
   * null if the noun has only one instance.
   */
  readonly rows: SQL;
}
/** The maximum number of violations of a rule that are reported with their rows. */
export const shown_max = 100;

/** Queries that rules can use by name. Each runs once for all rules. */
type SharedQueries = Readonly<Record<string, SQL>>;

/**
 * Builds a verifier from rules. It returns every violation, with rows for the first hundred of each rule. All rules
 * form one prepared statement, so that tests can run it after each step.
 */
export function verifierOf<Noun extends string>(
  rules: readonly VerifierRule<Noun>[],
  rowsOf: Readonly<Record<Noun, FindVerifiedRows>>,
  shared: SharedQueries = {},
): (db: Db) => Promise<VerifierDifference[]> {
  const breaches = prepared((select) => breachesOf(select, rules, shared));
  return async (db) => {
    const differences: VerifierDifference[] = [];
    const violation_counts = rules.map(() => 0);
    for (const { at, id, expected, actual } of await breaches(db, {})) {
      const { rule, noun } = rules[at] as VerifierRule<Noun>;
      violation_counts[at] = (violation_counts[at] ?? 0) + 1;
      const rows = id !== null && (violation_counts[at] ?? 0) <= shown_max ? await rowsOf[noun](db, id) : [];
      differences.push({ rule, subject: id === null ? noun : `${noun} ${id}`, expected, actual, rows });
    }
    return differences;
  };
}

function breachesOf(select: ReadStatements, rules: readonly VerifierRule[], shared: SharedQueries) {
  const named = Object.entries(shared).map(([name, rows]) => sql`${sql.raw(name)} as materialized ${rows}`);
  const before = named.length === 0 ? sql`` : sql`with ${sql.join(named, sql`, `)} `;
  const broken = rules.map(
    ({ rows }, at) => sql`select ${sql.raw(String(at))} as rule, id, expected, actual from (${rows}) as derived
      where expected is distinct from actual`,
  );
  return select
    .select({
      at: sql<number>`rule`.mapWith(Number),
      id: sql<number | null>`id`.mapWith(Number),
      expected: sql<number | null>`expected`.mapWith(Number),
      actual: sql<number | null>`actual`.mapWith(Number),
    })
    .from(sql`(${before}${sql.join(broken, sql` union all `)}) as broken`)
    .orderBy(sql`rule`, sql`id`);
}

/** The maximum number of rows of a table that are shown with a violation. */
export const rows_max = 50;

/** The matching rows of a table. */
export async function plainRows(
  db: Db,
  name: string,
  table: PgTable & { readonly id: AnyPgColumn },
  condition: SQL,
): Promise<VerifiedRow[]> {
  const rows = await db.sql.select().from(table).where(condition).orderBy(asc(table.id)).limit(rows_max);
  return named(name, rows);
}

/** Adds the name of their table to rows. */
export function named(table: string, rows: readonly Readonly<Record<string, unknown>>[]): VerifiedRow[] {
  return rows.map((row) => ({ table, ...row }));
}
