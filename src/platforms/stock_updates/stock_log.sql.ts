// The log of pushes, the differences that comparisons found, and the lists of both and of listings.
import { Type } from "@sinclair/typebox";
import { and, count, eq, isNotNull, isNull, lt, notExists, sql as template } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { among, isOneOf, list } from "../../../db/kit.ts";
import {
  platform_listings,
  platform_stock_differences,
  platform_stock_pushes,
} from "../../../db/schema/platform_stock.ts";
import { products } from "../../../db/schema/products.ts";
import { choice, textField } from "../../core/schema.ts";
import { orderable } from "../../products/product.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { equals, exactly, filter, recordList, refersTo, search } from "../../storage/record_list.ts";
import { deleteBatch } from "../../storage/row_batches.ts";
import { insert, preparedOf } from "../../storage/statements.ts";
import { getConnection } from "../connections.sql.ts";
import {
  listingMatches,
  queuedListings,
  stockCauses,
  stockPushResults,
  stockStatuses,
  stockTransitions,
  unsettableReasons,
} from "../platforms.transitions.ts";
import type { ListingCounts, StockDifference, StockListing, StockPush } from "./shop_stock.ts";

const isQueued = isOneOf(platform_listings.status, queuedListings);
const isOpen = isNull(platform_stock_differences.repaired_at);

/** Adds pushes to the log. */
export async function insertPushes(tx: Tx, pushes: readonly Omit<StockPush, "id">[]): Promise<void> {
  await insert(tx, platform_stock_pushes, pushes);
}

const openOf = preparedOf((sql, isOf) =>
  sql
    .select()
    .from(platform_stock_differences)
    .where(and(isOf(platform_stock_differences.listing_id), isOpen)),
);

/** Finds the differences of these listings that are not repaired. */
export async function findOpenDifferences(db: Db, listing_ids: readonly number[]): Promise<StockDifference[]> {
  return listing_ids.length === 0 ? [] : openOf(db, { ids: [...listing_ids] });
}

/** Adds differences that a comparison found. */
export async function insertDifferences(tx: Tx, differences: readonly Omit<StockDifference, "id">[]): Promise<void> {
  await insert(tx, platform_stock_differences, differences);
}

/** Saves a difference that a later comparison found again. */
export async function saveDifference(tx: Tx, { id, ...difference }: StockDifference): Promise<void> {
  await tx.sql
    .update(platform_stock_differences)
    .set({ ...difference, updated_at: tx.now })
    .where(eq(platform_stock_differences.id, id));
}

/** Records that the shop shows our number of these listings again. */
export async function repairDifferences(tx: Tx, listing_ids: readonly number[]): Promise<void> {
  if (listing_ids.length === 0) return;
  await tx.sql
    .update(platform_stock_differences)
    .set({ repaired_at: tx.now, updated_at: tx.now })
    .where(and(among(platform_stock_differences.listing_id, template`${list(listing_ids)}`), isOpen));
}

/** Deletes up to `limit` each of old pushes and differences, by time (ms). Returns whether more are left. */
export async function deleteOldStockLog(
  tx: Tx,
  { pushes, differences }: { pushes: number; differences: number },
  limit: number,
): Promise<boolean> {
  const log = platform_stock_pushes;
  const found = platform_stock_differences;
  const deleted = [
    await deleteBatch(tx, log, { where: lt(log.created_at, pushes), by: [log.created_at], limit }),
    await deleteBatch(tx, found, { where: lt(found.created_at, differences), by: [found.created_at], limit }),
  ];
  return Math.max(...deleted) === limit;
}

/** Counts a connection's listings and its differences that are not repaired. */
export async function countListings(db: Db, connection_id: number): Promise<ListingCounts> {
  const { connection_id: of, product_id, status } = platform_listings;
  const [row] = await db.sql
    .select({
      listings: count(),
      matched: count(product_id),
      queued: template`sum(case when ${isQueued} then 1 else 0 end)`.mapWith(Number),
      failed: template`sum(case when ${isOneOf(status, [stockTransitions.give_up.to])} then 1 else 0 end)`.mapWith(
        Number,
      ),
    })
    .from(platform_listings)
    .where(eq(of, connection_id));
  const { listings = 0, matched = 0, queued, failed } = row ?? {};
  const open = and(eq(platform_stock_differences.connection_id, connection_id), isOpen);
  const differences = await db.sql.$count(platform_stock_differences, open);
  return { listings, matched, queued: queued ?? 0, failed: failed ?? 0, differences };
}

const ofPath = async (db: Db, connection: string) => (await getConnection(db, connection)).id;

const sku = (column: AnyPgColumn) => exactly(column, textField(200, { description: "The SKU at the shop." }));

/** The listings of a connection, newest first. */
export const listingList = recordList(platform_listings, {
  filters: {
    q: search("Part of the name, the SKU or the barcode.", [
      platform_listings.name,
      platform_listings.sku,
      platform_listings.barcode,
    ]),
    sku: sku(platform_listings.sku),
    matched: filter(Type.Boolean({ description: "Whether it has a product here." }), (value) =>
      value ? isNotNull(platform_listings.product_id) : isNull(platform_listings.product_id),
    ),
    matched_by: equals(
      platform_listings.matched_by,
      choice(listingMatches, { description: "How its product was found." }),
    ),
    unsettable: equals(
      platform_listings.unsettable,
      choice(unsettableReasons, { description: "Why its number cannot be set." }),
    ),
    status: equals(platform_listings.status, choice(stockStatuses)),
    product_id: refersTo(platform_listings.product_id, "product", "The product whose stock it shows."),
  },
  within: async (db, _, connection) => eq(platform_listings.connection_id, await ofPath(db, connection)),
  records: (rows) => rows as readonly StockListing[],
});

/** A merchant's sellable products that no listing of a connection shows, newest first. */
export const unlistedProducts = recordList(products, {
  filters: { q: search("Part of the SKU or the name.", [products.sku, products.name]) },
  within: async (db, _, connection) => {
    const { id, merchant_id } = await getConnection(db, connection);
    const listed = db.sql
      .select({ one: template`1` })
      .from(platform_listings)
      .where(and(eq(platform_listings.product_id, products.id), eq(platform_listings.connection_id, id)));
    return and(eq(products.merchant_id, merchant_id), isOneOf(products.status, [orderable]), notExists(listed));
  },
});

/** The log of a connection's pushes, newest first. */
export const stockPushList = recordList(platform_stock_pushes, {
  filters: {
    listing_id: refersTo(platform_stock_pushes.listing_id, "listing", "The listing that was pushed."),
    sku: sku(platform_stock_pushes.sku),
    result: equals(
      platform_stock_pushes.result,
      choice(stockPushResults, { description: "What became of the number." }),
    ),
  },
  within: async (db, _, connection) => eq(platform_stock_pushes.connection_id, await ofPath(db, connection)),
});

/** Differences between a shop's numbers and ours, newest first. */
export const stockDifferenceList = recordList(platform_stock_differences, {
  filters: {
    listing_id: refersTo(platform_stock_differences.listing_id, "listing", "The listing that differed."),
    sku: sku(platform_stock_differences.sku),
    cause: equals(platform_stock_differences.cause, choice(stockCauses, { description: "The likely cause." })),
    repaired: filter(Type.Boolean({ description: "Whether the shop shows our number again." }), (value) =>
      value ? isNotNull(platform_stock_differences.repaired_at) : isOpen,
    ),
  },
  within: async (db, _, connection) => eq(platform_stock_differences.connection_id, await ofPath(db, connection)),
});
