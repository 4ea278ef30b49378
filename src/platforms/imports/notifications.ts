import { assert, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { calendarsOf } from "../../orders/fulfillment/ship_dates.sql.ts";
import { shipDate } from "../../orders/fulfillment/ship_dates.ts";
import { estimatedShipDate } from "../../orders/order.ts";
import { findOrders } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import type { Retention } from "../../storage/retention.ts";
import { getConnection } from "../connections.sql.ts";
import type { PlatformNotification } from "../platform.ts";
import { queueImport } from "./import_queue.ts";
import { forgetPayloads } from "./imports.sql.ts";
import { deleteNotifications, findAnswer, insertNotification } from "./notifications.sql.ts";

const past_max_ms = 72 * 3_600_000;
const ahead_max_ms = 5 * 60_000;

/** Refuses: validation_failed, for a notification so old that no platform repeats it any more. */
export function refuseUntimely(created_at: number | null, now: number): void {
  if (created_at === null) return;
  if (created_at < now - past_max_ms) throw invalid("created_at", "is more than 72 hours ago", "too_old");
  if (created_at > now + ahead_max_ms) throw invalid("created_at", "lies in the future", "too_new");
}

/** The answer to a platform, in the form of the specification. */
export interface NotificationAnswer {
  readonly success: true;
  readonly order_id: string | null;
  readonly status: "processing" | "ignored";
  /** The day (`YYYY-MM-DD`) on which the order is expected to leave; null when nobody can say. */
  readonly estimated_ship_date: string | null;
}

/** The answer to a ping, or to a notification that is of no interest here: without an order. */
export function notificationView(order_id: string | null, estimated_ship_date: string | null): NotificationAnswer {
  return { success: true, order_id, status: order_id === null ? "ignored" : "processing", estimated_ship_date };
}

/**
 * Receives a verified notification: stores it and queues the order's import, or repeats the first answer if it came
 * before. Answers JSON. Refuses: resource_missing (the connection was deleted meanwhile).
 */
export async function takeNotification(
  tx: Tx,
  connection_id: number,
  { topic, external_id, dedupe_key, order }: PlatformNotification & { readonly external_id: string },
): Promise<string> {
  const connection = await getConnection(tx, connection_id);
  const known = await findAnswer(tx, connection_id, dedupe_key);
  if (known !== null) return known;
  const queued = await queueImport(tx, connection, external_id, order);
  const order_id = wireId("order", queued.order_id);
  const answer = JSON.stringify(notificationView(order_id, await estimateOf(tx, queued.order_id)));
  const row = { connection_id, dedupe_key, topic, import_id: queued.id, answer };
  if (await insertNotification(tx, row)) return answer;
  // The same notification came twice at once, and the other one was faster.
  const first = await findAnswer(tx, connection_id, dedupe_key);
  assert(first !== null, "a notification that stands in the way is there");
  return first;
}

/** When an order is expected to leave. The order may not exist here yet. */
async function estimateOf(tx: Tx, order_id: number): Promise<string | null> {
  const [order] = await findOrders(tx, [order_id]);
  if (order !== undefined) return estimatedShipDate(order, tx.now);
  const [calendars = []] = await calendarsOf(tx, [
    { id: order_id, warehouse_id: null, shipped_at: null, cancelled_at: null },
  ]);
  const facts = { created_at: tx.now, cancelled_at: null, processing_at: null, shipped_at: null };
  return shipDate({ ...facts, holds: [], calendars }, 0, tx.now);
}

const day_ms = 24 * 3_600_000;

/**
 * Deletes up to `limit` each of notifications that no platform repeats any more, and of orders that were not imported
 * in the time that they are kept. Answers whether more may be left.
 */
export async function forgetOld(tx: Tx, kept: Retention, limit: number): Promise<boolean> {
  const { platform_notifications, platform_orders } = kept;
  const notifications = await deleteNotifications(tx, tx.now - platform_notifications * day_ms, limit);
  const payloads = await forgetPayloads(tx, tx.now - platform_orders * day_ms, limit);
  return Math.max(notifications, payloads) === limit;
}
