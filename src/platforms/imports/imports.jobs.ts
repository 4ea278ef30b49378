// Imports queued orders in three steps: claim in one transaction, fetch in none, create in another.

import { Fault } from "../../core/faults.ts";
import { randomId, wireId } from "../../core/ids.ts";
import type { Service } from "../../http/service.ts";
import { refuseForbidden } from "../../orders/order_lines.ts";
import { lockOrder } from "../../orders/orders.sql.ts";
import { laneJob } from "../../outbound/lanes.ts";
import { retentionIn } from "../../privacy/retention_settings.sql.ts";
import { labelCallbacks } from "../../returns/return_labels.ts";
import { hasCarriersLabels } from "../../shipping/labels/labels.sql.ts";
import { voidAtCarriers } from "../../shipping/labels/void_at_carrier.ts";
import { beginVoids } from "../../shipping/labels/void_label.ts";
import { type Store, writeChunks } from "../../storage/database.ts";
import { lead } from "../../storage/leases.ts";
import { hasApiAccess } from "../connection.ts";
import { saveState } from "../connection_states.sql.ts";
import { listActiveConnections } from "../connections.sql.ts";
import { accessTo, secretsOf } from "../connectors/call_platform.ts";
import type { PlatformAccess } from "../connectors/connector.ts";
import { connectors } from "../connectors/connectors.ts";
import type { PlatformOrder, StoreConnection } from "../platform.ts";
import { isGivenUp } from "../platforms.transitions.ts";
import { failureFacts, type ImportClaim, type OrderImport, reasonOf } from "./import.ts";
import { platformActor } from "./import_order.ts";
import { claimImports, failImport, queueChanged } from "./import_queue.ts";
import { importQueue, listPartsOf } from "./imports.sql.ts";
import { deleteOld } from "./notifications.ts";
import { processMissingOrder, processOrderImport } from "./process_import.ts";

/** `importDue` is the job `platforms.import`. `importsSettled` waits until all imports have ended and are recorded. */
export const { round: importDue, settled: importsSettled } = laneJob<ImportClaim>(
  importQueue.job,
  "an import was not recorded",
  {
    claim: claimImports,
    work: importOne,
  },
);

async function importOne(claim: ImportClaim, all: Store, service: Service): Promise<void> {
  const { merchant_id } = claim.connection;
  const store = all.scoped({ visible: merchant_id, owner: merchant_id });
  const access = accessTo(claim.connection, store, service);
  let order = claim.import.payload;
  try {
    order = isVague(claim) ? await fetchVague(claim, access) : (order ?? (await fetchOrder(claim, access)));
    if (order?.state === "cancelled") await voidLabelsAtCarriers(claim, store, service);
    const received = order;
    const done = await store.write((tx) =>
      received === null ? processMissingOrder(tx, claim) : processOrderImport(tx, claim, received),
    );
    if (done !== null) service.log.info("an order of a platform was processed", factsOf(done, claim, store));
  } catch (error) {
    await fail(error, { claim, order, store, service, secrets: secretsOf(access) });
  }
}

/**
 * Voids an order's labels at their carriers before it is cancelled. A refusal shows when the order is not cancelled.
 */
async function voidLabelsAtCarriers(claim: ImportClaim, store: Store, service: Service): Promise<void> {
  const { id, order_id } = claim.import;
  const parts = await store.read((db) => listPartsOf(db, [id]));
  for (const one of [order_id, ...parts.map((part) => part.order_id)]) await voidLabelsOf(one, claim, store, service);
}

async function voidLabelsOf(order_id: number, { connection }: ImportClaim, store: Store, service: Service) {
  if (!(await store.read((db) => hasCarriersLabels(db, order_id)))) return;
  try {
    await voidAtCarriers({ store, service, callbacks: labelCallbacks }, async (tx) => {
      const order = await lockOrder(tx, order_id);
      refuseForbidden(order, "cancel");
      const parcels = new Set(order.shipments.map(({ id }) => id));
      return beginVoids(tx, order_id, parcels, platformActor(connection));
    });
  } catch (error) {
    const is_expected =
      error instanceof Fault && ["label_not_voidable", "invalid_state_transition"].includes(error.code);
    if (!is_expected) throw error;
  }
}

/** Whether an order is new, and its notification does not say whether its buyer collects it, but the platform can. */
function isVague({ connection, import: { payload, imported_at } }: ImportClaim): boolean {
  return payload?.fulfillment_type === null && imported_at === null && hasApiAccess(connection);
}

const vague_attempts_max = 5;

/** Fetches an order whose notification is vague. If that keeps failing, the notification has to suffice. */
async function fetchVague(claim: ImportClaim, access: PlatformAccess): Promise<PlatformOrder | null> {
  const { payload, attempts } = claim.import;
  const fallback = attempts > vague_attempts_max ? payload : null;
  try {
    return (await fetchOrder(claim, access)) ?? fallback;
  } catch (error) {
    if (error instanceof Fault && error.facts["permanent"] === true) return payload;
    if (fallback !== null) return fallback;
    throw error;
  }
}

async function fetchOrder(
  { connection, import: record }: ImportClaim,
  access: PlatformAccess,
): Promise<PlatformOrder | null> {
  if (!hasApiAccess(connection)) {
    const { error_code, error_message } = record;
    const received = error_code === null ? "" : `The order that was received cannot be read: ${error_message} `;
    const access_words = connection.platform === "shopify" ? "api_token or client_id" : "api_token";
    const message = `${received}The order must be fetched, but the connection has no ${access_words}.`;
    throw new Fault("platform_error", message, { permanent: true });
  }
  return connectors[connection.platform].fetchOrder(access, record.external_id);
}

function factsOf({ id, order_id, status }: OrderImport, { connection, import: record }: ImportClaim, { mode }: Store) {
  return {
    mode,
    connection: wireId("connection", connection.id),
    import: wireId("import", id),
    order: wireId("order", order_id),
    status,
    attempts: record.attempts,
  };
}

interface FailedImport {
  readonly claim: ImportClaim;
  /** The order as received; null if it could not be fetched. */
  readonly order: PlatformOrder | null;
  readonly store: Store;
  readonly service: Service;
  readonly secrets: readonly (string | null)[];
}

async function fail(error: unknown, { claim, order, store, service, secrets }: FailedImport): Promise<void> {
  const reason = reasonOf(error, secrets);
  const failed = await store.write((tx) => failImport(tx, claim, reason, order));
  // Another server took over the import and records its result.
  if (failed === null) return;
  const facts = { ...factsOf(failed, claim, store), ...failureFacts(error, reason) };
  if (isGivenUp(failed.status)) service.log.error("an order could not be imported", facts);
  else service.log.warn("an import failed and will be retried", facts);
}

const batch_size = 500;

/** Deletes notifications, and received orders that were never imported, that are older than their retention. */
export async function deleteOldNotifications(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) => {
    return deleteOld(tx, await retentionIn(tx, service), batch_size);
  });
}

// Two days, so that one missed night is made up for in the next.
const lookback_ms = 48 * 3_600_000;
const lease_ms = 3_600_000;
const chunk_size = 100;

const server = randomId("srv");

/**
 * Fetches from each active connection the orders that changed in the last 48 hours, and imports those that are missing
 * or outdated here, since a notification may have been lost. Only one of several servers does it.
 */
export async function reconcile(store: Store, service: Service): Promise<void> {
  if (!(await store.write((tx) => lead(tx, "platforms.reconcile", server, lease_ms)))) return;
  for (const connection of await store.read(listActiveConnections)) {
    // Without access the API cannot be called. Notifications then contain whole orders.
    if (hasApiAccess(connection)) await reconcileOne(connection, store, service);
  }
}

async function reconcileOne(connection: StoreConnection, store: Store, service: Service): Promise<void> {
  const access = accessTo(connection, store, service);
  const facts = { mode: store.mode, connection: wireId("connection", connection.id) };
  try {
    const changes = await connectors[connection.platform].changedSince(access, access.now - lookback_ms);
    let queued = 0;
    for (let at = 0; at < changes.length; at += chunk_size) {
      const chunk = changes.slice(at, at + chunk_size);
      queued += await store.write((tx) => queueChanged(tx, connection, chunk));
    }
    const listed = { fetched_at: store.clock.now(), fetch_error: null, fetch_failed_at: null };
    await store.write((tx) => saveState(tx, connection.id, listed));
    if (queued > 0)
      service.log.info("orders of a platform were missing or outdated here", { ...facts, orders: queued });
  } catch (error) {
    const { code, message } = reasonOf(error, secretsOf(access));
    const failed = { fetch_error: message, fetch_failed_at: store.clock.now() };
    await store.write((tx) => saveState(tx, connection.id, failed));
    service.log.warn("listing a platform's changed orders failed", { ...facts, code, reason: message });
  }
}
