// The lines of orders. Acts change them through `orders.sql.ts`, with the order's row.
import { and, eq, sql as template } from "drizzle-orm";
import { among, inputField, inputRows, list } from "../../db/kit.ts";
import { order_lines } from "../../db/schema/orders.ts";
import { engine } from "../core/config.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { insertIds, prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import { forgetLines } from "./fulfillment/shipments.sql.ts";
import type { LineAmounts, Order, OrderLine } from "./order.ts";

// Not sorted: sorting costs SQLite more than the query.
const ofOrders = preparedOf((sql, isOf) => sql.select().from(order_lines).where(isOf(order_lines.order_id)));

/** The lines of orders, by id. */
export async function linesOf(db: Db, ids: readonly number[]) {
  return (await ofOrders(db, { ids })).sort((a, b) => a.id - b.id);
}

const unallocated = { wanted: 0, reserved: 0, picked: 0 };

/** A line to be ordered; for a past order, with how far its units have come. */
export type NewLine = LineAmounts &
  Pick<OrderLine, "product_id" | "sku" | "name" | "components"> &
  Partial<Pick<OrderLine, keyof typeof untouched>> & {
    /** When its order was created. Default: now. */
    readonly ordered_at?: number;
  };

const untouched = {
  quantity_packed: 0,
  quantity_shipped: 0,
  quantity_delivered: 0,
  quantity_returned: 0,
  quantity_cancelled: 0,
};

/** An order and its merchant. */
type OwnedOrder = Pick<Order, "id" | "merchant_id">;

/** Stores new lines of an order and returns them, without an allocation. */
export async function insertLines(
  tx: Tx,
  { id, merchant_id }: OwnedOrder,
  lines: readonly NewLine[],
): Promise<OrderLine[]> {
  return insertLinesOf(
    tx,
    lines.map((line) => ({ order_id: id, merchant_id, ...line })),
  );
}

/** As `insertLines`, for any number of orders. */
export async function insertLinesOf(
  tx: Tx,
  lines: readonly (NewLine & { readonly order_id: number; readonly merchant_id: number })[],
): Promise<(OrderLine & { readonly order_id: number })[]> {
  const rows = lines.map((line) => {
    const parts = line.components?.map(({ product_id, sku, quantity }) => ({ product_id, sku, quantity })) ?? null;
    return { ...untouched, ordered_at: tx.now, ...line, components: parts };
  });
  const ids = await insertIds(tx, order_lines, rows);
  return rows.map((row, at) => {
    const components = lines[at]?.components ?? null;
    return { id: ids[at] ?? 0, ...row, components, ...unallocated };
  });
}

const deleteRows = prepared((sql: WriteStatements, a: StatementArgs<{ ids: string }>) =>
  sql.delete(order_lines).where(among(order_lines.id, a.ids)),
);

/** Deletes lines with no packed units, and their units in voided parcels. */
export async function deleteLines(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await forgetLines(tx, ids);
  await deleteRows(tx, { ids: list(ids) });
}

const counters = [
  "quantity",
  "unit_price_cents",
  "discount_cents",
  "quantity_packed",
  "quantity_shipped",
  "quantity_delivered",
  "quantity_returned",
  "quantity_cancelled",
] as const satisfies (keyof OrderLine)[];

const saveLine = prepared((sql: WriteStatements, a: StatementArgs<Pick<OrderLine, "id" | (typeof counters)[number]>>) =>
  sql
    .update(order_lines)
    .set(Object.fromEntries(counters.map((name) => [name, a[name]])))
    .where(eq(order_lines.id, a.id)),
);

// All lines in one statement, since a trip to PostgreSQL takes longer than SQLite needs for all of them.
const saveLinesAtOnce = prepared((sql: WriteStatements, a: StatementArgs<{ lines: string }>) =>
  sql
    .update(order_lines)
    .set(Object.fromEntries(counters.map((name) => [name, inputField(name)])))
    .from(inputRows(a.lines))
    .where(eq(order_lines.id, inputField("id"))),
);

/** Stores the counters of the lines that an act has changed. */
export async function saveLines(tx: Tx, before: readonly OrderLine[], after: readonly OrderLine[]): Promise<void> {
  const known = new Map(before.map((line) => [line.id, line]));
  const lines = after.filter((line) => {
    const old = known.get(line.id);
    return old !== undefined && counters.some((name) => old[name] !== line[name]);
  });
  if (engine === "postgres" && lines.length > 1) {
    await saveLinesAtOnce(tx, { lines: JSON.stringify(lines) });
  } else for (const line of lines) await saveLine(tx, line);
}

const addReturned = prepared((sql: WriteStatements, a: StatementArgs<{ id: number; quantity: number }>) =>
  sql
    .update(order_lines)
    .set({ quantity_returned: template`${order_lines.quantity_returned} + ${a.quantity}` })
    .where(
      and(
        eq(order_lines.id, a.id),
        template`${order_lines.quantity_returned} + ${a.quantity} <= ${order_lines.quantity_shipped}`,
      ),
    )
    .returning({ id: order_lines.id }),
);

/** Counts units of a line as returned. Returns false when fewer were shipped. */
export async function countReturned(tx: Tx, id: number, quantity: number): Promise<boolean> {
  return (await addReturned(tx, { id, quantity })).length === 1;
}
