// Queued orders are imported in three steps: claimed in one transaction, fetched from the platform in none, and
// created here in another.

import { Fault } from "../../core/faults.ts";
import { randomId, wireId } from "../../core/ids.ts";
import type { Service } from "../../http/service.ts";
import { refuseForbidden } from "../../orders/order_lines.ts";
import { lockOrder } from "../../orders/orders.sql.ts";
import { Lanes } from "../../outbound/lanes.ts";
import { retentionIn } from "../../privacy/retention_settings.sql.ts";
import { labelCallbacks } from "../../returns/return_labels.ts";
import { hasCarriersLabels } from "../../shipping/labels/labels.sql.ts";
import { voidCarrierLabels } from "../../shipping/labels/void_at_carrier.ts";
import { type Store, writeChunks } from "../../storage/database.ts";
import { lead } from "../../storage/leases.ts";
import { listActiveConnections } from "../connections.sql.ts";
import { accessTo, secretsOf } from "../connectors/call_platform.ts";
import type { PlatformAccess } from "../connectors/connector.ts";
import { connectors } from "../connectors/connectors.ts";
import type { PlatformOrder, StoreConnection } from "../platform.ts";
import { isGivenUp } from "../platforms.transitions.ts";
import { type ImportClaim, type OrderImport, reasonOf } from "./import.ts";
import { platformActor, takeMissing, takeOrder } from "./import_order.ts";
import { claimImports, failImport, queueChanged } from "./import_queue.ts";
import { forgetOld } from "./notifications.ts";

const lanes = new WeakMap<Store, Lanes<ImportClaim>>();

/** A round of `platforms.import`: begins to import what is due. */
export async function importDue(store: Store, service: Service): Promise<number | null> {
  let lane = lanes.get(store);
  if (lane === undefined) {
    lane = new Lanes({
      claim: (busy) => store.write((tx) => claimImports(tx, busy)),
      work: (claim) => importOne(claim, store, service),
      // The claim expires, and then it is tried again.
      failed: (error) => service.log.error("an import was not recorded", { mode: store.mode, error: String(error) }),
      idle: () => store.write(async (tx) => tx.wake("platforms.import", tx.now)),
    });
    lanes.set(store, lane);
  }
  return await lane.round();
}

/** Waits until every import under way is over and recorded. */
export async function importsSettled(store: Store): Promise<void> {
  await lanes.get(store)?.settled();
}

async function importOne(claim: ImportClaim, all: Store, service: Service): Promise<void> {
  const { merchant_id } = claim.connection;
  const store = all.scoped({ sees: merchant_id, makes: merchant_id });
  const access = accessTo(claim.connection, store, service);
  try {
    const order = claim.import.payload ?? (await fetched(claim, access));
    if (order?.state === "cancelled") await giveUpLabels(claim, store, service);
    const done = await store.write((tx) => (order === null ? takeMissing(tx, claim) : takeOrder(tx, claim, order)));
    if (done !== null) service.log.info("an order of a platform was processed", factsOf(done, claim, store));
  } catch (error) {
    await fail(error, { claim, store, service, secrets: secretsOf(access) });
  }
}

/**
 * Carriers void their labels of an order before it is cancelled. Labels that they keep are reported if the order is
 * then not cancelled.
 */
async function giveUpLabels({ connection, import: { order_id } }: ImportClaim, store: Store, service: Service) {
  if (!(await store.read((db) => hasCarriersLabels(db, order_id)))) return;
  try {
    await voidCarrierLabels({ store, service, callbacks: labelCallbacks }, platformActor(connection), async (tx) => {
      const order = await lockOrder(tx, order_id);
      refuseForbidden(order, "cancel");
      return { order_id, parcels: new Set(order.shipments.map(({ id }) => id)) };
    });
  } catch (error) {
    const told = error instanceof Fault && ["label_not_voidable", "invalid_state_transition"].includes(error.code);
    if (!told) throw error;
  }
}

async function fetched(
  { connection, import: one }: ImportClaim,
  access: PlatformAccess,
): Promise<PlatformOrder | null> {
  if (access.credentials.api_token === null) {
    const facts = { permanent: true };
    throw new Fault("platform_error", "The order has to be fetched, but the connection has no api_token.", facts);
  }
  return connectors[connection.platform].fetchOrder(access, one.external_id);
}

function factsOf({ id, order_id, status }: OrderImport, { connection, import: one }: ImportClaim, { mode }: Store) {
  return {
    mode,
    connection: wireId("connection", connection.id),
    import: wireId("import", id),
    order: wireId("order", order_id),
    status,
    attempts: one.attempts,
  };
}

interface FailedImport {
  readonly claim: ImportClaim;
  readonly store: Store;
  readonly service: Service;
  readonly secrets: readonly (string | null)[];
}

async function fail(error: unknown, { claim, store, service, secrets }: FailedImport): Promise<void> {
  const reason = reasonOf(error, secrets);
  const failed = await store.write((tx) => failImport(tx, claim, reason));
  // Another server took it over and records the result.
  if (failed === null) return;
  const facts = {
    ...factsOf(failed, claim, store),
    code: reason.code,
    reason: reason.message,
    // Any error that is not a refusal is our own.
    error: error instanceof Fault ? null : rootOf(error),
  };
  if (isGivenUp(failed.status)) service.log.error("an order could not be imported", facts);
  else service.log.warn("an import has to be tried again", facts);
}

/**
 * The innermost cause of an error, as text: the messages around it contain a statement's values, which are a buyer's
 * data.
 */
function rootOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? (error.stack ?? error.message) : rootOf(error.cause);
}

const forgotten_together_max = 500;

/** Deletes notifications, and received orders that were never imported, that are older than they are kept. */
export async function forgetNotifications(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) => {
    return forgetOld(tx, await retentionIn(tx, service), forgotten_together_max);
  });
}

// Two nights: what one night missed, the next one finds.
const looked_back_ms = 48 * 3_600_000;
const lease_ms = 3_600_000;
const queued_together_max = 100;

const server = randomId("srv");

/**
 * Asks the platform of every active connection which orders changed in the last 48 hours, and imports those that are
 * missing or outdated here, since a notification may have been lost. Of several servers one does it.
 */
export async function reconcile(store: Store, service: Service): Promise<void> {
  if (!(await store.write((tx) => lead(tx, "platforms.reconcile", server, lease_ms)))) return;
  for (const connection of await store.read(listActiveConnections)) {
    // Without a token the platform cannot be asked; its notifications contain whole orders.
    if (connection.api_token !== null) await reconcileOne(connection, store, service);
  }
}

async function reconcileOne(connection: StoreConnection, store: Store, service: Service): Promise<void> {
  const access = accessTo(connection, store, service);
  const facts = { mode: store.mode, connection: wireId("connection", connection.id) };
  try {
    const changes = await connectors[connection.platform].changedSince(access, access.now - looked_back_ms);
    let queued = 0;
    for (let at = 0; at < changes.length; at += queued_together_max) {
      const some = changes.slice(at, at + queued_together_max);
      queued += await store.write((tx) => queueChanged(tx, connection, some));
    }
    if (queued > 0)
      service.log.info("orders of a platform were missing or outdated here", { ...facts, orders: queued });
  } catch (error) {
    const { code, message } = reasonOf(error, secretsOf(access));
    service.log.warn("a platform could not be asked for changed orders", { ...facts, code, reason: message });
  }
}
