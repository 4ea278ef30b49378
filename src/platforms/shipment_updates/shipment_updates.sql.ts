import { and, asc, eq, not, or, sql as template } from "drizzle-orm";
import { forUpdate, isOneOf } from "../../../db/kit.ts";
import { platform_reports } from "../../../db/schema/platform_reports.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { choice } from "../../core/schema.ts";
import { minute_ms } from "../../core/time.ts";
import { bulkTransition } from "../../core/transitions.ts";
import { orderFilter } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { isFree } from "../../storage/installation.ts";
import { queueOf } from "../../storage/queue.ts";
import { equals, recordList } from "../../storage/record_list.ts";
import { changeBatch } from "../../storage/row_batches.ts";
import { insert, prepared, type StatementArgs } from "../../storage/statements.ts";
import { getConnection } from "../connections.sql.ts";
import { queuedShipmentUpdates, shipmentUpdateStatuses, shipmentUpdateTransitions } from "../platforms.transitions.ts";
import type { ShipmentUpdate } from "./shipment_update.ts";
import { giveUpUpdateAt, no_token } from "./shipment_update.ts";

const isQueued = isOneOf(platform_reports.status, queuedShipmentUpdates);

/** Inserts reports. */
export async function insertReports(tx: Tx, reports: readonly Omit<ShipmentUpdate, "id">[]): Promise<void> {
  await insert(
    tx,
    platform_reports,
    reports.map((report) => ({ ...report, lines: [...report.lines] })),
  );
}

const ofOrder = prepared((sql, a: StatementArgs<{ order_id: number }>) =>
  sql
    .select()
    .from(platform_reports)
    .where(eq(platform_reports.order_id, a.order_id))
    .orderBy(asc(platform_reports.id)),
);

/** Lists the reports of an order's parcels, oldest first. */
export async function listReportsOf(db: Db, order_id: number): Promise<ShipmentUpdate[]> {
  return ofOrder(db, { order_id });
}

// The parcels of an order are reported in the order in which they shipped.
const isFirst = template`not exists (select 1 from ${platform_reports} earlier
  where earlier.order_id = ${platform_reports.order_id} and earlier.id < ${platform_reports.id}
  and ${isOneOf(template`earlier.status`, queuedShipmentUpdates)})`;

// A platform may still be working on the call of a server that stopped, so the parcel is not reported again before.
const call_ms_max = minute_ms;

/** The queued reports, one at a time of each connection. A claim of five minutes without a result is due again. */
export const reportQueue = queueOf<ShipmentUpdate>(platform_reports, {
  kind: "reports",
  job: "platforms.report",
  due: platform_reports.next_at,
  waiting: isQueued,
  ready: and(isFree(platform_reports.created_at), isFirst),
  lane: platform_reports.connection_id,
  moved: [platform_reports.give_up_at],
  lease_ms: 5 * minute_ms,
  rest_ms: () => call_ms_max,
  claimed: ({ attempts, give_up_at }, _until, now) => ({
    attempts: attempts + 1,
    // Time during which the connection was paused does not count.
    give_up_at: attempts === 0 ? giveUpUpdateAt(now) : give_up_at,
    updated_at: now,
  }),
});

/** Counts the queued reports. */
export async function countQueuedReports(db: Db): Promise<number> {
  return db.sql.$count(platform_reports, isQueued);
}

/** Skips up to `limit` reports that a restore holds, and returns how many. */
export async function skipHeldReports(tx: Tx, limit: number): Promise<number> {
  const dropped = {
    status: shipmentUpdateTransitions.skip.to,
    next_at: null,
    error_code: "dropped_after_restore",
    error_message:
      "The report was queued when the backup was made and was dropped after the restore. You can retry it.",
    updated_at: tx.now,
  };
  const where = and(isQueued, not(isFree(platform_reports.created_at)));
  return changeBatch(tx, platform_reports, dropped, { where, by: [platform_reports.id], limit });
}

const locked = prepared((sql, a: StatementArgs<{ id: number }>) =>
  forUpdate(sql.select().from(platform_reports).where(eq(platform_reports.id, a.id))),
);

/** Locks a report by its id; null if there is none. */
export async function lockReport(tx: Tx, id: number): Promise<ShipmentUpdate | null> {
  const [row] = await locked(tx, { id });
  return row ?? null;
}

/** Locks a report by the identifiers in a path. Refuses: resource_missing. */
export async function lockReportIn(tx: Tx, connection_id: number, id: string): Promise<ShipmentUpdate> {
  const report = await lockReport(tx, readId("report", id) ?? 0);
  if (report === null || report.connection_id !== connection_id) throw missing("report", id);
  return report;
}

/** Saves changes of a locked report and returns it. */
export async function saveReport(tx: Tx, report: ShipmentUpdate): Promise<ShipmentUpdate> {
  const { id, lines, ...fields } = { ...report, updated_at: tx.now };
  await tx.sql
    .update(platform_reports)
    .set({ ...fields, lines: [...lines] })
    .where(eq(platform_reports.id, id));
  return { ...report, updated_at: tx.now };
}

const reconnected = bulkTransition(shipmentUpdateTransitions, "reconnect");

/** Queues the reports of a connection again that failed or had no API access. */
export async function requeueFailedReports(tx: Tx, connection_id: number): Promise<void> {
  await tx.sql
    .update(platform_reports)
    .set({ status: reconnected.to, attempts: 0, next_at: tx.now })
    .where(
      and(
        eq(platform_reports.connection_id, connection_id),
        isOneOf(platform_reports.status, reconnected.from),
        or(
          isOneOf(platform_reports.status, [shipmentUpdateTransitions.give_up.to]),
          eq(platform_reports.error_code, no_token),
        ),
      ),
    );
}

/** The reports of a connection, newest first. */
export const reportList = recordList(platform_reports, {
  filters: {
    status: equals(platform_reports.status, choice(shipmentUpdateStatuses)),
    order_id: orderFilter(platform_reports.order_id),
  },
  within: async (db, _, connection) => eq(platform_reports.connection_id, (await getConnection(db, connection)).id),
});
