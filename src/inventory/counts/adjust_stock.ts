import type { Actor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { asFault, assert, Fault, invalid, missing } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { refuseForClosed } from "../../merchants/directory.sql.ts";
import type { Tx } from "../../storage/database.ts";
import type { Posting } from "../ledger/ledger.sql.ts";
import type { StockItem, StockSpot } from "../ledger/stock_item.ts";
import { displacePromises, fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, type LockedStockMap, lockedStockOf, moveEach } from "../reservations/locked_stock.ts";
import { brokenPromises, type Shortfall, shortfallsView } from "../reservations/reservation.ts";
import { lotSpot } from "../stock/lot.ts";
import { findLot } from "../stock/lots.sql.ts";
import {
  type NamedProducts,
  ownSpot,
  pickAdjusted,
  plainIds,
  productNamed,
  refuseBundle,
  refuseTooMuch,
} from "../stock/product_stock.ts";
import type { AdjustStock } from "../stock/stock.schema.ts";
import { findNamedProducts } from "../stock/stock.sql.ts";
import { binSpot } from "../warehouses/warehouse.ts";
import { shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor, warehouseNamed } from "../warehouses/warehouses.ts";

/** A SKU, how it is corrected, and by whom. */
interface AdjustmentCommand {
  readonly sku: string;
  readonly input: AdjustStock;
  readonly actor: Actor;
}

/**
 * Corrects what is on hand of a SKU in one bin and lot. Promised units that vanish are promised from other stock; where
 * there is none, `allow_shortfall` puts the least urgent and youngest orders into backorder.
 * Refuses: resource_missing, validation_failed, ambiguous_stock, quantity_conflict, insufficient_inventory,
 * would_break_reservations, merchant_closed. Emits: inventory.updated, inventory.low_stock.
 */
export async function adjustStock(tx: Tx, sku: string, input: AdjustStock, actor: Actor) {
  const named = await findNamedProducts(tx, [sku]);
  const plan = await planAdjustment(tx, named, { sku, input, actor });
  const { shelves, shelf, warehouse_id, item, lost } = plan;
  if (item === null) {
    const spot = await newSpot(tx, shelf, warehouse_id, input);
    refuseTooMuch(shelf, spot, input.adjustment, "adjustment");
    return adjusted(tx, { ...plan, spot, shortfalls: [] });
  }
  const shortfalls = await displacePromises(tx, shelves, shelf, item, lost);
  if (shortfalls.length > 0 && !input.allow_shortfall) throw brokenPromises(sku, shortfalls);
  return adjusted(tx, { ...plan, spot: item, shortfalls });
}

/**
 * Adjusts SKUs as `adjustStock` does, one after the other, up to the first by which promised units vanish or units turn
 * up where there were none. Answers those that it came to: what was done, or the refusal, which has changed nothing.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function adjustBatch(tx: Tx, adjustings: readonly AdjustmentCommand[]) {
  const skus = adjustings.map(({ sku }) => sku);
  const named = await findNamedProducts(tx, skus);
  await lockFreshStock(tx, plainIds(tx, named));
  const results: (AdjustedStock | Fault)[] = [];
  for (let some = 1; some > 0; ) {
    const planned = await planBatch(tx, named, adjustings.slice(results.length));
    const stored = await storeAdjustments(
      tx,
      planned.filter((plan): plan is PlannedAdjustment => !(plan instanceof Fault)),
    );
    results.push(...planned.map((plan) => (plan instanceof Fault ? plan : (stored.shift() as AdjustedStock))));
    some = planned.length;
  }
  return results;
}

/**
 * Plans adjustments, each of what those before it leave, up to the first that has to be alone, and no further than the
 * first of a SKU that is waited for: whoever waits comes before the next. Nothing is stored.
 */
async function planBatch(
  tx: Tx,
  named: NamedProducts,
  adjustings: readonly AdjustmentCommand[],
): Promise<(PlannedAdjustment | Fault)[]> {
  const planned: (PlannedAdjustment | Fault)[] = [];
  const changed: [StockItem, number][] = [];
  for (const adjusting of adjustings) {
    const plan = await planAdjustment(tx, named, adjusting).catch(asFault);
    if (plan instanceof Fault) {
      planned.push(plan);
      continue;
    }
    const { item, shelf, lost, input } = plan;
    if (item === null || lost > 0) break;
    planned.push({ ...plan, spot: item, shortfalls: [] });
    item.on_hand += input.adjustment;
    changed.push([item, input.adjustment]);
    if (shelf.backordered > 0) break;
  }
  // The units are moved for good when they are stored.
  for (const [item, adjustment] of changed) item.on_hand -= adjustment;
  return planned;
}

/** An adjustment that may be done. */
interface AdjustmentPlan extends AdjustmentCommand {
  readonly shelves: LockedStockMap;
  readonly shelf: LockedStock;
  readonly warehouse_id: number;
  readonly previous_quantity: number;
  /** The stock item that loses or gains units; null where they turn up and there were none. */
  readonly item: StockItem | null;
  /** How many of the units that vanish are promised. */
  readonly lost: number;
}

/** An adjustment as it is stored, when none of the units that vanish is promised any more. */
interface PlannedAdjustment extends AdjustmentPlan {
  readonly spot: StockSpot;
  /** Who waits for units that vanished. */
  readonly shortfalls: readonly Shortfall[];
}

/** Looks whether an adjustment may be done; it changes nothing, except what time alone has done. */
async function planAdjustment(tx: Tx, named: NamedProducts, adjusting: AdjustmentCommand): Promise<AdjustmentPlan> {
  const { sku, input } = adjusting;
  const { adjustment, reason, notes, expected_quantity } = input;
  if (reason === "other" && !notes?.trim()) throw invalid("notes", "are required for the reason other", "required");
  const id = productNamed(tx, named, sku)?.id;
  if (id === undefined) throw missing("SKU", sku);
  const shelves = await lockFreshStock(tx, [id]);
  const shelf = lockedStockOf(shelves, id);
  refuseBundle(shelf.product);
  if (adjustment > 0) await refuseForClosed(tx, shelf.product.merchant_id, "stock");
  const warehouse_id = await adjustedWarehouse(tx, shelf, input.location);
  const inside = shelf.items.filter((item) => item.warehouse_id === warehouse_id && item.on_hand > 0);
  const previous_quantity = inside.reduce((sum, item) => sum + item.on_hand, 0);
  if (expected_quantity !== undefined && expected_quantity !== previous_quantity) {
    throw new Fault("quantity_conflict", `${sku} has ${previous_quantity} on hand, not ${expected_quantity}.`, {
      expected_quantity,
      current_quantity: previous_quantity,
    });
  }
  const item = pickAdjusted(inside, input, sku);
  if (item !== null && adjustment > 0) refuseTooMuch(shelf, item, adjustment, "adjustment");
  const lost = item === null || adjustment > 0 ? 0 : Math.max(0, item.reserved - (item.on_hand + adjustment));
  return { ...adjusting, shelves, shelf, warehouse_id, previous_quantity, item, lost };
}

/** Stores one adjustment and answers what was done. */
async function adjusted(tx: Tx, adjustment: PlannedAdjustment): Promise<AdjustedStock> {
  const [done] = await storeAdjustments(tx, [adjustment]);
  assert(done, "an adjustment is answered");
  return done;
}

/** Moves the units of adjustments and gives what is free then to those who wait; answers what was done. */
async function storeAdjustments(tx: Tx, adjustments: readonly PlannedAdjustment[]): Promise<AdjustedStock[]> {
  const [first] = adjustments;
  if (first === undefined) return [];
  const { shelves } = first;
  const posted = await moveEach(tx, shelves, adjustments.map(postingOf));
  await fillBackorders(
    tx,
    shelves,
    adjustments.map(({ shelf }) => shelf.product.id),
  );
  return adjustments.map((adjustment, at) => adjustedView(tx, adjustment, posted[at]?.id ?? 0));
}

function postingOf({ input, actor, item, spot }: PlannedAdjustment): Posting {
  const { adjustment, reason, notes } = input;
  return {
    type: "adjustment",
    quantity: Math.abs(adjustment),
    from: adjustment < 0 ? item : null,
    to: adjustment > 0 ? spot : null,
    to_place: adjustment < 0 ? "write_off" : null,
    promised: false,
    reason,
    notes,
    reference: null,
    confirmed: true,
    actor,
  };
}

type AdjustedStock = ReturnType<typeof adjustedView>;

function adjustedView(tx: Tx, adjusted: PlannedAdjustment, movement_id: number) {
  const { sku, input, actor, warehouse_id, previous_quantity, spot, shortfalls } = adjusted;
  const { adjustment, reason, notes } = input;
  return {
    sku,
    previous_quantity,
    adjustment,
    new_quantity: previous_quantity + adjustment,
    reason,
    notes: notes ?? null,
    location: wireId("warehouse", warehouse_id),
    bin: spot.bin,
    lot_number: spot.lot_number,
    movement_id: wireId("movement", movement_id),
    backordered_orders: shortfallsView(shortfalls),
    adjusted_at: iso(tx.now),
    adjusted_by: actor.id,
  };
}

/** The warehouse that is adjusted: the one named, or the only one where the SKU lies, or the only one there is. */
async function adjustedWarehouse(
  tx: Tx,
  { items }: LockedStock,
  location: string | number | undefined,
): Promise<number> {
  const [first, ...others] = new Set(
    items.filter((item) => item.on_hand > 0 && item.bin_kind !== "staging").map((item) => item.warehouse_id),
  );
  if (location !== undefined || first === undefined) return warehouseNamed(tx, location, "location");
  if (others.length === 0) return first;
  throw invalid("location", "is required: the SKU lies in several warehouses", "required");
}

/** Where units turn up that no stock item holds yet. */
async function newSpot(tx: Tx, { product }: LockedStock, warehouse_id: number, input: AdjustStock): Promise<StockSpot> {
  const { bin: code, lot_number } = input;
  const lot = lot_number === undefined ? null : await findLot(tx, product.id, lot_number);
  if (lot_number !== undefined && lot === null) {
    throw invalid("lot_number", `names no lot of ${product.sku}; receive its first units as stock`);
  }
  if (lot === null && product.lot_tracking) {
    throw invalid("lot_number", `is required: ${product.sku} tracks lots`, "required");
  }
  const warehouse = await shareWarehouse(tx, warehouse_id);
  const bin = await binFor(tx, warehouse, product, code, "counted");
  return { ...ownSpot(product), ...binSpot(warehouse, bin), ...lotSpot(lot), received_at: tx.now };
}
