import { and, asc, eq, isNotNull, isNull, lt, or, type SQL, sql as template } from "drizzle-orm";
import { among, amongTexts, folded, forUpdate, isOneOf, list, opaque } from "../../../db/kit.ts";
import { platform_listing_variants, platform_listings, platform_stock } from "../../../db/schema/platform_stock.ts";
import { platform_connections } from "../../../db/schema/platforms.ts";
import { product_barcodes, products } from "../../../db/schema/products.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { minute_ms, second_ms } from "../../core/time.ts";
import { bulkTransition } from "../../core/transitions.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { queueOf, shiftOf } from "../../storage/queue.ts";
import { insert, prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import { queuedListings, stockTransitions } from "../platforms.transitions.ts";
import type { ShopStock, StockListing } from "./shop_stock.ts";

const isQueued = isOneOf(platform_listings.status, queuedListings);

// A platform may still be working on the call of a server that stopped. It gets as long as from a running server, which
// waits 25 seconds for a response and 5 more before it tries again.
const call_ms_max = 30 * second_ms;

const work = queueOf<ShopStock>(platform_stock, {
  kind: "shop_stock",
  job: "platforms.stock",
  due: platform_stock.next_at,
  waiting: isNotNull(platform_stock.next_at),
  lane: platform_stock.connection_id,
  lease_ms: 3 * minute_ms,
  rest_ms: () => call_ms_max,
  claimed: (_, leased_until) => ({ leased_until }),
});
const shiftListings = shiftOf(platform_listings, [platform_listings.due_at, platform_listings.needed_at], isQueued);

/**
 * The connections with listings to push or to read. A claim is of the whole connection, so that only one server calls
 * its API.
 */
export const stockQueue = {
  ...work,
  async shift(tx: Tx, by_ms: number) {
    await work.shift(tx, by_ms);
    await shiftListings(tx, by_ms);
  },
};

const ofConnection = prepared((sql, a: StatementArgs<{ connection_id: number }>) =>
  sql.select().from(platform_stock).where(eq(platform_stock.connection_id, a.connection_id)),
);
const lockedOfConnection = prepared((sql, a: StatementArgs<{ connection_id: number }>) =>
  forUpdate(sql.select().from(platform_stock).where(eq(platform_stock.connection_id, a.connection_id))),
);

/** Finds the stock pushes of a connection; null if nothing was set for it. */
export async function findShopStock(db: Db, connection_id: number): Promise<ShopStock | null> {
  const [row] = (await ofConnection(db, { connection_id })) as ShopStock[];
  return row ?? null;
}

/** As `findShopStock`, and locks them. Every transaction that changes listings locks these first. */
export async function lockShopStock(tx: Tx, connection_id: number): Promise<ShopStock | null> {
  const [row] = (await lockedOfConnection(tx, { connection_id })) as ShopStock[];
  return row ?? null;
}

const writable = ({ places, locations, ...fields }: Omit<ShopStock, "id">) => ({
  ...fields,
  places: places === null ? null : [...places],
  locations: [...locations],
});

/** Inserts the stock pushes of a connection, unless they exist. */
export async function insertShopStock(tx: Tx, stock: Omit<ShopStock, "id">): Promise<void> {
  await tx.sql
    .insert(platform_stock)
    .values(writable(stock))
    .onConflictDoNothing({ target: [platform_stock.connection_id] });
}

/** Switches off pushing stock to a store that is connected again. */
export async function switchOffStock(tx: Tx, connection_id: number): Promise<void> {
  await tx.sql
    .update(platform_stock)
    .set({ is_enabled: false, next_at: null, leased_until: null, error_code: null, error_message: null })
    .where(eq(platform_stock.connection_id, connection_id));
}

/** Pauses pushing stock to all stores, and returns to how many it was pushed. */
export async function pauseStock(tx: Tx): Promise<number> {
  const paused = await tx.sql
    .update(platform_stock)
    .set({ is_paused: true, updated_at: tx.now })
    .where(template`${platform_stock.is_enabled} and not ${platform_stock.is_paused}`)
    .returning({ id: platform_stock.id });
  return paused.length;
}

/** Saves changed, locked stock pushes. */
export async function saveShopStock(tx: Tx, { id, ...stock }: ShopStock): Promise<void> {
  await tx.sql
    .update(platform_stock)
    .set({ ...writable(stock), updated_at: tx.now })
    .where(eq(platform_stock.id, id));
}

const enabled = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select({ connection_id: platform_stock.connection_id, merchant_id: platform_connections.merchant_id })
    .from(platform_stock)
    .innerJoin(platform_connections, eq(platform_connections.id, platform_stock.connection_id))
    .where(and(template`${platform_stock.is_enabled}`, isNull(platform_connections.deleted_at)))
    .orderBy(asc(platform_stock.connection_id)),
);

/** Lists the connections to whose shops stock is pushed, with their merchants. */
export async function listEnabled(db: Db): Promise<{ connection_id: number; merchant_id: number }[]> {
  return enabled(db, {});
}

const anyEnabled = prepared((sql, _: StatementArgs<object>) =>
  sql.select({ one: template`1` }).from(platform_stock).where(template`${platform_stock.is_enabled}`).limit(1),
);

/** Whether stock is pushed to the shop of any merchant, also for one who does not see the others' connections. */
export async function isAnyEnabled(db: Db): Promise<boolean> {
  return (await anyEnabled(db, {})).length > 0;
}

const anyWork = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select({ one: template`1` })
    .from(platform_stock)
    .where(or(template`${platform_stock.is_enabled}`, isNotNull(platform_stock.next_at)))
    .limit(1),
);

/** Whether any connection has stock to push or listings to read. */
export async function hasStockWork(db: Db): Promise<boolean> {
  return (await anyWork(db, {})).length > 0;
}

// Listings.

const ofProducts = preparedOf((sql, isOf) =>
  sql
    .selectDistinct({ connection_id: platform_listings.connection_id })
    .from(platform_listings)
    .innerJoin(platform_stock, eq(platform_stock.connection_id, platform_listings.connection_id))
    .where(and(isOf(platform_listings.product_id), template`${platform_stock.is_enabled}`)),
);

/** Lists the connections that push the stock of any of these products. */
export async function listConnectionsOf(db: Db, product_ids: readonly number[]): Promise<number[]> {
  if (product_ids.length === 0) return [];
  const rows = await ofProducts(db, { ids: [...product_ids] });
  return rows.map(({ connection_id }) => connection_id).sort((a, b) => a - b);
}

const isPushed = and(
  isNotNull(platform_listings.product_id),
  isNull(platform_listings.unsettable),
  template`not ${platform_listings.is_paused}`,
);

const queueing = bulkTransition(stockTransitions, "queue");

/** Which listings of a connection are queued: those of some products, some of them, or all. */
interface QueuedListings {
  readonly product_ids?: readonly number[];
  readonly ids?: readonly number[];
}

/**
 * Queues listings of a locked, enabled connection whose number may have changed, because of a change that began at
 * `needed_at` (ms). Listings that are not pushed are left out.
 */
export async function queueListings(
  tx: Tx,
  connection_id: number,
  { product_ids, ids }: QueuedListings,
  needed_at: number,
): Promise<void> {
  const { id, product_id, revision, needed_at: first } = platform_listings;
  await tx.sql
    .update(platform_listings)
    .set({
      status: queueing.to,
      revision: template`${revision} + 1`,
      attempts: 0,
      due_at: tx.now,
      needed_at: template`coalesce(${first}, ${needed_at})`,
      error_code: null,
      error_message: null,
      updated_at: tx.now,
    })
    .where(
      and(
        eq(platform_listings.connection_id, connection_id),
        product_ids === undefined ? undefined : among(product_id, template`${list(product_ids)}`),
        ids === undefined ? undefined : among(id, template`${list(ids)}`),
        isOneOf(platform_listings.status, queueing.from),
        isPushed,
      ),
    );
  await wakeStock(tx, connection_id);
}

const waiting = prepared((sql, a: StatementArgs<{ connection_id: number; code: string }>) =>
  sql
    .select({ id: platform_listings.id })
    .from(platform_listings)
    .where(
      and(eq(platform_listings.connection_id, a.connection_id), isQueued, eq(platform_listings.error_code, a.code)),
    ),
);

/** Makes the queued listings of a connection due that wait for a reason with this code. */
export async function resumeWaiting(tx: Tx, connection_id: number, code: string): Promise<void> {
  if ((await waiting(tx, { connection_id, code })).length === 0) return;
  await lockShopStock(tx, connection_id);
  const ids = (await waiting(tx, { connection_id, code })).map(({ id }) => id);
  await tx.sql
    .update(platform_listings)
    .set({ due_at: tx.now })
    .where(among(platform_listings.id, template`${list(ids)}`));
  await wakeStock(tx, connection_id);
}

/**
 * Makes a locked connection due, unless a server is working for it, which goes on with what is due then, or its last
 * call failed: the wait that follows may be one that the shop asked for.
 */
async function wakeStock(tx: Tx, connection_id: number): Promise<void> {
  await wake(tx, eq(platform_stock.connection_id, connection_id), eq(platform_stock.attempts, 0));
}

/** Makes a locked connection due even after a failure, because what made it fail may have changed. */
export async function retryStock(tx: Tx, connection_id: number): Promise<void> {
  await wake(tx, eq(platform_stock.connection_id, connection_id));
}

async function wake(tx: Tx, ...which: readonly SQL[]): Promise<void> {
  await tx.sql
    .update(platform_stock)
    .set({ next_at: tx.now, attempts: 0 })
    .where(and(...which, isNull(platform_stock.leased_until)));
  tx.wake(stockQueue.job, tx.now);
}

const due = prepared((sql, a: StatementArgs<{ connection_id: number; now: number; limit: number }>) =>
  sql
    .select()
    .from(platform_listings)
    .where(
      and(
        eq(platform_listings.connection_id, a.connection_id),
        isQueued,
        template`${platform_listings.due_at} <= ${opaque(a.now)}`,
      ),
    )
    .orderBy(asc(platform_listings.due_at), asc(platform_listings.id))
    .limit(opaque(a.limit)),
);

/** Lists the due listings of a connection, the longest due first. */
export async function listDue(db: Db, connection_id: number, limit: number): Promise<StockListing[]> {
  return (await due(db, { connection_id, now: db.now, limit })) as StockListing[];
}

const nextDue = prepared((sql, a: StatementArgs<{ connection_id: number }>) =>
  sql
    .select({ at: template<number | null>`min(${platform_listings.due_at})`.mapWith(Number) })
    .from(platform_listings)
    .where(and(eq(platform_listings.connection_id, a.connection_id), isQueued)),
);

/** When the next listing of a connection is due (ms), or null. */
export async function nextDueAt(db: Db, connection_id: number): Promise<number | null> {
  const [row] = await nextDue(db, { connection_id });
  return row?.at ?? null;
}

const byIds = preparedOf((sql, isOf) => sql.select().from(platform_listings).where(isOf(platform_listings.id)));

/** Finds listings by their ids, unsorted. */
export async function findListings(db: Db, ids: readonly number[]): Promise<StockListing[]> {
  return ids.length === 0 ? [] : ((await byIds(db, { ids: [...ids] })) as StockListing[]);
}

const byExternalIds = prepared(
  (sql, a: StatementArgs<{ connection_id: number; location_id: string; external_ids: string }>) =>
    sql
      .select()
      .from(platform_listings)
      .where(
        and(
          eq(platform_listings.connection_id, a.connection_id),
          eq(platform_listings.location_id, a.location_id),
          amongTexts(platform_listings.external_id, a.external_ids),
        ),
      ),
);

/** Finds the listings of a location by the shop's ids, unsorted. */
export async function findListingsAt(
  db: Db,
  connection_id: number,
  location_id: string,
  external_ids: readonly string[],
): Promise<StockListing[]> {
  return (await byExternalIds(db, { connection_id, location_id, external_ids: list(external_ids) })) as StockListing[];
}

/** Lists a shop's product at all of its locations. */
export async function listAtAllPlaces(db: Db, connection_id: number, external_id: string): Promise<StockListing[]> {
  const { connection_id: of, external_id: named } = platform_listings;
  const where = and(eq(of, connection_id), eq(named, external_id));
  return (await db.sql.select().from(platform_listings).where(where)) as StockListing[];
}

/** Finds a listing of a connection by the identifier in a path. Refuses: resource_missing. */
export async function getListingIn(db: Db, connection_id: number, id: string): Promise<StockListing> {
  const [listing] = await findListings(db, [readId("listing", id) ?? 0]);
  if (listing === undefined || listing.connection_id !== connection_id) throw missing("listing", id);
  return listing;
}

/** Inserts listings. */
export async function insertListings(tx: Tx, listings: readonly Omit<StockListing, "id">[]): Promise<void> {
  await insert(tx, platform_listings, listings);
}

const changeListing = prepared((sql: WriteStatements, a: StatementArgs<Omit<StockListing, "created_at">>) =>
  sql
    .update(platform_listings)
    .set({
      sku: template`${a.sku}`,
      barcode: template`${a.barcode}`,
      name: template`${a.name}`,
      unsettable: template`${a.unsettable}`,
      product_id: template`${a.product_id}`,
      matched_by: template`${a.matched_by}`,
      buffer: template`${a.buffer}`,
      cap: template`${a.cap}`,
      share_percent: template`${a.share_percent}`,
      is_paused: template`${a.is_paused}`,
      status: template`${a.status}`,
      revision: template`${a.revision}`,
      attempts: template`${a.attempts}`,
      due_at: template`${a.due_at}`,
      needed_at: template`${a.needed_at}`,
      shop_quantity: template`${a.shop_quantity}`,
      in_step_at: template`${a.in_step_at}`,
      error_code: template`${a.error_code}`,
      error_message: template`${a.error_message}`,
      reading: template`${a.reading}`,
      updated_at: template`${a.updated_at}`,
    } as never)
    .where(eq(platform_listings.id, a.id)),
);

/** Saves changed listings of a locked connection. */
export async function saveListings(tx: Tx, listings: readonly StockListing[]): Promise<void> {
  for (const { created_at: _made, ...listing } of listings) await changeListing(tx, { ...listing, updated_at: tx.now });
}

/** Records that a reading found these listings, and that nothing about them changed. */
export async function noteFound(tx: Tx, ids: readonly number[], reading: number): Promise<void> {
  if (ids.length === 0) return;
  await tx.sql
    .update(platform_listings)
    .set({ reading })
    .where(among(platform_listings.id, template`${list(ids)}`));
}

/** Deletes listings and variants of a connection that its last complete reading did not find. */
export async function deleteNotFound(tx: Tx, connection_id: number, reading: number): Promise<void> {
  for (const table of [platform_listings, platform_listing_variants]) {
    await tx.sql.delete(table).where(and(eq(table.connection_id, connection_id), lt(table.reading, reading)));
  }
}

/** Stores which listings a shop's variants belong to. */
export async function saveVariants(
  tx: Tx,
  connection_id: number,
  reading: number,
  listings: readonly { readonly external_id: string; readonly variant_ids: readonly string[] }[],
): Promise<void> {
  const rows = new Map(
    listings.flatMap(({ external_id, variant_ids }) =>
      variant_ids.map((variant_id) => [variant_id, { connection_id, variant_id, external_id, reading }] as const),
    ),
  );
  if (rows.size === 0) return;
  await tx.sql
    .insert(platform_listing_variants)
    .values([...rows.values()])
    .onConflictDoUpdate({
      target: [platform_listing_variants.connection_id, platform_listing_variants.variant_id],
      set: { external_id: template`excluded.external_id`, reading },
    });
}

const matchedVariants = prepared((sql, a: StatementArgs<{ connection_id: number; variant_ids: string }>) =>
  sql
    .selectDistinct({ variant_id: platform_listing_variants.variant_id, sku: products.sku })
    .from(platform_listing_variants)
    .innerJoin(
      platform_listings,
      and(
        eq(platform_listings.connection_id, platform_listing_variants.connection_id),
        eq(platform_listings.external_id, platform_listing_variants.external_id),
      ),
    )
    .innerJoin(products, eq(products.id, platform_listings.product_id))
    .where(
      and(
        eq(platform_listing_variants.connection_id, a.connection_id),
        amongTexts(platform_listing_variants.variant_id, a.variant_ids),
      ),
    ),
);

/** The SKUs of the products that a shop's variants are matched with, by variant. */
export async function findMatchedSkus(
  db: Db,
  connection_id: number,
  variant_ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await matchedVariants(db, { connection_id, variant_ids: list(variant_ids) });
  return new Map(rows.map(({ variant_id, sku }) => [variant_id, sku]));
}

// Products for matching.

const bySku = prepared((sql, a: StatementArgs<{ merchant_id: number; skus: string; lower: string }>) =>
  sql
    .select({ id: products.id, sku: products.sku })
    .from(products)
    .where(
      and(
        eq(products.merchant_id, a.merchant_id),
        or(amongTexts(products.sku, a.skus), amongTexts(folded(products.sku), a.lower)),
      ),
    ),
);
const byBarcode = prepared((sql, a: StatementArgs<{ merchant_id: number; values: string }>) =>
  sql
    .select({ id: product_barcodes.product_id, value: product_barcodes.value })
    .from(product_barcodes)
    .where(
      and(
        eq(product_barcodes.merchant_id, a.merchant_id),
        amongTexts(product_barcodes.value, a.values),
        isNull(product_barcodes.pack_id),
      ),
    ),
);

/** Finds a merchant's products with these SKUs, in any case. */
export async function findBySku(db: Db, merchant_id: number, skus: readonly string[]) {
  if (skus.length === 0) return [];
  return bySku(db, { merchant_id, skus: list(skus), lower: list(skus.map((sku) => sku.toLowerCase())) });
}

/** Finds a merchant's products with these barcodes. A listing of a pack does not count units, so it is left out. */
export async function findByBarcode(db: Db, merchant_id: number, values: readonly string[]) {
  return values.length === 0 ? [] : byBarcode(db, { merchant_id, values: list(values) });
}
