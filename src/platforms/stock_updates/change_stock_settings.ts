import { invalid } from "../../core/faults.ts";
import { readId, readIds } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import { listWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import { findProducts } from "../../products/products.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { hasApiAccess } from "../connection.ts";
import { getConnection } from "../connections.sql.ts";
import type { StoreConnection } from "../platform.ts";
import { stockTransitions } from "../platforms.transitions.ts";
import { matchAgain, openShopStock, readingFromStart } from "./read_listings.ts";
import { isPushed, newShopStock, type ShopPlaces, type ShopStock, type StockListing } from "./shop_stock.ts";
import { skipStockChanges } from "./stock_needs.ts";
import type { UpdateListing, UpdateShopStock } from "./stock_updates.schema.ts";
import {
  findShopStock,
  getListingIn,
  isAnyEnabled,
  listAtAllPlaces,
  queueListings,
  saveListings,
  saveShopStock,
} from "./stock_updates.sql.ts";

/** Reads the stock pushes of a connection, or what applies before anything is set. Refuses: resource_missing. */
export async function getShopStock(db: Db, id: string): Promise<ShopStock> {
  const connection = await getConnection(db, id);
  const { created_at, updated_at } = connection;
  const none = { ...newShopStock, id: 0, connection_id: connection.id, created_at, updated_at };
  return (await findShopStock(db, connection.id)) ?? none;
}

/**
 * Changes the stock pushes of a connection. Once they are switched on, or the locations change, the shop's listings are
 * read; any other change compares all numbers. Refuses: resource_missing, validation_failed.
 */
export async function updateShopStock(tx: Tx, id: string, input: UpdateShopStock): Promise<ShopStock> {
  const connection = await getConnection(tx, id);
  const before = await openShopStock(tx, connection.id);
  const { enabled = before.is_enabled, paused = before.is_paused, locations } = input;
  const { buffer = before.buffer, cap = before.cap, share_percent = before.share_percent } = input;
  const places = locations === undefined ? before.places : locations && (await placesIn(tx, locations));
  const changed = { ...before, is_enabled: enabled, is_paused: paused, buffer, cap, share_percent, places };
  if (JSON.stringify(changed) === JSON.stringify(before)) return before;
  const is_new = enabled && !before.is_enabled;
  if (is_new && !hasApiAccess(connection)) {
    const names = connection.platform === "shopify" ? "`client_id` and `client_secret`" : "`api_key` and `api_token`";
    throw invalid("enabled", `needs access to the shop's API: give the connection its ${names} first`);
  }
  // Events are followed for enabled connections only, of all merchants.
  if (enabled && !(await isAnyEnabled(tx))) await skipStockChanges(tx);
  const has_moved = JSON.stringify(places) !== JSON.stringify(before.places);
  const next = { ...changed, attempts: 0, error_code: null, error_message: null };
  const saved = is_new || has_moved ? readingFromStart(tx, next) : next;
  await saveShopStock(tx, saved);
  if (!enabled) return saved;
  await queueListings(tx, connection.id, {}, tx.now);
  return saved;
}

/** The warehouses of each location. Refuses: validation_failed, if one is unknown or fills two. */
async function placesIn(tx: Tx, input: NonNullable<UpdateShopStock["locations"]>): Promise<ShopPlaces> {
  const known = new Set((await listWarehouses(tx)).map(({ id }) => id));
  const used = new Set<number>();
  const ids = input.map(({ external_id }) => external_id);
  const twice = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (twice >= 0) throw invalid(`locations[${twice}].external_id`, "is listed twice", "duplicate");
  return input.map(({ external_id, warehouse_ids }, at) => {
    const field = `locations[${at}].warehouse_ids`;
    const own = readIds("warehouse", warehouse_ids);
    for (const id of own) {
      if (!known.has(id)) throw invalid(field, "names no warehouse", "resource_missing");
      if (used.has(id)) throw invalid(field, "names a warehouse that already fills a location", "duplicate");
      used.add(id);
    }
    return { external_id, warehouse_ids: own };
  });
}

/**
 * Changes a listing: its product at all of the shop's locations, or how much is shown at this one.
 * Refuses: resource_missing, validation_failed.
 */
export async function updateListing(
  tx: Tx,
  connection_id: string,
  id: string,
  input: UpdateListing,
): Promise<StockListing> {
  const connection = await getConnection(tx, connection_id);
  const stock = await openShopStock(tx, connection.id);
  const before = await getListingIn(tx, connection.id, id);
  const match = await matchIn(tx, connection, before, input);
  const { paused = before.is_paused, buffer = before.buffer, cap = before.cap } = input;
  const { share_percent = before.share_percent } = input;
  const changed = { ...before, ...match, is_paused: paused, buffer, cap, share_percent };
  const others = await listAtAllPlaces(tx, connection.id, before.external_id);
  const after = others.map((one) => (one.id === before.id ? changed : { ...one, ...match })).map(leftIfNotPushed);
  await saveListings(tx, after);
  if (stock.is_enabled) await queueListings(tx, connection.id, { ids: after.map((one) => one.id) }, tx.now);
  return getListingIn(tx, connection.id, id);
}

const leftIfNotPushed = (listing: StockListing): StockListing =>
  isPushed(listing)
    ? listing
    : {
        ...listing,
        status: transition(stockTransitions, "leave", listing.status),
        due_at: null,
        needed_at: null,
        error_code: null,
        error_message: null,
      };

/** The product that a request gives a listing. Refuses: validation_failed, if the merchant has none of this id. */
async function matchIn(
  tx: Tx,
  { merchant_id }: StoreConnection,
  listing: StockListing,
  { product_id }: UpdateListing,
): Promise<Partial<StockListing>> {
  if (product_id === undefined) return {};
  if (product_id === null) return matchAgain(tx, merchant_id, listing);
  const wanted = readId("product", product_id);
  if (wanted === listing.product_id) return {};
  const [product] = await findProducts(tx, [wanted ?? 0]);
  if (product === undefined || product.merchant_id !== merchant_id) {
    throw invalid("product_id", "names no product of the shop's merchant", "resource_missing");
  }
  return { product_id: product.id, matched_by: "hand" };
}
