// Pushes stock to shops, and reads their listings: claim in one transaction, call in none, record in others.

import { wireId } from "../../core/ids.ts";
import { counter, histogram } from "../../core/metrics.ts";
import { day_ms, minute_ms, second_ms } from "../../core/time.ts";
import type { Service } from "../../http/service.ts";
import { laneJob } from "../../outbound/lanes.ts";
import { type Store, writeChunks } from "../../storage/database.ts";
import { accessTo, secretsOf } from "../connectors/call_platform.ts";
import type { PlatformAccess, PlatformStock } from "../connectors/connector.ts";
import { connectors } from "../connectors/connectors.ts";
import { failureFacts, reasonOf } from "../imports/import.ts";
import { queueChanged } from "../imports/import_queue.ts";
import { claimStock, endClaim, lockClaimed, type PlannedPush, planPushes, recordPushes } from "./push_stock.ts";
import { locationMissing, locationOf, noteLocations, recordPage, startReading } from "./read_listings.ts";
import type { StockClaim, StockListing } from "./shop_stock.ts";
import { deleteOldStockLog } from "./stock_log.sql.ts";
import { hasStockWork, listEnabled, saveShopStock, stockQueue } from "./stock_updates.sql.ts";

const pushed = counter("packhouse_stock_pushes_total", "Numbers sent to shops.", ["result", "mode"]);
const push_seconds = histogram(
  "packhouse_stock_push_seconds",
  "How long after a change of stock the shop showed it.",
  [1, 2, 5, 10, 30, 60, 300, 3600],
  ["mode"],
);

const lanes = laneJob<StockClaim>(stockQueue.job, "a push of stock was not recorded", {
  claim: (tx, busy) => claimStock(tx, busy, (platform) => connectors[platform].stock.batch_max),
  work: workFor,
});

/** A round of `platforms.stock`: starts what is due for each connection. Without any connection it writes nothing. */
export async function pushStock(store: Store, service: Service): Promise<number | null> {
  return (await store.read(hasStockWork)) ? lanes.round(store, service) : null;
}

/** Waits until all pushes of a store have ended and are recorded. */
export const stockPushesSettled = lanes.settled;

/** What a claim's work uses. */
interface StockWork {
  readonly claim: StockClaim;
  readonly access: PlatformAccess;
  readonly shop: PlatformStock;
  readonly store: Store;
}

async function workFor(claim: StockClaim, store: Store, service: Service): Promise<void> {
  const { connection } = claim;
  const access = accessTo(connection, store, service);
  const work = { claim, access, shop: connectors[connection.platform].stock, store };
  try {
    if (claim.listings.length > 0) await push(work);
    if (claim.stock.reading_since !== null) await readPage(work);
  } catch (error) {
    const reason = reasonOf(error, secretsOf(access));
    const ended = await store.write((tx) => endClaim(tx, claim, reason));
    const facts = { mode: store.mode, connection: wireId("connection", connection.id), attempts: ended?.attempts };
    service.log.warn("pushing stock to a shop failed and will be retried", {
      ...facts,
      ...failureFacts(error, reason),
    });
    return;
  }
  await store.write((tx) => endClaim(tx, claim, null));
}

async function push(work: StockWork): Promise<void> {
  const { claim, access, shop, store } = work;
  const shown = await shownNumbers(work);
  await queueShopOrders(work);
  const pushes = await store.write((tx) => planPushes(tx, claim, shown));
  if (pushes.length === 0) return;
  const results = await shop.set(
    access,
    pushes.map((one) => changeOf(one, claim)),
  );
  const log = await store.write((tx) => recordPushes(tx, claim, pushes, results));
  for (const { result, waited_ms } of log) {
    pushed.add(1, result, store.mode);
    if (waited_ms !== null) push_seconds.observe(waited_ms / second_ms, store.mode);
  }
}

// The claim tells a repeated push from one of the same number later.
const changeOf = ({ listing, quantity, expected }: PlannedPush, { stock }: StockClaim) => ({
  external_id: listing.external_id,
  location_id: locationName(listing.location_id),
  quantity,
  expected,
  key: `${wireId("listing", listing.id)}-${stock.leased_until}-${expected}-${quantity}`,
});

const locationName = (location_id: string) => (location_id === "" ? null : location_id);

/** The numbers that the shop shows of the claimed listings, by listing id. */
async function shownNumbers({ claim, access, shop }: StockWork): Promise<Map<number, number>> {
  const shown = new Map<number, number>();
  for (const [location_id, listings] of Map.groupBy(claim.listings, (listing: StockListing) => listing.location_id)) {
    const ids = listings.map(({ external_id }) => external_id);
    const numbers = await shop.quantities(access, ids, locationName(location_id));
    for (const { id, external_id } of listings) {
      const number = numbers.get(external_id);
      if (number !== undefined) shown.set(id, number);
    }
  }
  return shown;
}

const first_look_ms = 2 * day_ms;
// The shop's clock and its list of orders may be behind.
const overlap_ms = 5 * minute_ms;
const chunk_size = 100;

/** Queues the shop's orders that have changed since the last look and are missing or outdated here. */
async function queueShopOrders({ claim, access, store }: StockWork): Promise<void> {
  const { connection, stock } = claim;
  const since = stock.orders_seen_at === null ? access.now - first_look_ms : stock.orders_seen_at - overlap_ms;
  const changes = await connectors[connection.platform].changedSince(access, since);
  for (let at = 0; at < changes.length; at += chunk_size) {
    const chunk = changes.slice(at, at + chunk_size);
    await store.write((tx) => queueChanged(tx, connection, chunk, stock.orders_seen_at ?? access.now));
  }
  const before = stock.orders_seen_at ?? 0;
  const last = Math.max(before, ...changes.map(({ updated_at }) => updated_at));
  if (last === before) return;
  await store.write(async (tx) => {
    const current = await lockClaimed(tx, claim);
    if (current !== null) await saveShopStock(tx, { ...current, orders_seen_at: last });
  });
}

/** Reads the next page of the shop's listings. */
async function readPage(work: StockWork): Promise<void> {
  const { claim, access, shop, store } = work;
  const { stock } = claim;
  let location = locationOf(stock);
  if (stock.reading_location === 0 && stock.reading_cursor === null) {
    const locations = await shop.locations(access);
    location = await store.write((tx) => noteLocations(tx, claim, locations));
  }
  if (location === null) throw locationMissing();
  const page = await shop.listings(access, { cursor: stock.reading_cursor, location_id: locationName(location) });
  if (stock.is_enabled) await queueShopOrders(work);
  await store.write((tx) => recordPage(tx, claim, { ...page, location_id: location }));
}

/** Reads the listings of all shops to which stock is pushed, and compares their numbers with ours. */
export async function compareStock(store: Store): Promise<void> {
  for (const { connection_id } of await store.read(listEnabled)) {
    await store.write((tx) => startReading(tx, connection_id));
  }
}

const pushes_kept_ms = 30 * day_ms;
const differences_kept_ms = 90 * day_ms;
const batch_size = 500;

/** Deletes the log of pushes after 30 days, and differences after 90. */
export async function deleteOldPushes(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) => {
    const before = { pushes: tx.now - pushes_kept_ms, differences: tx.now - differences_kept_ms };
    return deleteOldStockLog(tx, before, batch_size);
  });
}
