// Takes back a pick: units in an order's staging bin return to the bin that they were picked from.

import type { Actor } from "../../core/actor.ts";
import { assert, Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Tx } from "../../storage/database.ts";
import { isRecalled } from "../inventory.transitions.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { isLotGood } from "../stock/product_stock.ts";
import { binSpot, type WarehouseBin, type ZonedWarehouse } from "../warehouses/warehouse.ts";
import { shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor } from "../warehouses/warehouses.ts";
import { listMovesThrough } from "./allocations.sql.ts";
import { allocateUnits, itemOf, picked, setCounts, withdraw } from "./allocations.ts";
import { fillBackorders } from "./backorders.ts";
import { lockOrderAllocation } from "./lock_order_allocation.ts";
import { adjustReserved, type LockedStock, type LockedStockMap, lockedStockOf, moveUnits } from "./locked_stock.ts";
import type { Allocation, AllocationLine, HeldLine, PartUnits } from "./reservation.ts";
import { allocationLine } from "./reservation.ts";

/** The reason of movements that take back a pick. */
const unpicked_reason = "unpicked";

/** Units that returned to the shelf. */
export interface ReturnedUnits extends PartUnits {
  readonly sku: string;
  readonly warehouse_id: number;
  /** The bin that they are in now. */
  readonly bin: string;
  /** The bin that they were picked from; null if unknown. */
  readonly picked_from: string | null;
}

/** Units in a staging bin, and the line that holds them. */
interface StagedUnits {
  readonly line: HeldLine;
  readonly allocation: Allocation;
  readonly item: StockItem;
  readonly quantity: number;
}

/** Units that were picked from a bin; null for units with unknown origin. */
interface PickOrigin {
  readonly bin: string | null;
  quantity: number;
}

/**
 * Returns picked units of an order to the bins and lots that they were picked from, the last pick first. A bin that
 * does not take them any more is replaced as for received units. They stay reserved for the order, unless their lot may
 * not be shipped: then other units are reserved, or they are backordered. Returns the order's allocation and the units.
 * Refuses: bin_full. Emits: inventory.updated, inventory.low_stock.
 */
export async function returnPickedUnits(
  tx: Tx,
  order_id: number,
  units: readonly PartUnits[],
  actor: Actor,
): Promise<{ readonly claims: AllocationLine[]; readonly returned: ReturnedUnits[] }> {
  const { lines, stocks } = await lockOrderAllocation(tx, order_id);
  const staged = units.flatMap((one) => stagedUnits(stocks, lines, one));
  const origins = await pickOrigins(tx, [...new Set(staged.map(({ item }) => item.id))]);
  const returned: ReturnedUnits[] = [];
  const freed = new Set<number>();
  for (const { line, allocation, item, quantity } of staged) {
    const stock = lockedStockOf(stocks, line.product_id);
    const { id: product_id, sku } = stock.product;
    const warehouse = await shareWarehouse(tx, item.warehouse_id);
    const keeps = isLotGood(item, tx.now);
    if (!keeps) freed.add(product_id);
    for (const { bin: picked_from, quantity: part } of takeLast(origins.get(item.id) ?? [], quantity)) {
      const bin = await binThatTakes(tx, warehouse, stock, picked_from, part);
      await shelve(tx, stocks, { line, allocation, item, quantity: part }, binSpot(warehouse, bin), {
        keeps,
        order_id,
        actor,
      });
      const { warehouse_id } = item;
      const order_line_id = line.order_line_id ?? 0;
      returned.push({ order_line_id, product_id, sku, quantity: part, warehouse_id, bin: bin.code, picked_from });
    }
  }
  if (freed.size > 0) await fillBackorders(tx, stocks, [...freed]);
  return { claims: lines.map(allocationLine), returned };
}

/** Units of a line in staging, those that were allocated last first. */
function stagedUnits(
  stocks: LockedStockMap,
  lines: readonly HeldLine[],
  { order_line_id, product_id, quantity }: PartUnits,
): StagedUnits[] {
  const line = lines.find((one) => one.order_line_id === order_line_id && one.product_id === product_id);
  assert(line, `order line ${order_line_id} has an allocation`);
  let left = quantity;
  const staged = picked(stocks, line)
    .reverse()
    .flatMap((allocation) => {
      const taken = Math.min(left, allocation.quantity);
      left -= taken;
      const item = itemOf(stocks, product_id, allocation.stock_item_id);
      return taken > 0 ? [{ line, allocation, item, quantity: taken }] : [];
    });
  assert(left === 0, "no more units return than were picked");
  return staged;
}

/** The bins that the units in each staging item were picked from, the last pick last. */
async function pickOrigins(tx: Tx, item_ids: readonly number[]): Promise<ReadonlyMap<number, PickOrigin[]>> {
  const origins = new Map(item_ids.map((id): [number, PickOrigin[]] => [id, []]));
  for (const { from_item_id, to_item_id, quantity, reason, from_bin } of await listMovesThrough(tx, item_ids)) {
    origins.get(to_item_id ?? 0)?.push({ bin: from_bin, quantity });
    const left = origins.get(from_item_id ?? 0);
    if (left === undefined) continue;
    // Of units that shipped or were given up it is unknown where they were picked: the first ones count.
    if (reason === unpicked_reason) takeLast(left, quantity);
    else dropFirst(left, quantity);
  }
  return origins;
}

/** Takes the last units of a list, which loses them. Units that it does not have are of unknown origin. */
function takeLast(origins: PickOrigin[], quantity: number): PickOrigin[] {
  const taken: PickOrigin[] = [];
  let left = quantity;
  for (let last = origins.at(-1); left > 0 && last !== undefined; last = origins.at(-1)) {
    const units = Math.min(left, last.quantity);
    last.quantity -= units;
    left -= units;
    if (last.quantity === 0) origins.pop();
    taken.push({ bin: last.bin, quantity: units });
  }
  return left === 0 ? taken : [...taken, { bin: null, quantity: left }];
}

/** Removes the first units of a list. */
function dropFirst(origins: PickOrigin[], quantity: number): void {
  let left = quantity;
  for (let [first] = origins; left > 0 && first !== undefined; [first] = origins) {
    const units = Math.min(left, first.quantity);
    first.quantity -= units;
    left -= units;
    if (first.quantity === 0) origins.shift();
  }
}

/**
 * The bin that units were picked from, if it still takes them; otherwise one chosen as for received units.
 * Refuses: bin_full.
 */
async function binThatTakes(
  tx: Tx,
  warehouse: ZonedWarehouse,
  { product }: LockedStock,
  code: string | null,
  quantity: number,
): Promise<WarehouseBin> {
  if (code !== null) {
    try {
      const bin = await binFor(tx, warehouse, product, code, quantity);
      if (bin.kind === "storage") return bin;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }
  return binFor(tx, warehouse, product, undefined, quantity);
}

/** Moves units from staging to a storage bin, with their reservation if they keep it. */
async function shelve(
  tx: Tx,
  stocks: LockedStockMap,
  { line, allocation, item, quantity }: StagedUnits,
  spot: ReturnType<typeof binSpot>,
  { keeps, order_id, actor }: { readonly keeps: boolean; readonly order_id: number; readonly actor: Actor },
): Promise<void> {
  await withdraw(tx, line, allocation, quantity);
  if (!keeps) await adjustReserved(tx, item, -quantity);
  const { to } = await moveUnits(tx, lockedStockOf(stocks, line.product_id), {
    type: "transfer",
    quantity,
    from: item,
    to: { ...item, ...spot },
    to_place: null,
    promised: keeps,
    reason: unpicked_reason,
    reference: { type: "order", id: wireId("order", order_id) },
    confirmed: true,
    actor,
  });
  assert(to, "returned units are on a shelf");
  const { reserved, picked: in_staging } = line;
  if (keeps) {
    await allocateUnits(tx, line, to, quantity);
    await setCounts(tx, stocks, line, { picked: in_staging - quantity });
  } else {
    await setCounts(tx, stocks, line, { reserved: reserved - quantity, picked: in_staging - quantity });
    if (isRecalled(item.lot_status)) tx.wake("orders.hold_recalled", tx.now);
  }
}
