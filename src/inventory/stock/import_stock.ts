import type { Actor } from "../../core/actor.ts";
import {
  type CheckedCsvRow,
  type CsvRowEffect,
  type CsvRowOutcome,
  rowOutcome,
  type WrittenKeys,
} from "../../core/csv_columns.ts";
import { invalid } from "../../core/faults.ts";
import { dayOf, momentIn } from "../../core/time_zone.ts";
import type { Tx } from "../../storage/database.ts";
import type { StockItem, StockSpot } from "../ledger/stock_item.ts";
import { lotFor, wakeAtExpiry } from "../receiving/receive_units.ts";
import { displaceReserved, fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, type LockedStockMap, lockedStockOf, moveUnits } from "../reservations/locked_stock.ts";
import { wouldBreakReservations } from "../reservations/reservation.ts";
import { binSpot } from "../warehouses/warehouse.ts";
import { findBin, shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor, warehouseNamed } from "../warehouses/warehouses.ts";
import { lotSpot } from "./lot.ts";
import { findLot } from "./lots.sql.ts";
import { missingSku, ownSpot, plainIds, productNamed, refuseBundle } from "./product_stock.ts";
import { findNamedProducts } from "./stock.sql.ts";
import { type CountedStock, stockCsvRow } from "./stock_csv.schema.ts";

/** What a CSV row means for the stock. */
interface CsvCount {
  readonly key: string;
  readonly stock: LockedStock;
  readonly item: StockItem | null;
  /** Where the units are; null when there are none and the place is unknown. */
  readonly spot: StockSpot | null;
  readonly by: number;
}

/**
 * Sets the units on hand to the counted number, for some rows of a CSV. Rows that agree change nothing. Reserved units
 * that vanish are reserved from other stock. A row that fails writes nothing and does not affect the others, except one
 * that would break reservations, which is refused together with the rows around it.
 * Refuses: resource_missing, validation_failed, would_break_reservations. Emits: inventory.updated,
 * inventory.low_stock.
 */
export async function saveStockRows(
  tx: Tx,
  rows: readonly CheckedCsvRow<CountedStock>[],
  taken: WrittenKeys,
  actor: Actor,
): Promise<CsvRowOutcome[]> {
  const named = await findNamedProducts(tx, [...new Set(rows.map(({ row }) => row.sku))]);
  const ids = plainIds(tx, named);
  const stocks = await lockFreshStock(tx, ids);
  const own = new Map<string, number>();
  const outcomes: CsvRowOutcome[] = [];
  for (const { line, row } of rows) {
    const count = await rowOutcome(async () => {
      const counted = await countOf(tx, stocks, productNamed(tx, named, row.sku)?.id, row);
      const first = taken.get(counted.key) ?? own.get(counted.key);
      if (first !== undefined) throw invalid("sku", `repeats the place of line ${first}`, "duplicate");
      return counted;
    });
    if (!("key" in count)) {
      outcomes.push(count);
      continue;
    }
    const { key, item, by } = count;
    own.set(key, line);
    const effect = effectOf(count, row.quantity);
    await post(tx, stocks, count, actor);
    const change = by === 0 ? "unchanged" : item === null ? "created" : "updated";
    outcomes.push({ key, change, ...(effect && { effect }) });
  }
  await fillBackorders(tx, stocks, ids);
  return outcomes;
}

/** The place as a CSV shows it before and after; undefined for a place that does not exist. */
function effectOf({ stock, item, spot }: CsvCount, on_hand: number): CsvRowEffect | undefined {
  if (spot === null) return undefined;
  const { sku } = stock.product;
  const before = item === null ? null : stockCsvRow({ ...item, sku });
  const { received_at } = item ?? spot;
  return { before, after: stockCsvRow({ ...spot, received_at, sku, on_hand }) };
}

/** Identifies a place by names, since the ids of a new bin or lot are undone with the part that created them. */
const placeKey = (product_id: number, warehouse_id: number, bin: string | undefined, lot_number: string | null) =>
  JSON.stringify([product_id, warehouse_id, bin, lot_number]);

async function countOf(tx: Tx, stocks: LockedStockMap, id: number | undefined, row: CountedStock): Promise<CsvCount> {
  if (id === undefined) throw missingSku(row.sku);
  const stock = lockedStockOf(stocks, id);
  refuseBundle(stock.product);
  const { location, lot_number, quantity } = row;
  const warehouse_id = await tx.memo(`inventory.import.named:${location}`, () =>
    warehouseNamed(tx, location, "location"),
  );
  const known = stock.items.find(
    (item) => item.warehouse_id === warehouse_id && item.bin === row.bin && item.lot_number === (lot_number ?? null),
  );
  const spot = known !== undefined && isThere(known, quantity) ? known : await spotOf(tx, stock, warehouse_id, row);
  if (spot === null)
    return { key: placeKey(id, warehouse_id, row.bin, lot_number ?? null), stock, item: null, spot, by: 0 };
  if (row.expiration_date !== undefined && dayOf(row.expiration_date, spot.timezone) !== spot.expires_on) {
    throw invalid("expiration_date", `must match that of lot ${lot_number}`);
  }
  const item = stock.items.find(({ bin_id, lot_id }) => bin_id === spot.bin_id && lot_id === spot.lot_id) ?? null;
  return {
    key: placeKey(id, warehouse_id, spot.bin, spot.lot_number),
    stock,
    item,
    spot,
    by: quantity - (item?.on_hand ?? 0),
  };
}

/** Whether a place needs no new bin or lot for these units. Units in staging are not counted, only confirmed. */
function isThere({ bin_kind, on_hand }: StockItem, quantity: number): boolean {
  return bin_kind === "staging" ? on_hand === quantity : on_hand >= quantity;
}

/** The bin and lot of a row, created if new; null when zero units were counted in one that does not exist. */
async function spotOf(tx: Tx, stock: LockedStock, warehouse_id: number, row: CountedStock): Promise<StockSpot | null> {
  const { product } = stock;
  const { bin: code, lot_number } = row;
  const warehouse = await tx.memo(`inventory.import.warehouse:${warehouse_id}`, () => shareWarehouse(tx, warehouse_id));
  const { timezone } = warehouse;
  const received_date = row.received_date === undefined ? tx.now : momentIn(row.received_date, timezone);
  if (received_date > tx.now) throw invalid("received_date", "must not be in the future");
  if (row.quantity === 0) {
    if (code !== undefined && (await findBin(tx, warehouse_id, code)) === null) return null;
    if (lot_number !== undefined && (await findLot(tx, product.id, lot_number)) === null) return null;
  }
  // Either both the bin and the lot, or neither.
  return tx.nested(async (inner) => {
    const bin = await binFor(inner, warehouse, product, code, "counted");
    const expires_on = row.expiration_date === undefined ? null : dayOf(row.expiration_date, timezone);
    const lot = await lotFor(inner, product, { lot_number, received_date, expires_on, warehouse });
    if (lot !== null) wakeAtExpiry(inner, lot, warehouse);
    return { ...ownSpot(product), ...binSpot(warehouse, bin), ...lotSpot(lot), received_at: received_date };
  });
}

async function post(tx: Tx, stocks: LockedStockMap, { stock, item, spot, by }: CsvCount, actor: Actor): Promise<void> {
  if (by === 0 || spot === null) return;
  if (item !== null && by < 0) {
    const lost = Math.max(0, item.reserved - (item.on_hand + by));
    const shortfalls = await displaceReserved(tx, stocks, stock, item, lost);
    const option = "an adjustment with allow_shortfall";
    if (shortfalls.length > 0) throw wouldBreakReservations(stock.product.sku, shortfalls, option);
  }
  await moveUnits(tx, stock, {
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
