import { and, asc, desc, eq, gt, gte, isNotNull, isNull, lt, lte, type SQL, sql as template } from "drizzle-orm";
import { amongTexts, amongThose, hasText, list, opaque } from "../../db/kit.ts";
import { events } from "../../db/schema/outbox.ts";
import { counters } from "../../db/schema/service.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import type { LongRecords } from "../storage/long_records.ts";
import { isAmong } from "../storage/record_list.ts";
import { insert, prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import type { EventContent, EventType } from "./event_types.ts";

/** A stored event. */
export interface StoredEvent extends EventContent {
  readonly seq: number;
  readonly id: string;
  /** The merchant that owns the record; `MAIN` for events from before there were merchants. */
  readonly merchant_id: number;
  readonly type: EventType;
  readonly created_at: number;
  readonly position: number | null;
  readonly fanned_out_at: number | null;
}

/** Stores events. The fan-out job creates their deliveries. */
export async function insertEvents(
  tx: Tx,
  rows: readonly Pick<StoredEvent, "id" | "merchant_id" | "type" | "body" | "previous" | "created_at">[],
): Promise<void> {
  await insert(tx, events, rows);
}

/** An event with its position in the order of `GET /events`. */
export type PositionedEvent = Pick<StoredEvent, "seq" | "id" | "merchant_id" | "type" | "created_at"> & {
  readonly position: number;
  /** Whether its payload was dropped before it was fanned out. */
  readonly is_dropped: boolean;
};

const last = prepared((sql, _: StatementArgs<Record<never, never>>) =>
  sql.select({ last: counters.number }).from(counters).where(template`${counters.name} = 'events'`),
);

/** The last position of events that was assigned, or skipped by a restore. */
export async function lastPosition(db: Db): Promise<number> {
  const [row] = await last(db, {});
  return row?.last ?? 0;
}

const place = prepared((sql: Tx["sql"], a: StatementArgs<{ limit: number; after: number; at: number }>) => {
  const number = template<number>`row_number() over (order by ${events.seq})`.as("number");
  const waiting = sql.$with("waiting").as((query) =>
    query
      .select({ waiting_seq: template<number>`${events.seq}`.as("waiting_seq"), number })
      .from(events)
      .where(isNull(events.fanned_out_at))
      .orderBy(asc(events.seq))
      .limit(opaque(a.limit)),
  );
  return sql
    .with(waiting)
    .update(events)
    .set({ position: template`${a.after} + ${waiting.number}`, fanned_out_at: template`${a.at}` })
    .from(waiting)
    .where(eq(events.seq, waiting.waiting_seq))
    .returning({
      seq: events.seq,
      id: events.id,
      merchant_id: events.merchant_id,
      type: events.type,
      created_at: events.created_at,
      position: events.position,
      is_dropped: template<boolean>`length(${events.body}) = 0`.mapWith(Boolean),
    });
});

const saveCounter = prepared((sql: WriteStatements, a: StatementArgs<{ name: string; number: number }>) =>
  sql
    .insert(counters)
    .values({ name: a.name, number: a.number })
    .onConflictDoUpdate({ target: counters.name, set: { number: template`excluded.number` } }),
);

/** Skips this many positions in the order of events, and returns the first and the last of them. */
export async function skipPositions(tx: Tx, count: number): Promise<{ first: number; last: number }> {
  const before = await lastPosition(tx);
  await saveCounter(tx, { name: "events", number: before + count });
  return { first: before + 1, last: before + count };
}

// Changes of stock are pushed to shops together.
const stock_wait_ms = 1000;

/**
 * Assigns the oldest new events their positions in the order of `GET /events`, without gaps, and returns them in that
 * order. Only one transaction at a time may call this.
 */
export async function assignPositions(tx: Tx, limit: number): Promise<PositionedEvent[]> {
  const placed = (await place(tx, { limit, after: await lastPosition(tx), at: tx.now })) as PositionedEvent[];
  placed.sort((one, other) => one.position - other.position);
  const number = placed.at(-1)?.position;
  if (number === undefined) return placed;
  await saveCounter(tx, { name: "events", number });
  tx.changed("events");
  if (placed.some(({ type }) => type === "inventory.updated")) tx.wake("platforms.stock", tx.now + stock_wait_ms);
  return placed;
}

const placedAfter = prepared((sql, a: StatementArgs<{ after: number; limit: number }>) =>
  sql
    .select({
      position: events.position,
      merchant_id: events.merchant_id,
      type: events.type,
      body: events.body,
      created_at: events.created_at,
    })
    .from(events)
    .where(gt(events.position, opaque(a.after)))
    .orderBy(asc(events.position))
    .limit(opaque(a.limit)),
);

/** The events after a position, oldest first. */
export async function listAfterPosition(db: Db, after: number, limit: number) {
  return placedAfter(db, { after, limit });
}

const followed = prepared((sql, a: StatementArgs<{ name: string }>) =>
  sql.select({ number: counters.number }).from(counters).where(eq(counters.name, a.name)),
);

/** Jobs that follow events, each from the position where it left off. */
type EventFollower = "shop_stock";

/** The position of the last event that a job has followed. */
export async function followedPosition(db: Db, name: EventFollower): Promise<number> {
  const [row] = await followed(db, { name });
  return row?.number ?? 0;
}

/** Saves the position of the last event that a job has followed. */
export async function saveFollowedPosition(tx: Tx, name: EventFollower, number: number): Promise<void> {
  await saveCounter(tx, { name, number });
}

const inventoryBetween = prepared((sql, a: StatementArgs<{ after: number; upto: number }>) =>
  sql
    .select({ merchant_id: events.merchant_id, body: events.body, created_at: events.created_at })
    .from(events)
    .where(
      and(
        gt(events.position, opaque(a.after)),
        lte(events.position, opaque(a.upto)),
        template`${events.type} = 'inventory.updated'`,
      ),
    ),
);

/** The events `inventory.updated` after a position, up to another. */
export async function inventoryEventsBetween(db: Db, after: number, upto: number) {
  return inventoryBetween(db, { after, upto });
}

/** The filters of `GET /events`. */
interface StoredEventFilter {
  readonly type?: readonly EventType[] | undefined;
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
}

// A page ends after this many examined events, even if few of them match.
const examined_max = 5000;

/**
 * A page of events by a condition without an index, `arrived`: the first matches among the next 5,000, and where the
 * list continues if there are more.
 */
export async function eventSlice(
  db: Db,
  filter: StoredEventFilter,
  { limit, after, arrived }: { limit: number; after: number | null; arrived: SQL },
): Promise<{ rows: StoredEvent[]; end: readonly [position: number, id: number] | null }> {
  const from = after ?? 0;
  const to = await positionFurtherOn(db, from, examined_max);
  const rows = await db.sql
    .select()
    .from(events)
    .where(
      and(matching(filter), gt(events.position, from), to === null ? undefined : lte(events.position, to), arrived),
    )
    .orderBy(asc(events.position))
    .limit(limit);
  return { rows, end: to === null ? null : [to, 0] };
}

/** The position `count` events further on, if more events follow; else null. Restores skip positions. */
async function positionFurtherOn(db: Db, from: number, count: number): Promise<number | null> {
  const rows = await db.sql
    .select({ position: events.position })
    .from(events)
    .where(gt(events.position, from))
    .orderBy(asc(events.position))
    .limit(2)
    .offset(count - 1);
  return rows.length === 2 ? (rows[0]?.position ?? null) : null;
}

function matching({ type, created_after, created_before }: StoredEventFilter): SQL | undefined {
  return and(
    gt(events.position, 0),
    type === undefined ? undefined : isAmong(events.type, type),
    created_after === undefined ? undefined : gte(events.created_at, created_after),
    created_before === undefined ? undefined : lt(events.created_at, created_before),
  );
}

/** A page of positioned events, oldest or newest first. */
export async function listEvents(
  db: Db,
  filter: StoredEventFilter,
  window: { limit: number; offset: number; after: number | null; newest_first: boolean },
): Promise<StoredEvent[]> {
  const { limit, offset, after, newest_first } = window;
  const further = newest_first ? lt : gt;
  return db.sql
    .select()
    .from(events)
    .where(and(matching(filter), after === null ? undefined : further(events.position, after)))
    .orderBy(newest_first ? desc(events.position) : asc(events.position))
    .limit(limit)
    .offset(offset);
}

const bySeq = preparedOf((sql, isOf) => sql.select().from(events).where(isOf(events.seq)));

/** Events as long records, since a payload may have many kilobytes. */
export const longEvents: LongRecords<StoredEvent> = {
  bytes: (_, rows) => rows.map(({ body }) => body.length + 200),
  again: async (db, seqs) => {
    const found = new Map((await bySeq(db, { ids: seqs })).map((row) => [row.seq, row]));
    return seqs.flatMap((seq) => found.get(seq) ?? []);
  },
};

/** Counts the matching positioned events. */
export async function countEvents(db: Db, filter: StoredEventFilter): Promise<number> {
  return db.sql.$count(events, matching(filter));
}

/** The event with this id, or null. */
export async function findEvent(db: Db, id: string): Promise<StoredEvent | null> {
  const [row] = await db.sql.select().from(events).where(eq(events.id, id));
  return row ?? null;
}

const contents = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({ id: events.id, merchant_id: events.merchant_id, body: events.body, previous: events.previous })
    .from(events)
    .where(amongTexts(events.id, a.ids)),
);

/** The payload of an event, and its owner. */
type OwnedContent = EventContent & Pick<StoredEvent, "merchant_id">;

/** The payloads of the events with these ids, by id. */
export async function findEventContents(db: Db, ids: readonly string[]): Promise<Map<string, OwnedContent>> {
  if (ids.length === 0) return new Map();
  return new Map((await contents(db, { ids: list(ids) })).map(({ id, ...content }) => [id, content]));
}

/** Counts all stored events, with or without a position. */
export async function countStoredEvents(db: Db): Promise<number> {
  return db.sql.$count(events);
}

/**
 * Deletes up to `limit` payloads of events older than a timestamp (ms) that satisfy the condition `sent`. Returns the
 * ids of their events, which stay.
 */
export async function deleteEventBodies(tx: Tx, before: number, limit: number, sent: SQL): Promise<string[]> {
  const old = tx.sql
    .select({ seq: events.seq })
    .from(events)
    .where(and(hasText(events.body), lt(events.created_at, before), isNotNull(events.fanned_out_at), sent))
    .orderBy(asc(events.created_at))
    .limit(limit);
  const forgotten = await tx.sql
    .update(events)
    .set({ body: "", previous: null })
    .where(amongThose(events.seq, old))
    .returning({ id: events.id });
  return forgotten.map(({ id }) => id);
}

/** The next events after a sequence number, with or without a position. */
export async function nextEvents(db: Db, after: number, limit: number) {
  return db.sql
    .select({ seq: events.seq, id: events.id, type: events.type, body: events.body })
    .from(events)
    .where(gt(events.seq, after))
    .orderBy(asc(events.seq))
    .limit(limit);
}

/** Deletes the payloads of these events, by id. The events stay. */
export async function dropEventBodies(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.sql
    .update(events)
    .set({ body: "", previous: null })
    .where(amongTexts(events.id, template`${list(ids)}`));
}
