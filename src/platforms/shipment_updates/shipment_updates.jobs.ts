// Reports shipped parcels to their platforms in three steps: claim in one transaction, call in none, record in
// another.

import { wireId } from "../../core/ids.ts";
import type { Service } from "../../http/service.ts";
import { laneJob } from "../../outbound/lanes.ts";
import type { Store } from "../../storage/database.ts";
import { accessTo, secretsOf } from "../connectors/call_platform.ts";
import { connectors } from "../connectors/connectors.ts";
import { failureFacts, reasonOf } from "../imports/import.ts";
import { isUpdateGivenUp } from "../platforms.transitions.ts";
import type { ShipmentUpdateClaim } from "./shipment_update.ts";
import { reportQueue } from "./shipment_updates.sql.ts";
import { claimShipmentUpdates, recordFailed, recordReported } from "./shipment_updates.ts";

/**
 * `sendShipmentUpdates` is the job `platforms.report`. `shipmentUpdatesSettled` waits until all reports have ended and
 * are recorded.
 */
export const { round: sendShipmentUpdates, settled: shipmentUpdatesSettled } = laneJob<ShipmentUpdateClaim>(
  reportQueue.job,
  "a report was not recorded",
  { claim: claimShipmentUpdates, work: report },
);

async function report(claim: ShipmentUpdateClaim, store: Store, service: Service): Promise<void> {
  const { connection, content } = claim;
  const access = accessTo(connection, store, service);
  let external_id: string | null;
  try {
    external_id = await connectors[connection.platform].report(access, content);
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
    shipment: claim.content.shipment_id,
    order: wireId("order", claim.report.order_id),
    attempts: claim.report.attempts,
    ...failureFacts(error, reason),
  };
  if (failed !== null && isUpdateGivenUp(failed.status)) service.log.error("a parcel could not be reported", facts);
  else if (failed !== null) service.log.warn("a report failed and will be retried", facts);
}
