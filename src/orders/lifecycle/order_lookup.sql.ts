// Resolves an order as a client names it: by its id, or by its order number.
import { eq, getTableColumns, inArray, or, sql as template } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { among, amongTexts, contains, isOneOf, list } from "../../../db/kit.ts";
import { merchants } from "../../../db/schema/merchants.ts";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { Fault, missing, orFault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { textField } from "../../core/schema.ts";
import { suspendedStatuses } from "../../merchants/merchant.transitions.ts";
import type { Db } from "../../storage/database.ts";
import { inOrderOf, sizesBy } from "../../storage/long_records.ts";
import { anyOf } from "../../storage/record_list.ts";
import { prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";

const { id, order_number } = orders;
const named = prepared((sql, a: StatementArgs<{ id: number; order_number: string }>) =>
  sql
    .select({ id, order_number })
    .from(orders)
    .where(or(eq(id, a.id), eq(order_number, a.order_number))),
);
const allNamed = prepared((sql, a: StatementArgs<{ ids: string; numbers: string }>) =>
  sql
    .select({ id, order_number })
    .from(orders)
    .where(or(among(id, a.ids), amongTexts(order_number, a.numbers))),
);

/** Whether a name of an order can only be an id. */
export function isOrderId(name: string | number): boolean {
  return typeof name === "number" || /^ord_\d+$/.test(name);
}

const idOf = (name: string | number) => readId("order", name) ?? 0;
const numberOf = (name: string | number) => (isOrderId(name) ? "" : String(name));

/**
 * The id of the order that a client names, or null. Integers and `ord_N` are ids. Any other text is an order number
 * first and then, if it is all digits, an id. `field` is the field of the request, null for its path.
 * Refuses: ambiguous_identifier (the number is one order's and the id another's).
 */
export async function findOrderId(db: Db, name: string | number, field: string | null): Promise<number | null> {
  return chosen(name, await named(db, { id: idOf(name), order_number: numberOf(name) }), field);
}

/**
 * A filter of a list: records of the order that a client names, by one of these columns. An unknown order has none.
 * Refuses: ambiguous_identifier.
 */
export function orderFilter(...order_ids: readonly AnyPgColumn[]) {
  return anyOf(textField(100, { description: "An order id or an order number." }), async (name, db) => {
    const order_id = (await findOrderId(db, name, "order_id")) ?? 0;
    return or(...order_ids.map((column) => eq(column, order_id)));
  });
}

/** Condition for the search of a list: records of orders whose number contains a text. */
export const ofNumberedOrder = (order_id: AnyPgColumn) => (piece: string, db: Db) =>
  inArray(order_id, db.sql.select({ id }).from(orders).where(contains(order_number, piece)));

/** The ids of the orders that a list names, each as by `findOrderId`. Refuses: ambiguous_identifier. */
export async function findOrderIds(db: Db, names: readonly string[], field: string): Promise<(number | null)[]> {
  const rows = await allNamed(db, { ids: list(names.map(idOf)), numbers: list(names.map(numberOf)) });
  return names.map((name, at) => chosen(name, rowsOf(rows, name), `${field}[${at}]`));
}

/** The id of the order that a field names, as `findOrderId`. Refuses: resource_missing, ambiguous_identifier. */
export async function resolveOrder(db: Db, name: string | number, field = "order_id"): Promise<number> {
  const order_id = await findOrderId(db, name, field);
  if (order_id === null) throw noSuchOrder(name, field);
  return order_id;
}

function noSuchOrder(name: string | number, field: string): Fault {
  const fields = [{ field, code: "resource_missing", message: "names no order" }];
  return new Fault("resource_missing", `No such order: ${name}.`, { fields });
}

/** The refusal of an unknown order; `field` is the field of the request, null for its path. */
export function unknownOrder(name: string | number, field: string | null): Fault {
  return field === null ? missing("order", name) : noSuchOrder(name, field);
}

/**
 * As `resolveOrder`, or as `getOrderId` for a null `field`, for several names at once, each with its id or refusal.
 * Names that can only be ids are not looked up, so their orders may not exist.
 */
export async function resolveOrders(
  db: Db,
  names: readonly (string | number)[],
  field: string | null,
): Promise<(number | Fault)[]> {
  const open = names.filter((name) => !isOrderId(name));
  const rows =
    open.length === 0 ? [] : await allNamed(db, { ids: list(open.map(idOf)), numbers: list(open.map(numberOf)) });
  return names.map((name) => {
    if (isOrderId(name)) return idOf(name);
    return orFault(() => {
      const order_id = chosen(name, rowsOf(rows, name), field);
      if (order_id === null) throw unknownOrder(name, field);
      return order_id;
    });
  });
}

const rowsOf = (rows: readonly { readonly id: number; readonly order_number: string }[], name: string | number) =>
  rows.filter((row) => row.id === idOf(name) || row.order_number === numberOf(name));

/** The id of the order that a path names, as `findOrderId`. Refuses: resource_missing, ambiguous_identifier. */
export async function getOrderId(db: Db, name: string): Promise<number> {
  const order_id = await findOrderId(db, name, null);
  if (order_id === null) throw missing("order", name);
  return order_id;
}

/** The id of the order with this number, or null. */
export async function findOrderByNumber(db: Db, number: string): Promise<number | null> {
  const [row] = await named(db, { id: 0, order_number: number });
  return row?.id ?? null;
}

const ownerOf = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select({ merchant_id: orders.merchant_id }).from(orders).where(eq(orders.id, a.id)),
);

/** The merchant of an order. Refuses: resource_missing. */
export async function ownerOfOrder(db: Db, id: number): Promise<number> {
  const [row] = await ownerOf(db, { id });
  if (row === undefined) throw missing("order", id);
  return row.merchant_id;
}

function chosen(name: string | number, rows: readonly { readonly id: number }[], field: string | null): number | null {
  if (rows.length < 2) return rows[0]?.id ?? null;
  const ids = rows.map((row) => wireId("order", row.id)).join(" and ");
  const message = `${name} is the number of one order and the id of another: ${ids}. Use the form ord_N.`;
  const fields = [{ field: field ?? "", code: "ambiguous_identifier", message: `matches ${ids}` }];
  throw new Fault("ambiguous_identifier", message, field === null ? {} : { fields });
}

const ofSuspended = template`exists (
  select 1 from ${merchants} where ${merchants.id} = ${orders.merchant_id}
  and ${isOneOf(merchants.status, suspendedStatuses)}
)`;

/** The columns that are read of an order, and whether its merchant is suspended at that moment. */
export const orderRow = {
  ...getTableColumns(orders),
  // Nested in another expression, so that its columns keep the names of their tables.
  suspended: template<boolean>`${ofSuspended}`.mapWith(Boolean).as("suspended"),
};

/** A row as read with `orderRow`. */
export type StoredOrderRow = typeof orders.$inferSelect & { suspended: boolean };

const byIds = preparedOf((sql, isOf) => sql.select(orderRow).from(orders).where(isOf(orders.id)));

/** The rows of the orders with these ids, in their order. Unknown ids are left out. */
export async function findOrderRows(db: Db, ids: readonly number[]): Promise<StoredOrderRow[]> {
  return inOrderOf(ids, await byIds(db, { ids }));
}

/** The approximate size (bytes) of each of these orders as JSON, with everything that belongs to it. */
export const sizesOfOrders = sizesBy(order_lines.order_id, { record: 2000, part: 500 });
