// Cycle counts: units counted on the shelf are compared with the ledger, reviewed, and posted as adjustments.

import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { asFault, assert, Fault, type FieldProblem, invalid, invalidFields, ofFields } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { allowedActions, transition } from "../../core/transitions.ts";
import { refuseForClosed } from "../../merchants/directory.sql.ts";
import { findAllBySku, findProductsBySku } from "../../products/products.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { type CountAction, type CountStatus, countTransitions } from "../inventory.transitions.ts";
import { closeItems, reopenItems } from "../ledger/ledger.sql.ts";
import type { StockSpot } from "../ledger/stock_item.ts";
import { displaceReserved, fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, type LockedStockMap, lockedStockOf, moveUnits } from "../reservations/locked_stock.ts";
import { type Shortfall, wouldBreakReservations } from "../reservations/reservation.ts";
import { endAvoidance } from "../reservations/reservations.sql.ts";
import { lotSpot } from "../stock/lot.ts";
import { findLot, findLotById } from "../stock/lots.sql.ts";
import { bundleProblem, ownSpot } from "../stock/product_stock.ts";
import { binSpot, type WarehouseBin, type ZonedWarehouse } from "../warehouses/warehouse.ts";
import { findBin, findPermanentBins, shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { warehouseNamed } from "../warehouses/warehouses.ts";
import type { OpenCount, PostCount, RecordLines } from "./count.schema.ts";
import type { CountLine, InventoryCount } from "./count.ts";
import {
  type CountedProduct,
  type CountPlace,
  countedOfClosed,
  countFacts,
  type DifferingLine,
  differingLines,
  foundOfClosed,
  impliedLot,
  outOfDate,
  productCounted,
  refuseOutside,
} from "./count.ts";
import {
  type CountedPlace,
  getCount,
  insertCount,
  insertFound,
  listAvoided,
  listClosedBy,
  listOnHand,
  listPlaces,
  lockCount,
  notePosted,
  noteValues,
  saveCount,
  saveCounted,
} from "./counts.sql.ts";

const lines_max = 5000;

/**
 * Opens a count of some bins, some SKUs or a whole warehouse, without picked units. If the request is about one
 * merchant, only that merchant's goods are counted. Refuses: resource_missing, validation_failed, merchant_required.
 */
export async function openCount(tx: Tx, input: OpenCount, actor: Actor): Promise<InventoryCount> {
  const { blind = false, notes = null } = input;
  if (input.bins && input.skus) throw invalid("skus", "cannot be combined with bins");
  const warehouse_id = await warehouseNamed(tx, input.location, "location");
  const bins = input.bins ? [...new Set(input.bins)] : null;
  const skus = input.skus ? [...new Set(input.skus)] : null;
  const bin_ids = bins && (await binsNamed(tx, warehouse_id, bins));
  const product_ids = skus && (await productsNamed(tx, skus));
  const places = await listPlaces(tx, warehouse_id, { bin_ids, product_ids }, lines_max + 1);
  if (places.length > lines_max) {
    throw invalid(skus ? "skus" : "bins", `must be narrower: there are more than ${lines_max} places to count`);
  }
  const fields = { warehouse_id, bins, skus, blind, notes, opened_by: actor.id };
  return getCount(tx, await insertCount(tx, fields, places));
}

/** Where a picker did not find units. */
interface MissingPlace {
  readonly warehouse_id: number;
  readonly bin_id: number;
  readonly bin: string;
  readonly product_id: number;
  readonly sku: string;
}

/**
 * Opens a count of one product in one bin, where units were missing. Its units there are promised to nobody else until
 * the count is posted or cancelled. Returns the id of the count, or of the one that is open for them already; null if
 * none are left to count. Emits: inventory.updated, inventory.low_stock.
 */
export async function countMissing(tx: Tx, place: MissingPlace, actor: Actor): Promise<number | null> {
  const { warehouse_id, bin_id, bin, product_id, sku } = place;
  const stocks = await lockFreshStock(tx, [product_id]);
  const there = lockedStockOf(stocks, product_id).items.filter((item) => item.bin_id === bin_id && item.on_hand > 0);
  const open = there.filter(({ count_id }) => count_id === null);
  if (open.length === 0) return there[0]?.count_id ?? null;
  const notes = `Units of ${sku} were not found when they were picked.`;
  const fields = { warehouse_id, bins: [bin], skus: [sku], blind: false, notes, opened_by: actor.id };
  const places = open.map(({ lot_id, on_hand }) => ({ product_id, bin_id, lot_id, on_hand }));
  const id = await insertCount(tx, fields, places);
  await closeItems(tx, open, id);
  return id;
}

/** Promises the units again that were not promised because of a count. They go to backorders. */
async function reopen(tx: Tx, stocks: LockedStockMap, count_id: number, product_ids: readonly number[]) {
  const items = product_ids.flatMap((product_id) => lockedStockOf(stocks, product_id).items);
  await reopenItems(tx, items, count_id);
  await fillBackorders(tx, stocks, product_ids);
}

/** The ids of the bins with these codes. Refuses: resource_missing. */
async function binsNamed(tx: Tx, warehouse_id: number, codes: readonly string[]): Promise<number[]> {
  const bins = [...(await findPermanentBins(tx, warehouse_id, codes)).values()];
  return known("bins", codes, new Map(bins.map(({ code, id }) => [code, id])));
}

/** The ids of the products with these SKUs. Refuses: resource_missing, validation_failed (bundles have no stock). */
async function productsNamed(tx: Tx, skus: readonly string[]): Promise<number[]> {
  const products = await findProductsBySku(tx, skus);
  const ids = known("skus", skus, new Map(products.map(({ sku, id }) => [sku, id])));
  const bundles = products.filter(({ type }) => type === "bundle");
  if (bundles.length > 0) throw invalidFields(bundles.map(({ sku }) => bundleProblem(`skus[${skus.indexOf(sku)}]`)));
  return ids;
}

/** The ids of all these names. Refuses: resource_missing (lists every unknown name). */
function known(field: string, names: readonly string[], ids: ReadonlyMap<string, number>): number[] {
  const problems: FieldProblem[] = [];
  const known_ids = names.flatMap((name, at) => {
    const id = ids.get(name);
    if (id === undefined)
      problems.push({ field: `${field}[${at}]`, code: "resource_missing", message: "does not exist" });
    return id ?? [];
  });
  if (problems.length > 0) throw ofFields("resource_missing", problems);
  return known_ids;
}

/**
 * Records counted units, with the units expected at this moment. Units where none are expected become new lines.
 * Counting a line again replaces its count.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, ambiguous_stock, merchant_required,
 * merchant_closed (more than is expected).
 */
export async function recordLines(
  tx: Tx,
  id: string,
  { items: lines }: RecordLines,
  actor: Actor,
): Promise<InventoryCount> {
  const count = await lockCount(tx, id);
  const status = nextStatus(count, "record");
  const bins = await findPermanentBins(tx, count.warehouse_id, [...new Set(lines.map(({ bin }) => bin))]);
  const products = Map.groupBy(await findAllBySku(tx, skusOf(lines)), ({ sku }) => sku);
  const ids = [...products.values()].flat().map((product) => product.id);
  const places = await listOnHand(tx, count.warehouse_id, ids);
  const on_hand = new Map(places.map((place) => [placeKey(place), place.on_hand]));
  const lineAt = new Map(count.lines.map((line) => [placeKey(line), line]));
  const seen = new Set<string>();
  for (const [at, named] of lines.entries()) {
    const field = `items[${at}]`;
    const product = productCounted(products.get(named.sku) ?? [], named, count, placesIn(places, bins.get(named.bin)));
    const place = await placeNamed(tx, count, bins, product, named, field);
    const key = placeKey(place);
    if (seen.has(key)) throw invalid(field, "is counted twice in this request", "duplicate");
    seen.add(key);
    const tally = { expected: on_hand.get(key) ?? 0, counted: named.quantity, counted_by: actor.id };
    if (tally.counted > tally.expected) await refuseFound(tx, product, tally.expected, `${field}.quantity`);
    const line = lineAt.get(key);
    if (line === undefined) await insertFound(tx, count.id, place, tally);
    else await saveCounted(tx, line.id, tally);
  }
  await saveCount(tx, count, { status, reviewed_at: null });
  return getCount(tx, count.id);
}

const placesIn = (places: readonly CountedPlace[], bin: WarehouseBin | undefined) =>
  places.filter(({ bin_id }) => bin_id === bin?.id);
const skusOf = (lines: readonly CountPlace[]) => [...new Set(lines.map(({ sku }) => sku))];
const placeKey = ({ product_id, bin_id, lot_id }: Omit<CountedPlace, "on_hand">) =>
  `${product_id} ${bin_id} ${lot_id ?? 0}`;

/** Refuses: merchant_closed (more units than expected for a closed merchant). */
async function refuseFound(tx: Tx, product: CountedProduct | undefined, expected: number, field: string) {
  assert(product !== undefined, "unknown SKUs were refused before");
  const refused = await refuseForClosed(tx, product.merchant_id, "stock").catch(asFault);
  if (refused instanceof Fault) throw countedOfClosed(refused, expected, field);
}

/** The status after an action. Refuses: invalid_state_transition. */
function nextStatus({ status }: InventoryCount, action: CountAction): CountStatus {
  return transition<CountStatus, typeof countTransitions>(countTransitions, action, status);
}

async function placeNamed(
  tx: Tx,
  count: InventoryCount,
  bins: ReadonlyMap<string, WarehouseBin>,
  product: CountedProduct | undefined,
  named: CountPlace,
  field: string,
): Promise<Omit<CountedPlace, "on_hand">> {
  const { bin: code, lot_number } = named;
  const bin = bins.get(code);
  if (product === undefined) throw nothing(`${field}.sku`, "is not the SKU of a product");
  if (product.type === "bundle") throw invalidFields([bundleProblem(`${field}.sku`)]);
  if (bin === undefined) throw nothing(`${field}.bin`, "is not a bin of this warehouse");
  refuseOutside(count, named, field);
  const place = { product_id: product.id, bin_id: bin.id };
  if (lot_number == null) return { ...place, lot_id: impliedLot(count.lines, product, code, field) };
  const lot = await findLot(tx, product.id, lot_number);
  if (lot !== null) return { ...place, lot_id: lot.id };
  throw invalid(`${field}.lot_number`, `is not a lot of ${product.sku}; receive its first units as stock`);
}

function nothing(field: string, message: string): Fault {
  return ofFields("resource_missing", [{ field, code: "resource_missing", message }]);
}

/**
 * Ends the counting, so that the count can be reviewed, and records the value of the differences. Uncounted lines stay
 * as they are.
 * Refuses: resource_missing, invalid_state_transition (also while nothing is counted).
 */
export async function reviewCount(tx: Tx, id: string): Promise<InventoryCount> {
  const count = await lockCount(tx, id);
  const status = nextStatus(count, "review");
  const counted = count.lines.filter((line) => line.counted !== null);
  if (counted.length === 0) {
    throw new Fault("invalid_state_transition", "Cannot review while open: nothing has been counted.", {
      from: count.status,
      action: "review",
      allowed_actions: allowedActions<CountStatus, typeof countTransitions>(countTransitions, count.status, false),
    });
  }
  await noteValues(tx, count.id, [...new Set(counted.map(({ product_id }) => product_id))]);
  await saveCount(tx, count, { status, reviewed_at: tx.now });
  return getCount(tx, count.id);
}

/**
 * Ends a count without posting it. Refuses: resource_missing, invalid_state_transition.
 * Emits: inventory.updated.
 */
export async function cancelCount(tx: Tx, id: string): Promise<InventoryCount> {
  const count = await lockCount(tx, id);
  const closed = await listClosedBy(tx, count.id);
  if (closed.length > 0) await reopen(tx, await lockFreshStock(tx, closed), count.id, closed);
  await saveCount(tx, count, { status: nextStatus(count, "cancel"), cancelled_at: tx.now });
  return getCount(tx, count.id);
}

/** A posted count, and the orders that are backordered since reserved units were not found. */
interface PostedCount {
  readonly count: InventoryCount;
  readonly shortfalls: readonly Shortfall[];
}

/**
 * Adjusts the stock to the counted units, by one adjustment for each line that differs; all of them or none. Missing
 * reserved units are reserved from other stock. Where there is none, `allow_shortfall` backorders their orders. Orders
 * that avoided a counted bin, since a picker did not find units there, may have units of it again.
 * Refuses: resource_missing, invalid_state_transition, quantity_conflict (stock has moved since it was counted),
 * merchant_closed (units were found of a merchant that was closed since), would_break_reservations. Emits:
 * inventory.updated, inventory.low_stock.
 */
export async function postCount(tx: Tx, id: string, input: PostCount, actor: Actor): Promise<PostedCount> {
  const count = await lockCount(tx, id);
  const status = nextStatus(count, "post");
  const lines = differingLines(count.lines);
  const closed = await listClosedBy(tx, count.id);
  // What was counted is there, whatever a picker did not find before.
  const avoided = await listAvoided(tx, count.id);
  const product_ids = [...new Set([...lines, ...avoided].map((line) => line.product_id).concat(closed))];
  const stocks = await lockFreshStock(tx, product_ids);
  const moved = lines.flatMap((line) => {
    const current = itemAt(lockedStockOf(stocks, line.product_id), line)?.on_hand ?? 0;
    return current === line.expected ? [] : [{ ...line, current }];
  });
  if (moved.length > 0) throw outOfDate(moved);
  await refuseFoundOfClosed(tx, lines);
  await endAvoidance(tx, avoided);
  const warehouse = await shareWarehouse(tx, count.warehouse_id);
  const shortfalls: Shortfall[] = [];
  for (const line of lines) shortfalls.push(...(await correct(tx, stocks, count, warehouse, line, actor)));
  if (shortfalls.length > 0 && !input.allow_shortfall) {
    const short = lines.filter((line) => line.counted < line.expected).map(({ sku }) => sku);
    throw wouldBreakReservations([...new Set(short)].join(", "), shortfalls);
  }
  await reopen(tx, stocks, count.id, product_ids);
  await saveCount(tx, count, { status, posted_at: tx.now, posted_by: actor.id });
  billFacts(tx, countFacts(count, warehouse));
  return { count: await getCount(tx, count.id), shortfalls };
}

/** Refuses: merchant_closed (units were found of a merchant that was closed since). */
async function refuseFoundOfClosed(tx: Tx, lines: readonly DifferingLine[]): Promise<void> {
  const surplus = Map.groupBy(
    lines.filter(({ counted, expected }) => counted > expected),
    ({ merchant_id }) => merchant_id,
  );
  for (const [merchant_id, own] of surplus) {
    const refused = await refuseForClosed(tx, merchant_id, "stock").catch(asFault);
    if (refused instanceof Fault) throw foundOfClosed(refused, own);
  }
}

function itemAt({ items }: LockedStock, { bin_id, lot_id }: CountLine) {
  return items.find((item) => item.bin_id === bin_id && item.lot_id === lot_id && item.on_hand > 0);
}

/** Adjusts one line's stock to its count. Returns the orders that are backordered. */
async function correct(
  tx: Tx,
  stocks: LockedStockMap,
  count: InventoryCount,
  warehouse: ZonedWarehouse,
  line: DifferingLine,
  actor: Actor,
): Promise<Shortfall[]> {
  const stock = lockedStockOf(stocks, line.product_id);
  const item = itemAt(stock, line) ?? null;
  const more = line.counted - line.expected;
  const lost = item === null || more > 0 ? 0 : Math.max(0, item.reserved - line.counted);
  const shortfalls = item === null ? [] : await displaceReserved(tx, stocks, stock, item, lost);
  const { id } = await moveUnits(tx, stock, {
    type: "adjustment",
    quantity: Math.abs(more),
    from: more < 0 ? item : null,
    to: more > 0 ? (item ?? (await newSpot(tx, stock, warehouse, line))) : null,
    to_place: more < 0 ? "write_off" : null,
    promised: false,
    reason: "stock_count",
    notes: count.notes,
    reference: { type: "count", id: wireId("count", count.id) },
    confirmed: true,
    actor,
  });
  await notePosted(tx, line.id, id);
  return shortfalls;
}

/** The spot for found units that no stock item holds. */
async function newSpot(
  tx: Tx,
  { product }: LockedStock,
  warehouse: ZonedWarehouse,
  line: CountLine,
): Promise<StockSpot> {
  const bin = await findBin(tx, warehouse.id, line.bin);
  assert(bin?.id === line.bin_id, `bin ${line.bin_id} is in warehouse ${warehouse.id}`);
  const lot = line.lot_id === null ? null : await findLotById(tx, line.lot_id);
  return { ...ownSpot(product), ...binSpot(warehouse, bin), ...lotSpot(lot), received_at: tx.now };
}
