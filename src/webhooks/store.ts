import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  lt,
  lte,
  min,
  ne,
  notExists,
  type SQL,
  sql as template,
} from "drizzle-orm";
import { among, forUpdate, list, skipLocked } from "../../db/kit.ts";
import { events } from "../../db/schema/outbox.ts";
import { deliveries, delivery_attempts, subscriptions } from "../../db/schema/webhooks.ts";
import { type Args, insert, insertIds, prepared } from "../database/statements.ts";
import type { Db, Tx } from "../database/store.ts";
import { missing } from "../kit/fault.ts";
import { readId } from "../kit/ids.ts";
import type { Window } from "../kit/page.ts";
import type { EventType } from "../outbox/catalog.ts";
import type { Attempt, Delivery } from "./delivery.ts";
import type { SubscriptionHealth } from "./rules.ts";
import type { AttemptStatus } from "./status.ts";
import type { Subscription } from "./subscription.ts";

/** The subscription that an identifier names: `whk_1001` or `1001`. Refuses: resource_missing. */
export async function getSubscription(db: Db, id: string | number): Promise<Subscription> {
  const [row] = await db.sql
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.id, readId("subscription", id) ?? 0));
  if (row === undefined) throw missing("subscription", id);
  return row as Subscription;
}

/** As `getSubscription`, and nobody else changes the subscription until this transaction ends. */
export async function lockSubscription(tx: Tx, id: string | number): Promise<Subscription> {
  const [row] = (await lockedSubscriptions(tx, { ids: list([readId("subscription", id) ?? 0]) })) as Subscription[];
  if (row === undefined) throw missing("subscription", id);
  return row;
}

/** A page of subscriptions, newest first. */
export async function listSubscriptions(db: Db, { limit, offset, after }: Window): Promise<Subscription[]> {
  const { created_at, id } = subscriptions;
  const rows = await db.sql
    .select()
    .from(subscriptions)
    .where(after ? template`(${created_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined)
    .orderBy(desc(created_at), desc(id))
    .limit(limit)
    .offset(offset);
  return rows as Subscription[];
}

/** How many subscriptions there are. */
export async function countSubscriptions(db: Db): Promise<number> {
  return db.sql.$count(subscriptions);
}

/** Stores a new subscription and answers it. */
export async function insertSubscription(tx: Tx, row: Omit<Subscription, "id">): Promise<Subscription> {
  const [id = 0] = await insertIds(tx, subscriptions, [{ ...row, events: [...row.events] }]);
  return { id, ...row };
}

const all = prepared((sql, _: Args<Record<never, never>>) =>
  forUpdate(sql.select().from(subscriptions).orderBy(asc(subscriptions.id))),
);

/** Every subscription, locked, in the order of their ids. */
export async function lockSubscriptions(tx: Tx): Promise<Subscription[]> {
  return (await all(tx, {})) as Subscription[];
}

const setSequence = prepared((sql: Tx["sql"], a: Args<{ id: number; sequence: number }>) =>
  sql
    .update(subscriptions)
    .set({ sequence: template`${a.sequence}` })
    .where(eq(subscriptions.id, a.id)),
);

/** Stores the number of the last delivery recorded for a subscription. */
export async function saveSequence(tx: Tx, id: number, sequence: number): Promise<void> {
  await setSequence(tx, { id, sequence });
}

/** Stores what attempts told of a subscription's receiver. */
export async function saveHealth(tx: Tx, id: number, health: SubscriptionHealth): Promise<void> {
  const { status, disabled_reason, consecutive_failures, first_failure_at, failing_since, paused_until } = health;
  await tx.sql
    .update(subscriptions)
    .set({ status, disabled_reason, consecutive_failures, first_failure_at, failing_since, paused_until })
    .where(eq(subscriptions.id, id));
}

/** Stores deliveries. */
export async function insertDeliveries(tx: Tx, rows: readonly Omit<Delivery, "id">[]): Promise<void> {
  await insert(tx, deliveries, rows);
}

/** Stores one delivery and answers it. */
export async function insertDelivery(tx: Tx, row: Omit<Delivery, "id">): Promise<Delivery> {
  const [id = 0] = await insertIds(tx, deliveries, [row]);
  return { id, ...row };
}

/** How many test events were sent to a subscription since a moment. */
export async function countTests(db: Db, subscription_id: number, since: number): Promise<number> {
  const tests = and(
    eq(deliveries.subscription_id, subscription_id),
    template`${deliveries.sequence} = 0`,
    gt(deliveries.created_at, since),
  );
  return db.sql.$count(deliveries, tests);
}

// The conditions of partial indexes stand in the text, since the engines do not look into parameters.
const isPending = template`${deliveries.status} = 'pending'`;

const sending = prepared((sql, _: Args<Record<never, never>>) => {
  const first_at = sql
    .select({ at: min(deliveries.next_at) })
    .from(deliveries)
    .where(and(eq(deliveries.subscription_id, subscriptions.id), isPending));
  return sql
    .select({
      id: subscriptions.id,
      paused_until: subscriptions.paused_until,
      first_at: template<number | null>`(${first_at})`.as("first_at"),
    })
    .from(subscriptions)
    .where(inArray(subscriptions.status, ["active", "failing"]))
    .orderBy(asc(subscriptions.id));
});

/** A subscription that may be sent to: when its first delivery is due, and until when it is paused. */
export interface Waiting {
  readonly id: number;
  readonly first_at: number | null;
  readonly paused_until: number | null;
}

/** Every subscription that may be sent to, in the order of their ids. */
export async function listWaiting(db: Db): Promise<Waiting[]> {
  return sending(db, {});
}

const due = prepared((sql, a: Args<{ subscription_id: number; now: number; limit: number }>) =>
  skipLocked(
    sql
      .select()
      .from(deliveries)
      .where(and(eq(deliveries.subscription_id, a.subscription_id), isPending, lte(deliveries.next_at, a.now)))
      .orderBy(asc(deliveries.next_at), asc(deliveries.id))
      .limit(a.limit),
  ),
);

/** A subscription's deliveries that are due, the longest waiting first, locked; those that others hold are left out. */
export async function lockDue(tx: Tx, subscription_id: number, limit: number): Promise<Delivery[]> {
  return due(tx, { subscription_id, now: tx.now, limit });
}

const lease = prepared((sql: Tx["sql"], a: Args<{ ids: string; until: number }>) =>
  sql
    .update(deliveries)
    .set({ next_at: template`${a.until}`, leased_until: template`${a.until}` })
    .where(among(deliveries.id, a.ids)),
);

/** Leases deliveries to this server until a moment. */
export async function leaseDeliveries(tx: Tx, ids: readonly number[], until: number): Promise<void> {
  await lease(tx, { ids: list(ids), until });
}

const subscriptionsById = prepared((sql, a: Args<{ ids: string }>) =>
  sql.select().from(subscriptions).where(among(subscriptions.id, a.ids)),
);

/** The subscriptions with these ids, in no order. */
export async function findSubscriptions(db: Db, ids: readonly number[]): Promise<Subscription[]> {
  return (await subscriptionsById(db, { ids: list(ids) })) as Subscription[];
}

const lockedSubscriptions = prepared((sql, a: Args<{ ids: string }>) =>
  forUpdate(sql.select().from(subscriptions).where(among(subscriptions.id, a.ids)).orderBy(asc(subscriptions.id))),
);
const lockedDeliveries = prepared((sql, a: Args<{ ids: string }>) =>
  forUpdate(sql.select().from(deliveries).where(among(deliveries.id, a.ids)).orderBy(asc(deliveries.id))),
);

/** The deliveries with these ids and their subscriptions, locked in one order, each by its id. */
export async function lockAttempted(tx: Tx, delivery_ids: readonly number[], subscription_ids: readonly number[]) {
  const subs = (await lockedSubscriptions(tx, { ids: list(subscription_ids) })) as Subscription[];
  const rows: Delivery[] = await lockedDeliveries(tx, { ids: list(delivery_ids) });
  return {
    subscriptions: new Map(subs.map((row) => [row.id, row])),
    deliveries: new Map(rows.map((row) => [row.id, row])),
  };
}

/** Where a delivery stands. */
export type Progress = Pick<Delivery, "status" | "attempts" | "next_at" | "finished_at">;

const setProgress = prepared((sql: Tx["sql"], a: Args<Progress & { ids: string }>) =>
  sql
    .update(deliveries)
    .set({
      status: template`${a.status}`,
      attempts: template`${a.attempts}`,
      next_at: template`${a.next_at}`,
      finished_at: template`${a.finished_at}`,
      leased_until: null,
    })
    .where(among(deliveries.id, a.ids)),
);

/** Stores where deliveries stand after an attempt, and ends their leases. */
export async function saveProgress(tx: Tx, ids: readonly number[], progress: Progress): Promise<void> {
  const { status, attempts, next_at, finished_at } = progress;
  await setProgress(tx, { ids: list(ids), status, attempts, next_at, finished_at });
}

/** Skips everything that still waits to be sent to a subscription. */
export async function skipPending(tx: Tx, subscription_id: number): Promise<void> {
  await tx.sql
    .update(deliveries)
    .set({ status: "skipped", next_at: null, finished_at: tx.now })
    .where(and(eq(deliveries.subscription_id, subscription_id), isPending));
}

/** Writes lines of the log. */
export async function insertAttempts(tx: Tx, rows: readonly Omit<Attempt, "id">[]): Promise<void> {
  await insert(
    tx,
    delivery_attempts,
    rows.map((row) => ({
      ...row,
      request_headers: { ...row.request_headers },
      response_headers: row.response_headers === null ? null : { ...row.response_headers },
    })),
  );
}

/** What a subscription's log may be narrowed to. */
export interface AttemptFilter {
  readonly subscription_id: number;
  readonly status?: AttemptStatus | undefined;
  readonly event_type?: EventType | undefined;
  readonly event_id?: string | undefined;
  /** From this moment on. */
  readonly since?: number | undefined;
  /** Before this moment. */
  readonly until?: number | undefined;
}

function matching({ subscription_id, status, event_type, event_id, since, until }: AttemptFilter): SQL | undefined {
  const { started_at } = delivery_attempts;
  return and(
    eq(delivery_attempts.subscription_id, subscription_id),
    status === undefined ? undefined : eq(delivery_attempts.status, status),
    event_type === undefined ? undefined : eq(delivery_attempts.event_type, event_type),
    event_id === undefined ? undefined : eq(delivery_attempts.event_id, event_id),
    since === undefined ? undefined : gte(started_at, since),
    until === undefined ? undefined : lt(started_at, until),
  );
}

/** A page of a subscription's log, newest first. */
export async function listAttempts(
  db: Db,
  filter: AttemptFilter,
  { limit, offset, after }: Window,
): Promise<Attempt[]> {
  const { started_at, id } = delivery_attempts;
  const rows = await db.sql
    .select()
    .from(delivery_attempts)
    .where(and(matching(filter), after ? template`(${started_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined))
    .orderBy(desc(started_at), desc(id))
    .limit(limit)
    .offset(offset);
  return rows as Attempt[];
}

/** How many lines of a subscription's log match. */
export async function countAttempts(db: Db, filter: AttemptFilter): Promise<number> {
  return db.sql.$count(delivery_attempts, matching(filter));
}

/**
 * Forgets up to `limit` payloads of events older than a moment, sparing what still waits to be sent, and answers how
 * many. The events themselves are kept.
 */
export async function forgetEventBodies(tx: Tx, before: number, limit: number): Promise<number> {
  const unsent = tx.sql
    .select({ one: template`1` })
    .from(deliveries)
    .where(and(eq(deliveries.event_id, events.id), isPending));
  const old = tx.sql
    .select({ seq: events.seq })
    .from(events)
    .where(
      and(
        template`${events.body} <> ''`,
        lt(events.created_at, before),
        isNotNull(events.fanned_out_at),
        notExists(unsent),
      ),
    )
    .orderBy(asc(events.created_at))
    .limit(limit);
  const forgotten = await tx.sql
    .update(events)
    .set({ body: "" })
    .where(inArray(events.seq, old))
    .returning({ seq: events.seq });
  return forgotten.length;
}

/** Forgets up to `limit` payloads of finished deliveries older than a moment, and answers how many. */
export async function forgetDeliveryBodies(tx: Tx, before: number, limit: number): Promise<number> {
  const old = tx.sql
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(template`${deliveries.body} <> ''`, lt(deliveries.created_at, before), ne(deliveries.status, "pending")))
    .orderBy(asc(deliveries.created_at))
    .limit(limit);
  const forgotten = await tx.sql
    .update(deliveries)
    .set({ body: "" })
    .where(inArray(deliveries.id, old))
    .returning({ id: deliveries.id });
  return forgotten.length;
}

/** Deletes up to `limit` lines of the log older than a moment, and answers how many. */
export async function deleteAttempts(tx: Tx, before: number, limit: number): Promise<number> {
  const oldest = tx.sql
    .select({ id: delivery_attempts.id })
    .from(delivery_attempts)
    .orderBy(asc(delivery_attempts.id))
    .limit(limit);
  const deleted = await tx.sql
    .delete(delivery_attempts)
    .where(and(inArray(delivery_attempts.id, oldest), lt(delivery_attempts.started_at, before)))
    .returning({ id: delivery_attempts.id });
  return deleted.length;
}
