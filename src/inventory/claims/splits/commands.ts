// An order's claim taken apart: some of its units become the claim of another order.

import type { Tx } from "../../../database/store.ts";
import { assert } from "../../../kit/assert.ts";
import { assignUnits, replaceLines, setCounts } from "../../allocations/commands.ts";
import type { ClaimLine, OrderClaim, PartUnits } from "../../reservations/claim.ts";
import { claimLine, type HeldLine } from "../../reservations/reservation.ts";
import type { Portion } from "../../reservations/rules.ts";
import { insertReservation } from "../../reservations/store.ts";
import { reservationStarts } from "../../status.ts";
import { firstUnits } from "../commands.ts";
import { dropLines, openClaim } from "../open/commands.ts";

/** Units of an order's line that become those of a line of another order; `whole` when the old line ends by it. */
interface SplitUnits extends PartUnits {
  readonly to_line_id: number;
  readonly whole: boolean;
}

/**
 * Gives units of an order's claim to that of a new order: of each line first what it waits for, then what is promised
 * to it last; nothing that is picked. They keep their place in the queue, and nobody else gets any of them meanwhile.
 */
export async function splitClaim(
  tx: Tx,
  order_id: number,
  to: OrderClaim,
  units: readonly SplitUnits[],
): Promise<{ readonly left: ClaimLine[]; readonly gone: ClaimLine[] }> {
  const claim = await openClaim(tx, order_id);
  const { reservation, lines, shelves } = claim;
  const moves = units.map((unit) => ({ unit, ...takenFrom(lines, unit) }));
  const portions: Portion[][] = [];
  for (const { line, from_shelf } of moves) {
    const unpicked = firstUnits(shelves, line, line.reserved - line.picked);
    const kept = firstUnits(shelves, line, line.reserved - line.picked - from_shelf);
    portions.push(without(unpicked, kept));
    await assignUnits(tx, shelves, [{ line, portions: kept }]);
  }
  for (const { unit, line, from_shelf } of moves) {
    await setCounts(tx, shelves, line, { wanted: line.wanted - unit.quantity, reserved: line.reserved - from_shelf });
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
    status: reservationStarts,
    paused,
    expires_at: null,
    released_at: null,
    created_at,
  });
  const wants = units.map(({ product_id, to_line_id, quantity }) => {
    return { product_id, order_line_id: to_line_id, quantity };
  });
  const gone = await replaceLines(tx, shelves, { id, merchant_id }, [], wants, portions);
  await dropLines(
    tx,
    claim,
    moves.flatMap(({ unit, line }) => (unit.whole ? line.id : [])),
  );
  return { left: claim.lines.map(claimLine), gone: gone.map(claimLine) };
}

function takenFrom(lines: readonly HeldLine[], { order_line_id, product_id, quantity }: SplitUnits) {
  const line = lines.find((one) => one.order_line_id === order_line_id && one.product_id === product_id);
  assert(line !== undefined && quantity <= line.wanted - line.picked, "only unpicked units of a line are split off");
  return { line, from_shelf: Math.max(0, quantity - (line.wanted - line.reserved)) };
}

/** Portions less some of them. */
function without(all: readonly Portion[], kept: readonly Portion[]): Portion[] {
  const left = new Map(kept.map(({ item, quantity }) => [item.id, quantity]));
  return all.flatMap(({ item, quantity }) => {
    const rest = quantity - (left.get(item.id) ?? 0);
    return rest > 0 ? [{ item, quantity: rest }] : [];
  });
}
