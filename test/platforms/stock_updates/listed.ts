// Listings of a store as a reading, a push and a comparison leave them, without calling the store.
import { openShopStock } from "../../../src/platforms/stock_updates/read_listings.ts";
import { newListing } from "../../../src/platforms/stock_updates/shop_stock.ts";
import { insertDifferences, insertPushes } from "../../../src/platforms/stock_updates/stock_log.sql.ts";
import {
  findListingsAt,
  insertListings,
  saveShopStock,
} from "../../../src/platforms/stock_updates/stock_updates.sql.ts";
import type { Store } from "../../../src/storage/database.ts";

/** Adds two listings, one of them with a product whose number was pushed and once differed. Returns the first's id. */
export async function addListings(store: Store, connection: string, product: string, sku: string): Promise<string> {
  const connection_id = Number(connection.split("_")[1]);
  const product_id = Number(product.split("_")[1]);
  return store.write(async (tx) => {
    const stock = await openShopStock(tx, connection_id);
    await saveShopStock(tx, { ...stock, reading: 1, read_at: tx.now, read_listings: 2 });
    const shown = { ...newListing, connection_id, location_id: "", barcode: null, unsettable: null, reading: 1 };
    const times = { created_at: tx.now, updated_at: tx.now };
    await insertListings(tx, [
      {
        ...shown,
        ...times,
        external_id: "801",
        sku,
        name: sku,
        product_id,
        matched_by: "sku",
        shop_quantity: 4,
      },
      {
        ...shown,
        ...times,
        external_id: "802",
        sku: "GIFT",
        name: "GIFT",
        product_id: null,
        matched_by: null,
        shop_quantity: 0,
      },
    ]);
    const [listing] = await findListingsAt(tx, connection_id, "", ["801"]);
    const where = { connection_id, listing_id: listing?.id ?? 0, external_id: "801", sku, location_id: "" };
    const push = {
      ...where,
      from_quantity: 5,
      to_quantity: 4,
      result: "set",
      shop_quantity: 4,
      waited_ms: 2100,
    } as const;
    await insertPushes(tx, [{ ...push, error_code: null, error_message: null, created_at: tx.now }]);
    const cause = "changed_at_shop";
    const difference = {
      ...where,
      ...times,
      shop_quantity: 9,
      expected_quantity: 4,
      cause,
      repaired_at: tx.now,
    } as const;
    await insertDifferences(tx, [difference]);
    return `lst_${listing?.id}`;
  });
}

const operations = [
  ...["getPlatformStock", "updatePlatformStock", "readPlatformListings", "listPlatformListings"],
  ...["listUnlistedProducts", "listStockPushes", "listStockDifferences"],
];

/** The paths of all operations on the stock of a store, by operation. */
export function stockRequests(id: string, listing_id: string) {
  const ofStore = Object.fromEntries(operations.map((operation) => [operation, { path: { id } }]));
  return { ...ofStore, updatePlatformListing: { path: { id, listing_id } } };
}
