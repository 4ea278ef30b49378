import { and, asc, eq, gt, inArray, isNull, max, type SQL, sql } from "drizzle-orm";
import { events } from "../../db/schema/outbox.ts";
import { type Args, insert, prepared } from "../database/statements.ts";
import type { Db, Tx } from "../database/store.ts";
import type { EventType } from "./catalog.ts";

/** An event as it is kept: `body` is what version 1 subscriptions receive, byte for byte. */
export interface StoredEvent {
  readonly seq: number;
  readonly id: string;
  readonly type: EventType;
  readonly body: string;
  readonly created_at: number;
  readonly position: number | null;
  readonly fanned_out_at: number | null;
}

/** Stores events, to be fanned out later. */
export async function insertEvents(
  tx: Tx,
  rows: readonly Pick<StoredEvent, "id" | "type" | "body" | "created_at">[],
): Promise<void> {
  await insert(tx, events, rows);
}

const waiting = prepared((sql, a: Args<{ limit: number }>) =>
  sql.select().from(events).where(isNull(events.fanned_out_at)).orderBy(asc(events.seq)).limit(a.limit),
);

/** Events that no subscription has been told of yet, oldest first. */
export async function listWaitingEvents(tx: Tx, limit: number): Promise<StoredEvent[]> {
  return waiting(tx, { limit });
}

/** The last position given. */
export async function lastPosition(db: Db): Promise<number> {
  const [row] = await db.sql.select({ last: max(events.position) }).from(events);
  return row?.last ?? 0;
}

const setPosition = prepared((tx: Tx["sql"], a: Args<{ seq: number; position: number; at: number }>) =>
  tx
    .update(events)
    .set({ position: sql`${a.position}`, fanned_out_at: sql`${a.at}` })
    .where(eq(events.seq, a.seq)),
);

/** Gives an event its place in the order of `GET /events`. */
export async function placeEvent(tx: Tx, seq: number, position: number): Promise<void> {
  await setPosition(tx, { seq, position, at: tx.now });
}

/** What `GET /events` may ask for. */
export interface EventFilter {
  readonly type?: EventType;
  readonly created_after?: number;
}

function matching({ type, created_after }: EventFilter): SQL | undefined {
  return and(
    gt(events.position, 0),
    type === undefined ? undefined : eq(events.type, type),
    created_after === undefined ? undefined : gt(events.created_at, created_after),
  );
}

/** A page of placed events in the order of their positions, oldest first, so that a client can replay them. */
export async function listEvents(
  db: Db,
  filter: EventFilter,
  window: { limit: number; offset: number; after: number | null },
): Promise<StoredEvent[]> {
  const { limit, offset, after } = window;
  return db.sql
    .select()
    .from(events)
    .where(and(matching(filter), after === null ? undefined : gt(events.position, after)))
    .orderBy(asc(events.position))
    .limit(limit)
    .offset(offset);
}

/** How many placed events match. */
export async function countEvents(db: Db, filter: EventFilter): Promise<number> {
  return db.sql.$count(events, matching(filter));
}

/** The event with this id, or null. */
export async function findEvent(db: Db, id: string): Promise<StoredEvent | null> {
  const [row] = await db.sql.select().from(events).where(eq(events.id, id));
  return row ?? null;
}

/** The events with these ids, in no order. */
export async function findEvents(db: Db, ids: readonly string[]): Promise<StoredEvent[]> {
  if (ids.length === 0) return [];
  return db.sql
    .select()
    .from(events)
    .where(inArray(events.id, [...ids]));
}

/** The events stored after this one, placed or not, in the order they were stored. */
export async function listEventsAfter(db: Db, seq: number): Promise<StoredEvent[]> {
  return db.sql.select().from(events).where(gt(events.seq, seq)).orderBy(asc(events.seq));
}
