// What a client calls an order: its identifier, or its own number for it.
import { eq, getTableColumns, or, sql as template } from "drizzle-orm";
import { among, amongTexts, isOneOf, list } from "../../../db/kit.ts";
import { merchants } from "../../../db/schema/merchants.ts";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { Fault, missing, orFault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { suspendedStatuses } from "../../merchants/merchant.transitions.ts";
import type { Db } from "../../storage/database.ts";
import { inOrderOf, sizesBy } from "../../storage/long_records.ts";
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

/** Whether what names an order can be no order number. */
export function isOrderId(name: string | number): boolean {
  return typeof name === "number" || /^ord_\d+$/.test(name);
}

const idOf = (name: string | number) => readId("order", name) ?? 0;
const numberOf = (name: string | number) => (isOrderId(name) ? "" : String(name));

/**
 * The id of the order that a client names, or null: an integer and `ord_N` are ids, any other text is an order number
 * first and then, when it is all digits, an id. `field` is where a request says it, null for its path.
 * Refuses: ambiguous_identifier, when the number is one order's and the id another's.
 */
export async function findOrderId(db: Db, name: string | number, field: string | null): Promise<number | null> {
  return chosen(name, await named(db, { id: idOf(name), order_number: numberOf(name) }), field);
}

/** The ids of the orders that a list names, each as `findOrderId`. Refuses: ambiguous_identifier. */
export async function findOrderIds(db: Db, names: readonly string[], field: string): Promise<(number | null)[]> {
  const rows = await allNamed(db, { ids: list(names.map(idOf)), numbers: list(names.map(numberOf)) });
  return names.map((name, at) => chosen(name, rowsOf(rows, name), `${field}[${at}]`));
}

/** The id of the order that a field names, as `findOrderId`. Refuses: resource_missing, ambiguous_identifier. */
export async function resolveOrder(db: Db, name: string | number, field = "order_id"): Promise<number> {
  const found = await findOrderId(db, name, field);
  if (found === null) throw noSuchOrder(name, field);
  return found;
}

function noSuchOrder(name: string | number, field: string): Fault {
  const fields = [{ field, code: "resource_missing", message: "names no order" }];
  return new Fault("resource_missing", `No such order: ${name}.`, { fields });
}

/** The refusal of a name that is no order's; `field` is where a request says it, null for its path. */
export function unknownOrder(name: string | number, field: string | null): Fault {
  return field === null ? missing("order", name) : noSuchOrder(name, field);
}

/**
 * As `resolveOrder`, or for a null `field` as `getOrderId`, of several names at once, each with its id or refusal. What
 * can only be an id is not looked up: there may be no such order.
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
      const found = chosen(name, rowsOf(rows, name), field);
      if (found === null) throw unknownOrder(name, field);
      return found;
    });
  });
}

const rowsOf = (rows: readonly { readonly id: number; readonly order_number: string }[], name: string | number) =>
  rows.filter((row) => row.id === idOf(name) || row.order_number === numberOf(name));

/** The id of the order that a path names, as `findOrderId`. Refuses: resource_missing, ambiguous_identifier. */
export async function getOrderId(db: Db, name: string): Promise<number> {
  const found = await findOrderId(db, name, null);
  if (found === null) throw missing("order", name);
  return found;
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
  const message = `${name} is the number of one order and the id of another: ${ids}. Write the one you mean as ord_N.`;
  const fields = [{ field: field ?? "", code: "ambiguous_identifier", message: `may be ${ids}` }];
  throw new Fault("ambiguous_identifier", message, field === null ? {} : { fields });
}

const ofSuspended = template`exists (
  select 1 from ${merchants} where ${merchants.id} = ${orders.merchant_id}
  and ${isOneOf(merchants.status, suspendedStatuses)}
)`;

/** What is read of an order itself: its columns, and whether its merchant is suspended at that moment. */
export const orderRow = {
  ...getTableColumns(orders),
  // Within another expression, so that its columns keep the names of their tables.
  suspended: template<boolean>`${ofSuspended}`.mapWith(Boolean).as("suspended"),
};

/** A row as `orderRow` reads it. */
export type StoredOrderRow = typeof orders.$inferSelect & { suspended: boolean };

const byIds = preparedOf((sql, isOf) => sql.select(orderRow).from(orders).where(isOf(orders.id)));

/** The rows of the orders with these ids, in their order; ids that name nothing are left out. */
export async function findOrderRows(db: Db, ids: readonly number[]): Promise<StoredOrderRow[]> {
  return inOrderOf(ids, await byIds(db, { ids }));
}

/** About how many bytes each of the orders with these ids takes as JSON, with all that belongs to it. */
export const sizesOfOrders = sizesBy(order_lines.order_id, { record: 2000, part: 500 });
