import type { Tx } from "../../database/store.ts";
import { assert } from "../../kit/assert.ts";
import { wireId } from "../../kit/ids.ts";
import { shipDate } from "../../orders/dispatch/rules.ts";
import { calendarsOf } from "../../orders/dispatch/store.ts";
import { estimatedShipDate } from "../../orders/order.ts";
import { findOrders } from "../../orders/store.ts";
import type { Retention } from "../../retention/rules.ts";
import { getConnection } from "../connections/store.ts";
import { queueImport } from "../imports/commands.ts";
import { forgetPayloads } from "../imports/store.ts";
import type { Notification } from "../platform.ts";
import { notificationView } from "./rules.ts";
import { deleteNotifications, findAnswer, insertNotification } from "./store.ts";

/**
 * Receives a verified notification: stores it and queues the order's import, or repeats the first answer if it came
 * before. Answers JSON. Refuses: resource_missing (the connection was deleted meanwhile).
 */
export async function takeNotification(
  tx: Tx,
  connection_id: number,
  { topic, external_id, dedupe_key, order }: Notification & { readonly external_id: string },
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
