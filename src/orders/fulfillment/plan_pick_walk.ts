import { Fault } from "../../core/faults.ts";
import { plansOf } from "../../inventory/reservations/reservations.sql.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import { codesIn } from "../../merchants/directory.sql.ts";
import { findProducts } from "../../products/products.sql.ts";
import type { Db } from "../../storage/database.ts";
import type { Order } from "../order.ts";
import { type PickWalk, walkOf, wave_orders_max } from "./pick_walk.ts";

/** Plans one walk through the bins of these orders. Refuses: validation_failed (too long a walk). */
export async function planWalk(db: Db, orders: readonly Order[]): Promise<PickWalk> {
  const plans = await plansOf(
    db,
    orders.map(({ id }) => id),
  );
  const products = await findProducts(db, [...new Set(plans.map(({ product_id }) => product_id))]);
  const codes = await codesIn(db, orders);
  return walkOf({ orders, plans, products, warehouses: await listPlainWarehouses(db), codes });
}

/**
 * Plans as many of these orders as fit in one walk, from the first on. Returns the walk, null if even the first order
 * alone is too long, and how many orders it covers.
 */
export async function planNextWalk(
  db: Db,
  orders: readonly Order[],
): Promise<{ readonly walk: PickWalk | null; readonly count: number }> {
  for (let count = Math.min(orders.length, wave_orders_max); count > 0; count = Math.floor(count / 2)) {
    try {
      return { walk: await planWalk(db, orders.slice(0, count)), count };
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "validation_failed") throw error;
    }
  }
  return { walk: null, count: 1 };
}
