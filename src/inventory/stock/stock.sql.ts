import { and, asc, eq, sql } from "drizzle-orm";
import { among, amongTexts, columnsOf, forUpdateInOrder, isOneOf, list, named, opaque } from "../../../db/kit.ts";
import { product_components } from "../../../db/schema/bundles.ts";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { receipt_lines } from "../../../db/schema/receipts.ts";
import { reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { transfer_loads } from "../../../db/schema/transfers.ts";
import { bins, warehouses, zones } from "../../../db/schema/warehouses.ts";
import { engine } from "../../core/config.ts";
import { invalidFields, ofFields } from "../../core/faults.ts";
import { listBundleParts } from "../../products/products.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import { initialReservationStatus } from "../inventory.transitions.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import type { LocalDays } from "../warehouses/warehouses.sql.ts";
import {
  availableOf,
  bundleProblem,
  type NamedProducts,
  ownerOfAll,
  type ProductStock,
  productNamed,
  type StockedPart,
} from "./product_stock.ts";

const stocked = {
  ...columnsOf(products, "id", "merchant_id", "sku", "name", "type", "currency", "temperature_zone", "lot_tracking"),
  ...columnsOf(products, "expiration_tracking", "min_shelf_life_days", "reorder_point", "weight", "weight_unit"),
  ...columnsOf(products, "status", "created_at"),
};

// Conditions are written out where a partial index is to be used: a bound value would hide them from SQLite.
const held = sql`${stock_items.on_hand} > 0`;
const backordered = sql<number>`(
  select coalesce(sum(${reservation_lines.wanted} - ${reservation_lines.reserved}), 0) from ${reservation_lines}
  where ${reservation_lines.product_id} = ${products.id} and ${reservation_lines.reserved} < ${reservation_lines.wanted}
)`.mapWith(Number);
const incoming = sql<number>`(
  select coalesce(sum(${receipt_lines.outstanding}), 0) from ${receipt_lines}
  where ${receipt_lines.product_id} = ${products.id} and ${receipt_lines.outstanding} > 0
) + (
  select coalesce(sum(${transfer_loads.in_transit}), 0) from ${transfer_loads}
  where ${transfer_loads.product_id} = ${products.id} and ${transfer_loads.in_transit} > 0
)`.mapWith(Number);
/** When units of a product last moved (ms). */
export const lastMoved = sql<number | null>`(
  select ${movements.created_at} from ${movements} where ${movements.product_id} = ${products.id}
  order by ${movements.id} desc limit 1
)`;

// The first in its index: to find whether any is past, PostgreSQL would search all of them.
const firstExpiry = sql`(
  select min(${reservations.expires_at}) from ${reservations}
  where ${isOneOf(reservations.status, [initialReservationStatus])} and ${reservations.expires_at} is not null
)`;

const bundled = sql`exists (
  select 1 from ${product_components} where ${product_components.component_id} = ${products.id}
)`.mapWith(Boolean);

/** The columns of a stock item: its place, its lot and its units. */
export const itemColumns = {
  ...columnsOf(stock_items, "id", "merchant_id", "warehouse_id", "bin_id", "lot_id", "received_at", "turns_on"),
  ...columnsOf(stock_items, "count_id", "updated_at", "on_hand", "reserved"),
  warehouse_priority: named(warehouses.priority, "warehouse_priority"),
  timezone: warehouses.timezone,
  bin: named(bins.code, "bin"),
  bin_kind: named(bins.kind, "bin_kind"),
  pick_order: bins.pick_order,
  temperature_zone: zones.temperature_zone,
  temperature_range: zones.temperature_range,
  lot_number: lots.lot_number,
  lot_status: named(lots.status, "lot_status"),
  lot_received_date: named(lots.received_date, "lot_received_date"),
  expires_on: lots.expires_on,
};
const itemsOf = preparedOf((sql, isOf) =>
  sql
    .select({ product_id: stock_items.product_id, ...itemColumns })
    .from(stock_items)
    .innerJoin(warehouses, eq(warehouses.id, stock_items.warehouse_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(zones, eq(zones.id, bins.zone_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(and(isOf(stock_items.product_id), held)),
);
const productsOf = preparedOf((select, isOf, a: StatementArgs<{ now: number }>) =>
  select
    .select({
      ...stocked,
      // In a query of one table, Drizzle omits the table name in a template, but not in a nested one.
      backordered: sql`${backordered}`.mapWith(Number).as("backordered"),
      incoming: sql`${incoming}`.mapWith(Number).as("incoming"),
      overdue: sql`coalesce(${firstExpiry} <= ${a.now}, false)`.mapWith(Boolean).as("overdue"),
      bundled: sql`${bundled}`.mapWith(Boolean).as("bundled"),
      moved_at: sql<number | null>`${lastMoved}`.mapWith(Number).as("moved_at"),
    })
    .from(products)
    .where(isOf(products.id)),
);
const locked = preparedOf((sql, isOf) =>
  forUpdateInOrder(sql.select({ id: products.id }).from(products).where(isOf(products.id)), products.id),
);

/** A product's stock as it was read. */
interface LoadedStock extends ProductStock {
  readonly items: StockItem[];
  /** When the stock last changed (ms). */
  readonly updated_at: number;
  /** Whether a bundle contains it. */
  readonly bundled: boolean;
  /** Whether any reservation, of any product, is overdue and not ended yet. */
  readonly overdue: boolean;
}

/** The stock of these products, in the order of the ids. Unknown ids are left out. */
export async function loadStock(db: Db, ids: readonly number[]): Promise<LoadedStock[]> {
  if (ids.length === 0) return [];
  const [rows, items] = await Promise.all([productsOf(db, { ids, now: db.now }), itemsOf(db, { ids })]);
  // Sorted here, because sorting costs SQLite more than the rest of the query.
  items.sort((a, b) => a.id - b.id);
  const stocks = new Map<number, LoadedStock & { updated_at: number }>();
  for (const product of rows) {
    const { id, backordered, incoming, bundled, overdue, moved_at, created_at } = product;
    const updated_at = moved_at ?? created_at;
    stocks.set(id, { product, items: [], backordered, incoming, bundled, overdue, updated_at });
  }
  for (const item of items) {
    const stock = stocks.get(item.product_id);
    if (stock === undefined) continue;
    stock.items.push(item);
    stock.updated_at = Math.max(stock.updated_at, item.updated_at);
  }
  return ids.flatMap((id) => stocks.get(id) ?? []);
}

/**
 * As `loadStock`, and locks the stock of these products until this transaction ends. Every change of stock, or of a
 * reservation of it, locks its products in the order of their ids. This is the only lock on stock.
 */
export async function lockStockRows(tx: Tx, ids: readonly number[]): Promise<LoadedStock[]> {
  if (engine === "sqlite" || ids.length === 0) return loadStock(tx, ids);
  // All are sent in one trip. The reads run after the lock, so they see everything committed before it was granted.
  const [, stocks] = await Promise.all([locked(tx, { ids }), loadStock(tx, ids)]);
  return stocks;
}

const bySku = prepared((sql, a: StatementArgs<{ skus: string }>) =>
  sql
    .select({ id: products.id, merchant_id: products.merchant_id, sku: products.sku, type: products.type })
    .from(products)
    .where(amongTexts(products.sku, a.skus)),
);

/** The products with these SKUs, which several merchants may use. */
export async function findNamedProducts(db: Db, skus: readonly string[]): Promise<NamedProducts> {
  return Map.groupBy(await bySku(db, { skus: list(skus) }), ({ sku }) => sku);
}

/** The id of the product with this SKU, or null. Refuses: merchant_required. */
export async function findStockedId(db: Db, sku: string): Promise<number | null> {
  return productNamed(db, await findNamedProducts(db, [sku]), sku)?.id ?? null;
}

const lying = prepared((select, a: StatementArgs<{ products: string; bin: string }>) =>
  select
    .selectDistinct({ id: stock_items.product_id, warehouse_id: stock_items.warehouse_id })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(and(among(stock_items.product_id, a.products), eq(bins.code, a.bin), held)),
);

/**
 * As `findStockedId`. Of several merchants' products with this SKU, the only one with units in the bin is meant.
 * Refuses: merchant_required.
 */
export async function findStockedIdIn(
  db: Db,
  sku: string,
  bin: string | undefined,
  warehouse_id: number | null,
): Promise<number | null> {
  const named = await findNamedProducts(db, [sku]);
  const all = named.get(sku) ?? [];
  if (all.length < 2 || bin === undefined) return productNamed(db, named, sku)?.id ?? null;
  const rows = await lying(db, { products: list(all.map(({ id }) => id)), bin });
  const there = rows.filter((row) => warehouse_id === null || row.warehouse_id === warehouse_id);
  const own = all.filter(({ id }) => there.some((row) => row.id === id));
  return productNamed(db, own.length === 0 ? named : new Map([[sku, own]]), sku)?.id ?? null;
}

/** The products that the items of a request name, and their merchant. */
interface StockedProducts {
  readonly merchant_id: number;
  /** In the order of the items. */
  readonly ids: readonly number[];
}

/**
 * The product of each item of a request, all of one merchant: `owner` if there is one, by default the merchant for whom
 * the scope creates records, otherwise the only one that has all of them. Another merchant's product counts as unknown.
 * A refusal lists every wrong field.
 * Refuses: resource_missing, validation_failed (a bundle), merchant_required.
 */
export async function getStockedProducts(
  db: Db,
  items: readonly { readonly sku: string }[],
  field: string,
  owner: number | null = db.scope.owner,
): Promise<StockedProducts> {
  const named = await findNamedProducts(
    db,
    items.map(({ sku }) => sku),
  );
  const merchant_id = owner ?? ownerOfAll(named, items);
  const rows = items.map(({ sku }) => named.get(sku)?.find((product) => product.merchant_id === merchant_id));
  const fields = rows.flatMap((product, at) =>
    product === undefined
      ? { field: `${field}[${at}].sku`, code: "resource_missing", message: "names no product" }
      : [],
  );
  if (fields.length > 0) throw ofFields("resource_missing", fields);
  const bundles = rows.flatMap((product, at) =>
    product?.type === "bundle" ? bundleProblem(`${field}[${at}].sku`) : [],
  );
  if (bundles.length > 0) throw invalidFields(bundles);
  return { merchant_id, ids: rows.map((product) => product?.id ?? 0) };
}

const units = prepared((select, _: StatementArgs<object>) =>
  select
    .select({ number: sql`coalesce(sum(${stock_items.on_hand}), 0)`.mapWith(Number) })
    .from(stock_items)
    .where(held),
);
const travelling = prepared((select, _: StatementArgs<object>) =>
  select
    .select({ number: sql`coalesce(sum(${transfer_loads.in_transit}), 0)`.mapWith(Number) })
    .from(transfer_loads)
    .innerJoin(products, eq(products.id, transfer_loads.product_id))
    .where(sql`${transfer_loads.in_transit} > 0`),
);

/** The number of units in the warehouses and in transit between them. */
export async function countGoods(db: Db): Promise<number> {
  const [[lying], [moving]] = [await units(db, {}), await travelling(db, {})];
  return (lying?.number ?? 0) + (moving?.number ?? 0);
}

const turned = prepared((select, a: StatementArgs<{ warehouse_id: number; day: number; limit: number }>) =>
  select
    .select({ id: stock_items.id, product_id: stock_items.product_id })
    .from(stock_items)
    .where(
      and(
        eq(stock_items.warehouse_id, opaque(a.warehouse_id)),
        sql`${stock_items.turns_on} is not null and ${stock_items.turns_on} <= ${opaque(a.day)}`,
      ),
    )
    .limit(opaque(a.limit)),
);

/** Stock items of some warehouses that time has changed since it was last recorded. */
export async function listShelfLifeChanges(db: Db, { warehouses }: LocalDays, limit: number) {
  const rows: { readonly id: number; readonly product_id: number }[] = [];
  for (const { id: warehouse_id, day } of warehouses) {
    if (rows.length >= limit) break;
    rows.push(...(await turned(db, { warehouse_id, day, limit: limit - rows.length })));
  }
  return rows;
}

const turning = prepared((select, a: StatementArgs<{ warehouse_id: number; day: number }>) =>
  select
    .select({ day: stock_items.turns_on })
    .from(stock_items)
    .where(
      and(
        eq(stock_items.warehouse_id, opaque(a.warehouse_id)),
        sql`${stock_items.turns_on} is not null and ${stock_items.turns_on} > ${opaque(a.day)}`,
      ),
    )
    .orderBy(asc(stock_items.turns_on))
    .limit(1),
);

/** The next day after `day` on which time changes stock of a warehouse, or null. */
export async function nextShelfLifeChange(db: Db, warehouse_id: number, day: number): Promise<number | null> {
  const [row] = await turning(db, { warehouse_id, day });
  return row?.day ?? null;
}

/** As `loadStock`, with the number of sets that the available components of each bundle make. */
export async function loadStockWithSets(db: Db, ids: readonly number[]): Promise<LoadedStock[]> {
  const stocks = await loadStock(db, ids);
  const bundles = stocks.filter(({ product }) => product.type === "bundle").map(({ product }) => product.id);
  if (bundles.length === 0) return stocks;
  const of = await listStockedParts(db, bundles);
  return stocks.map((stock) => {
    const own = of.get(stock.product.id);
    return own === undefined ? stock : { ...stock, sets: Math.min(...own.map(({ sets }) => sets)) };
  });
}

/** The components of each of these bundles, with their available units. */
export async function listStockedParts(db: Db, bundle_ids: readonly number[]): Promise<Map<number, StockedPart[]>> {
  const parts = await listBundleParts(db, bundle_ids);
  const components = await loadStock(db, [...new Set(parts.map(({ product_id }) => product_id))]);
  const free = new Map(components.map((part) => [part.product.id, availableOf(part, db.now)]));
  const of = new Map<number, StockedPart[]>();
  for (const { bundle_id, product_id, sku, quantity } of parts) {
    const available = free.get(product_id) ?? 0;
    const part = { product_id, sku, quantity, available, sets: Math.floor(available / quantity) };
    of.set(bundle_id, [...(of.get(bundle_id) ?? []), part]);
  }
  return of;
}
