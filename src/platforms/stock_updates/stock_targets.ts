// The numbers that a shop should show, from our stock and the shop's unimported orders.
import type { ProductStock } from "../../inventory/stock/product_stock.ts";
import { availableOf } from "../../inventory/stock/product_stock.ts";
import { findNamedProducts, loadStock } from "../../inventory/stock/stock.sql.ts";
import { canBeSold } from "../../products/product.ts";
import { listBundleParts } from "../../products/products.sql.ts";
import type { Db } from "../../storage/database.ts";
import type { StoreConnection } from "../platform.ts";
import { placesOf, type ShopStock, type StockListing } from "./shop_stock.ts";
import { ruleOf, type SellableUnits, type StockRule, shopQuantity } from "./stock_quantity.ts";
import { findUnimported } from "./unimported_units.ts";

/** The number that a shop should show of a listing, and what it was computed from. */
interface StockTarget {
  readonly quantity: number;
  readonly units: SellableUnits;
  readonly rule: StockRule;
}

/** The numbers that a shop should show. */
export interface StockTargets {
  /** By listing id; without listings that have no product, or whose location shows no warehouse. */
  readonly of: ReadonlyMap<number, StockTarget>;
  /** The SKUs of products, by product id. */
  readonly skus: ReadonlyMap<number, string>;
  /** The shop's ids of orders whose lines are not known yet. */
  readonly unknown: readonly string[];
}

/** What a new order could reserve of a product in these warehouses (null for all), after older demand. */
function freeUnits(
  { product, items, backordered }: ProductStock,
  warehouse_ids: readonly number[] | null,
  now: number,
): number {
  const there = warehouse_ids === null ? items : items.filter((item) => warehouse_ids.includes(item.warehouse_id));
  return Math.max(0, availableOf({ product, items: there }, now) - backordered);
}

/** Computes the numbers that a shop should show of these listings. */
export async function findTargets(
  db: Db,
  connection: StoreConnection,
  stock: ShopStock,
  listings: readonly StockListing[],
): Promise<StockTargets> {
  // Read before our stock: an order that is imported in between counts twice rather than never.
  const unimported = await findUnimported(db, connection);
  const named = await findNamedProducts(db, [...unimported.units.keys()]);
  const sold = new Map<number, number>();
  for (const [sku, units] of unimported.units) {
    const product = named.get(sku)?.find(({ merchant_id }) => merchant_id === connection.merchant_id);
    if (product !== undefined) sold.set(product.id, units);
  }
  const product_ids = [...new Set(listings.flatMap(({ product_id }) => product_id ?? []))];
  const parts = Map.groupBy(
    await listBundleParts(db, [...new Set([...product_ids, ...sold.keys()])]),
    ({ bundle_id }) => bundle_id,
  );
  const wanted = new Set(product_ids);
  for (const id of product_ids) for (const { product_id } of parts.get(id) ?? []) wanted.add(product_id);
  const stocks = new Map((await loadStock(db, [...wanted])).map((one) => [one.product.id, one]));
  const demand = demandOf(sold, parts);
  const places = new Map(placesOf(stock)?.map((place) => [place.location_id, place.warehouse_ids]));
  const of = new Map<number, StockTarget>();
  for (const listing of listings) {
    const warehouse_ids = places.get(listing.location_id);
    const own = stocks.get(listing.product_id ?? 0);
    if (warehouse_ids === undefined || own === undefined) continue;
    const units = canBeSold(own.product.status)
      ? unitsIn(own.product.id, { stocks, parts, demand, warehouse_ids, now: db.now })
      : { available: 0, unimported: 0 };
    const rule = ruleOf(listing, stock);
    of.set(listing.id, { quantity: shopQuantity(units, rule), units, rule });
  }
  const skus = new Map([...stocks.values()].map(({ product }) => [product.id, product.sku]));
  return { of, skus, unknown: unimported.unknown };
}

type BundleParts = ReadonlyMap<number, readonly { readonly product_id: number; readonly quantity: number }[]>;

/** The unimported units of each product, with those that sold bundles contain. */
function demandOf(sold: ReadonlyMap<number, number>, parts: BundleParts): ReadonlyMap<number, number> {
  const demand = new Map<number, number>();
  const add = (id: number, units: number) => demand.set(id, (demand.get(id) ?? 0) + units);
  for (const [id, units] of sold) {
    const own = parts.get(id);
    if (own === undefined) add(id, units);
    for (const { product_id, quantity } of own ?? []) add(product_id, units * quantity);
  }
  return demand;
}

interface UnitsContext {
  readonly stocks: ReadonlyMap<number, ProductStock>;
  readonly parts: BundleParts;
  readonly demand: ReadonlyMap<number, number>;
  readonly warehouse_ids: readonly number[] | null;
  readonly now: number;
}

/** The units of a product; of a bundle, the sets that can be made of its components. */
function unitsIn(product_id: number, { stocks, parts, demand, warehouse_ids, now }: UnitsContext): SellableUnits {
  const own = parts.get(product_id);
  const free = (id: number) => {
    const stock = stocks.get(id);
    return stock === undefined ? 0 : freeUnits(stock, warehouse_ids, now);
  };
  if (own === undefined) return { available: free(product_id), unimported: demand.get(product_id) ?? 0 };
  const sets = (less: (id: number) => number) =>
    Math.min(...own.map((part) => Math.floor((free(part.product_id) - less(part.product_id)) / part.quantity)));
  const available = sets(() => 0);
  return { available, unimported: available - sets((id) => demand.get(id) ?? 0) };
}
