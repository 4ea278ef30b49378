// Splits an order's allocation: some of its units become the allocation of another order.

import { assert } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import { initialReservationStatus } from "../inventory.transitions.ts";
import { assignUnits, replaceLines, setCounts } from "./allocations.ts";
import { dropLines, lockOrderAllocation } from "./lock_order_allocation.ts";
import { firstUnits } from "./order_allocations.ts";
import type { StockPortion } from "./plan_stock.ts";
import type { AllocationLine, OrderAllocation, PartUnits } from "./reservation.ts";
import { allocationLine, type HeldLine } from "./reservation.ts";
import { insertReservation } from "./reservations.sql.ts";

/** Units of an order's line that move to a line of another order; `whole` when the old line ends. */
interface SplitUnits extends PartUnits {
  readonly to_line_id: number;
  readonly whole: boolean;
}

/**
 * Moves units of an order's allocation to that of a new order: of each line first backordered units, then those planned
 * last, and none that are picked. They keep their place in the queue, and no other order can get them.
 */
export async function splitOrderAllocation(
  tx: Tx,
  order_id: number,
  to: OrderAllocation,
  units: readonly SplitUnits[],
): Promise<{ readonly left: AllocationLine[]; readonly gone: AllocationLine[] }> {
  const allocation = await lockOrderAllocation(tx, order_id);
  const { reservation, lines, stocks } = allocation;
  const moves = units.map((unit) => ({ unit, ...takenFrom(lines, unit) }));
  const portions: StockPortion[][] = [];
  for (const { line, from_shelf } of moves) {
    const unpicked = firstUnits(stocks, line, line.reserved - line.picked);
    const remaining = firstUnits(stocks, line, line.reserved - line.picked - from_shelf);
    portions.push(without(unpicked, remaining));
    await assignUnits(tx, stocks, [{ line, portions: remaining }]);
  }
  for (const { unit, line, from_shelf } of moves) {
    await setCounts(tx, stocks, line, { wanted: line.wanted - unit.quantity, reserved: line.reserved - from_shelf });
  }
  const { order_number: order_ref, source, priority, warehouse_id, requires_cold_storage } = to;
  const { merchant_id, paused, created_at } = reservation;
  const id = await insertReservation(tx, {
    merchant_id,
    order_id: to.order_id,
    order_ref,
    source,
    priority,
    warehouse_id,
    requires_cold_storage,
    status: initialReservationStatus,
    paused,
    expires_at: null,
    released_at: null,
    created_at,
  });
  const wants = units.map(({ product_id, to_line_id, quantity }) => {
    return { product_id, order_line_id: to_line_id, quantity };
  });
  const gone = await replaceLines(tx, stocks, { id, merchant_id }, [], wants, portions);
  await dropLines(
    tx,
    allocation,
    moves.flatMap(({ unit, line }) => (unit.whole ? line.id : [])),
  );
  return { left: allocation.lines.map(allocationLine), gone: gone.map(allocationLine) };
}

function takenFrom(lines: readonly HeldLine[], { order_line_id, product_id, quantity }: SplitUnits) {
  const line = lines.find((one) => one.order_line_id === order_line_id && one.product_id === product_id);
  assert(line !== undefined && quantity <= line.wanted - line.picked, "only unpicked units of a line are split off");
  return { line, from_shelf: Math.max(0, quantity - (line.wanted - line.reserved)) };
}

/** Portions less some of them. */
function without(all: readonly StockPortion[], remaining: readonly StockPortion[]): StockPortion[] {
  const left = new Map(remaining.map(({ item, quantity }) => [item.id, quantity]));
  return all.flatMap(({ item, quantity }) => {
    const rest = quantity - (left.get(item.id) ?? 0);
    return rest > 0 ? [{ item, quantity: rest }] : [];
  });
}
