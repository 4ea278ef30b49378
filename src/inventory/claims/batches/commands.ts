import { reservationStarts } from "../../reservations/status.ts";
// The claims of many orders at once: planned one after the other, stored all together.

import type { Tx } from "../../../database/store.ts";
import { assert } from "../../../kit/assert.ts";
import { insertAllocations } from "../../allocations/store.ts";
import { freshShelves } from "../../backorders/commands.ts";
import type { StockItem } from "../../ledger/spot.ts";
import type { ClaimLine, OrderClaim } from "../../reservations/claim.ts";
import { claimLine } from "../../reservations/reservation.ts";
import { type Plan, planStock } from "../../reservations/rules.ts";
import { findAdoptableRefs, insertLines, insertReservations } from "../../reservations/store.ts";
import { promise, type Shelves, shelfOf } from "../../shelves/commands.ts";
import { claimForOrder } from "../commands.ts";

/**
 * As `claimForOrder` for each of these orders of one source, in their order. All of them allow backorders and none
 * names a reservation, so that no claim is refused. Emits: inventory.updated, inventory.low_stock.
 */
export async function claimForOrders(tx: Tx, claims: readonly OrderClaim[]): Promise<ClaimLine[][]> {
  const [first] = claims;
  if (first === undefined) return [];
  const products = claims.flatMap(({ lines }) => lines.map(({ product_id }) => product_id));
  const shelves = await freshShelves(tx, [...new Set(products)]);
  const adopting = await findAdoptableRefs(
    tx,
    claims.map(({ order_number }) => order_number),
    first.source,
  );
  const claimed: ClaimLine[][] = [];
  let plain: OrderClaim[] = [];
  for (const claim of claims) {
    assert(claim.allow_backorder && claim.reservation_id === null, "a claim that may be refused is made by itself");
    if (!adopting.has(claim.order_number)) {
      plain.push(claim);
      continue;
    }
    claimed.push(...(await claimPlainly(tx, shelves, plain)), await claimForOrder(tx, claim));
    plain = [];
  }
  return [...claimed, ...(await claimPlainly(tx, shelves, plain))];
}

/** Claims for orders that adopt nothing. */
async function claimPlainly(tx: Tx, shelves: Shelves, claims: readonly OrderClaim[]): Promise<ClaimLine[][]> {
  const plans = planInTurn(tx, shelves, claims);
  const open = { status: reservationStarts, paused: false, expires_at: null, released_at: null, avoids: null };
  const ids = await insertReservations(
    tx,
    claims.map(({ order_id, order_number: order_ref, source, priority, warehouse_id, requires_cold_storage }) => {
      const row = { order_id, order_ref, source, priority, warehouse_id, requires_cold_storage };
      return { ...row, ...open, created_at: tx.now };
    }),
  );
  const rows = claims.flatMap(({ lines }, at) =>
    lines.map(({ product_id, order_line_id, quantity }, nth) => {
      const portions = plans[at]?.portions[nth] ?? [];
      const reserved = portions.reduce((sum, portion) => sum + portion.quantity, 0);
      const counts = { quantity, wanted: quantity, reserved, picked: 0 };
      return { portions, row: { reservation_id: ids[at] ?? 0, product_id, order_line_id, ...counts } };
    }),
  );
  const line_ids = await insertLines(
    tx,
    rows.map(({ row }) => row),
  );
  const promised = new Map<StockItem, number>();
  const allocations = rows.flatMap(({ portions }, at) =>
    portions.map(({ item, quantity }) => {
      promised.set(item, (promised.get(item) ?? 0) + quantity);
      return { reservation_line_id: line_ids[at] ?? 0, stock_item_id: item.id, quantity };
    }),
  );
  for (const [item, units] of [...promised].sort(([a], [b]) => a.id - b.id)) await promise(tx, item, units);
  await insertAllocations(tx, allocations);
  for (const { row } of rows) shelfOf(shelves, row.product_id).backordered += row.wanted - row.reserved;
  const lines = rows.map(({ row }, at) => ({ id: line_ids[at] ?? 0, ...row }));
  const linesOf = Map.groupBy(lines, ({ reservation_id }) => reservation_id);
  return ids.map((id) => (linesOf.get(id) ?? []).map(claimLine));
}

/** A plan for each claim, of what those before it leave. */
function planInTurn(tx: Tx, shelves: Shelves, claims: readonly OrderClaim[]): Plan[] {
  const taken: { readonly item: StockItem; readonly quantity: number }[] = [];
  const plans = claims.map(({ lines, warehouse_id, requires_cold_storage }) => {
    const plan = planStock(lines, shelves, { now: tx.now, warehouse_id, requires_cold_storage });
    for (const portion of plan.portions.flat()) {
      portion.item.reserved += portion.quantity;
      taken.push(portion);
    }
    return plan;
  });
  // The units are promised for good when they are stored.
  for (const { item, quantity } of taken) item.reserved -= quantity;
  return plans;
}
