import { wireId } from "../../core/ids.ts";
import { read, routes } from "../../http/routes.ts";
import { listAwaited } from "../../inventory/receiving/receipts.sql.ts";
import { listInTransit } from "../../inventory/receiving/transfers.sql.ts";
import { withAllocations } from "../../inventory/reservations/allocations.sql.ts";
import { findOrderReservation, listLines } from "../../inventory/reservations/reservations.sql.ts";
import { loadStock } from "../../inventory/stock/stock.sql.ts";
import { listBackorders, listHeldUnits } from "../../inventory/stock/stock_breakdown.sql.ts";
import { named_max } from "../../inventory/stock/stock_breakdown.ts";
import type { Db } from "../../storage/database.ts";
import { backorderedUnits } from "../order.ts";
import { getOrder } from "../orders.sql.ts";
import { PlanView } from "./stock_plan.schema.ts";
import { type HeldProductStock, heldStock, heldView, holders_max, type Shortness, short_max } from "./stock_plan.ts";

/** The stock that an order holds, and why. */
export const planRoutes = routes("Orders", [
  read("/orders/:id/plan", "orders.read", {
    id: "getOrderPlan",
    summary: "Get the allocation plan of an order: the stock it holds, why, and what it waits for",
    description:
      "Explains for each SKU which bins and lots the order holds and why other stock was passed over; for short SKUs" +
      " also who holds the stock and when more is expected. It only reads: `POST /orders/:id/allocate` allocates" +
      " again.",
    view: PlanView,
    data: (db, { params }) => planOf(db, params.id),
  }),
]);

async function planOf(db: Db, id: string) {
  const order = await getOrder(db, id);
  const backordered_units = backorderedUnits(order);
  const allocation = { complete: backordered_units === 0, backordered_units };
  const shared = { order_id: wireId("order", order.id), allocation };
  const reservation = await findOrderReservation(db, order.id);
  if (reservation === null) return { ...shared, paused: false, items: [] };
  const lines = await withAllocations(db, await listLines(db, [reservation.id]));
  const products = [...new Set(lines.filter(({ wanted }) => wanted > 0).map(({ product_id }) => product_id))];
  const loaded = await loadStock(db, products);
  const stocks = new Map(loaded.map((stock) => [stock.product.id, stock]));
  const held_stock = heldStock(reservation, lines, stocks, db.now);
  const known = await explained(db, held_stock);
  const items = loaded.flatMap((stock) => {
    const own = held_stock.find(({ product_id }) => product_id === stock.product.id);
    return own === undefined ? [] : [heldView(own, reservation, stock, known.get(own.product_id) ?? null)];
  });
  return { ...shared, paused: reservation.paused, items };
}

/** Explanations of the SKUs that are short: only of the first `short_max`, since each takes queries of its own. */
async function explained(db: Db, held_stock: readonly HeldProductStock[]): Promise<ReadonlyMap<number, Shortness>> {
  const short = held_stock.filter(({ wanted, reserved }) => reserved < wanted).slice(0, short_max);
  const known = new Map<number, Shortness>();
  for (const { product_id } of short) {
    known.set(product_id, {
      promised: await listHeldUnits(db, product_id, holders_max + 2),
      waiting: await listBackorders(db, product_id, named_max),
      awaited: await listAwaited(db, product_id, named_max + 1),
      in_transit: await listInTransit(db, product_id, named_max + 1),
    });
  }
  return known;
}
