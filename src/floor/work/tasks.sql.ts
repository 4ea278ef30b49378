import { and, asc, eq, gt, sql } from "drizzle-orm";
import { isOneOf, opaque } from "../../../db/kit.ts";
import { stock_items } from "../../../db/schema/inventory.ts";
import { orders } from "../../../db/schema/orders.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { workStatuses } from "../../orders/order.transitions.ts";
import type { Db } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";

/** An order of which everything is picked, and that is not packed. */
interface OrderToPack {
  readonly id: number;
  readonly order_number: string;
  readonly created_at: number;
  /** The warehouse that it requests, or null. */
  readonly requested_id: number | null;
  readonly packing_note: string | null;
  /** The warehouse where its units are. */
  readonly warehouse_id: number;
  readonly units: number;
}

const isWhole = sql`${bins.kind} = 'staging' and ${reservation_lines.reserved} = ${reservation_lines.wanted}`;
const isStaged = sql`min(case when ${isWhole} then 1 else 0 end) = 1`;

const picked = prepared((query, a: StatementArgs<{ limit: number }>) =>
  query
    .select({
      id: orders.id,
      order_number: orders.order_number,
      created_at: orders.created_at,
      requested_id: orders.warehouse_id,
      packing_note: orders.packing_note,
      warehouse_id: sql<number>`min(${stock_items.warehouse_id})`.mapWith(Number),
      units: sql<number>`sum(${allocations.quantity})`.mapWith(Number),
    })
    .from(orders)
    .innerJoin(reservations, eq(reservations.order_id, orders.id))
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    // A line without any units has no allocation, and is not staged.
    .leftJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .leftJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .leftJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(and(isOneOf(orders.status, workStatuses), sql`${orders.held} = false`, gt(reservation_lines.wanted, 0)))
    .groupBy(orders.id)
    .having(isStaged)
    .orderBy(asc(orders.id))
    .limit(opaque(a.limit)),
);

/** Orders that can be packed, oldest first. */
export async function listOrdersToPack(db: Db, limit: number): Promise<OrderToPack[]> {
  return picked(db, { limit });
}
