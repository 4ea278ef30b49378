import { and, asc, eq, gt, sql as template } from "drizzle-orm";
import { order_history, orders } from "../../../db/schema/orders.ts";
import { type Args, insert, prepared } from "../../database/statements.ts";
import type { Db, Tx, Writing } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import type { Window } from "../../kit/page.ts";
import { publicStatus } from "../order.ts";
import type { PublicOrderStatus } from "../status.ts";

/** What a row of history says beside the states. */
export interface Entry {
  readonly event: string;
  readonly actor: Actor;
  readonly reason?: string | null;
  readonly note?: string | null;
}

/** Where a row of history stands: the row of which order it is, and between which states. */
export interface Step {
  readonly order_id: number;
  /** Its place among the order's rows, from 1. */
  readonly number: number;
  readonly from_status: PublicOrderStatus | null;
  readonly to_status: PublicOrderStatus;
}

/** Writes one row of an order's history, of which the order's own row says already that it is there. */
export async function insertHistory(tx: Tx, step: Step, entry: Entry): Promise<void> {
  await insert(tx, order_history, [rowOf(tx, step, entry)]);
}

const countRow = prepared((sql: Writing, a: Args<{ order_id: number }>) =>
  sql
    .update(orders)
    .set({ history_rows: template`${orders.history_rows} + 1` })
    .where(eq(orders.id, a.order_id))
    .returning({ number: orders.history_rows, status: orders.status, held: orders.held }),
);

/** Writes a row of the history of an order that it changes nothing of. */
export async function noteInHistory(tx: Tx, order_id: number, entry: Entry): Promise<void> {
  const [order] = await countRow(tx, { order_id });
  assert(order !== undefined, `order ${order_id} is there`);
  const status = publicStatus(order);
  await insertHistory(tx, { order_id, number: order.number, from_status: status, to_status: status }, entry);
}

/** Writes the first row of the history of each of these orders. */
export async function insertFirstHistory(
  tx: Tx,
  orders: readonly { readonly id: number; readonly status: PublicOrderStatus }[],
  entry: Entry,
): Promise<void> {
  const first = { number: 1, from_status: null };
  const rows = orders.map(({ id, status }) => rowOf(tx, { ...first, order_id: id, to_status: status }, entry));
  await insert(tx, order_history, rows);
}

function rowOf(tx: Tx, step: Step, { event, actor, reason = null, note = null }: Entry) {
  const { type: actor_type, id: actor_id, name: actor_name, request_id } = actor;
  const who = { actor_type, actor_id, actor_name, request_id };
  return { ...step, event, reason, note, ...who, created_at: tx.now };
}

/** A row of an order's history, as it is kept. */
export type HistoryRow = typeof order_history.$inferSelect;

/** A page of an order's history, oldest first. */
export async function listHistory(db: Db, order_id: number, { limit, offset, after }: Window): Promise<HistoryRow[]> {
  return db.sql
    .select()
    .from(order_history)
    .where(and(eq(order_history.order_id, order_id), after ? gt(order_history.number, after[1]) : undefined))
    .orderBy(asc(order_history.number))
    .limit(limit)
    .offset(offset);
}

/** How many rows an order's history has. */
export async function countHistory(db: Db, order_id: number): Promise<number> {
  return db.sql.$count(order_history, eq(order_history.order_id, order_id));
}
