import type { Actor } from "../../core/actor.ts";
import {
  type CheckedCsvRow,
  type CsvRowEffect,
  type CsvRowOutcome,
  rowOutcome,
  type WrittenKeys,
} from "../../core/csv_columns.ts";
import { Fault, invalid } from "../../core/faults.ts";
import { dayOf, momentIn } from "../../core/time_zone.ts";
import type { Tx } from "../../storage/database.ts";
import type { StockItem, StockSpot } from "../ledger/stock_item.ts";
import { lotFor, wakeAtExpiry } from "../receiving/receive_units.ts";
import { displacePromises, fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, type LockedStockMap, lockedStockOf, moveUnits } from "../reservations/locked_stock.ts";
import { brokenPromises } from "../reservations/reservation.ts";
import { binSpot } from "../warehouses/warehouse.ts";
import { findBin, shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor, warehouseNamed } from "../warehouses/warehouses.ts";
import { lotSpot } from "./lot.ts";
import { findLot } from "./lots.sql.ts";
import { ownSpot, plainIds, productNamed, refuseBundle } from "./product_stock.ts";
import { findNamedProducts } from "./stock.sql.ts";
import { type CountedStock, stockCsvRow } from "./stock_csv.schema.ts";

/** What a row of a file means for the stock. */
interface CsvCount {
  readonly key: string;
  readonly shelf: LockedStock;
  readonly item: StockItem | null;
  /** Where the units are; null when there are none and the place is unknown. */
  readonly spot: StockSpot | null;
  readonly by: number;
}

/**
 * Sets the units on hand to the counted number, for some rows of a file; rows that agree change nothing. Reserved units
 * that vanish are reserved from other stock. A row that fails writes nothing and does not affect the others, except one
 * that would break reservations, which is refused together with the rows around it. Refuses: resource_missing,
 * validation_failed, would_break_reservations. Emits: inventory.updated, inventory.low_stock.
 */
export async function saveStockRows(
  tx: Tx,
  rows: readonly CheckedCsvRow<CountedStock>[],
  taken: WrittenKeys,
  actor: Actor,
): Promise<CsvRowOutcome[]> {
  const named = await findNamedProducts(tx, [...new Set(rows.map(({ row }) => row.sku))]);
  const ids = plainIds(tx, named);
  const shelves = await lockFreshStock(tx, ids);
  const own = new Map<string, number>();
  const outcomes: CsvRowOutcome[] = [];
  for (const { line, row } of rows) {
    const count = await rowOutcome(async () => {
      const found = await countOf(tx, shelves, productNamed(tx, named, row.sku)?.id, row);
      const first = taken.get(found.key) ?? own.get(found.key);
      if (first !== undefined) throw invalid("sku", `repeats the place of line ${first}`, "duplicate");
      return found;
    });
    if (!("key" in count)) {
      outcomes.push(count);
      continue;
    }
    const { key, item, by } = count;
    own.set(key, line);
    const effect = effectOf(count, row.quantity);
    await post(tx, shelves, count, actor);
    const change = by === 0 ? "unchanged" : item === null ? "created" : "updated";
    outcomes.push({ key, change, ...(effect && { effect }) });
  }
  await fillBackorders(tx, shelves, ids);
  return outcomes;
}

/** The place as a file shows it before and after; nothing of a place that is not there. */
function effectOf({ shelf, item, spot }: CsvCount, on_hand: number): CsvRowEffect | undefined {
  if (spot === null) return undefined;
  const { sku } = shelf.product;
  const before = item === null ? null : stockCsvRow({ ...item, sku });
  const { received_at } = item ?? spot;
  return { before, after: stockCsvRow({ ...spot, received_at, sku, on_hand }) };
}

/** The same place by the same name, also where the ids of its bin and lot are undone with what made them. */
const placeKey = (product_id: number, warehouse_id: number, bin: string | undefined, lot_number: string | null) =>
  JSON.stringify([product_id, warehouse_id, bin, lot_number]);

async function countOf(tx: Tx, shelves: LockedStockMap, id: number | undefined, row: CountedStock): Promise<CsvCount> {
  if (id === undefined) {
    throw new Fault("resource_missing", `No such SKU: ${row.sku}.`, {
      fields: [{ field: "sku", code: "resource_missing", message: "is not the SKU of a product" }],
    });
  }
  const shelf = lockedStockOf(shelves, id);
  refuseBundle(shelf.product);
  const { location, lot_number, quantity } = row;
  const warehouse_id = await tx.memo(`inventory.import.named:${location}`, () =>
    warehouseNamed(tx, location, "location"),
  );
  const known = shelf.items.find(
    (item) => item.warehouse_id === warehouse_id && item.bin === row.bin && item.lot_number === (lot_number ?? null),
  );
  const spot = known !== undefined && isThere(known, quantity) ? known : await spotOf(tx, shelf, warehouse_id, row);
  if (spot === null)
    return { key: placeKey(id, warehouse_id, row.bin, lot_number ?? null), shelf, item: null, spot, by: 0 };
  if (row.expiration_date !== undefined && dayOf(row.expiration_date, spot.timezone) !== spot.expires_on) {
    throw invalid("expiration_date", `is not that of lot ${lot_number}`);
  }
  const item = shelf.items.find(({ bin_id, lot_id }) => bin_id === spot.bin_id && lot_id === spot.lot_id) ?? null;
  return {
    key: placeKey(id, warehouse_id, spot.bin, spot.lot_number),
    shelf,
    item,
    spot,
    by: quantity - (item?.on_hand ?? 0),
  };
}

/** Whether a place needs no new bin or lot for so many units. Units in staging are not counted, only confirmed. */
function isThere({ bin_kind, on_hand }: StockItem, quantity: number): boolean {
  return bin_kind === "staging" ? on_hand === quantity : on_hand >= quantity;
}

/** The bin and lot of a row, created if new; null when no units were counted in one that does not exist. */
async function spotOf(tx: Tx, shelf: LockedStock, warehouse_id: number, row: CountedStock): Promise<StockSpot | null> {
  const { product } = shelf;
  const { bin: code, lot_number } = row;
  const warehouse = await tx.memo(`inventory.import.warehouse:${warehouse_id}`, () => shareWarehouse(tx, warehouse_id));
  const { timezone } = warehouse;
  const received_date = row.received_date === undefined ? tx.now : momentIn(row.received_date, timezone);
  if (received_date > tx.now) throw invalid("received_date", "lies in the future");
  if (row.quantity === 0) {
    if (code !== undefined && (await findBin(tx, warehouse_id, code)) === null) return null;
    if (lot_number !== undefined && (await findLot(tx, product.id, lot_number)) === null) return null;
  }
  // The bin and the lot together or none of them.
  return tx.nested(async (inner) => {
    const bin = await binFor(inner, warehouse, product, code, "counted");
    const expires_on = row.expiration_date === undefined ? null : dayOf(row.expiration_date, timezone);
    const lot = await lotFor(inner, product, { lot_number, received_date, expires_on, warehouse });
    if (lot !== null) wakeAtExpiry(inner, lot, warehouse);
    return { ...ownSpot(product), ...binSpot(warehouse, bin), ...lotSpot(lot), received_at: received_date };
  });
}

async function post(tx: Tx, shelves: LockedStockMap, { shelf, item, spot, by }: CsvCount, actor: Actor): Promise<void> {
  if (by === 0 || spot === null) return;
  if (item !== null && by < 0) {
    const lost = Math.max(0, item.reserved - (item.on_hand + by));
    const shortfalls = await displacePromises(tx, shelves, shelf, item, lost);
    const way = "an adjustment with allow_shortfall";
    if (shortfalls.length > 0) throw brokenPromises(shelf.product.sku, shortfalls, way);
  }
  await moveUnits(tx, shelf, {
    type: "adjustment",
    quantity: Math.abs(by),
    from: by < 0 ? item : null,
    to: by > 0 ? spot : null,
    to_place: by < 0 ? "write_off" : null,
    promised: false,
    reason: "stock_count",
    reference: null,
    confirmed: true,
    actor,
  });
}
