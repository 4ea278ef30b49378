// What makes listings due: changes of stock, of settings, and imports that end.
import {
  followedPosition,
  inventoryEventsBetween,
  lastPosition,
  saveFollowedPosition,
} from "../../events/events.sql.ts";
import { findNamedProducts } from "../../inventory/stock/stock.sql.ts";
import { listBundlesWith } from "../../products/products.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import type { StoreConnection } from "../platform.ts";
import { listConnectionsOf, listEnabled, lockShopStock, queueListings, resumeWaiting } from "./stock_updates.sql.ts";

/** The code of listings that wait until an order of the shop is imported. */
export const unimported_code = "order_not_imported";

// Positions of events per transaction.
const positions_max = 1000;

/**
 * Queues the listings whose stock has changed since the last call, by the events `inventory.updated`. Returns whether
 * there may be more.
 */
export async function followStockChanges(tx: Tx): Promise<boolean> {
  const merchants = new Set((await listEnabled(tx)).map(({ merchant_id }) => merchant_id));
  if (merchants.size === 0) return false;
  const last = await lastPosition(tx);
  if ((await followedPosition(tx, "shop_stock")) >= last) return false;
  await takeTurn(tx, "platforms.stock");
  // Another server may have followed some in between.
  const after = await followedPosition(tx, "shop_stock");
  const upto = Math.min(last, after + positions_max);
  if (upto <= after) return false;
  const changed = (await inventoryEventsBetween(tx, after, upto)).filter(
    ({ merchant_id, body }) => body !== "" && merchants.has(merchant_id),
  );
  if (changed.length > 0) await queueChanged(tx, changed);
  await saveFollowedPosition(tx, "shop_stock", upto);
  return upto < last;
}

/** Skips all events so far, since every listing is queued anyway. */
export async function skipStockChanges(tx: Tx): Promise<void> {
  await saveFollowedPosition(tx, "shop_stock", await lastPosition(tx));
}

interface StockEvent {
  readonly merchant_id: number;
  readonly body: string;
  readonly created_at: number;
}

async function queueChanged(tx: Tx, changed: readonly StockEvent[]): Promise<void> {
  for (const [merchant_id, events] of Map.groupBy(changed, (event) => event.merchant_id)) {
    const skus = events.map(({ body }) => (JSON.parse(body) as { data: { sku: string } }).data.sku);
    await queueProducts(tx, merchant_id, skus, Math.min(...events.map(({ created_at }) => created_at)));
  }
}

/** Queues the listings of a merchant's products with these SKUs, and of bundles that contain them. */
async function queueProducts(tx: Tx, merchant_id: number, skus: readonly string[], since: number): Promise<void> {
  const named = await findNamedProducts(tx, [...new Set(skus)]);
  const own = [...named.values()].flat().flatMap((product) => (product.merchant_id === merchant_id ? product.id : []));
  const product_ids = [...new Set([...own, ...(await listBundlesWith(tx, own))])];
  for (const connection_id of await listConnectionsOf(tx, product_ids)) {
    const stock = await lockShopStock(tx, connection_id);
    if (stock?.is_enabled) await queueListings(tx, connection_id, { product_ids }, since);
  }
}

/**
 * Makes listings due that waited until an import of their connection ended or failed. `skus` are those of units that
 * will not be imported after all.
 */
export async function noteImportEnd(
  tx: Tx,
  { id, merchant_id }: Pick<StoreConnection, "id" | "merchant_id">,
  skus: readonly string[],
): Promise<void> {
  await resumeWaiting(tx, id, unimported_code);
  if (skus.length === 0) return;
  await queueProducts(tx, merchant_id, skus, tx.now);
}
