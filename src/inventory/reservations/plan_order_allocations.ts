// What new orders get of the stock: planned one after the other, and then stored all together.

import type { Fault } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import { initialReservationStatus } from "../inventory.transitions.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { insertAllocations } from "./allocations.sql.ts";
import { type LockedStockMap, lockedStockOf, promiseAll } from "./locked_stock.ts";
import { planStock, type StockPortion, shortageFault, type WantedUnits } from "./plan_stock.ts";
import type { OrderAllocation, Reservation, ReservationLine } from "./reservation.ts";
import { insertLines, insertReservations } from "./reservations.sql.ts";

/** What a new order wants of the stock, before it is stored. */
type OrderDemand = Pick<OrderAllocation, "warehouse_id" | "requires_cold_storage" | "allow_backorder"> & {
  readonly lines: readonly WantedUnits[];
};

/** For each line of a claim the units that it gets. */
export type LinePortions = readonly (readonly StockPortion[])[];

/**
 * Plans what each of these orders gets of open shelves, of what those before it leave. An order that allows no
 * backorder and cannot have all has its refusal as the plan, and leaves everything to the others. Nothing is stored.
 */
export function planOrderAllocations(
  tx: Tx,
  shelves: LockedStockMap,
  wishes: readonly OrderDemand[],
): (LinePortions | Fault)[] {
  const taken: StockPortion[] = [];
  const plans = wishes.map(({ lines, allow_backorder, warehouse_id, requires_cold_storage }) => {
    const options = { now: tx.now, warehouse_id, requires_cold_storage };
    const { portions, missing } = planStock(lines, shelves, options);
    if (!allow_backorder && missing.some((units) => units > 0)) return shortageFault(lines, missing, shelves, options);
    for (const portion of portions.flat()) {
      portion.item.reserved += portion.quantity;
      taken.push(portion);
    }
    return portions;
  });
  // The units are promised for good when they are stored.
  for (const { item, quantity } of taken) item.reserved -= quantity;
  return plans;
}

/** A reservation that is about to be stored: what it wants, and for each line the units that were planned for it. */
export interface PlannedAllocation {
  readonly row: Omit<Reservation, "id">;
  readonly lines: readonly (WantedUnits & { readonly order_line_id: number | null })[];
  readonly portions: LinePortions;
}

/** The claim of an order that is stored, as it was planned. */
export function plannedAllocation(tx: Tx, claim: OrderAllocation, portions: LinePortions): PlannedAllocation {
  const { merchant_id, order_id, order_number: order_ref, source, priority, lines } = claim;
  const { warehouse_id, requires_cold_storage } = claim;
  const row = { merchant_id, order_id, order_ref, source, priority, warehouse_id, requires_cold_storage };
  const open = { status: initialReservationStatus, paused: false, expires_at: null, released_at: null, avoids: null };
  return { row: { ...row, ...open, created_at: tx.now }, lines, portions };
}

/** Stores reservations as they were planned. Emits: inventory.updated, inventory.low_stock. */
export async function storeOrderAllocations(
  tx: Tx,
  shelves: LockedStockMap,
  planned: readonly PlannedAllocation[],
): Promise<{ readonly id: number; readonly lines: readonly ReservationLine[] }[]> {
  const ids = await insertReservations(
    tx,
    planned.map(({ row }) => row),
  );
  const rows = planned.flatMap(({ row: { merchant_id }, lines, portions }, at) =>
    lines.map(({ product_id, order_line_id, quantity }, nth) => {
      const own = portions[nth] ?? [];
      const reserved = own.reduce((sum, portion) => sum + portion.quantity, 0);
      const counts = { quantity, wanted: quantity, reserved, picked: 0 };
      return { own, row: { merchant_id, reservation_id: ids[at] ?? 0, product_id, order_line_id, ...counts } };
    }),
  );
  const line_ids = await insertLines(
    tx,
    rows.map(({ row }) => row),
  );
  const promised = new Map<StockItem, number>();
  const allocations = rows.flatMap(({ own }, at) =>
    own.map(({ item, quantity }) => {
      promised.set(item, (promised.get(item) ?? 0) + quantity);
      const { id: stock_item_id, merchant_id } = item;
      return { merchant_id, reservation_line_id: line_ids[at] ?? 0, stock_item_id, quantity };
    }),
  );
  await promiseAll(tx, promised);
  await insertAllocations(tx, allocations);
  for (const { row } of rows) lockedStockOf(shelves, row.product_id).backordered += row.wanted - row.reserved;
  const lines = rows.map(({ row }, at) => ({ id: line_ids[at] ?? 0, ...row }));
  const linesOf = Map.groupBy(lines, ({ reservation_id }) => reservation_id);
  return ids.map((id) => ({ id, lines: linesOf.get(id) ?? [] }));
}
