// Queued orders are imported in three steps: claimed in one transaction, fetched from the platform in none, and
// created here in another.
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { Fault } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { refuseForbidden } from "../../orders/rules.ts";
import { lockOrder } from "../../orders/store.ts";
import { Lanes } from "../../outbound/lanes.ts";
import { labelNews } from "../../returns/labels/commands.ts";
import { hasCarriersLabels } from "../../shipping/labels/store.ts";
import { voidCarrierLabels } from "../../shipping/labels/voids/buyer.ts";
import { accessTo } from "../connectors/access.ts";
import { secretsOf } from "../connectors/asking.ts";
import type { Access } from "../connectors/connector.ts";
import { connectors } from "../connectors/table.ts";
import { platformActor, takeMissing, takeOrder } from "../orders/commands.ts";
import type { PlatformOrder } from "../platform.ts";
import { isGivenUp } from "../status.ts";
import { claimImports, failImport } from "./commands.ts";
import type { Claim, Import } from "./import.ts";
import { reasonOf } from "./rules.ts";

const lanes = new WeakMap<Store, Lanes<Claim>>();

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

async function importOne(claim: Claim, all: Store, service: Service): Promise<void> {
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
async function giveUpLabels({ connection, import: { order_id } }: Claim, store: Store, service: Service) {
  if (!(await store.read((db) => hasCarriersLabels(db, order_id)))) return;
  try {
    await voidCarrierLabels({ store, service, news: labelNews }, platformActor(connection), async (tx) => {
      const order = await lockOrder(tx, order_id);
      refuseForbidden(order, "cancel");
      return { order_id, parcels: new Set(order.shipments.map(({ id }) => id)) };
    });
  } catch (error) {
    const told = error instanceof Fault && ["label_not_voidable", "invalid_state_transition"].includes(error.code);
    if (!told) throw error;
  }
}

async function fetched({ connection, import: one }: Claim, access: Access): Promise<PlatformOrder | null> {
  if (access.credentials.api_token === null) {
    const facts = { permanent: true };
    throw new Fault("platform_error", "The order has to be fetched, but the connection has no api_token.", facts);
  }
  return connectors[connection.platform].fetchOrder(access, one.external_id);
}

function factsOf({ id, order_id, status }: Import, { connection, import: one }: Claim, { mode }: Store) {
  return {
    mode,
    connection: wireId("connection", connection.id),
    import: wireId("import", id),
    order: wireId("order", order_id),
    status,
    attempts: one.attempts,
  };
}

interface Failing {
  readonly claim: Claim;
  readonly store: Store;
  readonly service: Service;
  readonly secrets: readonly (string | null)[];
}

async function fail(error: unknown, { claim, store, service, secrets }: Failing): Promise<void> {
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
