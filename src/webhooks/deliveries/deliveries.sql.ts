import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  min,
  ne,
  not,
  notExists,
  notInArray,
  or,
  type SQL,
  sql as template,
} from "drizzle-orm";
import { among, amongThose, forUpdate, isOneOf, list, opaque, skipLocked } from "../../../db/kit.ts";
import { events } from "../../../db/schema/outbox.ts";
import { deliveries, subscriptions } from "../../../db/schema/webhooks.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { choice, textField } from "../../core/schema.ts";
import { eventTypes } from "../../events/event_types.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { shiftOf } from "../../storage/queue.ts";
import { equals, recordList } from "../../storage/record_list.ts";
import { changeBatch } from "../../storage/row_batches.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import { getSubscription } from "../subscriptions/subscriptions.sql.ts";
import {
  activeSubscriptions,
  arrivedDeliveries,
  type DeliveryStatus,
  deliveryStatuses,
  deliveryTransitions,
  missedDeliveries,
  type RestoredState,
  type RetryLimit,
  unsentDeliveries,
} from "../webhooks.transitions.ts";
import type { WebhookDelivery } from "./delivery.ts";

/** The filters of records of events. */
export const eventFilters = {
  event_type: equals(deliveries.event_type, choice(eventTypes)),
  event_id: equals(deliveries.event_id, textField(100)),
};

/** Inserts deliveries. */
export async function insertDeliveries(tx: Tx, rows: readonly Omit<WebhookDelivery, "id">[]): Promise<void> {
  await insert(tx, deliveries, rows);
}

/** Inserts a delivery and returns it. */
export async function insertDelivery(tx: Tx, row: Omit<WebhookDelivery, "id">): Promise<WebhookDelivery> {
  const [id = 0] = await insertIds(tx, deliveries, [row]);
  return { id, ...row };
}

// The conditions of partial indexes are literal, since databases do not match parameters to them.
const isPending = isOneOf(deliveries.status, unsentDeliveries);

const ofEvent = eq(deliveries.event_id, events.id);

const isPendingOfEvent = and(ofEvent, isPending);

/** Matches events without pending deliveries. */
export const hasNoPendingDelivery: SQL = template`not exists (select 1 from ${deliveries} where ${isPendingOfEvent})`;

/** Matches events with an undelivered delivery (false), or all others, including events without deliveries (true). */
export function haveArrived({ sql }: Db, delivered: boolean): SQL {
  const isMissing = and(ofEvent, notInArray(deliveries.status, [...arrivedDeliveries]));
  const missing = sql.select({ one: template`1` }).from(deliveries).where(isMissing);
  return delivered ? notExists(missing) : exists(missing);
}

const isFirst = and(isPending, template`${deliveries.trigger} = 'scheduled'`, template`${deliveries.attempts} < 2`);
const isLast = and(isPending, template`(${deliveries.trigger} <> 'scheduled' or ${deliveries.attempts} >= 2)`);

const sending = prepared((sql, _: StatementArgs<Record<never, never>>) => {
  const earliest = (lane: SQL | undefined) =>
    sql
      .select({ at: min(deliveries.next_at) })
      .from(deliveries)
      .where(and(eq(deliveries.subscription_id, subscriptions.id), lane));
  return sql
    .select({
      id: subscriptions.id,
      paused_until: subscriptions.paused_until,
      paced_until: subscriptions.paced_until,
      rate_limit_per_second: subscriptions.rate_limit_per_second,
      next_probe_at: subscriptions.next_probe_at,
      consecutive_failures: subscriptions.consecutive_failures,
      first_at: template<number | null>`(${earliest(isFirst)})`.as("first_at"),
      late_at: template<number | null>`(${earliest(isLast)})`.as("late_at"),
    })
    .from(subscriptions)
    .where(inArray(subscriptions.status, activeSubscriptions))
    .orderBy(asc(subscriptions.id));
});

/** A subscription with pending deliveries: when one of each lane is due, and what may delay it. */
export interface WaitingSubscription extends SubscriptionPace {
  readonly first_at: number | null;
  readonly late_at: number | null;
  readonly paused_until: number | null;
  readonly consecutive_failures: number;
}

/** The fields of a subscription that limit its pace. */
export type SubscriptionPace = Pick<Subscription, "id" | "rate_limit_per_second" | "paced_until" | "next_probe_at">;

/** Lists all subscriptions that can be sent to, ordered by id. */
export async function listSendable(db: Db): Promise<WaitingSubscription[]> {
  return sending(db, {});
}

const dueIn = (lane: SQL | undefined) =>
  prepared((sql, a: StatementArgs<{ subscription_id: number; now: number; limit: number }>) =>
    skipLocked(
      sql
        .select()
        .from(deliveries)
        .where(
          and(eq(deliveries.subscription_id, opaque(a.subscription_id)), lane, lte(deliveries.next_at, opaque(a.now))),
        )
        .orderBy(asc(deliveries.next_at), asc(deliveries.id))
        .limit(opaque(a.limit)),
    ),
  );

const dueFirst = dueIn(isFirst);
const dueLate = dueIn(isLast);

/** The lane: first and second attempts, or later and requeued ones. */
export type DeliveryLane = "first" | "late";

/** Locks a subscription's due deliveries of one lane, the longest due first. Those that others hold are omitted. */
export async function lockDue(
  tx: Tx,
  lane: DeliveryLane,
  subscription_id: number,
  limit: number,
): Promise<WebhookDelivery[]> {
  return (lane === "first" ? dueFirst : dueLate)(tx, { subscription_id, now: tx.now, limit });
}

const lease = prepared((sql: Tx["sql"], a: StatementArgs<{ ids: string; until: number }>) =>
  sql
    .update(deliveries)
    .set({ next_at: template`${a.until}`, leased_until: template`${a.until}` })
    .where(among(deliveries.id, a.ids)),
);

/** Claims deliveries for this server until a time (ms). */
export async function leaseDeliveries(tx: Tx, ids: readonly number[], until: number): Promise<void> {
  await lease(tx, { ids: list(ids), until });
}

const unlease = prepared((sql: Tx["sql"], a: StatementArgs<{ ids: string; until: number }>) =>
  sql
    .update(deliveries)
    // They were due by then.
    .set({ next_at: deliveries.created_at, leased_until: null })
    .where(and(among(deliveries.id, a.ids), isPending, eq(deliveries.leased_until, a.until))),
);

/** Ends claims (until `until`) of deliveries that were not sent, so that they are due again. */
export async function endLeases(
  tx: Tx,
  { ids, until }: { readonly ids: readonly number[]; readonly until: number },
): Promise<void> {
  await unlease(tx, { ids: list(ids), until });
}

const lockedDeliveries = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  forUpdate(sql.select().from(deliveries).where(among(deliveries.id, a.ids)).orderBy(asc(deliveries.id))),
);

/** Locks deliveries in the order of their ids. Returns them by id. */
export async function lockDeliveries(tx: Tx, ids: readonly number[]): Promise<Map<number, WebhookDelivery>> {
  const rows: WebhookDelivery[] = await lockedDeliveries(tx, { ids: list(ids) });
  return new Map(rows.map((row) => [row.id, row]));
}

/** The state of a delivery after an attempt. */
type SavedProgress = Pick<WebhookDelivery, "status" | "attempts" | "next_at" | "finished_at">;

const setProgress = prepared((sql: Tx["sql"], a: StatementArgs<SavedProgress & { ids: string }>) =>
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

/** Saves the states of deliveries after attempts, and ends their claims. */
export async function saveProgress(tx: Tx, ids: readonly number[], progress: SavedProgress): Promise<void> {
  const { status, attempts, next_at, finished_at } = progress;
  await setProgress(tx, { ids: list(ids), status, attempts, next_at, finished_at });
}

/**
 * Moves the times of next attempts as far as the clock was moved. Claims keep their ends, which identify them.
 */
export const shiftAttempts = shiftOf(deliveries, [deliveries.next_at], isPending);

/**
 * Skips or cancels up to `limit` pending deliveries of a subscription, the longest due first, and returns how many.
 * With `due_before` (ms), only those due before that time, and none that a restore holds.
 */
export async function endPending(
  tx: Tx,
  subscription_id: number,
  action: "skip" | "cancel",
  limit: number,
  due_before?: number,
): Promise<number> {
  let done = 0;
  for (const lane of [isFirst, isLast]) {
    const due = due_before === undefined ? undefined : lt(deliveries.next_at, due_before);
    const where = and(eq(deliveries.subscription_id, subscription_id), lane, due);
    const batch = { where, by: [deliveries.next_at, deliveries.id], limit: limit - done, still: isPending };
    done += await changeBatch(tx, deliveries, ended(action, tx.now), batch);
    if (done === limit) break;
  }
  return done;
}

/**
 * Cancels the pending deliveries of events and locks the others, so that no attempt is recorded before this transaction
 * ends. Returns the ids of the subscriptions that received any of the events.
 */
export async function cancelDeliveriesOf(tx: Tx, event_ids: readonly string[]): Promise<number[]> {
  const isOf = inArray(deliveries.event_id, [...event_ids]);
  const { id, subscription_id, attempts } = deliveries;
  const locked = await forUpdate(
    tx.sql.select({ id, subscription_id, attempts }).from(deliveries).where(isOf).orderBy(asc(id)),
  );
  await tx.sql.update(deliveries).set(ended("cancel", tx.now)).where(and(isOf, isPending));
  return [...new Set(locked.filter((delivery) => delivery.attempts > 0).map((delivery) => delivery.subscription_id))];
}

/** The restore state after a decision: `state` if the delivery was held, otherwise unchanged. */
const unlessHeld = (state: RestoredState) =>
  template`case when ${deliveries.restored} = 'waiting' then ${state} else ${deliveries.restored} end`;

/** The state of pending deliveries that will not be sent. */
const ended = (action: "skip" | "cancel", now: number) => ({
  status: deliveryTransitions[action].to,
  next_at: null,
  finished_at: now,
  restored: unlessHeld("dropped"),
});

// Literal, to match the partial index.
const areHeld = template`${deliveries.restored} = 'waiting'`;

/** Holds all pending deliveries, even claimed ones, and returns how many. */
export async function holdPending(tx: Tx): Promise<number> {
  const held = await tx.sql
    .update(deliveries)
    .set({ restored: "waiting", next_at: null, leased_until: null })
    .where(isPending)
    .returning({ id: deliveries.id });
  return held.length;
}

/** Makes up to `limit` held deliveries due, or skips them, oldest first. Returns how many. */
export async function releaseHeld(tx: Tx, decision: "send" | "drop", limit: number): Promise<number> {
  const outcome =
    decision === "send"
      ? { restored: "sent" as const, next_at: tx.now }
      : { restored: "dropped" as const, status: deliveryTransitions.skip.to, finished_at: tx.now };
  const released = await changeBatch(tx, deliveries, outcome, { where: areHeld, by: [deliveries.id], limit });
  if (decision === "send" && released > 0) tx.wake("webhooks.deliver", tx.now);
  return released;
}

/** Counts a subscription's pending deliveries, up to `limit`. */
export async function countPending(db: Db, subscription_id: number, limit: number): Promise<number> {
  let total = 0;
  for (const lane of [isFirst, isLast]) {
    const some = db.sql
      .select({ one: template<number>`1`.as("one") })
      .from(deliveries)
      // Deliveries that a restore holds are not part of the backlog.
      .where(and(eq(deliveries.subscription_id, subscription_id), lane, isNotNull(deliveries.next_at)))
      .limit(limit - total);
    const [row] = await db.sql.select({ count: count() }).from(some.as("some"));
    total += row?.count ?? 0;
    if (total === limit) break;
  }
  return total;
}

/** Locks a subscription's delivery by its identifier. Test events are excluded. Refuses: resource_missing. */
export async function lockDelivery(tx: Tx, subscription_id: number, id: string): Promise<WebhookDelivery> {
  const [row] = await lockedDeliveries(tx, { ids: list([readId("delivery", id) ?? 0]) });
  if (row === undefined || row.subscription_id !== subscription_id || row.sequence === 0) throw missing("delivery", id);
  return row;
}

/** Saves a requeued delivery. */
export async function saveRequeued(tx: Tx, delivery: WebhookDelivery): Promise<void> {
  const { id, status, trigger, spent_attempts, max_attempts, next_at, leased_until, finished_at, restored } = delivery;
  await tx.sql
    .update(deliveries)
    .set({ status, trigger, spent_attempts, max_attempts, next_at, leased_until, finished_at, restored })
    .where(eq(deliveries.id, id));
}

/** A subscription's deliveries, newest first, without test events. */
export const deliveryList = recordList(deliveries, {
  filters: {
    status: equals(deliveries.status, choice(deliveryStatuses)),
    ...eventFilters,
  },
  within: async (db, _, id) =>
    and(eq(deliveries.subscription_id, (await getSubscription(db, id)).id), template`${deliveries.sequence} > 0`),
  order: {
    by: [desc(deliveries.sequence)],
    beyond: ([sequence]) => lt(deliveries.sequence, Number(sequence)),
    position: ({ sequence, id }: WebhookDelivery) => [sequence, id],
  },
});

/** Deletes up to `limit` payloads of finished deliveries created before a time (ms), and returns how many. */
export async function forgetDeliveryBodies(tx: Tx, before: number, limit: number): Promise<number> {
  const where = and(template`${deliveries.body} <> ''`, lt(deliveries.created_at, before), not(isPending));
  return changeBatch(tx, deliveries, { body: "" }, { where, by: [deliveries.created_at], limit });
}

interface MissedFilter {
  readonly subscription_id: number;
  /** Only deliveries of these merchants' events; null for all. */
  readonly merchants: readonly number[] | null;
  readonly since: number;
  readonly until: number;
  readonly statuses: readonly DeliveryStatus[];
}

/** The ids of a subscription's missed deliveries with payloads, oldest first, except those of recovery `own_id`. */
function missed(db: Db, what: MissedFilter, own_id: number | null, limit: number) {
  const { subscription_id, merchants, since, until, statuses } = what;
  const ofThese = merchants === null ? undefined : inArray(events.merchant_id, [...merchants]);
  // A subquery per delivery: PostgreSQL turns an `exists` into a join, over the whole table if its statistics are
  // old.
  const isEvent = and(template`${events.id} = ${deliveries.event_id}`, ofThese);
  const hasPayload = template`(select length(${events.body}) from ${events} where ${isEvent}) > 0`;
  return db.sql
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.subscription_id, subscription_id),
        isOneOf(deliveries.status, missedDeliveries),
        inArray(deliveries.status, [...statuses]),
        gte(deliveries.created_at, since),
        lt(deliveries.created_at, until),
        template`${deliveries.sequence} > 0`,
        own_id === null ? undefined : or(isNull(deliveries.recovery_id), ne(deliveries.recovery_id, own_id)),
        hasPayload,
      ),
    )
    .orderBy(asc(deliveries.created_at), asc(deliveries.id))
    .limit(limit);
}

/** Counts the deliveries that a subscription missed, up to `limit`. */
export async function countMissed(db: Db, what: MissedFilter, limit: number): Promise<number> {
  const [row] = await db.sql.select({ count: count() }).from(missed(db, what, null, limit).as("missed"));
  return row?.count ?? 0;
}

/** Queues up to `limit` deliveries of a recovery, each with new retries, and returns how many. */
export async function queueMissed(
  tx: Tx,
  recovery: MissedFilter & { readonly id: number },
  retry_limit: RetryLimit,
  limit: number,
): Promise<number> {
  const queued = await tx.sql
    .update(deliveries)
    .set({
      status: deliveryTransitions.recover.to,
      trigger: "manual",
      recovery_id: recovery.id,
      spent_attempts: deliveries.attempts,
      max_attempts: template`${deliveries.attempts} + ${retry_limit} + 1`,
      next_at: tx.now,
      leased_until: null,
      finished_at: null,
    })
    .where(amongThose(deliveries.id, missed(tx, recovery, recovery.id, limit)))
    .returning({ id: deliveries.id });
  return queued.length;
}
