import { and, asc, desc, eq, gt, isNotNull, isNull, or, sql as template } from "drizzle-orm";
import { among, forUpdate, isOneOf, list, skipLocked } from "../../../db/kit.ts";
import { deliveries, subscriptions } from "../../../db/schema/webhooks.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { shiftOf } from "../../storage/queue.ts";
import { recordList, search } from "../../storage/record_list.ts";
import { insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { subscriptionTransitions } from "../webhooks.transitions.ts";
import { healthOf, type Subscription, type SubscriptionHealth } from "./subscription.ts";

const isNotDeleted = isNull(subscriptions.deleted_at);

/** Condition: deliveries to the subscription fail, or it was disabled because they did. */
export const isFailing = and(
  isNotDeleted,
  or(
    isOneOf(subscriptions.status, [subscriptionTransitions.fail.to]),
    and(isOneOf(subscriptions.status, [subscriptionTransitions.disable.to]), isNotNull(subscriptions.disabled_reason)),
  ),
);
/** Since when, in ms. */
export const failingSince = template`coalesce(${subscriptions.failing_since}, ${subscriptions.updated_at})`;

/** The subscription with an id: `whk_1001` or `1001`. Refuses: resource_missing. */
export async function getSubscription(db: Db, id: string | number): Promise<Subscription> {
  const [row] = await db.sql
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.id, readId("subscription", id) ?? 0), isNotDeleted));
  if (row === undefined) throw missing("subscription", id);
  return row as Subscription;
}

/** As `getSubscription`, and locks the subscription until this transaction ends. */
export async function lockSubscription(tx: Tx, id: string | number): Promise<Subscription> {
  const [row] = (await lockedSubscriptions(tx, { ids: list([readId("subscription", id) ?? 0]) })) as Subscription[];
  if (row === undefined || row.deleted_at !== null) throw missing("subscription", id);
  return row;
}

/** Subscriptions, newest first. */
export const subscriptionList = recordList(subscriptions, {
  filters: { q: search("Part of the URL or the description.", [subscriptions.url, subscriptions.description]) },
  within: isNotDeleted,
  records: (rows) => rows as readonly Subscription[],
});

/** Stores a new subscription and returns it. */
export async function insertSubscription(tx: Tx, row: Omit<Subscription, "id">): Promise<Subscription> {
  const { events, merchants } = row;
  const rows = [{ ...row, events: [...events], merchants: merchants && [...merchants] }];
  const [id = 0] = await insertIds(tx, subscriptions, rows);
  return { id, ...row };
}

const all = prepared((sql, _: StatementArgs<Record<never, never>>) =>
  forUpdate(sql.select().from(subscriptions).where(isNotDeleted).orderBy(asc(subscriptions.id))),
);

/** Locks all subscriptions, in the order of their ids. */
export async function lockSubscriptions(tx: Tx): Promise<Subscription[]> {
  return (await all(tx, {})) as Subscription[];
}

const setSequence = prepared((sql: Tx["sql"], a: StatementArgs<{ id: number; sequence: number }>) =>
  sql
    .update(subscriptions)
    .set({ sequence: template`${a.sequence}` })
    .where(eq(subscriptions.id, a.id)),
);

/** Stores the number of the last delivery created for a subscription. */
export async function saveSequence(tx: Tx, id: number, sequence: number): Promise<void> {
  await setSequence(tx, { id, sequence });
}

/**
 * Skips `count` numbers of each subscription's deliveries. Returns the first and last skipped number by subscription.
 */
export async function skipNumbers(
  tx: Tx,
  count: number,
): Promise<{ subscription_id: number; first: number; last: number }[]> {
  const skipped = await tx.sql
    .update(subscriptions)
    .set({ sequence: template`${subscriptions.sequence} + ${count}` })
    .returning({ id: subscriptions.id, sequence: subscriptions.sequence });
  return skipped.map(({ id, sequence }) => ({ subscription_id: id, first: sequence - count + 1, last: sequence }));
}

const setPace = prepared(
  (sql: Tx["sql"], a: StatementArgs<Pick<Subscription, "id" | "paced_until" | "next_probe_at">>) =>
    sql
      .update(subscriptions)
      .set({ paced_until: template`${a.paced_until}`, next_probe_at: template`${a.next_probe_at}` })
      .where(eq(subscriptions.id, a.id)),
);

/** Stores when a subscription's next delivery and next probe may start (ms). */
export async function savePace(
  tx: Tx,
  { id, paced_until, next_probe_at }: Pick<Subscription, "id" | "paced_until" | "next_probe_at">,
): Promise<void> {
  await setPace(tx, { id, paced_until, next_probe_at });
}

/** Locks the first subscription with deliveries to end that others have not locked; or null. */
export async function lockEnding(tx: Tx): Promise<Subscription | null> {
  const ending = tx.sql
    .select()
    .from(subscriptions)
    .where(template`${subscriptions.is_ending}`)
    .orderBy(asc(subscriptions.id))
    .limit(1);
  const [row] = await skipLocked(ending);
  return (row as Subscription | undefined) ?? null;
}

/** Stores whether a subscription has deliveries to end. */
export async function saveEnding(tx: Tx, id: number, is_ending: boolean): Promise<void> {
  await tx.sql.update(subscriptions).set({ is_ending }).where(eq(subscriptions.id, id));
}

/** Stores how many deliveries the backlog limits have skipped. */
export async function saveBacklog(
  tx: Tx,
  { id, backlog_skipped, backlog_skipped_at }: Pick<Subscription, "id" | "backlog_skipped" | "backlog_skipped_at">,
): Promise<void> {
  await tx.sql.update(subscriptions).set({ backlog_skipped, backlog_skipped_at }).where(eq(subscriptions.id, id));
}

const setHealth = prepared((sql: Tx["sql"], a: StatementArgs<SubscriptionHealth & { id: number }>) =>
  sql
    .update(subscriptions)
    .set({
      status: template`${a.status}`,
      disabled_reason: template`${a.disabled_reason}`,
      consecutive_failures: template`${a.consecutive_failures}`,
      first_failure_at: template`${a.first_failure_at}`,
      failing_since: template`${a.failing_since}`,
      paused_until: template`${a.paused_until}`,
      circuit_wait_ms: template`${a.circuit_wait_ms}`,
      next_probe_at: template`${a.next_probe_at}`,
      recent_attempts: a.recent_attempts,
    })
    .where(eq(subscriptions.id, a.id)),
);

/** Stores the health of a subscription's receiver. */
export async function saveHealth(tx: Tx, id: number, health: SubscriptionHealth): Promise<void> {
  await setHealth(tx, { ...healthOf(health), id });
}

/** Moves subscriptions' times (pauses, probes, failures) as far as the clock was moved. */
export const shiftSubscriptionTimes = shiftOf(subscriptions, [
  subscriptions.first_failure_at,
  subscriptions.failing_since,
  subscriptions.paused_until,
  subscriptions.paced_until,
  subscriptions.next_probe_at,
]);

/** The fields that clients can change. */
export type SubscriptionChange = Partial<
  Omit<Subscription, "id" | "version" | "begins_after" | "sequence" | "revision" | "created_at">
>;

/** Stores a client's changes of a locked subscription, increments its revision and returns it. */
export async function saveSubscription(
  tx: Tx,
  before: Subscription,
  change: SubscriptionChange,
): Promise<Subscription> {
  const { events, merchants, ...same } = change;
  const lists = {
    ...(events && { events: [...events] }),
    ...(merchants !== undefined && { merchants: merchants && [...merchants] }),
  };
  const moved = { revision: before.revision + 1, updated_at: tx.now };
  await tx.sql
    .update(subscriptions)
    .set({ ...same, ...lists, ...moved })
    .where(eq(subscriptions.id, before.id));
  return { ...before, ...change, ...moved };
}

const subscriptionsById = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql.select().from(subscriptions).where(among(subscriptions.id, a.ids)),
);

/** The subscriptions with these ids, unordered. */
export async function findSubscriptions(db: Db, ids: readonly number[]): Promise<Subscription[]> {
  return (await subscriptionsById(db, { ids: list(ids) })) as Subscription[];
}

const lockedSubscriptions = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  forUpdate(sql.select().from(subscriptions).where(among(subscriptions.id, a.ids)).orderBy(asc(subscriptions.id))),
);

/** Locks the subscriptions with these ids, in their order. Returns them by id. */
export async function lockSubscriptionsById(tx: Tx, ids: readonly number[]): Promise<Map<number, Subscription>> {
  const rows = (await lockedSubscriptions(tx, { ids: list(ids) })) as Subscription[];
  return new Map(rows.map((row) => [row.id, row]));
}

const freeSubscriptions = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  skipLocked(sql.select().from(subscriptions).where(among(subscriptions.id, a.ids))),
);

/** As `lockSubscriptionsById`, without those that others have locked. */
export async function lockFreeSubscriptions(tx: Tx, ids: readonly number[]): Promise<Map<number, Subscription>> {
  const rows = (await freeSubscriptions(tx, { ids: list(ids) })) as Subscription[];
  return new Map(rows.map((row) => [row.id, row]));
}

/** The times of the newest `limit` test events of a subscription since a time (ms), newest first. */
export async function listTestMoments(
  db: Db,
  subscription_id: number,
  since: number,
  limit: number,
): Promise<number[]> {
  const tests = and(
    eq(deliveries.subscription_id, subscription_id),
    template`${deliveries.sequence} = 0`,
    gt(deliveries.created_at, since),
  );
  const { created_at } = deliveries;
  const rows = await db.sql.select({ created_at }).from(deliveries).where(tests).orderBy(desc(created_at)).limit(limit);
  return rows.map((row) => row.created_at);
}
