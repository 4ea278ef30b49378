// Explains why the order that a platform was promised does not exist here: its id is allotted with the first
// notification, and the order is created by the import.
import { Fault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { second_ms } from "../../core/time.ts";
import type { Order } from "../../orders/order.ts";
import { getOrder } from "../../orders/orders.sql.ts";
import type { Db } from "../../storage/database.ts";
import { findConnection } from "../connections.sql.ts";
import type { StoreConnection } from "../platform.ts";
import { awaitsPayment, isImported, isQueued, isWorking } from "../platforms.transitions.ts";
import type { OrderImport } from "./import.ts";
import { findImportByOrder } from "./imports.sql.ts";

/**
 * The order that a client names, as `getOrder`. One that a platform has sent and that does not exist yet is refused
 * with the state of its import. Refuses: resource_missing, ambiguous_identifier, import_pending, order_not_imported.
 */
export async function getImportedOrder(db: Db, name: string): Promise<Order> {
  try {
    return await getOrder(db, name);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "resource_missing") throw error;
    const record = await findImportByOrder(db, readId("order", name) ?? 0);
    if (record === null || isImported(record.status)) throw error;
    throw notImported(record, await findConnection(db, record.connection_id), db.now);
  }
}

/** The refusal of an order whose import has not created it. The connection is null if it was deleted. */
function notImported(record: OrderImport, connection: StoreConnection | null, now: number): Fault {
  const { error_code: code, error_message: message } = record;
  const connection_id = wireId("connection", record.connection_id);
  const import_id = wireId("import", record.id);
  const facts = { connection_id, import_id, reason: code === null ? null : { code, message: message ?? "" } };
  if (connection === null) {
    const text = "The store was disconnected before its order was imported. Connect it again with POST /v1/platforms.";
    return new Fault("order_not_imported", text, facts);
  }
  if (!isQueued(record.status)) {
    const remedy = awaitsPayment(record.status)
      ? "It is imported once it is paid."
      : `To try again: POST /v1/platforms/${connection_id}/imports/${import_id}/retry.`;
    const why = message ?? "There is nothing to ship.";
    return new Fault("order_not_imported", `The platform's order was not imported. ${why} ${remedy}`, facts);
  }
  const retry_after_seconds = waitSeconds(record, connection, now);
  const when = isWorking(connection.status)
    ? `Ask again in ${retry_after_seconds} ${retry_after_seconds === 1 ? "second" : "seconds"}.`
    : `Its connection ${connection_id} is paused: the import continues once it is active again.`;
  const last = message === null ? "" : ` The last attempt failed: ${message}`;
  const text = `The platform's order is being imported and does not exist here yet. ${when}${last}`;
  return new Fault("import_pending", text, { ...facts, retry_after_seconds });
}

const paused_wait_seconds = 60;
const wait_seconds_max = 3600;

/** How long a client should wait before it asks again: until the next attempt, or a second while one is in progress. */
function waitSeconds({ next_at, leased_until }: OrderImport, { status }: StoreConnection, now: number): number {
  if (!isWorking(status)) return paused_wait_seconds;
  if (leased_until !== null || next_at === null) return 1;
  return Math.min(wait_seconds_max, Math.max(1, Math.ceil((next_at - now) / second_ms)));
}
