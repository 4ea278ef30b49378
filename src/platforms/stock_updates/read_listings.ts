// Reads a shop's listings page by page, matches them with products, and compares the shop's numbers with ours.

import { Fault } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import type { PlatformListing, PlatformLocation } from "../connectors/connector.ts";
import type { StoreConnection } from "../platform.ts";
import { isListingQueued, isListingRefused, type ListingMatch, type StockCause } from "../platforms.transitions.ts";
import { inStep, lockClaimed, stale_code } from "./push_stock.ts";
import {
  isPushed,
  newListing,
  newShopStock,
  placesOf,
  type ShopStock,
  type StockClaim,
  type StockDifference,
  type StockListing,
} from "./shop_stock.ts";
import { findOpenDifferences, insertDifferences, repairDifferences, saveDifference } from "./stock_log.sql.ts";
import { unimported_code } from "./stock_needs.ts";
import { findTargets, type StockTargets } from "./stock_targets.ts";
import {
  deleteNotFound,
  findByBarcode,
  findBySku,
  findListingsAt,
  insertListings,
  insertShopStock,
  lockShopStock,
  noteFound,
  queueListings,
  saveListings,
  saveShopStock,
  saveVariants,
  stockQueue,
} from "./stock_updates.sql.ts";

/** Locks the stock pushes of a connection. They are created if nothing was set before. */
export async function openShopStock(tx: Tx, connection_id: number): Promise<ShopStock> {
  const known = await lockShopStock(tx, connection_id);
  if (known !== null) return known;
  await insertShopStock(tx, { ...newShopStock, connection_id, created_at: tx.now, updated_at: tx.now });
  const made = await lockShopStock(tx, connection_id);
  if (made === null) throw new Error(`the stock pushes of connection ${connection_id} exist`);
  return made;
}

/** Starts reading the listings of a shop from the start. The caller saves the result. */
export function readingFromStart(tx: Tx, stock: ShopStock): ShopStock {
  tx.wake(stockQueue.job, tx.now);
  return {
    ...stock,
    reading: stock.reading + 1,
    reading_since: tx.now,
    reading_location: 0,
    reading_cursor: null,
    read_listings: 0,
    attempts: 0,
    next_at: stock.leased_until === null ? tx.now : stock.next_at,
  };
}

/** Starts reading the listings of a shop, unless it is being read. */
export async function startReading(tx: Tx, connection_id: number): Promise<ShopStock> {
  const stock = await openShopStock(tx, connection_id);
  if (stock.reading_since !== null) return stock;
  const reading = readingFromStart(tx, stock);
  await saveShopStock(tx, reading);
  return reading;
}

/** Records the locations of a shop. Returns the one to read. Refuses: platform_error (none was chosen). */
export async function noteLocations(
  tx: Tx,
  claim: StockClaim,
  locations: readonly PlatformLocation[],
): Promise<string | null> {
  const stock = await lockClaimed(tx, claim);
  if (stock === null || stock.reading !== claim.stock.reading) return null;
  const known = locations.map(({ external_id, name, is_active }) => ({ external_id, name, is_active }));
  const next = { ...stock, locations: known };
  await saveShopStock(tx, next);
  return locationOf(next);
}

/** The location that is read now. Refuses: platform_error (none was chosen). */
export function locationOf({ places, locations, reading_location }: ShopStock): string | null {
  return placesOf({ places, locations })?.[reading_location]?.location_id ?? null;
}

/** The refusal while no location of the shop is chosen. */
export function locationMissing(): Fault {
  const message = "The shop has several locations, or none in use. Choose the one that your warehouses fill.";
  return new Fault("platform_error", message, { permanent: true });
}

/** A page of a location's listings as the shop showed them. */
interface ListingPage {
  readonly location_id: string;
  readonly listings: readonly PlatformListing[];
  readonly next: string | null;
}

/**
 * Records a page of listings. Queues new listings, and those whose number at the shop is not ours. A difference that
 * we did not cause is recorded first.
 */
export async function recordPage(tx: Tx, claim: StockClaim, page: ListingPage): Promise<void> {
  const stock = await lockClaimed(tx, claim);
  // Started again, or taken over.
  if (stock === null || stock.reading !== claim.stock.reading || stock.reading_since === null) return;
  const { connection } = claim;
  const found = await mergePage(tx, connection, stock, page);
  const targets = await findTargets(tx, connection, stock, found);
  if (stock.is_enabled) await compare(tx, stock, found, page, targets);
  await advance(tx, stock, page);
}

async function advance(tx: Tx, stock: ShopStock, { listings, next }: ListingPage): Promise<void> {
  const read_listings = stock.read_listings + listings.length;
  const count = placesOf(stock)?.length ?? 0;
  if (next !== null || stock.reading_location + 1 < count) {
    const reading_location = next === null ? stock.reading_location + 1 : stock.reading_location;
    await saveShopStock(tx, { ...stock, read_listings, reading_cursor: next, reading_location });
    return;
  }
  await deleteNotFound(tx, stock.connection_id, stock.reading);
  await saveShopStock(tx, { ...stock, read_listings, reading_cursor: null, reading_since: null, read_at: tx.now });
}

/** Stores the listings of a page, matched with products. Returns them as stored. */
async function mergePage(
  tx: Tx,
  { id: connection_id, merchant_id }: StoreConnection,
  { reading }: ShopStock,
  { location_id, listings }: ListingPage,
): Promise<StockListing[]> {
  const page = [...new Map(listings.map((listing) => [listing.external_id, listing])).values()];
  const external_ids = page.map(({ external_id }) => external_id);
  const known = new Map(
    (await findListingsAt(tx, connection_id, location_id, external_ids)).map((one) => [one.external_id, one]),
  );
  const match = await matcherOf(tx, merchant_id, page);
  const [added, changed, same]: [Omit<StockListing, "id">[], StockListing[], number[]] = [[], [], []];
  for (const listing of page) {
    const before = known.get(listing.external_id);
    const own = { sku: cut(listing.sku, 200), barcode: cut(listing.barcode, 200), name: cut(listing.name, 300) ?? "" };
    const shown = { ...own, unsettable: listing.unsettable, shop_quantity: listing.quantity };
    const matched = before?.matched_by === "hand" ? {} : match(listing);
    if (before === undefined)
      added.push({
        ...newListing,
        connection_id,
        location_id,
        reading,
        ...fresh(tx, listing),
        ...shown,
        ...match(listing),
      });
    else {
      const next = { ...before, ...shown, ...matched };
      // The number that the shop last showed of ours is compared below.
      const kept = before.in_step_at === null ? next : { ...next, shop_quantity: before.shop_quantity };
      const is_same = (Object.keys(kept) as (keyof StockListing)[]).every((field) => kept[field] === before[field]);
      if (is_same) same.push(before.id);
      else changed.push({ ...kept, reading });
    }
  }
  await insertListings(tx, added);
  await saveListings(tx, changed);
  await noteFound(tx, same, reading);
  await saveVariants(tx, connection_id, reading, page);
  return findListingsAt(tx, connection_id, location_id, external_ids);
}

const fresh = ({ now }: Tx, { external_id }: PlatformListing) => ({ external_id, created_at: now, updated_at: now });

const cut = (text: string | null, max: number) => text?.trim().slice(0, max) || null;

/** A product, and how it was found. */
interface MatchedProduct {
  readonly product_id: number | null;
  readonly matched_by: ListingMatch | null;
}

/** Returns a function that finds the product of a listing: by SKU in any case, else by barcode. */
async function matcherOf(
  tx: Tx,
  merchant_id: number,
  listings: readonly PlatformListing[],
): Promise<(listing: PlatformListing) => MatchedProduct> {
  const texts = (field: "sku" | "barcode") => listings.flatMap((listing) => cut(listing[field], 200) ?? []);
  const skus = await findBySku(tx, merchant_id, texts("sku"));
  const exact = new Map(skus.map(({ id, sku }) => [sku, id]));
  const folded = Map.groupBy(skus, ({ sku }) => sku.toLowerCase());
  const barcodes = new Map(
    (await findByBarcode(tx, merchant_id, texts("barcode"))).map(({ id, value }) => [value, id]),
  );
  return ({ sku: raw_sku, barcode: raw_barcode }) => {
    const [sku, barcode] = [cut(raw_sku, 200) ?? "", cut(raw_barcode, 200) ?? ""];
    const [only, ...others] = folded.get(sku.toLowerCase()) ?? [];
    const by_sku = exact.get(sku) ?? (others.length === 0 ? only?.id : undefined);
    if (by_sku !== undefined) return { product_id: by_sku, matched_by: "sku" };
    const by_barcode = barcodes.get(barcode);
    return by_barcode === undefined
      ? { product_id: null, matched_by: null }
      : { product_id: by_barcode, matched_by: "barcode" };
  };
}

/** Finds the product of a listing as a reading would, for one that is no longer matched by hand. */
export async function matchAgain(tx: Tx, merchant_id: number, listing: StockListing): Promise<MatchedProduct> {
  const shown = { ...listing, variant_ids: [], quantity: null };
  return (await matcherOf(tx, merchant_id, [shown]))(shown);
}

/** Compares the shop's numbers of a page with ours. */
async function compare(
  tx: Tx,
  { connection_id }: ShopStock,
  found: readonly StockListing[],
  { listings }: ListingPage,
  { of, unknown }: StockTargets,
): Promise<void> {
  const shown = new Map(listings.map(({ external_id, quantity }) => [external_id, quantity]));
  const [same, due]: [StockListing[], number[]] = [[], []];
  const different: Omit<StockDifference, "id">[] = [];
  for (const listing of found) {
    const target = of.get(listing.id);
    if (target === undefined) continue;
    const shop_quantity = shown.get(listing.external_id) ?? null;
    if (shop_quantity === target.quantity && listing.unsettable === null) {
      if (!isListingQueued(listing.status)) same.push(listing);
      continue;
    }
    if (isPushed(listing)) due.push(listing.id);
    const cause = causeOf(listing, { shop_quantity, target: target.quantity, has_unknown: unknown.length > 0 });
    if (cause === null) continue;
    const { id: listing_id, external_id, sku, location_id } = listing;
    different.push({
      ...{ connection_id, listing_id, external_id, sku, location_id, shop_quantity, cause },
      expected_quantity: target.quantity,
      ...{ created_at: tx.now, updated_at: tx.now, repaired_at: null },
    });
  }
  await recordSame(tx, same, shown);
  await recordDifferences(tx, different);
  if (due.length > 0) await queueListings(tx, connection_id, { ids: due }, tx.now);
}

async function recordSame(tx: Tx, same: readonly StockListing[], shown: ReadonlyMap<string, number | null>) {
  const after = same.map((listing) => inStep(tx, listing, shown.get(listing.external_id) ?? 0));
  await saveListings(tx, after);
  await repairDifferences(
    tx,
    after.map(({ id }) => id),
  );
}

async function recordDifferences(tx: Tx, found: readonly Omit<StockDifference, "id">[]): Promise<void> {
  const listing_ids = found.map(({ listing_id }) => listing_id);
  const open = new Map((await findOpenDifferences(tx, listing_ids)).map((one) => [one.listing_id, one]));
  for (const difference of found) {
    const before = open.get(difference.listing_id);
    if (before === undefined) continue;
    const { shop_quantity, expected_quantity, cause } = difference;
    await saveDifference(tx, { ...before, shop_quantity, expected_quantity, cause });
  }
  await insertDifferences(
    tx,
    found.filter(({ listing_id }) => !open.has(listing_id)),
  );
}

interface ComparedNumbers {
  readonly shop_quantity: number | null;
  readonly target: number;
  readonly has_unknown: boolean;
}

/**
 * The likely cause of a difference; null if it is none: the shop never showed our number, or our stock has just changed
 * and the shop still shows what it did.
 */
function causeOf(listing: StockListing, { shop_quantity, target, has_unknown }: ComparedNumbers): StockCause | null {
  if (isListingRefused(listing.status)) return "push_failed";
  if (listing.in_step_at === null) return null;
  if (listing.unsettable !== null || shop_quantity === null) return "not_tracked";
  if (shop_quantity === listing.shop_quantity) return null;
  if (isListingQueued(listing.status)) return causeOfDelay(listing);
  return has_unknown && shop_quantity < target ? "order_not_imported" : "changed_at_shop";
}

/** Why a number is not compared yet; null if it soon will be: an order or a push of ours may explain it. */
function causeOfDelay({ error_code }: StockListing): StockCause | null {
  if (error_code === unimported_code) return "order_not_imported";
  return error_code === null || error_code === stale_code ? null : "push_failed";
}
