// The SQL of what an erasure finds in logs by reading them: events, the log of deliveries, kept answers, requests.
import { and, asc, eq, gt, gte, inArray, isNull, lt, lte, or, sql as template } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { amongThose, hasText } from "../../../db/kit.ts";
import { pack, unpack } from "../../../db/packing/packing.ts";
import { api_keys } from "../../../db/schema/keys.ts";
import { events } from "../../../db/schema/outbox.ts";
import { request_blocks } from "../../../db/schema/requests.ts";
import { idempotency_keys } from "../../../db/schema/service.ts";
import { memberships } from "../../../db/schema/users.ts";
import { deliveries, delivery_attempts, subscriptions } from "../../../db/schema/webhooks.ts";
import type { Db, Tx } from "../../database/store.ts";
import { wireId } from "../../kit/ids.ts";

/** The number before that of the first event of a moment or later that still says something. */
export async function eventsBefore(db: Db, moment: number): Promise<number> {
  const [row] = await db.sql
    .select({ seq: events.seq })
    .from(events)
    .where(and(hasText(events.body), gte(events.created_at, moment)))
    .orderBy(asc(events.created_at), asc(events.seq))
    .limit(1);
  return row === undefined ? Number.MAX_SAFE_INTEGER : row.seq - 1;
}

/** The next events after a number. */
export async function nextEvents(db: Db, after: number, limit: number) {
  return db.sql
    .select({ seq: events.seq, id: events.id, body: events.body, previous: events.previous })
    .from(events)
    .where(gt(events.seq, after))
    .orderBy(asc(events.seq))
    .limit(limit);
}

/**
 * The webhooks that may have been sent events of a moment or later that say nothing any more, so that nobody can tell
 * whether they were about a person: those of that time which are told of a merchant, or of any where it is null.
 */
export async function mayHaveBeenTold(db: Db, moment: number, merchant_id: number | null): Promise<number[]> {
  const [kept] = await db.sql
    .select({ since: events.created_at })
    .from(events)
    .where(hasText(events.body))
    .orderBy(asc(events.created_at))
    .limit(1);
  const until = kept?.since ?? db.now;
  if (until <= moment) return [];
  const { id, merchants, created_at, deleted_at } = subscriptions;
  const rows = await db.sql
    .select({ id, merchant_id: subscriptions.merchant_id, merchants })
    .from(subscriptions)
    .where(and(lt(created_at, until), or(isNull(deleted_at), gte(deleted_at, moment))))
    .orderBy(asc(id));
  const isTold = (one: (typeof rows)[number]) =>
    merchant_id === null ||
    (one.merchant_id === null ? (one.merchants?.includes(merchant_id) ?? true) : one.merchant_id === merchant_id);
  return rows.filter(isTold).map((one) => one.id);
}

/** Some rows in the order of their numbers: those behind one, up to another. */
export interface Span {
  readonly after: number;
  readonly to: number;
  /** Whether there are no rows behind it. */
  readonly is_last: boolean;
}

// Those that are looked for may be few among many: a piece passes over so many rows at most.
const span_max = 2000;

/** The next rows of a table behind a number: as many as one piece looks through. */
export async function spanOf(db: Db, rows: PgTable, number: AnyPgColumn, after: number): Promise<Span> {
  const next = await db.sql
    .select({ to: template<number>`${number}`.mapWith(Number) })
    .from(rows)
    .where(gt(number, after))
    .orderBy(asc(number))
    .limit(span_max);
  return { after, to: next.at(-1)?.to ?? after, is_last: next.length < span_max };
}

/** The next events behind a number, of all merchants: as many as one piece looks through. */
export const spanOfEvents = (db: Db, after: number): Promise<Span> => spanOf(db, events, events.seq, after);

/** The first of the events of a span that are seen. */
export async function eventsIn(db: Db, { after, to }: Span, limit: number) {
  return db.sql
    .select({ seq: events.seq, id: events.id, body: events.body, previous: events.previous })
    .from(events)
    .where(and(gt(events.seq, after), lte(events.seq, to)))
    .orderBy(asc(events.seq))
    .limit(limit);
}

/** The number of the last event; 0 before the first. */
export async function lastEvent(db: Db): Promise<number> {
  const [row] = await db.sql.select({ last: template<number | null>`max(${events.seq})` }).from(events);
  return Number(row?.last ?? 0);
}

/** Stores what is left of an event's payload. */
export async function saveEvent(tx: Tx, seq: number, body: string, previous: string | null): Promise<void> {
  await tx.sql.update(events).set({ body, previous }).where(eq(events.seq, seq));
}

/** Forgets what receivers answered to these events, and tells how many entries, and who was sent any of them. */
export async function forgetAnswersTo(
  tx: Tx,
  event_ids: readonly string[],
): Promise<{ readonly forgotten: number; readonly receivers: number[] }> {
  if (event_ids.length === 0) return { forgotten: 0, receivers: [] };
  const isOf = inArray(deliveries.event_id, [...event_ids]);
  const theirs = tx.sql.select({ id: deliveries.id }).from(deliveries).where(isOf);
  const told = await tx.sql
    .update(delivery_attempts)
    .set({ response_body: null, response_headers: null })
    .where(
      and(
        amongThose(delivery_attempts.delivery_id, theirs),
        template`(${delivery_attempts.response_body} is not null or ${delivery_attempts.response_headers} is not null)`,
      ),
    )
    .returning({ id: delivery_attempts.id });
  const sent = await tx.sql
    .selectDistinct({ id: deliveries.subscription_id })
    .from(deliveries)
    .where(and(isOf, gt(deliveries.attempts, 0)));
  return { forgotten: told.length, receivers: sent.map(({ id }) => id) };
}

/** Until when the attempts to send some of these events may last that are under way; null where there are none. */
export async function sendingUntil(db: Db, event_ids: readonly string[]): Promise<number | null> {
  if (event_ids.length === 0) return null;
  const { leased_until, event_id } = deliveries;
  const [row] = await db.sql
    .select({ until: template<number | null>`max(${leased_until})` })
    .from(deliveries)
    .where(and(inArray(event_id, [...event_ids]), gt(leased_until, db.now)));
  return row?.until == null ? null : Number(row.until);
}

/** The next kept answers after a key, in the order of the keys. */
export async function nextAnswers(db: Db, after: string, limit: number) {
  return db.sql
    .select({ key: idempotency_keys.key, body: idempotency_keys.body, created_at: idempotency_keys.created_at })
    .from(idempotency_keys)
    .where(gt(idempotency_keys.key, after))
    .orderBy(asc(idempotency_keys.key))
    .limit(limit);
}

/**
 * Says by its key whether a kept answer is looked through for a person's e-mail addresses, where a merchant's customer
 * is meant; null means any. Others may know whoever has the address as well: their answers are theirs.
 */
export function reachesAnswersOf(merchant_id: number | null): (key: string) => boolean {
  const whose = merchant_id === null ? "" : `${wireId("merchant", merchant_id)} `;
  return (key) => key.startsWith(whose);
}

/** Stores what is left of a kept answer. */
export async function saveAnswer(tx: Tx, key: string, body: string): Promise<void> {
  await tx.sql.update(idempotency_keys).set({ body }).where(eq(idempotency_keys.key, key));
}

/** The next blocks of the log of requests after an id, with their lines. */
export async function nextBlocks(db: Db, after: number, limit: number) {
  const rows = await db.sql
    .select({ id: request_blocks.id, lines: request_blocks.lines })
    .from(request_blocks)
    .where(gt(request_blocks.id, after))
    .orderBy(asc(request_blocks.id))
    .limit(limit);
  return rows.map(({ id, lines }) => ({ id, lines: unpack(lines).split("\n") }));
}

/** Stores what is left of a block. */
export async function saveBlock(tx: Tx, id: number, lines: readonly string[]): Promise<void> {
  await tx.sql
    .update(request_blocks)
    .set({ lines: pack(lines.join("\n")) })
    .where(eq(request_blocks.id, id));
}

/** The keys of a merchant in this world, of all times, as the log of requests names them. */
export async function keysOf(db: Db, merchant_id: number): Promise<string[]> {
  const rows = await db.sql.select({ id: api_keys.id }).from(api_keys).where(eq(api_keys.merchant_id, merchant_id));
  return rows.map(({ id }) => wireId("key", id));
}

/** The users of a merchant, as the log of requests names them. Only the live world knows users. */
export async function usersOf(live: Db, merchant_id: number): Promise<string[]> {
  const { user_id } = memberships;
  const rows = await live.sql.select({ id: user_id }).from(memberships).where(eq(memberships.merchant_id, merchant_id));
  return rows.map(({ id }) => wireId("user", id));
}
