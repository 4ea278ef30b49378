// Finds violated invariants with rules in plain SQL that share no code with the commands.
import { asc, eq, getTableName, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db, ReadStatements } from "./database.ts";
import { firstId } from "./migrations/migrate.ts";
import { prepared, type StatementArgs } from "./statements.ts";

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

/** Rows related to a record by its id: those with the id in a column of their table, or those that a query finds. */
export type RelatedRows = AnyPgColumn | ((db: Db, id: number) => Promise<readonly VerifiedRow[]>);

/** A rule that every record of a noun must satisfy. */
export interface VerifierRule<Noun extends string = string> {
  readonly rule: string;
  readonly noun: Noun;
  /**
   * A query of `id, expected, actual` for every record of the noun. Rows where the two differ are violations. The id is
   * null if the noun has only one instance. It can use the row `this_run`: `now`, and the ids of the other environment,
   * from `strange_from` up to `strange_to`.
   */
  readonly rows: SQL;
}

/** What a check in code found. */
export interface FoundFigure extends Omit<VerifierDifference, "rows"> {
  readonly rows: (db: Db) => readonly VerifiedRow[] | Promise<readonly VerifiedRow[]>;
}

/** The rules of one feature. */
interface Audit<Noun extends string> {
  /** For each noun, the rows that are shown with a violation, in this order. */
  readonly nouns: Readonly<Record<Noun, readonly RelatedRows[]>>;
  /** Queries that rules can use by name. Each runs once for all rules. */
  readonly shared?: Readonly<Record<string, SQL>>;
  readonly rules: readonly VerifierRule<Noun>[];
  /** Figures that need code. Those that differ are violations. */
  readonly figures?: (db: Db) => AsyncIterable<FoundFigure>;
}

/** The maximum number of violations of a rule that are reported with their rows. */
const shown_max = 100;
/** The maximum number of rows of a table that are shown with a violation. */
export const rows_max = 50;

/**
 * Builds a verifier from rules. It returns every violation, with rows for the first hundred of each rule. All rules
 * form one prepared statement, so that tests can run it after each step.
 */
export function verifierOf<Noun extends string>({ nouns, shared = {}, rules, figures }: Audit<Noun>) {
  const breaches = prepared((select, args: StatementArgs<ThisRun>) => breachesOf(select, rules, shared, args));
  return async (db: Db): Promise<VerifierDifference[]> => {
    const differences: VerifierDifference[] = [];
    const counts = new Map<string, number>();
    const add = async ({ rows, ...difference }: FoundFigure) => {
      const count = (counts.get(difference.rule) ?? 0) + 1;
      counts.set(difference.rule, count);
      differences.push({ ...difference, rows: count <= shown_max ? await rows(db) : [] });
    };
    for await (const figure of figures?.(db) ?? []) if (figure.expected !== figure.actual) await add(figure);
    for (const { at, id, expected, actual } of rules.length === 0 ? [] : await breaches(db, thisRun(db))) {
      const { rule, noun } = rules[at] as VerifierRule<Noun>;
      const rows = async () => (id === null ? [] : relatedRows(db, nouns[noun], id));
      await add({ rule, subject: id === null ? noun : `${noun} ${id}`, expected, actual, rows });
    }
    return differences;
  };
}

interface ThisRun {
  readonly now: number;
  readonly strange_from: number;
  readonly strange_to: number;
}

const thisRun = ({ now, mode }: Db): ThisRun =>
  mode === "test"
    ? { now, strange_from: 0, strange_to: firstId.test }
    : { now, strange_from: firstId.test, strange_to: Number.MAX_SAFE_INTEGER };

function breachesOf(
  select: ReadStatements,
  rules: readonly VerifierRule[],
  shared: Readonly<Record<string, SQL>>,
  { now, strange_from, strange_to }: StatementArgs<ThisRun>,
) {
  const this_run = sql`(select cast(${now} as bigint) as now, cast(${strange_from} as bigint) as strange_from,
    cast(${strange_to} as bigint) as strange_to)`;
  const named = Object.entries({ this_run, ...shared }).map(
    ([name, rows]) => sql`${sql.raw(name)} as materialized ${rows}`,
  );
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
    .from(sql`(with ${sql.join(named, sql`, `)} ${sql.join(broken, sql` union all `)}) as broken`)
    .orderBy(sql`rule`, sql`id`);
}

/** The rows that are related to a record. */
export async function relatedRows(db: Db, related: readonly RelatedRows[], id: number): Promise<VerifiedRow[]> {
  const rows: VerifiedRow[] = [];
  for (const one of related) {
    rows.push(...(typeof one === "function" ? await one(db, id) : await plainRows(db, one, eq(one, id))));
  }
  return rows;
}

/** The matching rows of a column's table. */
export async function plainRows(db: Db, { table }: AnyPgColumn, condition: SQL): Promise<VerifiedRow[]> {
  const whole = table as PgTable & { readonly id: AnyPgColumn };
  const rows = await db.sql.select().from(whole).where(condition).orderBy(asc(whole.id)).limit(rows_max);
  return named(getTableName(table), rows);
}

/** Adds the name of their table to rows. */
export function named(table: string, rows: readonly Readonly<Record<string, unknown>>[]): VerifiedRow[] {
  return rows.map((row) => ({ table, ...row }));
}
