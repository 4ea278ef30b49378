// Plans the allocations of new orders one after the other, then stores them all together.

import type { Fault } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import { initialReservationStatus } from "../inventory.transitions.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { insertAllocations } from "./allocations.sql.ts";
import { adjustReservedOfEach, type LockedStockMap, lockedStockOf } from "./locked_stock.ts";
import { planStock, type StockPortion, shortageFault, type WantedUnits } from "./plan_stock.ts";
import type { OrderAllocation, Reservation, ReservationLine } from "./reservation.ts";
import { insertLines, insertReservations } from "./reservations.sql.ts";

/** What a new order wants of the stock, before it is stored. */
type OrderDemand = Pick<OrderAllocation, "warehouse_id" | "requires_cold_storage" | "allow_backorder"> & {
  readonly lines: readonly WantedUnits[];
};

/** For each line, the units allocated to it. */
export type LinePortions = readonly (readonly StockPortion[])[];

/**
 * Plans the allocations of these orders from locked stock; each gets what the orders before it leave. The plan of an
 * order that allows no backorder and cannot be filled is its refusal, and takes nothing. Nothing is stored.
 */
export function planOrderAllocations(
  tx: Tx,
  stocks: LockedStockMap,
  demands: readonly OrderDemand[],
): (LinePortions | Fault)[] {
  const taken: StockPortion[] = [];
  const plans = demands.map(({ lines, allow_backorder, warehouse_id, requires_cold_storage }) => {
    const options = { now: tx.now, warehouse_id, requires_cold_storage };
    const { portions, missing } = planStock(lines, stocks, options);
    if (!allow_backorder && missing.some((units) => units > 0)) return shortageFault(lines, missing, stocks, options);
    for (const portion of portions.flat()) {
      portion.item.reserved += portion.quantity;
      taken.push(portion);
    }
    return portions;
  });
  // The units are reserved when the plans are stored.
  for (const { item, quantity } of taken) item.reserved -= quantity;
  return plans;
}

/** A reservation to store: what it wants, and the units planned for each line. */
export interface PlannedAllocation {
  readonly row: Omit<Reservation, "id">;
  readonly lines: readonly (WantedUnits & { readonly order_line_id: number | null })[];
  readonly portions: LinePortions;
}

/** The reservation of an order as planned, ready to be stored. */
export function plannedAllocation(tx: Tx, allocation: OrderAllocation, portions: LinePortions): PlannedAllocation {
  const { merchant_id, order_id, order_number: order_ref, source, priority, lines } = allocation;
  const { warehouse_id, requires_cold_storage } = allocation;
  const row = { merchant_id, order_id, order_ref, source, priority, warehouse_id, requires_cold_storage };
  const open = { status: initialReservationStatus, paused: false, expires_at: null, released_at: null, avoids: null };
  return { row: { ...row, ...open, created_at: tx.now }, lines, portions };
}

/** Stores planned reservations. Emits: inventory.updated, inventory.low_stock. */
export async function storeOrderAllocations(
  tx: Tx,
  stocks: LockedStockMap,
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
  const reserved_units = new Map<StockItem, number>();
  const allocations = rows.flatMap(({ own }, at) =>
    own.map(({ item, quantity }) => {
      reserved_units.set(item, (reserved_units.get(item) ?? 0) + quantity);
      const { id: stock_item_id, merchant_id } = item;
      return { merchant_id, reservation_line_id: line_ids[at] ?? 0, stock_item_id, quantity };
    }),
  );
  await adjustReservedOfEach(tx, reserved_units);
  await insertAllocations(tx, allocations);
  for (const { row } of rows) lockedStockOf(stocks, row.product_id).backordered += row.wanted - row.reserved;
  const lines = rows.map(({ row }, at) => ({ id: line_ids[at] ?? 0, ...row }));
  const linesOf = Map.groupBy(lines, ({ reservation_id }) => reservation_id);
  return ids.map((id) => ({ id, lines: linesOf.get(id) ?? [] }));
}
