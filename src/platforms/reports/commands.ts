import { takeTurn } from "../../database/lease.ts";
import { noteHeld } from "../../database/servers.ts";
import type { Tx } from "../../database/store.ts";
import { assert } from "../../kit/assert.ts";
import { wireId } from "../../kit/ids.ts";
import { move } from "../../kit/moves.ts";
import type { Order } from "../../orders/order.ts";
import { listUnreported, takeUnreported } from "../../orders/shipments/store.ts";
import { findOrders } from "../../orders/store.ts";
import { findConnection, getConnection, listActiveConnections } from "../connections/store.ts";
import type { ImportedLine } from "../imports/import.ts";
import { type reasonOf, retryWait } from "../imports/rules.ts";
import { findImportByOrder } from "../imports/store.ts";
import type { ShipmentReport, StoreConnection } from "../platform.ts";
import type { Report, ReportClaim } from "./report.ts";
import { dealtOut, giveUpAt, hindranceOf, isSent } from "./rules.ts";
import { isQueued, reportMoves, reportStarts } from "./status.ts";
import {
  insertReports,
  listReportsOf,
  lockDueReport,
  lockReport,
  lockReportIn,
  nextReportAt,
  postponeReports,
  saveReport,
} from "./store.ts";

const queued_together_max = 100;

/** Queues a report of each parcel that has left and has none yet. Answers whether there are more. */
export async function queueReports(tx: Tx): Promise<boolean> {
  const untold = await listUnreported(tx);
  if (untold.length === 0) return false;
  // Another server may work on the same parcels, or on others of the same orders.
  await takeTurn(tx, "platforms.report");
  const taken = await takeUnreported(tx, untold.slice(0, queued_together_max));
  const orders = await findOrders(tx, [...new Set(taken.map(({ order_id }) => order_id))]);
  const ids = new Set(taken.map(({ id }) => id));
  for (const order of orders) await queueReportsOf(tx, order, ids);
  return untold.length > queued_together_max;
}

async function queueReportsOf(tx: Tx, order: Order, shipment_ids: ReadonlySet<number>): Promise<void> {
  const source = await findImportByOrder(tx, order.id);
  if (source === null) return;
  const connection = await findConnection(tx, source.connection_id);
  const known = await listReportsOf(tx, order.id);
  const fresh: Omit<Report, "id">[] = [];
  for (const shipment of order.shipments.filter(({ id }) => shipment_ids.has(id))) {
    const lines = dealtOut(order, shipment, source.lines, [...known, ...fresh]);
    const hindrance = hindranceOf(shipment, lines, connection);
    fresh.push({
      connection_id: source.connection_id,
      order_id: order.id,
      shipment_id: shipment.id,
      lines,
      status: hindrance === null ? reportStarts : move(reportMoves, "skip", reportStarts),
      attempts: 0,
      next_at: hindrance === null ? tx.now : null,
      give_up_at: giveUpAt(tx.now),
      external_id: null,
      error_code: hindrance?.error_code ?? null,
      error_message: hindrance?.error_message ?? null,
      created_at: tx.now,
      updated_at: tx.now,
      reported_at: null,
    });
  }
  await insertReports(tx, fresh);
}

const lease_ms = 300_000;
// How long a platform may still be at work for a server that is gone: it is not told of a parcel twice.
const call_ms_max = 60_000;

/** What was claimed, and when there will be more to claim unless something happens before. */
interface ClaimedReports {
  readonly claims: readonly ReportClaim[];
  readonly next_at: number | null;
}

/**
 * Queues reports of the parcels that have left, then claims one that is due of each active connection on which this
 * server is not busy. The parcels of one order are reported one after another, in the order in which they left. A claim
 * that was not recorded within five minutes is due again.
 */
export async function claimReports(tx: Tx, busy: ReadonlySet<number>): Promise<ClaimedReports> {
  const more = await queueReports(tx);
  const idle = (await listActiveConnections(tx)).filter(({ id }) => !busy.has(id));
  const claims: ReportClaim[] = [];
  const waiting: number[] = [];
  const first_at = await nextReportAt(
    tx,
    idle.map(({ id }) => id),
  );
  // One query for all of them, since most of the time nothing is due.
  if (first_at === null || first_at > tx.now) return { claims, next_at: more ? tx.now : first_at };
  for (const connection of idle) {
    const due = await lockDueReport(tx, connection.id);
    if (due === null) waiting.push(connection.id);
    else claims.push(await claim(tx, connection, due));
  }
  return { claims, next_at: more ? tx.now : await nextReportAt(tx, waiting) };
}

async function claim(tx: Tx, connection: StoreConnection, due: Report): Promise<ReportClaim> {
  const told = await tell(tx, due);
  // Time during which the connection was paused does not count.
  const give_up_at = due.attempts === 0 ? giveUpAt(tx.now) : due.give_up_at;
  const report = { ...due, attempts: due.attempts + 1, next_at: tx.now + lease_ms, give_up_at };
  await noteHeld(tx, "reports", [report.id], report.next_at, call_ms_max);
  return { connection, report: await saveReport(tx, report), told };
}

/** What is reported of a parcel. */
async function tell(tx: Tx, { order_id, shipment_id, lines, id }: Report): Promise<ShipmentReport> {
  const { order, external_id } = await imported(tx, order_id);
  const shipment = order.shipments.find((one) => one.id === shipment_id);
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
    last: isSent(order) && others.every((one) => one.id === id || !isQueued(one.status)),
  };
}

/** An order that came from a platform, and its id there. */
async function imported(
  tx: Tx,
  order_id: number,
): Promise<{ order: Order; external_id: string; lines: readonly ImportedLine[] }> {
  const [order] = await findOrders(tx, [order_id]);
  const source = await findImportByOrder(tx, order_id);
  assert(order !== undefined && source !== null, `order ${order_id} has reports, so it came from a platform`);
  return { order, external_id: source.external_id, lines: source.lines };
}

/** The report of a claim, locked; null when the claim expired and another server took it. */
async function lockClaimed(tx: Tx, { report: { id, attempts } }: ReportClaim): Promise<Report | null> {
  const now = await lockReport(tx, id);
  return now !== null && isQueued(now.status) && now.attempts === attempts ? now : null;
}

/** Records that a platform has a parcel, under the id `external_id`. Null when another server took it over. */
export async function recordReported(tx: Tx, claim: ReportClaim, external_id: string | null): Promise<Report | null> {
  const now = await lockClaimed(tx, claim);
  if (now === null) return null;
  const status = move(reportMoves, "report", now.status);
  const known = { error_code: null, error_message: null, next_at: null, reported_at: tx.now };
  return saveReport(tx, { ...now, ...known, status, external_id });
}

/**
 * Records a failed try: it is repeated later, unless that cannot help or five days have passed. If the platform asked
 * to wait, the whole connection waits. Null when another server took it over.
 */
export async function recordFailed(
  tx: Tx,
  claim: ReportClaim,
  reason: ReturnType<typeof reasonOf>,
): Promise<Report | null> {
  const now = await lockClaimed(tx, claim);
  if (now === null) return null;
  const { code: error_code, message: error_message, permanent, retry_after_seconds } = reason;
  const next_at = tx.now + retryWait(now.attempts, retry_after_seconds);
  const ends = permanent || next_at > now.give_up_at;
  if (!ends && retry_after_seconds !== null) await postponeReports(tx, now.connection_id, next_at);
  const status = ends ? move(reportMoves, "give_up", now.status) : now.status;
  return saveReport(tx, { ...now, status, next_at: ends ? null : next_at, error_code, error_message });
}

/**
 * Queues a failed or skipped report again, with the lines that the platform's order has by now. Refuses:
 * resource_missing, invalid_state_transition.
 */
export async function retryReport(tx: Tx, connection_id: string, id: string): Promise<Report> {
  const connection = await getConnection(tx, connection_id);
  const before = await lockReportIn(tx, connection.id, id);
  const status = move(reportMoves, "retry", before.status);
  const { order, lines: ordered } = await imported(tx, before.order_id);
  const shipment = order.shipments.find((one) => one.id === before.shipment_id);
  assert(shipment !== undefined, `parcel ${before.shipment_id} has left`);
  const others = (await listReportsOf(tx, before.order_id)).filter((one) => one.id !== before.id);
  const lines = dealtOut(order, shipment, ordered, others);
  const hindrance = hindranceOf(shipment, lines, connection);
  const error = hindrance ?? { error_code: null, error_message: null };
  if (hindrance !== null) {
    return saveReport(tx, { ...before, ...error, lines, status: move(reportMoves, "skip", status) });
  }
  tx.wake("platforms.report", tx.now);
  const fresh = { attempts: 0, next_at: tx.now, give_up_at: giveUpAt(tx.now) };
  return saveReport(tx, { ...before, ...fresh, ...error, lines, status });
}
