// Lists of words that grow over time. A trigger refuses other words in the column. Unlike a CHECK, a trigger can be
// replaced without reading the table. Fixed lists, such as statuses, are CHECKs.
import { type AnyColumn, getTableName } from "drizzle-orm";
import { billedActs } from "../src/billing/billable_kinds.ts";
import { eventTypes } from "../src/events/event_types.ts";
import { fileKinds, fileTypes } from "../src/files/file.ts";
import { printerKinds, printKinds, taskKinds, waveModes } from "../src/floor/floor.transitions.ts";
import { covers } from "../src/identity/identity.transitions.ts";
import { allocationChangeKinds, binKinds, movementTypes } from "../src/inventory/inventory.transitions.ts";
import { cancelReasons, fulfillmentTypes, holdReasons } from "../src/orders/order.transitions.ts";
import { pendingOrders, pickupChoices, platforms, testOrders } from "../src/platforms/platforms.transitions.ts";
import { barcodeTypes, productTypes } from "../src/products/product.ts";
import { conditions, dispositions, refundMethods, returnReasons } from "../src/returns/return.transitions.ts";
import { documentKinds, documentTypes } from "../src/shipping/offer.ts";
import { attemptTriggers, deliveryForms, noticeKinds, restoredStates } from "../src/webhooks/webhooks.transitions.ts";
import { billable_events } from "./schema/billing.ts";
import { files } from "./schema/files.ts";
import { print_jobs, printers, waves, work_claims } from "./schema/floor.ts";
import { movements } from "./schema/inventory.ts";
import { order_holds, orders } from "./schema/orders.ts";
import { events } from "./schema/outbox.ts";
import { platform_connections } from "./schema/platforms.ts";
import { product_barcodes, products } from "./schema/products.ts";
import { claim_news } from "./schema/reservations.ts";
import { refunds, return_inspections, return_items, returns } from "./schema/returns.ts";
import { label_documents } from "./schema/shipments.ts";
import { memberships, one_time_links } from "./schema/users.ts";
import { bins } from "./schema/warehouses.ts";
import { deliveries, delivery_attempts, notices } from "./schema/webhooks.ts";

/** The words that a text column may contain. */
export interface WordList {
  readonly table: string;
  readonly column: string;
  readonly words: readonly string[];
}

const of = (column: AnyColumn, words: readonly string[]): WordList => {
  return { table: getTableName(column.table), column: column.name, words };
};

export const wordLists: readonly WordList[] = [
  of(events.type, eventTypes),
  of(orders.cancel_reason, cancelReasons),
  of(orders.fulfillment_type, fulfillmentTypes),
  of(order_holds.reason, holdReasons),
  of(movements.type, movementTypes),
  of(claim_news.kind, allocationChangeKinds),
  of(bins.kind, binKinds),
  of(products.type, productTypes),
  of(product_barcodes.type, barcodeTypes),
  of(label_documents.kind, documentKinds),
  of(label_documents.content_type, documentTypes),
  of(returns.reason, returnReasons),
  of(return_items.condition, conditions),
  of(return_inspections.condition, conditions),
  of(return_inspections.disposition, dispositions),
  of(refunds.method, refundMethods),
  of(platform_connections.platform, platforms),
  of(platform_connections.pending_orders, pendingOrders),
  of(platform_connections.test_orders, testOrders),
  of(platform_connections.pickup_orders, pickupChoices),
  of(deliveries.form, deliveryForms),
  of(deliveries.restored, restoredStates),
  of(delivery_attempts.trigger, attemptTriggers),
  of(notices.kind, noticeKinds),
  of(memberships.covers, covers),
  of(billable_events.act, billedActs),
  of(files.kind, fileKinds),
  of(files.content_type, fileTypes),
  of(one_time_links.purpose, ["setup", "reset"]),
  of(waves.mode, waveModes),
  of(work_claims.kind, taskKinds),
  of(printers.kind, printerKinds),
  of(print_jobs.kind, printKinds),
];

const quoted = (word: string) => `'${word.replaceAll("'", "''")}'`;

/**
 * The triggers of a list on SQLite, by name. Words are compared one by one, since SQLite would build a table for an
 * `in` list at each insert.
 */
export function triggersOnSqlite({ table, column, words }: WordList): ReadonlyMap<string, string> {
  const name = `${table}_${column}`;
  const unknown = words.map((word) => `NEW.\`${column}\` <> ${quoted(word)}`).join(" AND ");
  const trigger = (trigger_name: string, operation: string) =>
    `CREATE TRIGGER \`${trigger_name}\` BEFORE ${operation} ON \`${table}\` WHEN ${unknown} BEGIN\n` +
    `  SELECT RAISE(ABORT, '${name}');\nEND`;
  return new Map([
    [`${name}_new`, trigger(`${name}_new`, "INSERT")],
    [`${name}_changed`, trigger(`${name}_changed`, `UPDATE OF \`${column}\``)],
  ]);
}

/** The trigger of a list on PostgreSQL. It replaces the trigger of an older list. */
export function triggerOnPostgres({ table, column, words }: WordList): string {
  const unknown = `NEW."${column}" <> ALL ('{${words.map((word) => JSON.stringify(word)).join(",")}}'::text[])`;
  return (
    `CREATE OR REPLACE TRIGGER "${table}_${column}" BEFORE INSERT OR UPDATE OF "${column}" ON "${table}"\n` +
    `  FOR EACH ROW WHEN (${unknown}) EXECUTE FUNCTION refuse_word()`
  );
}
