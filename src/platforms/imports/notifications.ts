import { assert, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { day_ms, hour_ms } from "../../core/time.ts";
import { calendarsOf } from "../../orders/fulfillment/ship_dates.sql.ts";
import { shipDate } from "../../orders/fulfillment/ship_dates.ts";
import { estimatedShipDate } from "../../orders/order.ts";
import { findOrders } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import type { Retention } from "../../storage/retention.ts";
import { getConnection } from "../connections.sql.ts";
import type { PlatformNotification } from "../platform.ts";
import { queueImport } from "./import_queue.ts";
import { deletePayloads } from "./imports.sql.ts";
import { deleteNotifications, findAnswer, insertNotification } from "./notifications.sql.ts";

const past_max_ms = 72 * hour_ms;
const ahead_max_ms = 5 * 60_000;

/** Refuses a notification that is older than 72 hours or from the future. Refuses: validation_failed. */
export function refuseUntimely(created_at: number | null, now: number): void {
  if (created_at === null) return;
  if (created_at < now - past_max_ms) throw invalid("created_at", "must be within the last 72 hours", "too_old");
  if (created_at > now + ahead_max_ms) throw invalid("created_at", "must not be in the future", "too_new");
}

/** The response to a platform, as the specification defines it. */
export interface NotificationAnswer {
  readonly success: true;
  readonly order_id: string | null;
  readonly status: "processing" | "ignored";
  /** The date (`YYYY-MM-DD`) on which the order is expected to ship; null when unknown. */
  readonly estimated_ship_date: string | null;
}

/** Returns the response to a notification. Without an order it was ignored. */
export function notificationView(order_id: string | null, estimated_ship_date: string | null): NotificationAnswer {
  return { success: true, order_id, status: order_id === null ? "ignored" : "processing", estimated_ship_date };
}

/**
 * Records a verified notification and queues the order's import. A repeated one gets the first response again. Returns
 * the response as JSON. Refuses: resource_missing.
 */
export async function takeNotification(
  tx: Tx,
  connection_id: number,
  { topic, external_id, dedupe_key, order, problem }: PlatformNotification & { readonly external_id: string },
): Promise<string> {
  const connection = await getConnection(tx, connection_id);
  const earlier = await findAnswer(tx, connection_id, dedupe_key);
  if (earlier !== null) return earlier;
  const queued = await queueImport(tx, connection, external_id, { order, problem });
  const order_id = wireId("order", queued.order_id);
  const answer = JSON.stringify(notificationView(order_id, await estimateOf(tx, queued.order_id)));
  const row = { connection_id, dedupe_key, topic, import_id: queued.id, answer };
  if (await insertNotification(tx, row)) return answer;
  // The same notification was recorded concurrently.
  const first = await findAnswer(tx, connection_id, dedupe_key);
  assert(first !== null, "the conflicting notification exists");
  return first;
}

/** The expected ship date of an order, which may not exist here yet. */
async function estimateOf(tx: Tx, order_id: number): Promise<string | null> {
  const [order] = await findOrders(tx, [order_id]);
  if (order !== undefined) return estimatedShipDate(order, tx.now);
  const [calendars = []] = await calendarsOf(tx, [
    { id: order_id, warehouse_id: null, shipped_at: null, cancelled_at: null },
  ]);
  const facts = { created_at: tx.now, cancelled_at: null, processing_at: null, shipped_at: null };
  return shipDate({ ...facts, holds: [], calendars }, 0, tx.now);
}

/**
 * Deletes up to `limit` each of notifications and of unimported orders that are older than their retention. Returns
 * whether more may be left.
 */
export async function deleteOld(tx: Tx, retention: Retention, limit: number): Promise<boolean> {
  const { platform_notifications, platform_orders } = retention;
  const notifications = await deleteNotifications(tx, tx.now - platform_notifications * day_ms, limit);
  const payloads = await deletePayloads(tx, tx.now - platform_orders * day_ms, limit);
  return Math.max(notifications, payloads) === limit;
}
