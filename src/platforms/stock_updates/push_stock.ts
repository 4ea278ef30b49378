// Plans pushes of stock and records their results. A push does not oversell: the shop's number is read first, then the
// shop's changed orders are queued for import, then our number is computed, and it is set only if the shop still shows
// the number that was read. Only Shopify compares and sets in one step.

import { retryWait } from "../../core/retry.ts";
import { transition } from "../../core/transitions.ts";
import type { Tx } from "../../storage/database.ts";
import type { ClaimedWork } from "../../storage/queue.ts";
import { listActiveConnections } from "../connections.sql.ts";
import type { StockResult } from "../connectors/connector.ts";
import { platformRetries, type reasonOf } from "../imports/import.ts";
import type { Platform } from "../platforms.transitions.ts";
import { isListingQueued, stockTransitions } from "../platforms.transitions.ts";
import { isPushed, type ShopStock, type StockClaim, type StockListing, type StockPush } from "./shop_stock.ts";
import { insertPushes, repairDifferences } from "./stock_log.sql.ts";
import { followStockChanges, unimported_code } from "./stock_needs.ts";
import { isSavedByBuffer } from "./stock_quantity.ts";
import { findTargets } from "./stock_targets.ts";
import {
  findListings,
  hasStockWork,
  listDue,
  lockShopStock,
  nextDueAt,
  saveListings,
  saveShopStock,
  stockQueue,
} from "./stock_updates.sql.ts";

/**
 * Queues listings whose stock has changed, then claims the due work of each active connection on which this server is
 * not busy. `batch_max` is the most listings that a platform sets at once.
 */
export async function claimStock(
  tx: Tx,
  busy: ReadonlySet<number>,
  batch_max: (platform: Platform) => number,
): Promise<ClaimedWork<StockClaim>> {
  if (!(await hasStockWork(tx))) return { claims: [], next_at: null };
  const more = await followStockChanges(tx);
  const free = (await listActiveConnections(tx)).filter(({ id }) => !busy.has(id));
  const { claims, next_at } = await stockQueue.claimLanes(tx, free, async (connection) => {
    const [stock] = await stockQueue.claim(tx, { lane: connection.id, limit: 1 });
    if (stock === undefined) return null;
    const listings = isPushing(stock) ? await listDue(tx, connection.id, batch_max(connection.platform)) : [];
    return { connection, stock, listings };
  });
  return { claims, next_at: more ? tx.now : next_at };
}

const isPushing = ({ is_enabled, is_paused }: ShopStock) => is_enabled && !is_paused;

/** Locks a claimed connection; null when the claim expired and another server took it over. */
export async function lockClaimed(tx: Tx, { stock }: StockClaim): Promise<ShopStock | null> {
  const current = await lockShopStock(tx, stock.connection_id);
  return current !== null && current.leased_until === stock.leased_until ? current : null;
}

/** A number to set, and the need for it that the shop then shows. */
export interface PlannedPush {
  readonly listing: StockListing;
  readonly quantity: number;
  readonly expected: number;
  readonly is_saved_by_buffer: boolean;
}

const no_error = { error_code: null, error_message: null };

/**
 * Compares the shop's numbers, by listing id, with ours. Returns what has to be set. The number of a listing is raised
 * only once the lines of all the shop's orders are known.
 */
export async function planPushes(
  tx: Tx,
  claim: StockClaim,
  shown: ReadonlyMap<number, number>,
): Promise<PlannedPush[]> {
  const stock = await lockClaimed(tx, claim);
  if (stock === null || !isPushing(stock)) return [];
  const found = await findListings(
    tx,
    claim.listings.map(({ id }) => id),
  );
  const listings = found.filter(({ status }) => isListingQueued(status));
  const { of, unknown } = await findTargets(tx, claim.connection, stock, listings);
  const planned: PlannedPush[] = [];
  const changed: StockListing[] = [];
  for (const listing of listings) {
    const [there, target] = [shown.get(listing.id), of.get(listing.id)];
    if (!isPushed(listing) || target === undefined) changed.push(left(listing));
    else if (there === undefined) {
      changed.push(refused(listing, "not_tracked", "The shop does not have the listing, or does not count its stock."));
    } else if (there === target.quantity) changed.push(inStep(tx, listing, there));
    else if (there < target.quantity && unknown.length > 0) changed.push(waiting(tx, listing, unknown));
    else {
      const is_saved_by_buffer = isSavedByBuffer(there, target.units, target.rule);
      planned.push({ listing, quantity: target.quantity, expected: there, is_saved_by_buffer });
    }
  }
  await saveListings(tx, changed);
  await repairDifferences(
    tx,
    changed.filter(({ in_step_at }) => in_step_at === tx.now).map(({ id }) => id),
  );
  return planned;
}

const left = (listing: StockListing): StockListing => ({
  ...listing,
  ...no_error,
  status: transition(stockTransitions, "leave", listing.status),
  due_at: null,
  needed_at: null,
});

/** A listing whose number the shop shows as we want it. */
export const inStep = ({ now }: Pick<Tx, "now">, listing: StockListing, shop_quantity: number): StockListing => ({
  ...listing,
  ...no_error,
  status: transition(stockTransitions, "confirm", listing.status),
  attempts: 0,
  due_at: null,
  needed_at: null,
  shop_quantity,
  in_step_at: now,
});

const refused = (listing: StockListing, error_code: string, error_message: string): StockListing => ({
  ...listing,
  status: transition(stockTransitions, "give_up", listing.status),
  due_at: null,
  error_code,
  error_message: error_message.slice(0, message_characters_max),
});

const message_characters_max = 300;

/** A listing that is compared again later. */
function postponed({ now }: Pick<Tx, "now">, listing: StockListing, code: string, message: string): StockListing {
  const attempts = listing.attempts + 1;
  const due_at = now + retryWait(platformRetries, attempts, null);
  return { ...listing, attempts, due_at, error_code: code, error_message: message.slice(0, message_characters_max) };
}

function waiting(tx: Tx, listing: StockListing, orders: readonly string[]): StockListing {
  const [first, ...others] = orders;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const message = `The shop's order ${first}${more} must be imported before the shop can be given more units.`;
  return postponed(tx, listing, unimported_code, message);
}

/** The code of listings whose number changed at the shop during a push. */
export const stale_code = "stale";

// A number that changes between two calls is read again at once, unless it changes each time.
const stale_at_once_max = 3;

/** Records the results of pushes. Returns the entries of the log; none when another server took over the claim. */
export async function recordPushes(
  tx: Tx,
  claim: StockClaim,
  pushes: readonly PlannedPush[],
  results: readonly StockResult[],
): Promise<Omit<StockPush, "id">[]> {
  const stock = await lockClaimed(tx, claim);
  if (stock === null) return [];
  const found = await findListings(
    tx,
    pushes.map(({ listing }) => listing.id),
  );
  const now_by_id = new Map(found.map((listing) => [listing.id, listing]));
  const log: Omit<StockPush, "id">[] = [];
  const changed: StockListing[] = [];
  let prevented = 0;
  for (const [at, push] of pushes.entries()) {
    const [result, listing] = [results[at], now_by_id.get(push.listing.id)];
    if (result === undefined || listing === undefined) continue;
    const after = isListingQueued(listing.status) ? afterPush(tx, listing, push, result) : listing;
    changed.push(after);
    log.push(entryOf(tx, push, result));
    if (result.outcome === "set" && push.is_saved_by_buffer) prevented += 1;
  }
  await saveListings(tx, changed);
  await repairDifferences(
    tx,
    changed.filter(({ in_step_at }) => in_step_at === tx.now).map(({ id }) => id),
  );
  await insertPushes(tx, log);
  const is_set = log.some(({ result }) => result === "set");
  await saveShopStock(tx, {
    ...stock,
    last_push_at: is_set ? tx.now : stock.last_push_at,
    oversells_prevented: stock.oversells_prevented + prevented,
  });
  return log;
}

/** The listing after a push. One that is needed again, or was not set as planned, stays queued. */
function afterPush(tx: Tx, listing: StockListing, push: PlannedPush, result: StockResult): StockListing {
  const is_outdated = listing.revision !== push.listing.revision;
  if (result.outcome === "refused") {
    if (is_outdated) return listing;
    return result.permanent
      ? refused(listing, result.code, result.message)
      : postponed(tx, listing, result.code, result.message);
  }
  const seen = { ...listing, shop_quantity: result.quantity };
  if (result.outcome === "set" && result.quantity === push.quantity) {
    return is_outdated ? { ...seen, in_step_at: tx.now } : inStep(tx, listing, result.quantity);
  }
  if (is_outdated) return seen;
  const message = `The shop's number changed to ${result.quantity} during the push.`;
  const next = postponed(tx, seen, stale_code, message);
  return next.attempts <= stale_at_once_max ? { ...next, due_at: tx.now } : next;
}

function entryOf(tx: Tx, { listing, quantity, expected }: PlannedPush, result: StockResult): Omit<StockPush, "id"> {
  const { connection_id, id: listing_id, external_id, sku, location_id, needed_at } = listing;
  const is_refused = result.outcome === "refused";
  const is_shown = result.outcome === "set" && result.quantity === quantity;
  return {
    ...{ connection_id, listing_id, external_id, sku, location_id },
    from_quantity: expected,
    to_quantity: quantity,
    result: is_refused && !result.permanent ? "failed" : result.outcome,
    shop_quantity: is_refused ? null : result.quantity,
    error_code: is_refused ? result.code : null,
    error_message: is_refused ? result.message.slice(0, message_characters_max) : null,
    waited_ms: is_shown && needed_at !== null ? Math.max(0, tx.now - needed_at) : null,
    created_at: tx.now,
  };
}

/** Ends a claim: the connection is due again with its next listing, or later after a failure. */
export async function endClaim(
  tx: Tx,
  claim: StockClaim,
  failure: ReturnType<typeof reasonOf> | null,
): Promise<ShopStock | null> {
  const stock = await lockClaimed(tx, claim);
  if (stock === null) return null;
  if (failure !== null) {
    const attempts = stock.attempts + 1;
    const wait_ms = failure.permanent
      ? platformRetries.max_ms
      : retryWait(platformRetries, attempts, failure.retry_after_seconds);
    const { code: error_code, message: error_message } = failure;
    const ended = { ...stock, attempts, next_at: tx.now + wait_ms, leased_until: null, error_code, error_message };
    await saveShopStock(tx, ended);
    return ended;
  }
  const due_at = isPushing(stock) ? await nextDueAt(tx, stock.connection_id) : null;
  const next_at = stock.reading_since === null ? due_at : tx.now;
  const ended = { ...stock, ...no_error, attempts: 0, next_at, leased_until: null };
  await saveShopStock(tx, ended);
  return ended;
}
