import { Type } from "@sinclair/typebox";
import { asc, eq, sql } from "drizzle-orm";
import { among, columnsOf, list } from "../../db/kit.ts";
import { lots } from "../../db/schema/inventory.ts";
import { refunds, return_inspections, return_items, returns } from "../../db/schema/returns.ts";
import { tracking_records } from "../../db/schema/tracking.ts";
import { choice } from "../core/schema.ts";
import { carrierPage } from "../orders/fulfillment/tracking_url.ts";
import { ofNumberedOrder, orderFilter } from "../orders/lifecycle/order_lookup.sql.ts";
import { trackingMeanings } from "../shipping/carriers/tracking.transitions.ts";
import { ofNumber } from "../shipping/labels/label_list.sql.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { longRecords } from "../storage/long_records.ts";
import { equals, filter, recordList, search } from "../storage/record_list.ts";
import { recordLookup } from "../storage/record_lookup.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../storage/statements.ts";
import { findKnown, knownBy, pageOf } from "../tracking/tracking.sql.ts";
import { hasComeBack, notRefunded, type RefundStatus, returnStarts, returnStatuses } from "./return.transitions.ts";
import type { Return, ReturnRefund, ReturnShipping } from "./return.ts";
import { type InspectedUnits, type ItemUnits, type PlannedItem, shippingStatus } from "./return_items.ts";

const ofReturns = prepared((sql, a: StatementArgs<{ return_ids: string }>) =>
  sql.select().from(refunds).where(among(refunds.return_id, a.return_ids)).orderBy(asc(refunds.id)),
);

/** Lists the refunds of returns, oldest first. */
async function listRefunds(db: Db, return_ids: readonly number[]): Promise<ReturnRefund[]> {
  return return_ids.length === 0 ? [] : ofReturns(db, { return_ids: list(return_ids) });
}

/** Inserts a refund and returns it. */
export async function insertRefund(
  tx: Tx,
  fields: Omit<ReturnRefund, "id" | "created_at" | "updated_at">,
): Promise<ReturnRefund> {
  const row = { ...fields, created_at: tx.now, updated_at: tx.now };
  const [id = 0] = await insertIds(tx, refunds, [row]);
  return { id, ...row };
}

const setStatus = prepared((tx: WriteStatements, a: StatementArgs<{ id: number; status: RefundStatus; now: number }>) =>
  tx
    .update(refunds)
    .set({ status: sql`${a.status}`, updated_at: sql`${a.now}` })
    .where(eq(refunds.id, a.id)),
);

/** Saves the status of a refund. */
export async function saveRefundStatus(tx: Tx, refund: ReturnRefund, status: RefundStatus): Promise<ReturnRefund> {
  await setStatus(tx, { id: refund.id, status, now: tx.now });
  return { ...refund, status, updated_at: tx.now };
}

type ReturnRow = typeof returns.$inferSelect;

const byOrder = prepared((sql, a: StatementArgs<{ order_id: number }>) =>
  sql.select().from(returns).where(eq(returns.order_id, a.order_id)).orderBy(asc(returns.id)),
);
const itemsOf = prepared((sql, a: StatementArgs<{ return_ids: string }>) =>
  sql.select().from(return_items).where(among(return_items.return_id, a.return_ids)).orderBy(asc(return_items.id)),
);
const inspectionsOf = prepared((sql, a: StatementArgs<{ return_ids: string }>) =>
  sql
    .select({
      ...columnsOf(return_inspections, "id", "return_item_id", "quantity", "condition", "disposition", "notes"),
      lot_number: lots.lot_number,
    })
    .from(return_inspections)
    .innerJoin(return_items, eq(return_items.id, return_inspections.return_item_id))
    .leftJoin(lots, eq(lots.id, return_inspections.lot_id))
    .where(among(return_items.return_id, a.return_ids))
    .orderBy(asc(return_inspections.id)),
);

/** Finds a return by its identifier, `ret_1001` or `1001`. Refuses: resource_missing. */
export const { get: getReturn } = recordLookup(returns, "return", { records: withItemsAndRefunds });

/** Lists the returns of an order, oldest first. */
export async function listReturnsOfOrder(db: Db, order_id: number): Promise<Return[]> {
  return withItemsAndRefunds(db, await byOrder(db, { order_id }));
}

/** Adds items, inspections and refunds to returns, in a few queries for all of them. */
export async function withItemsAndRefunds(db: Db, rows: readonly ReturnRow[]): Promise<Return[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const items = await itemsOf(db, { return_ids: list(ids) });
  const inspected = rows.some((row) => row.inspected_at !== null);
  const inspections = inspected ? await inspectionsOf(db, { return_ids: list(ids) }) : [];
  const refunds = inspected ? await listRefunds(db, ids) : [];
  const shippingOf = await shippingsOf(db, rows);
  const inspectionsBy = Map.groupBy(inspections, (inspection) => inspection.return_item_id);
  const itemsBy = Map.groupBy(items, (item) => item.return_id);
  const refundsBy = Map.groupBy(refunds, (refund) => refund.return_id);
  return rows.map((row) => ({
    ...row,
    ...shippingOf(row),
    items: (itemsBy.get(row.id) ?? []).map(({ return_id: _of, ...item }) => ({
      ...item,
      inspections: (inspectionsBy.get(item.id) ?? []).map(({ return_item_id: _id, ...inspection }) => inspection),
    })),
    refunds: refundsBy.get(row.id) ?? [],
  }));
}

/** Returns the shipping of returns. If the parcel is tracked, the newest record of its number decides the status. */
async function shippingsOf(
  db: Db,
  rows: readonly ReturnRow[],
): Promise<(row: ReturnRow) => Pick<Return, "return_shipping" | "arrived_at">> {
  const numbers = rows.flatMap(({ tracking_number }) => tracking_number ?? []);
  const known = numbers.length === 0 ? null : await findKnown(db, numbers);
  return ({ merchant_id, return_shipping }) => {
    const { carrier, tracking_number, label_url } = return_shipping;
    const record = known?.get(knownBy(merchant_id, tracking_number ?? ""))?.record;
    const page = record === undefined ? null : pageOf(db, record);
    const tracking_url = carrierPage(carrier, tracking_number) ?? page;
    const tracked = record !== undefined && record.id > 0 ? record : null;
    const status = tracked === null ? return_shipping.status : shippingStatus(tracked.status);
    const arrived_at = tracked !== null && hasComeBack(status) ? tracked.occurred_at : null;
    return { return_shipping: { carrier, tracking_number, label_url, tracking_url, status }, arrived_at };
  };
}

/** The stored part of a return's shipping. The rest comes from the tracking record. */
function storedShipping({ carrier, tracking_number, label_url, status }: ReturnShipping) {
  return { return_shipping: { carrier, tracking_number, label_url, status }, tracking_number };
}

// If a number was reused, the newest record counts.
const parcelStatus = sql`(select status from ${tracking_records}
  where ${tracking_records.tracking_number} = ${returns.tracking_number}
    and ${tracking_records.merchant_id} = ${returns.merchant_id}
  order by ${tracking_records.id} desc limit 1)`;

const arrivedField = Type.Boolean({
  description:
    "True: the carrier has delivered the parcel. With `status=initiated`, lists the returns to receive at the dock.",
});

/** Returns without items and refunds, newest first. */
export const returnList = recordList(returns, {
  filters: {
    status: equals(returns.status, choice(returnStatuses)),
    order_id: orderFilter(returns.order_id),
    q: search("Part of the order number, the buyer's email address or the tracking number.", [
      returns.customer_email,
      ofNumber(returns.tracking_number),
      ofNumberedOrder(returns.order_id),
    ]),
    arrived: filter(arrivedField, (arrived) => {
      const differs = sql.raw(arrived ? "is not distinct from" : "is distinct from");
      return sql`${parcelStatus} ${differs} ${trackingMeanings.delivered.shows}`;
    }),
  },
  // One may have hundreds of items.
  long: longRecords(returns, return_items.return_id, { record: 1500, part: 400 }),
});

/** The fields of a new return. */
type NewReturn = Pick<
  Return,
  | "merchant_id"
  | "order_id"
  | "reason"
  | "return_shipping"
  | "refund_amount_cents"
  | "refund_shipping"
  | "restocking_fee_cents"
  | "currency"
  | "customer_email"
>;

/** Inserts a return and returns it. */
export async function insertReturn(tx: Tx, fields: NewReturn, items: readonly PlannedItem[]): Promise<Return> {
  const steps = { received_at: null, inspected_at: null, completed_at: null };
  const states = { status: returnStarts, refund_status: notRefunded, revision: 1 } as const;
  const row = {
    ...fields,
    ...storedShipping(fields.return_shipping),
    ...states,
    ...steps,
    created_at: tx.now,
    updated_at: tx.now,
  };
  const [id = 0] = await insertIds(tx, returns, [row]);
  await insert(
    tx,
    return_items,
    items.map((item) => ({ return_id: id, ...item, quantity_received: 0 })),
  );
  return getReturn(tx, id);
}

/** The fields of a return that an act changes. */
type ReturnChange = Partial<
  Omit<
    ReturnRow,
    "id" | "order_id" | "revision" | "created_at" | "updated_at" | "return_shipping" | "tracking_number"
  > &
    Pick<Return, "return_shipping">
>;

/** Saves changes of a return, increases its revision by one and returns it. */
export async function saveReturn(tx: Tx, before: Return, change: ReturnChange): Promise<Return> {
  const { return_shipping, ...same } = change;
  await tx.sql
    .update(returns)
    .set({
      ...same,
      ...(return_shipping && storedShipping(return_shipping)),
      revision: before.revision + 1,
      updated_at: tx.now,
    })
    .where(eq(returns.id, before.id));
  return getReturn(tx, before.id);
}

const addReceived = prepared((tx: WriteStatements, a: StatementArgs<{ id: number; quantity: number }>) =>
  tx
    .update(return_items)
    .set({ quantity_received: sql`${return_items.quantity_received} + ${a.quantity}` })
    .where(eq(return_items.id, a.id)),
);

/** Adds to the received quantities of items. */
export async function receiveItems(tx: Tx, arrived: readonly ItemUnits[]): Promise<void> {
  for (const { item, quantity } of arrived) await addReceived(tx, { id: item.id, quantity });
}

/** Inserts the results of an inspection. */
export async function insertInspections(tx: Tx, inspected: readonly InspectedUnits[]): Promise<void> {
  const rows = inspected.map(({ item, quantity, condition, disposition, lot_id, notes }) => ({
    return_item_id: item.id,
    quantity,
    condition,
    disposition,
    lot_id,
    notes,
    created_at: tx.now,
  }));
  await insert(tx, return_inspections, rows);
}
