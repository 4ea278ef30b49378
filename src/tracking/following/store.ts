import { and, desc, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { shipments } from "../../../db/schema/shipments.ts";
import { tracking_records } from "../../../db/schema/tracking.ts";
import type { Db } from "../../database/store.ts";
import type { Window } from "../../kit/page.ts";
import type { TrackingStatus } from "../../shipping/updates/status.ts";
import type { TrackingRecord } from "../record.ts";
import { pageOf } from "../store.ts";

/** The filters of a list of tracking records. */
export interface TrackedFilter {
  readonly status?: TrackingStatus | undefined;
  readonly carrier?: string | undefined;
  readonly order_id?: number | undefined;
  /** True for numbers tracked on request that are no parcel's, false for parcels. */
  readonly followed?: boolean | undefined;
}

function matching({ status, carrier, order_id: of, followed }: TrackedFilter): SQL | undefined {
  const { shipment_id } = tracking_records;
  return and(
    status === undefined ? undefined : eq(tracking_records.status, status),
    carrier === undefined ? undefined : eq(tracking_records.carrier, carrier),
    of === undefined ? undefined : or(eq(tracking_records.order_id, of), eq(shipments.order_id, of)),
    followed === undefined ? undefined : followed ? isNull(shipment_id) : isNotNull(shipment_id),
  );
}

/** A record in a list. */
export interface Tracked {
  readonly record: TrackingRecord;
  readonly order_id: number | null;
  readonly tracking_url: string | null;
}

/** A page of records, newest first. */
export async function listTracked(db: Db, filter: TrackedFilter, { limit, offset, after }: Window): Promise<Tracked[]> {
  const rows = await db.sql
    .select({ record: tracking_records, order_id: shipments.order_id })
    .from(tracking_records)
    .leftJoin(shipments, eq(shipments.id, tracking_records.shipment_id))
    .where(and(matching(filter), after ? sql`${tracking_records.id} < ${after[1]}` : undefined))
    .orderBy(desc(tracking_records.id))
    .limit(limit)
    .offset(offset);
  return rows.map((row) => {
    const record = row.record as TrackingRecord;
    return { record, order_id: row.order_id ?? record.order_id, tracking_url: pageOf(db, record) };
  });
}

/** How many records match. */
export async function countTracked(db: Db, filter: TrackedFilter): Promise<number> {
  const [row] = await db.sql
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(tracking_records)
    .leftJoin(shipments, eq(shipments.id, tracking_records.shipment_id))
    .where(matching(filter));
  return row?.count ?? 0;
}
