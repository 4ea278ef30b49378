import type { Actor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { asFault, assert, Fault, invalid, missing } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { refuseForClosed } from "../../merchants/directory.sql.ts";
import type { Tx } from "../../storage/database.ts";
import type { Posting } from "../ledger/ledger.sql.ts";
import type { StockItem, StockSpot } from "../ledger/stock_item.ts";
import { displaceReserved, fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, type LockedStockMap, lockedStockOf, moveEach } from "../reservations/locked_stock.ts";
import { type Shortfall, shortfallsView, wouldBreakReservations } from "../reservations/reservation.ts";
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

/** An adjustment of a SKU, and its actor. */
interface AdjustmentCommand {
  readonly sku: string;
  readonly input: AdjustStock;
  readonly actor: Actor;
}

/**
 * Adjusts what is on hand of a SKU in one bin and lot. Reserved units that vanish are reserved from other stock. Where
 * there is none, `allow_shortfall` backorders the lowest-priority and youngest orders.
 * Refuses: resource_missing, validation_failed, ambiguous_stock, quantity_conflict, insufficient_inventory,
 * would_break_reservations, merchant_closed. Emits: inventory.updated, inventory.low_stock.
 */
export async function adjustStock(tx: Tx, sku: string, input: AdjustStock, actor: Actor) {
  const named = await findNamedProducts(tx, [sku]);
  const plan = await planAdjustment(tx, named, { sku, input, actor });
  const { stocks, stock, warehouse_id, item, lost } = plan;
  if (item === null) {
    const spot = await newSpot(tx, stock, warehouse_id, input);
    refuseTooMuch(stock, spot, input.adjustment, "adjustment");
    return adjusted(tx, { ...plan, spot, shortfalls: [] });
  }
  const shortfalls = await displaceReserved(tx, stocks, stock, item, lost);
  if (shortfalls.length > 0 && !input.allow_shortfall) throw wouldBreakReservations(sku, shortfalls);
  return adjusted(tx, { ...plan, spot: item, shortfalls });
}

/**
 * Adjusts SKUs as `adjustStock` does, in order, up to the first adjustment that must run individually: one that takes
 * reserved units, or adds units where there were none. Returns one result for each adjustment handled: what was done,
 * or the refusal, which has changed nothing.
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
 * Plans adjustments, each on what those before it leave. It stops before the first that must run individually, and
 * after the first of a backordered SKU, since backorders are filled before the next. Nothing is stored.
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
    const { item, stock, lost, input } = plan;
    if (item === null || lost > 0) break;
    planned.push({ ...plan, spot: item, shortfalls: [] });
    item.on_hand += input.adjustment;
    changed.push([item, input.adjustment]);
    if (stock.backordered > 0) break;
  }
  // The units are moved when the adjustments are stored.
  for (const [item, adjustment] of changed) item.on_hand -= adjustment;
  return planned;
}

/** A valid adjustment that is not stored yet. */
interface AdjustmentPlan extends AdjustmentCommand {
  readonly stocks: LockedStockMap;
  readonly stock: LockedStock;
  readonly warehouse_id: number;
  readonly previous_quantity: number;
  /** The stock item that loses or gains units; null when there is none yet. */
  readonly item: StockItem | null;
  /** How many of the units that vanish are reserved. */
  readonly lost: number;
}

/** An adjustment ready to be stored: none of the units that vanish is still reserved. */
interface PlannedAdjustment extends AdjustmentPlan {
  readonly spot: StockSpot;
  /** Orders that are backordered for units that vanished. */
  readonly shortfalls: readonly Shortfall[];
}

/** Checks an adjustment. It changes nothing except what time alone has changed. */
async function planAdjustment(tx: Tx, named: NamedProducts, adjusting: AdjustmentCommand): Promise<AdjustmentPlan> {
  const { sku, input } = adjusting;
  const { adjustment, reason, notes, expected_quantity } = input;
  if (reason === "other" && !notes?.trim()) throw invalid("notes", "are required for the reason other", "required");
  const id = productNamed(tx, named, sku)?.id;
  if (id === undefined) throw missing("SKU", sku);
  const stocks = await lockFreshStock(tx, [id]);
  const stock = lockedStockOf(stocks, id);
  refuseBundle(stock.product);
  if (adjustment > 0) await refuseForClosed(tx, stock.product.merchant_id, "stock");
  const warehouse_id = await adjustedWarehouse(tx, stock, input.location);
  const inside = stock.items.filter((item) => item.warehouse_id === warehouse_id && item.on_hand > 0);
  const previous_quantity = inside.reduce((sum, item) => sum + item.on_hand, 0);
  if (expected_quantity !== undefined && expected_quantity !== previous_quantity) {
    throw new Fault("quantity_conflict", `${sku} has ${previous_quantity} on hand, not ${expected_quantity}.`, {
      expected_quantity,
      current_quantity: previous_quantity,
    });
  }
  const item = pickAdjusted(inside, input, sku);
  if (item !== null && adjustment > 0) refuseTooMuch(stock, item, adjustment, "adjustment");
  const lost = item === null || adjustment > 0 ? 0 : Math.max(0, item.reserved - (item.on_hand + adjustment));
  return { ...adjusting, stocks, stock, warehouse_id, previous_quantity, item, lost };
}

/** Stores one adjustment and returns its result. */
async function adjusted(tx: Tx, adjustment: PlannedAdjustment): Promise<AdjustedStock> {
  const [done] = await storeAdjustments(tx, [adjustment]);
  assert(done, "an adjustment has a result");
  return done;
}

/** Moves the units of adjustments and fills backorders with what is free. Returns the results. */
async function storeAdjustments(tx: Tx, adjustments: readonly PlannedAdjustment[]): Promise<AdjustedStock[]> {
  const [first] = adjustments;
  if (first === undefined) return [];
  const { stocks } = first;
  const posted = await moveEach(tx, stocks, adjustments.map(postingOf));
  await fillBackorders(
    tx,
    stocks,
    adjustments.map(({ stock }) => stock.product.id),
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

/** The warehouse to adjust: the one named, or the only one that has the SKU, or the only one there is. */
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
  throw invalid("location", "is required: the SKU is in several warehouses", "required");
}

/** The spot for units that no stock item holds yet. */
async function newSpot(tx: Tx, { product }: LockedStock, warehouse_id: number, input: AdjustStock): Promise<StockSpot> {
  const { bin: code, lot_number } = input;
  const lot = lot_number === undefined ? null : await findLot(tx, product.id, lot_number);
  if (lot_number !== undefined && lot === null) {
    throw invalid("lot_number", `is not a lot of ${product.sku}; receive its first units as stock`);
  }
  if (lot === null && product.lot_tracking) {
    throw invalid("lot_number", `is required: ${product.sku} tracks lots`, "required");
  }
  const warehouse = await shareWarehouse(tx, warehouse_id);
  const bin = await binFor(tx, warehouse, product, code, "counted");
  return { ...ownSpot(product), ...binSpot(warehouse, bin), ...lotSpot(lot), received_at: tx.now };
}
