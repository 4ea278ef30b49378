import { and, asc, eq, gt, gte, lt } from "drizzle-orm";
import { order_history } from "../../../db/schema/orders.ts";
import type { Actor } from "../../core/actor.ts";
import type { PageWindow } from "../../core/schema.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { insert } from "../../storage/statements.ts";

/** What a history row records in addition to the statuses. */
export interface HistoryEntry {
  readonly event: string;
  readonly actor: Actor;
  readonly reason?: string | null;
  readonly note?: string | null;
}

/** The place of a history row: its order, its number, and the statuses before and after. */
interface OrderHistoryStep {
  readonly order_id: number;
  /** Its number among the order's rows, from 1. */
  readonly number: number;
  readonly from_status: HistoryRow["from_status"];
  readonly to_status: HistoryRow["to_status"];
}

/** Writes one row of an order's history, which the order's own row counts already. */
export async function insertHistory(tx: Tx, step: OrderHistoryStep, entry: HistoryEntry): Promise<void> {
  await insertHistories(tx, [{ step, entry }]);
}

/** As `insertHistory`, for rows of any orders. */
export async function insertHistories(
  tx: Tx,
  rows: readonly { readonly step: OrderHistoryStep; readonly entry: HistoryEntry }[],
): Promise<void> {
  await insert(
    tx,
    order_history,
    rows.map(({ step, entry }) => rowOf(tx, step, entry)),
  );
}

/** Writes the first row of the history of each of these orders. */
export async function insertFirstHistory(
  tx: Tx,
  orders: readonly (HistoryEntry & { readonly id: number; readonly status: HistoryRow["to_status"] })[],
): Promise<void> {
  const first = { number: 1, from_status: null };
  const rows = orders.map(({ id, status, ...entry }) =>
    rowOf(tx, { ...first, order_id: id, to_status: status }, entry),
  );
  await insert(tx, order_history, rows);
}

function rowOf(tx: Tx, step: OrderHistoryStep, { event, actor, reason = null, note = null }: HistoryEntry) {
  const { type: actor_type, id: actor_id, name: actor_name, request_id } = actor;
  const who = { actor_type, actor_id, actor_name, request_id };
  return { ...step, event, reason, note, ...who, created_at: tx.now };
}

/** A stored row of an order's history. */
export type HistoryRow = typeof order_history.$inferSelect;

/** The rows of an order's history in a period (ms). */
interface HistoryFilter {
  readonly order_id: number;
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
}

const matching = ({ order_id, created_after, created_before }: HistoryFilter) =>
  and(
    eq(order_history.order_id, order_id),
    created_after === undefined ? undefined : gte(order_history.created_at, created_after),
    created_before === undefined ? undefined : lt(order_history.created_at, created_before),
  );

/** A page of an order's history, oldest first. */
export async function listHistory(
  db: Db,
  filter: HistoryFilter,
  { limit, offset, after }: PageWindow,
): Promise<HistoryRow[]> {
  return db.sql
    .select()
    .from(order_history)
    .where(and(matching(filter), after ? gt(order_history.number, after[1]) : undefined))
    .orderBy(asc(order_history.number))
    .limit(limit)
    .offset(offset);
}

/** The number of rows in an order's history. */
export async function countHistory(db: Db, filter: HistoryFilter): Promise<number> {
  return db.sql.$count(order_history, matching(filter));
}
