// Parcels that have left are reported to the platforms of their orders: claimed in one transaction, reported in
// none, recorded in another.

import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Service } from "../../http/service.ts";
import { Lanes } from "../../outbound/lanes.ts";
import type { Store } from "../../storage/database.ts";
import { accessTo, secretsOf } from "../connectors/call_platform.ts";
import { connectors } from "../connectors/connectors.ts";
import { reasonOf } from "../imports/import.ts";
import { isUpdateGivenUp } from "../platforms.transitions.ts";
import type { ShipmentUpdateClaim } from "./shipment_update.ts";
import { claimShipmentUpdates, recordFailed, recordReported } from "./shipment_updates.ts";

const lanes = new WeakMap<Store, Lanes<ShipmentUpdateClaim>>();

/** A round of `platforms.report`: begins to report what is due. */
export async function sendShipmentUpdates(store: Store, service: Service): Promise<number | null> {
  let own = lanes.get(store);
  if (own === undefined) {
    own = lanesOf(store, service);
    lanes.set(store, own);
  }
  return await own.round();
}

/** Waits until every report under way is over and recorded. */
export async function shipmentUpdatesSettled(store: Store): Promise<void> {
  await lanes.get(store)?.settled();
}

function lanesOf(store: Store, service: Service): Lanes<ShipmentUpdateClaim> {
  return new Lanes({
    claim: (busy) => store.write((tx) => claimShipmentUpdates(tx, busy)),
    work: (claim) => report(claim, store, service),
    // The claim expires, and then it is tried again.
    failed: (error) => service.log.error("a report was not recorded", { mode: store.mode, error: String(error) }),
    idle: () => store.write(async (tx) => tx.wake("platforms.report", tx.now)),
  });
}

async function report(claim: ShipmentUpdateClaim, store: Store, service: Service): Promise<void> {
  const { connection, told } = claim;
  const access = accessTo(connection, store, service);
  let external_id: string | null;
  try {
    external_id = await connectors[connection.platform].report(access, told);
  } catch (error) {
    await recordError(claim, store, service, error, secretsOf(access));
    return;
  }
  await store.write((tx) => recordReported(tx, claim, external_id));
}

async function recordError(
  claim: ShipmentUpdateClaim,
  store: Store,
  service: Service,
  error: unknown,
  secrets: readonly (string | null)[],
): Promise<void> {
  const reason = reasonOf(error, secrets);
  const failed = await store.write((tx) => recordFailed(tx, claim, reason));
  const facts = {
    mode: store.mode,
    connection: wireId("connection", claim.connection.id),
    report: wireId("report", claim.report.id),
    shipment: claim.told.shipment_id,
    order: wireId("order", claim.report.order_id),
    attempts: claim.report.attempts,
    code: reason.code,
    reason: reason.message,
    // Any error that is not a refusal is our own.
    error: error instanceof Fault ? null : error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
  if (failed !== null && isUpdateGivenUp(failed.status)) service.log.error("a parcel could not be reported", facts);
  else if (failed !== null) service.log.warn("a report has to be tried again", facts);
}
