import { assert } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { retryWait } from "../../core/retry.ts";
import { transition } from "../../core/transitions.ts";
import { listUnreportedShipments, takeUnreportedShipments } from "../../orders/fulfillment/shipments.sql.ts";
import { isPickup } from "../../orders/order.transitions.ts";
import type { Order } from "../../orders/order.ts";
import { findOrders } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import type { ClaimedWork } from "../../storage/queue.ts";
import { findConnection, getConnection, listActiveConnections } from "../connections.sql.ts";
import type { ImportedLine } from "../imports/import.ts";
import { platformRetries, type reasonOf } from "../imports/import.ts";
import { findImportByOrder } from "../imports/imports.sql.ts";
import type { ShipmentReport } from "../platform.ts";
import { isUpdateQueued, shipmentUpdateStarts, shipmentUpdateTransitions } from "../platforms.transitions.ts";
import type { ShipmentUpdate, ShipmentUpdateClaim } from "./shipment_update.ts";
import { allocateToLines, giveUpUpdateAt, isSent, reportProblem } from "./shipment_update.ts";
import {
  insertReports,
  listReportsOf,
  lockReport,
  lockReportIn,
  reportQueue,
  saveReport,
} from "./shipment_updates.sql.ts";

const batch_size = 100;

/** Queues a report of each shipped parcel that has none yet. Returns whether there are more. */
export async function queueShipmentUpdates(tx: Tx): Promise<boolean> {
  const unreported = await listUnreportedShipments(tx);
  if (unreported.length === 0) return false;
  // Another server may work on the same parcels, or on others of the same orders.
  await takeTurn(tx, "platforms.report");
  const taken = await takeUnreportedShipments(tx, unreported.slice(0, batch_size));
  const orders = await findOrders(tx, [...new Set(taken.map(({ order_id }) => order_id))]);
  const ids = new Set(taken.map(({ id }) => id));
  for (const order of orders) await queueReportsOf(tx, order, ids);
  return unreported.length > batch_size;
}

async function queueReportsOf(tx: Tx, order: Order, shipment_ids: ReadonlySet<number>): Promise<void> {
  const source = await findImportByOrder(tx, order.id);
  if (source === null) return;
  const connection = await findConnection(tx, source.connection_id);
  const known = await listReportsOf(tx, order.id);
  const new_fields: Omit<ShipmentUpdate, "id">[] = [];
  for (const shipment of order.shipments.filter(({ id }) => shipment_ids.has(id))) {
    const lines = allocateToLines(order, shipment, source.lines, [...known, ...new_fields]);
    const problem = reportProblem(shipment, lines, connection);
    new_fields.push({
      connection_id: source.connection_id,
      order_id: order.id,
      shipment_id: shipment.id,
      lines,
      status:
        problem === null ? shipmentUpdateStarts : transition(shipmentUpdateTransitions, "skip", shipmentUpdateStarts),
      attempts: 0,
      next_at: problem === null ? tx.now : null,
      give_up_at: giveUpUpdateAt(tx.now),
      external_id: null,
      error_code: problem?.error_code ?? null,
      error_message: problem?.error_message ?? null,
      created_at: tx.now,
      updated_at: tx.now,
      reported_at: null,
    });
  }
  await insertReports(tx, new_fields);
}

/**
 * Queues reports of shipped parcels, then claims one due report of each active connection on which this server is not
 * busy. The parcels of an order are reported one after another, as they shipped.
 */
export async function claimShipmentUpdates(
  tx: Tx,
  busy: ReadonlySet<number>,
): Promise<ClaimedWork<ShipmentUpdateClaim>> {
  const more = await queueShipmentUpdates(tx);
  const free = (await listActiveConnections(tx)).filter(({ id }) => !busy.has(id));
  const { claims, next_at } = await reportQueue.claimLanes(tx, free, async (connection) => {
    const [report] = await reportQueue.claim(tx, { lane: connection.id, limit: 1 });
    return report === undefined ? null : { connection, report, content: await contentOf(tx, report) };
  });
  return { claims, next_at: more ? tx.now : next_at };
}

/** The content of a parcel's report. */
async function contentOf(tx: Tx, { order_id, shipment_id, lines, id }: ShipmentUpdate): Promise<ShipmentReport> {
  const { order, external_id } = await imported(tx, order_id);
  const shipment = order.shipments.find((parcel) => parcel.id === shipment_id);
  const others = await listReportsOf(tx, order_id);
  return {
    shipment_id: wireId("shipment", shipment_id),
    external_order_id: external_id,
    lines,
    carrier: shipment?.carrier ?? null,
    service: shipment?.service ?? null,
    tracking_number: shipment?.tracking_number ?? null,
    tracking_url: shipment?.tracking_url ?? null,
    shipped_at: shipment?.shipped_at ?? tx.now,
    collected: isPickup(order),
    last: isSent(order) && others.every((other) => other.id === id || !isUpdateQueued(other.status)),
  };
}

/** An order that was imported from a platform, with its id there. */
async function imported(
  tx: Tx,
  order_id: number,
): Promise<{ order: Order; external_id: string; lines: readonly ImportedLine[] }> {
  const [order] = await findOrders(tx, [order_id]);
  const source = await findImportByOrder(tx, order_id);
  assert(order !== undefined && source !== null, `order ${order_id} has reports, so it came from a platform`);
  return { order, external_id: source.external_id, lines: source.lines };
}

/** Locks a claimed report; null when the claim expired and another server took it over. */
async function lockClaimed(tx: Tx, { report: { id, attempts } }: ShipmentUpdateClaim): Promise<ShipmentUpdate | null> {
  const current = await lockReport(tx, id);
  return current !== null && isUpdateQueued(current.status) && current.attempts === attempts ? current : null;
}

/**
 * Records that the platform has the parcel, under the id `external_id`. Returns null when another server took over
 * the report.
 */
export async function recordReported(
  tx: Tx,
  claim: ShipmentUpdateClaim,
  external_id: string | null,
): Promise<ShipmentUpdate | null> {
  const current = await lockClaimed(tx, claim);
  if (current === null) return null;
  const status = transition(shipmentUpdateTransitions, "report", current.status);
  const outcome = { error_code: null, error_message: null, next_at: null, reported_at: tx.now };
  return saveReport(tx, { ...current, ...outcome, status, external_id });
}

/**
 * Records a failed attempt. It is retried later unless a retry cannot help or five days have passed. If the platform
 * asked for a delay, the whole connection waits. Returns null when another server took over the report.
 */
export async function recordFailed(
  tx: Tx,
  claim: ShipmentUpdateClaim,
  reason: ReturnType<typeof reasonOf>,
): Promise<ShipmentUpdate | null> {
  const current = await lockClaimed(tx, claim);
  if (current === null) return null;
  const { code: error_code, message: error_message, permanent, retry_after_seconds } = reason;
  const next_at = tx.now + retryWait(platformRetries, current.attempts, retry_after_seconds);
  const ends = permanent || next_at > current.give_up_at;
  if (!ends && retry_after_seconds !== null) await reportQueue.postpone(tx, current.connection_id, next_at);
  const status = ends ? transition(shipmentUpdateTransitions, "give_up", current.status) : current.status;
  return saveReport(tx, { ...current, status, next_at: ends ? null : next_at, error_code, error_message });
}

/**
 * Queues a failed or skipped report again, with the present lines of the platform's order.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function retryShipmentUpdate(tx: Tx, connection_id: string, id: string): Promise<ShipmentUpdate> {
  const connection = await getConnection(tx, connection_id);
  const before = await lockReportIn(tx, connection.id, id);
  const status = transition(shipmentUpdateTransitions, "retry", before.status);
  const { order, lines: ordered } = await imported(tx, before.order_id);
  const shipment = order.shipments.find((parcel) => parcel.id === before.shipment_id);
  assert(shipment !== undefined, `parcel ${before.shipment_id} has shipped`);
  const others = (await listReportsOf(tx, before.order_id)).filter((other) => other.id !== before.id);
  const lines = allocateToLines(order, shipment, ordered, others);
  const problem = reportProblem(shipment, lines, connection);
  const error = problem ?? { error_code: null, error_message: null };
  if (problem !== null) {
    return saveReport(tx, {
      ...before,
      ...error,
      lines,
      status: transition(shipmentUpdateTransitions, "skip", status),
    });
  }
  tx.wake(reportQueue.job, tx.now);
  const new_fields = { attempts: 0, next_at: tx.now, give_up_at: giveUpUpdateAt(tx.now) };
  return saveReport(tx, { ...before, ...new_fields, ...error, lines, status });
}
