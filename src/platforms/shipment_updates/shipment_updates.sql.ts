import { and, asc, desc, eq, lte, not, or, sql as template } from "drizzle-orm";
import { among, amongThose, forUpdate, isOneOf, list, skipLocked } from "../../../db/kit.ts";
import { platform_reports } from "../../../db/schema/platform_reports.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { PageWindow } from "../../core/schema.ts";
import { bulkTransition } from "../../core/transitions.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { isFree } from "../../storage/installation.ts";
import { endOfClaims } from "../../storage/servers.ts";
import { insert, prepared, type StatementArgs } from "../../storage/statements.ts";
import { queuedShipmentUpdates, shipmentUpdateTransitions } from "../platforms.transitions.ts";
import type { ShipmentUpdate } from "./shipment_update.ts";
import { no_token } from "./shipment_update.ts";

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

const due = prepared((sql: Tx["sql"], a: StatementArgs<{ connection_id: number; now: number }>) =>
  skipLocked(
    sql
      .select()
      .from(platform_reports)
      .where(
        and(
          eq(platform_reports.connection_id, a.connection_id),
          isQueued,
          lte(platform_reports.next_at, a.now),
          isFree(platform_reports.created_at),
          isFirst,
        ),
      )
      .orderBy(asc(platform_reports.next_at), asc(platform_reports.id))
      .limit(1),
  ),
);

/** Locks the report of a connection that has been due longest; null if none is due. */
export async function lockDueReport(tx: Tx, connection_id: number): Promise<ShipmentUpdate | null> {
  const [row] = await due(tx, { connection_id, now: tx.now });
  return row ?? null;
}

const next = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({ at: template<number | null>`min(${platform_reports.next_at})`.mapWith(Number) })
    .from(platform_reports)
    .where(and(among(platform_reports.connection_id, a.ids), isQueued, isFree(platform_reports.created_at), isFirst)),
);

/** Returns when the next report of these connections is due (ms); null if none is queued. */
export async function nextReportAt(db: Db, connection_ids: readonly number[]): Promise<number | null> {
  const [row] = await next(db, { ids: list(connection_ids) });
  return row?.at ?? null;
}

/** Counts the queued reports. */
export async function countQueuedReports(db: Db): Promise<number> {
  return db.sql.$count(platform_reports, isQueued);
}

/** Skips up to `limit` reports that a restore holds, and returns how many. */
export async function skipHeldReports(tx: Tx, limit: number): Promise<number> {
  const held = tx.sql
    .select({ id: platform_reports.id })
    .from(platform_reports)
    .where(and(isQueued, not(isFree(platform_reports.created_at))))
    .orderBy(asc(platform_reports.id))
    .limit(limit);
  const skipped = await tx.sql
    .update(platform_reports)
    .set({
      status: shipmentUpdateTransitions.skip.to,
      next_at: null,
      error_code: "dropped_after_restore",
      error_message:
        "The report was queued when the backup was made and was dropped after the restore. You can retry it.",
      updated_at: tx.now,
    })
    .where(amongThose(platform_reports.id, held))
    .returning({ id: platform_reports.id });
  return skipped.length;
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

/** Ends the claims of servers that stopped, so that their reports are due again. */
export const endReportClaims = endOfClaims(platform_reports, platform_reports.next_at);

/** Postpones all reports of a connection to a time (ms) that the platform asked for. */
export async function postponeReports(tx: Tx, connection_id: number, until: number): Promise<void> {
  await tx.sql
    .update(platform_reports)
    .set({ next_at: until })
    .where(and(eq(platform_reports.connection_id, connection_id), isQueued, lte(platform_reports.next_at, until)));
}

/** Shifts the times of the next attempts by the amount by which the clock was set. */
export async function shiftShipmentUpdates(tx: Tx, by_ms: number): Promise<void> {
  const { next_at, give_up_at } = platform_reports;
  await tx.sql
    .update(platform_reports)
    .set({ next_at: template`${next_at} + ${by_ms}`, give_up_at: template`${give_up_at} + ${by_ms}` })
    .where(isQueued);
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

/** The filters of a list of reports. */
interface ShipmentUpdateFilter {
  readonly status?: ShipmentUpdate["status"] | undefined;
  readonly order_id?: number | undefined;
}

const matching = (connection_id: number, { status, order_id }: ShipmentUpdateFilter) =>
  and(
    eq(platform_reports.connection_id, connection_id),
    status === undefined ? undefined : eq(platform_reports.status, status),
    order_id === undefined ? undefined : eq(platform_reports.order_id, order_id),
  );

/** Lists a page of a connection's reports, newest first. */
export async function listReports(
  db: Db,
  connection_id: number,
  filter: ShipmentUpdateFilter,
  { limit, offset, after }: PageWindow,
): Promise<ShipmentUpdate[]> {
  const { created_at, id } = platform_reports;
  return db.sql
    .select()
    .from(platform_reports)
    .where(
      and(
        matching(connection_id, filter),
        after ? template`(${created_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined,
      ),
    )
    .orderBy(desc(created_at), desc(id))
    .limit(limit)
    .offset(offset);
}

/** Counts the reports of a connection that match. */
export async function countReports(db: Db, connection_id: number, filter: ShipmentUpdateFilter): Promise<number> {
  return db.sql.$count(platform_reports, matching(connection_id, filter));
}
