// Breaks down the stock of a product in SQL that starts from the ledger and the allocations, not from the balances.
import { and, asc, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { among, columnsOf, list } from "../../../db/kit.ts";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import type { Db } from "../../storage/database.ts";
import type { MovementType } from "../inventory.transitions.ts";
import type { Backorder, BreakdownPlace, HeldUnits, LedgerSum } from "./stock_breakdown.ts";

const id_max = Number.MAX_SAFE_INTEGER;

/**
 * Both sides of a product's movements up to a time (ms; null: all of them), each as a change of one stock item. A
 * movement has the time at which its transaction began, but its id is assigned under the product's lock. One that
 * waited for the lock has a higher id and perhaps an earlier time. Only the movements before the first that is later
 * than `as_of` are therefore a state that existed.
 */
function sidesOf(product_id: number, as_of: number | null): SQL {
  const firstLater = sql`(
    select min(${movements.id}) from ${movements}
    where ${movements.product_id} = ${product_id} and ${movements.created_at} > ${as_of}
  )`;
  const until = as_of === null ? undefined : sql`${movements.id} < coalesce(${firstLater}, ${id_max})`;
  const its = and(eq(movements.product_id, product_id), until);
  return sql`(
    select ${movements.from_item_id} as item, ${movements.id} as id, ${movements.type} as type,
      ${movements.reason} as reason, -${movements.quantity} as change
    from ${movements} where ${its} and ${movements.from_item_id} is not null
    union all
    select ${movements.to_item_id}, ${movements.id}, ${movements.type}, ${movements.reason}, ${movements.quantity}
    from ${movements} where ${its} and ${movements.to_item_id} is not null
  )`;
}

const summed = {
  type: sql<MovementType>`type`,
  reason: sql<string>`reason`,
  movements: sql<number>`count(distinct id)`.mapWith(Number),
  units: sql<number>`sum(change)`.mapWith(Number),
};

/** The movements of a product up to a time (ms; null: now), summed by type and reason. */
export async function sumMovements(db: Db, product_id: number, as_of: number | null): Promise<LedgerSum[]> {
  return db.sql
    .select(summed)
    .from(sql`${sidesOf(product_id, as_of)} as sides`)
    .groupBy(sql`type, reason`)
    .orderBy(sql`min(id)`);
}

/** The bins and lots that hold units of a product at a time (ms; null: now), each with its movements summed. */
export async function listPlaces(db: Db, product_id: number, as_of: number | null): Promise<BreakdownPlace[]> {
  const sides = sidesOf(product_id, as_of);
  const sums = await db.sql
    .select({ item: sql<number>`item`.mapWith(Number), ...summed })
    .from(sql`${sides} as sides`)
    .where(sql`item in (select item from ${sides} as again group by item having sum(change) <> 0)`)
    .groupBy(sql`item, type, reason`)
    .orderBy(sql`min(id)`);
  const sumsOf = Map.groupBy(sums, ({ item }) => item);
  const spots = await db.sql
    .select({
      id: stock_items.id,
      warehouse_id: stock_items.warehouse_id,
      bin: bins.code,
      bin_kind: bins.kind,
      lot_number: lots.lot_number,
    })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(among(stock_items.id, sql`${list([...sumsOf.keys()])}`))
    .orderBy(asc(stock_items.warehouse_id), asc(bins.code), asc(stock_items.id));
  return spots.map(({ id, ...spot }) => ({
    ...spot,
    movements: (sumsOf.get(id) ?? []).map(({ item: _item, ...sum }) => sum),
  }));
}

/** Reservations that hold units of a product, oldest first. */
export async function listHeldUnits(db: Db, product_id: number, limit: number): Promise<HeldUnits[]> {
  const picked = sql`case when ${bins.kind} = 'staging' then ${allocations.quantity} else 0 end`;
  return db.sql
    .select({
      reservation_id: reservations.id,
      ...columnsOf(reservations, "order_id", "order_ref", "status", "expires_at"),
      units: sql<number>`sum(${allocations.quantity})`.mapWith(Number),
      picked: sql<number>`sum(${picked})`.mapWith(Number),
    })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .innerJoin(allocations, eq(allocations.stock_item_id, stock_items.id))
    .innerJoin(reservation_lines, eq(reservation_lines.id, allocations.reservation_line_id))
    .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
    .where(and(eq(stock_items.product_id, product_id), sql`${stock_items.on_hand} > 0`))
    .groupBy(
      reservations.id,
      reservations.order_id,
      reservations.order_ref,
      reservations.status,
      reservations.expires_at,
    )
    .orderBy(asc(reservations.id))
    .limit(limit);
}

/** Reservations that wait for units of a product, in the order in which they are served. */
export async function listBackorders(db: Db, product_id: number, limit: number): Promise<Backorder[]> {
  return db.sql
    .select({
      reservation_id: reservations.id,
      ...columnsOf(reservations, "order_id", "order_ref", "priority", "paused", "created_at"),
      units: sql<number>`${reservation_lines.wanted} - ${reservation_lines.reserved}`.mapWith(Number),
    })
    .from(reservation_lines)
    .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
    .where(and(eq(reservation_lines.product_id, product_id), lt(reservation_lines.reserved, reservation_lines.wanted)))
    .orderBy(desc(reservations.priority), asc(reservations.created_at), asc(reservation_lines.id))
    .limit(limit);
}
