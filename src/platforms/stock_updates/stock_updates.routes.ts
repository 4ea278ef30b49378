import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { closed } from "../../core/schema.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Db } from "../../storage/database.ts";
import { getConnection } from "../connections.sql.ts";
import type { StoreConnection } from "../platform.ts";
import { getShopStock, updateListing, updateShopStock } from "./change_stock_settings.ts";
import { startReading } from "./read_listings.ts";
import {
  type ListingWithTarget,
  listingView,
  type ShopStock,
  type StockListing,
  shopStockView,
  stockDifferenceView,
  stockPushView,
} from "./shop_stock.ts";
import { countListings, listingList, stockDifferenceList, stockPushList, unlistedProducts } from "./stock_log.sql.ts";
import { findTargets } from "./stock_targets.ts";
import {
  ListingView,
  ShopStockView,
  StockDifferenceView,
  StockPushView,
  UnlistedProductView,
  UpdateListing,
  UpdateShopStock,
} from "./stock_updates.schema.ts";

/** Routes of the stock that is pushed to a connected store. */
export const stockRoutes = routes("Platforms", [
  read("/platforms/:id/stock", "platforms.manage", {
    id: "getPlatformStock",
    summary: "Get the stock settings of a store",
    description:
      "Shows whether stock is pushed to the store, how much of it, and how far that is. `reason` is why the last" +
      " attempt failed.",
    view: ShopStockView,
    data: async (db, { params }) => viewOf(db, await getShopStock(db, params.id)),
  }),
  write("PATCH", "/platforms/:id/stock", "platforms.manage", {
    id: "updatePlatformStock",
    summary: "Switch pushing of stock on or off, or change its settings",
    description:
      "The store then shows the units that a new order could reserve, less `buffer` and the units of its orders that" +
      " are not imported, times `share_percent`, and at most `cap`. Before you switch it on, see `target_quantity` in" +
      " `GET /platforms/{id}/listings`.",
    body: UpdateShopStock,
    view: ShopStockView,
    act: async (tx, { params, body }) => viewOf(tx, await updateShopStock(tx, params.id, body)),
  }),
  write("POST", "/platforms/:id/stock/read", "platforms.manage", {
    id: "readPlatformListings",
    summary: "Read the listings of a store",
    description:
      "Reads the store's products and variants with their numbers, in the background; `reading` shows the progress." +
      " It happens every night if stock is pushed to the store. Numbers that differ from ours are recorded and" +
      " corrected.",
    body: closed({}),
    view: ShopStockView,
    act: async (tx, { params }) => viewOf(tx, await startReading(tx, (await getConnection(tx, params.id)).id)),
  }),
  list("/platforms/:id/listings", "platforms.manage", {
    id: "listPlatformListings",
    summary: "List the listings of a store",
    description:
      "The store's products and variants at each of its locations, newest first, with their product here and the" +
      " number that the store should show. `matched=false` lists those to be matched by hand.",
    of: listingList,
    view: ListingView,
    views: async (listings, db, { params }) => {
      return (await withTargets(db, await getConnection(db, params.id), listings)).map(listingView);
    },
  }),
  write("PATCH", "/platforms/:id/listings/:listing_id", "platforms.manage", {
    id: "updatePlatformListing",
    summary: "Match a listing of a store, or change how much it shows",
    description: "A product is matched at all locations of the store. The other fields are for this location.",
    body: UpdateListing,
    view: ListingView,
    act: async (tx, { params: { id, listing_id }, body }) => {
      const listing = await updateListing(tx, id, listing_id, body);
      return oneView(await withTargets(tx, await getConnection(tx, id), [listing]));
    },
  }),
  list("/platforms/:id/unlisted_products", "platforms.manage", {
    id: "listUnlistedProducts",
    summary: "List the products that a store does not have",
    description: "Active products of the store's merchant that no listing of the store is matched with, newest first.",
    of: unlistedProducts,
    view: UnlistedProductView,
    views: (products) =>
      products.map(({ id, sku, name, created_at }) => ({
        id: wireId("product", id),
        sku,
        name,
        created_at: iso(created_at),
      })),
  }),
  list("/platforms/:id/stock_pushes", "platforms.manage", {
    id: "listStockPushes",
    summary: "List the numbers sent to a store",
    description: "Every number that was sent to the store, newest first, with the result. Kept for 30 days.",
    of: stockPushList,
    view: StockPushView,
    views: (pushes) => pushes.map(stockPushView),
  }),
  list("/platforms/:id/stock_differences", "platforms.manage", {
    id: "listStockDifferences",
    summary: "List the differences between a store's stock and ours",
    description:
      "Differences that a comparison found, newest first, with the likely cause. They are repaired unless the store," +
      " or the listing, is paused. Kept for 90 days.",
    of: stockDifferenceList,
    view: StockDifferenceView,
    views: (differences) => differences.map(stockDifferenceView),
  }),
]);

async function viewOf(db: Db, stock: ShopStock) {
  return shopStockView(stock, await countListings(db, stock.connection_id));
}

/** Adds the numbers that the shop should show. */
async function withTargets(
  db: Db,
  connection: StoreConnection,
  listings: readonly StockListing[],
): Promise<ListingWithTarget[]> {
  const stock = await getShopStock(db, wireId("connection", connection.id));
  const { of, skus } = await findTargets(db, connection, stock, listings);
  return listings.map((listing) => ({
    ...listing,
    product_sku: skus.get(listing.product_id ?? 0) ?? null,
    target: of.get(listing.id)?.quantity ?? null,
  }));
}

function oneView([listing]: readonly ListingWithTarget[]) {
  if (listing === undefined) throw new Error("the changed listing is shown");
  return listingView(listing);
}
