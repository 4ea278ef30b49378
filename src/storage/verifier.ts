// Finds what is not as it must be, by rules in plain SQL that share nothing with the commands.
import { asc, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db, ReadStatements } from "./database.ts";
import { prepared } from "./statements.ts";

/** Something that is not as a rule says. */
export interface VerifierDifference {
  /** Which invariant is broken, and of what. */
  readonly rule: string;
  readonly subject: string;
  readonly expected: number | null;
  readonly actual: number | null;
  /** The rows that disagree, and the sums over those that are many; of the first hundred differences of a rule. */
  readonly rows: readonly VerifiedRow[];
}

/** A row of a table, or a sum over some of them, by the names of its columns. */
export interface VerifiedRow {
  readonly table: string;
  readonly [column: string]: unknown;
}

/** Finds the rows that bear on something of a noun, by its id. */
export type FindVerifiedRows = (db: Db, id: number) => Promise<VerifiedRow[]>;

/** A rule that everything of a noun must keep. */
export interface VerifierRule<Noun extends string = string> {
  readonly rule: string;
  readonly noun: Noun;
  /**
   * A query of `id, expected, actual` for everything of the noun; rows where the two differ are told. The id is null
   * where there is one of the noun alone.
   */
  readonly rows: SQL;
}
/** How many differences of one rule are told with the rows behind them. */
export const shown_max = 100;

/** Queries by the names under which rules may ask them; each is run once for all that do. */
type SharedQueries = Readonly<Record<string, SQL>>;

/**
 * Makes of rules what finds everything that breaks one, with the rows of the first hundred of each. All rules are one
 * statement that is built once, so that it may be asked after each step of a test as well.
 */
export function verifierOf<Noun extends string>(
  rules: readonly VerifierRule<Noun>[],
  rowsOf: Readonly<Record<Noun, FindVerifiedRows>>,
  shared: SharedQueries = {},
): (db: Db) => Promise<VerifierDifference[]> {
  const breaches = prepared((select) => breachesOf(select, rules, shared));
  return async (db) => {
    const differences: VerifierDifference[] = [];
    const told = rules.map(() => 0);
    for (const { at, id, expected, actual } of await breaches(db, {})) {
      const { rule, noun } = rules[at] as VerifierRule<Noun>;
      told[at] = (told[at] ?? 0) + 1;
      const rows = id !== null && (told[at] ?? 0) <= shown_max ? await rowsOf[noun](db, id) : [];
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

/** How many rows of a table are shown beside a difference. */
export const rows_max = 50;

/** The rows of a table that match, as they are. */
export async function plainRows(
  db: Db,
  name: string,
  table: PgTable & { readonly id: AnyPgColumn },
  condition: SQL,
): Promise<VerifiedRow[]> {
  const rows = await db.sql.select().from(table).where(condition).orderBy(asc(table.id)).limit(rows_max);
  return named(name, rows);
}

/** Rows with the name of their table. */
export function named(table: string, rows: readonly Readonly<Record<string, unknown>>[]): VerifiedRow[] {
  return rows.map((row) => ({ table, ...row }));
}
