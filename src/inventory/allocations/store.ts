import { asc, eq, sql } from "drizzle-orm";
import { among, list } from "../../../db/kit.ts";
import { stock_items } from "../../../db/schema/inventory.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db, Tx, Writing } from "../../database/store.ts";

/** Units of one stock item that are promised to some lines. */
export interface HeldUnits {
  readonly product_id: number;
  readonly stock_item_id: number;
  readonly units: number;
}

const held = prepared((select, a: Args<{ lines: string }>) =>
  select
    .select({
      product_id: stock_items.product_id,
      stock_item_id: stock_items.id,
      units: sql<number>`sum(${allocations.quantity})`.mapWith(Number),
    })
    .from(allocations)
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .where(among(allocations.reservation_line_id, a.lines))
    .groupBy(stock_items.id)
    .orderBy(asc(stock_items.id)),
);

/** What is promised to these lines, of each stock item. */
export async function listHeld(db: Db, line_ids: readonly number[]): Promise<HeldUnits[]> {
  return line_ids.length === 0 ? [] : held(db, { lines: list(line_ids) });
}

const places = prepared((select, a: Args<{ ids: string }>) =>
  select
    .selectDistinct({ order_id: reservations.order_id, warehouse_id: stock_items.warehouse_id })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .where(among(reservations.order_id, a.ids)),
);

/** The warehouses in which units lie that are promised to these orders, by order. */
export async function warehousesOf(db: Db, order_ids: readonly number[]): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  if (order_ids.length === 0) return found;
  for (const { order_id, warehouse_id } of await places(db, { ids: list(order_ids) })) {
    const known = found.get(order_id ?? 0);
    if (known === undefined) found.set(order_id ?? 0, [warehouse_id]);
    else known.push(warehouse_id);
  }
  return found;
}

const forget = prepared((tx: Writing, a: Args<{ lines: string }>) =>
  tx.delete(allocations).where(among(allocations.reservation_line_id, a.lines)),
);
const close = prepared((tx: Writing, a: Args<{ lines: string }>) =>
  tx.update(reservation_lines).set({ wanted: sql`0`, reserved: sql`0` }).where(among(reservation_lines.id, a.lines)),
);

/** Stores that these lines want nothing any more and that nothing is promised to them. */
export async function closeLines(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const lines = list(ids);
  await forget(tx, { lines });
  await close(tx, { lines });
}
