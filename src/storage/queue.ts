// Queues of work. A queue is a table whose records wait for a time: one column holds when a record is due and, while a
// server works on it, when that server's claim ends. A claim without a result is therefore due again by itself, a CHECK
// can bind the column to the record's status, and clients see the record's own attempts and times.
import { and, asc, eq, inArray, lt, lte, ne, type SQL, sql as template } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, list, opaque, skipLocked } from "../../db/kit.ts";
import type { JobName } from "./commit_effects.ts";
import type { Db, ReadStatements, Tx, WriteStatements } from "./database.ts";
import { type ClaimKind, type EndClaims, recordClaims, shiftClaims } from "./servers.ts";
import { prepared, preparedOf, type StatementArgs } from "./statements.ts";

type QueueTable = PgTable & { readonly id: AnyPgColumn };
type QueuedRow = { readonly id: number };

/** Which records of a table wait, and until when. */
interface WaitingRecords {
  readonly due: AnyPgColumn;
  /** The literal condition of the partial index on `due`: databases do not match parameters to it. */
  readonly waiting: SQL;
  /** A further condition of the records that can be worked on. */
  readonly ready?: SQL | undefined;
  /** The id of the account or connection that handles one record at a time. */
  readonly lane?: AnyPgColumn;
  /** Further times of a waiting record that move with the clock. */
  readonly moved?: readonly AnyPgColumn[];
}

/** Limits a query to the records of one lane. */
interface LaneLimit {
  readonly limit: number;
  readonly lane?: number;
}

/** Records that wait for a time. */
interface DueRecords<Row> {
  /** Locks the due records, the longest due first. Those that other servers hold are skipped. */
  lockDue(tx: Tx, which: LaneLimit): Promise<Row[]>;
  /** When the next record is due (ms), of these lanes or of all; null if none waits. */
  nextAt(db: Db, lanes?: readonly number[]): Promise<number | null>;
  /** Moves the times as far as the clock was moved. */
  shift(tx: Tx, by_ms: number): Promise<void>;
}

/** Builds an update that moves times as far as the clock was moved. */
export function shiftOf(table: PgTable, times: readonly AnyPgColumn[], where?: SQL): DueRecords<never>["shift"] {
  return async (tx, by_ms) => {
    const shifted = Object.fromEntries(times.map((time) => [time.name, template`${time} + ${by_ms}`]));
    await tx.sql
      .update(table)
      .set(shifted as never)
      .where(where);
  };
}

/** The records of a table that wait for a time, for work that is done in the transaction that locks them. */
export function dueRecords<Row extends QueuedRow>(table: QueueTable, records: WaitingRecords): DueRecords<Row> {
  const { due, waiting, ready, lane, moved = [] } = records;
  const dueOf = (inLane: ((given: SQLParameter) => SQL) | null) =>
    prepared((sql: Tx["sql"], a: StatementArgs<{ lane: number; now: number; limit: number }>) =>
      skipLocked(
        sql
          .select()
          .from(table)
          .where(and(inLane?.(a.lane), waiting, lte(due, opaque(a.now)), ready))
          .orderBy(asc(due), asc(table.id))
          .limit(opaque(a.limit)),
      ),
    );
  const nextOf = (inLanes: ((given: SQLParameter) => SQL) | null) =>
    prepared((sql: ReadStatements, a: StatementArgs<{ lanes: string }>) =>
      sql
        .select({ at: template<number | null>`min(${due})`.mapWith(Number) })
        .from(table)
        .where(and(inLanes?.(a.lanes), waiting, ready)),
    );
  const [dueOfAll, nextOfAll] = [dueOf(null), nextOf(null)];
  const dueIn = lane === undefined ? dueOfAll : dueOf((given) => eq(lane, given));
  const nextIn = lane === undefined ? nextOfAll : nextOf((given) => among(lane, given));
  return {
    async lockDue(tx, { limit, lane: id = 0 }) {
      const rows = await (id === 0 ? dueOfAll : dueIn)(tx, { lane: id, now: tx.now, limit });
      return rows as unknown as Row[];
    },
    async nextAt(db, lanes) {
      if (lanes?.length === 0) return null;
      const [row] = lanes === undefined ? await nextOfAll(db, { lanes: "" }) : await nextIn(db, { lanes: list(lanes) });
      return row?.at ?? null;
    },
    shift: shiftOf(table, [due, ...moved], waiting),
  };
}

type SQLParameter = SQL<number> | SQL<string>;

/** Which records wait, and how a server claims them. */
interface ClaimedRecords<Row> extends WaitingRecords {
  /** The name of the claims, by which another server takes them over. */
  readonly kind: ClaimKind;
  /** The job that does the work. */
  readonly job: JobName;
  /** How long a claim lasts. */
  readonly lease_ms: number;
  /** How long (ms) the other side may still be working after the server is gone. The work is not repeated before. */
  readonly rest_ms?: (record: Row) => number;
  /** What else a claim changes, such as the number of attempts. */
  readonly claimed?: (record: Row, until: number, now: number) => Partial<Row>;
}

/** Claimed records, and when the next one is due (ms) if nothing else happens; null if none waits. */
export interface ClaimedWork<Claim> {
  readonly claims: readonly Claim[];
  readonly next_at: number | null;
}

/** Work that is claimed in one transaction, done in none, and recorded in another. */
export interface Queue<Row extends QueuedRow> extends DueRecords<Row> {
  readonly job: JobName;
  /** Claims locked records and returns them with the changes of the claim. */
  lease(tx: Tx, records: readonly Row[]): Promise<Row[]>;
  /** Claims the records that have been due longest. */
  claim(tx: Tx, which: LaneLimit): Promise<Row[]>;
  /** Claims up to `limit` records of all lanes. */
  claimNext(tx: Tx, limit: number): Promise<ClaimedWork<Row>>;
  /** Calls `claim` for each lane, if any of their records is due. */
  claimLanes<Lane extends QueuedRow, Claim>(
    tx: Tx,
    lanes: readonly Lane[],
    claim: (lane: Lane) => Promise<Claim | null>,
  ): Promise<ClaimedWork<Claim>>;
  /** The lanes in which records wait. */
  lanes(db: Db): Promise<QueuedRow[]>;
  /**
   * Records a claim that begins or is renewed now. Returns its end (ms), when the job is woken. The caller stores it in
   * the record.
   */
  hold(tx: Tx, id: number, rest_ms?: number): Promise<number>;
  /** Postpones the records of a lane, except one, to a time (ms). */
  postpone(tx: Tx, lane: number, until: number, except?: number): Promise<void>;
  /** Ends claims of a server that is gone. */
  readonly release: EndClaims;
}

/** The queue of the records of a table. */
export function queueOf<Row extends QueuedRow>(table: QueueTable, records: ClaimedRecords<Row>): Queue<Row> {
  const { kind, job, due, waiting, ready, lane, lease_ms } = records;
  const own = dueRecords<Row>(table, records);
  const { lockDue, nextAt } = own;
  const update = async (tx: Tx, change: object, where: SQL | undefined) => {
    await tx.sql
      .update(table)
      .set(change as never)
      .where(where);
  };
  const lease = leaseOf(table, records);
  return {
    ...own,
    job,
    lease,
    claim: async (tx, which) => lease(tx, await lockDue(tx, which)),
    async claimNext(tx, limit) {
      const claims = await lease(tx, await lockDue(tx, { limit }));
      return { claims, next_at: claims.length > 0 ? tx.now : await nextAt(tx) };
    },
    async claimLanes<Lane extends QueuedRow, Claim>(
      tx: Tx,
      lanes: readonly Lane[],
      claim: (lane: Lane) => Promise<Claim | null>,
    ) {
      const first_at = await nextAt(tx, idsOf(lanes));
      // One query for all lanes, since usually nothing is due.
      if (first_at === null || first_at > tx.now) return { claims: [], next_at: first_at };
      const claims: Claim[] = [];
      const idle: Lane[] = [];
      for (const lane of lanes) {
        const claim_of_lane = await claim(lane);
        if (claim_of_lane === null) idle.push(lane);
        else claims.push(claim_of_lane);
      }
      return { claims, next_at: await nextAt(tx, idsOf(idle)) };
    },
    async lanes(db) {
      if (lane === undefined) return [];
      const waits = and(waiting, ready);
      return (await db.sql.selectDistinct({ id: lane }).from(table).where(waits)) as unknown as QueuedRow[];
    },
    async hold(tx, id, rest = 0) {
      const until = tx.now + lease_ms;
      tx.wake(job, until);
      await recordClaims(tx, kind, [id], until, rest);
      return until;
    },
    async postpone(tx, id, until, except = 0) {
      const behind = and(lane && eq(lane, id), waiting, lt(due, until), ne(table.id, except));
      await update(tx, { [due.name]: until }, behind);
    },
    async release(tx, { ids, until }, at) {
      await update(tx, { [due.name]: at }, and(inArray(table.id, [...ids]), eq(due, until)));
    },
    // A claim is identified by its end, which is the time that the record is due.
    async shift(tx, by_ms) {
      await own.shift(tx, by_ms);
      await shiftClaims(tx, kind, by_ms);
    },
  };
}

/** How a queue claims locked records. */
function leaseOf<Row extends QueuedRow>(table: QueueTable, records: ClaimedRecords<Row>): Queue<Row>["lease"] {
  const { kind, due, lease_ms, rest_ms = () => 0, claimed } = records;
  const claimAll = preparedOf((sql: WriteStatements, isOf, a: StatementArgs<{ until: number }>) =>
    sql
      .update(table)
      .set({ [due.name]: template`${a.until}` } as never)
      .where(isOf(table.id)),
  );
  let claimOne: ReturnType<typeof updateOf> | undefined;
  return async (tx, rows) => {
    if (rows.length === 0) return [];
    const until = tx.now + lease_ms;
    for (const [rest, some] of Map.groupBy(rows, rest_ms)) await recordClaims(tx, kind, idsOf(some), until, rest);
    if (claimed === undefined) {
      await claimAll(tx, { ids: idsOf(rows), until });
      return rows.map((row) => ({ ...row, [due.name]: until }));
    }
    const leased: Row[] = [];
    for (const row of rows) {
      const change = { [due.name]: until, ...claimed(row, until, tx.now) };
      // All claims of a queue change the same columns.
      claimOne ??= updateOf(table, Object.keys(change));
      await claimOne(tx, { ...change, id: row.id });
      leased.push({ ...row, ...change });
    }
    return leased;
  };
}

/** Prepares an update of some columns of one record. */
const updateOf = (table: QueueTable, columns: readonly string[]) =>
  prepared((sql: WriteStatements, a: StatementArgs<Record<string, unknown>>) =>
    sql
      .update(table)
      .set(Object.fromEntries(columns.map((column) => [column, a[column]])) as never)
      .where(eq(table.id, a["id"])),
  );

const idsOf = (rows: readonly QueuedRow[]) => rows.map(({ id }) => id);
