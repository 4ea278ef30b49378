import { and, desc, eq, getTableColumns, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import { isOneOf } from "../../../db/kit.ts";
import { manifest_labels } from "../../../db/schema/manifests.ts";
import { orders } from "../../../db/schema/orders.ts";
import { labels } from "../../../db/schema/shipments.ts";
import type { PageWindow } from "../../core/schema.ts";
import type { Db } from "../../storage/database.ts";
import { boughtLabelStatuses, type LabelStatus, usableLabelStatuses } from "./label.transitions.ts";
import type { ListedLabel } from "./label.ts";
import { type QuarterCost, quarter_ms } from "./label_costs.ts";
import { listDocuments } from "./labels.sql.ts";

/** The filters of a list of labels. Timestamps are in milliseconds. */
export interface LabelFilter {
  readonly order_id?: number | undefined;
  readonly shipment_id?: number | undefined;
  readonly return_id?: number | undefined;
  readonly manifest_id?: number | undefined;
  readonly on_manifest?: boolean | undefined;
  readonly status?: LabelStatus | undefined;
  readonly carrier?: string | undefined;
  readonly service?: string | undefined;
  /** All forms in which the number may be stored. */
  readonly tracking_numbers?: readonly string[] | undefined;
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
}

function matching(db: Db, filter: LabelFilter): SQL | undefined {
  const { order_id, shipment_id, return_id, manifest_id, on_manifest, status, carrier, service } = filter;
  const { tracking_numbers, created_after, created_before } = filter;
  const ofManifest = db.sql
    .select({ id: manifest_labels.label_id })
    .from(manifest_labels)
    .where(eq(manifest_labels.manifest_id, manifest_id ?? 0));
  const listed = sql`exists (select 1 from ${manifest_labels} where ${manifest_labels.label_id} = ${labels.id})`;
  return and(
    order_id === undefined ? undefined : eq(labels.order_id, order_id),
    shipment_id === undefined ? undefined : eq(labels.shipment_id, shipment_id),
    return_id === undefined ? undefined : eq(labels.return_id, return_id),
    manifest_id === undefined ? undefined : inArray(labels.id, ofManifest),
    on_manifest === undefined ? undefined : on_manifest ? listed : sql`not ${listed}`,
    status === undefined ? undefined : eq(labels.status, status),
    carrier === undefined ? undefined : eq(labels.carrier, carrier),
    service === undefined ? undefined : eq(labels.service, service),
    tracking_numbers === undefined ? undefined : inArray(labels.tracking_number, [...tracking_numbers]),
    created_after === undefined ? undefined : gt(labels.created_at, created_after),
    created_before === undefined ? undefined : lt(labels.created_at, created_before),
  );
}

// A list omits drawings, which are long.
const { drawing: _drawing, ...columns } = getTableColumns(labels);

/** Lists a page of labels, newest first. */
export async function listLabels(db: Db, filter: LabelFilter, window: PageWindow): Promise<ListedLabel[]> {
  const { limit, offset, after } = window;
  const behind = after === null ? undefined : sql`(${labels.created_at}, ${labels.id}) < (${after[0]}, ${after[1]})`;
  const rows = await db.sql
    .select({ ...columns, order_number: orders.order_number })
    .from(labels)
    .innerJoin(orders, eq(orders.id, labels.order_id))
    .where(and(matching(db, filter), behind))
    .orderBy(desc(labels.created_at), desc(labels.id))
    .limit(limit)
    .offset(offset);
  const of_carriers = rows.flatMap(({ id, account_id }) => (account_id === null ? [] : [id]));
  const documents = Map.groupBy(await listDocuments(db, of_carriers), ({ label_id }) => label_id);
  return rows.map((row) => ({ ...(row as unknown as ListedLabel), documents: documents.get(row.id) ?? [] }));
}

/** Counts the labels that match. */
export async function countLabels(db: Db, filter: LabelFilter): Promise<number> {
  return db.sql.$count(labels, matching(db, filter));
}

/** Sums the costs of labels bought from `since` until before `until` (ms), by quarters of an hour. */
export async function sumCosts(
  db: Db,
  { since, until, carrier }: { readonly since: number; readonly until: number; readonly carrier?: string | undefined },
): Promise<QuarterCost[]> {
  const sum = (amount: SQL) => sql<number>`sum(${amount})`.mapWith(Number);
  const valid = isOneOf(labels.status, usableLabelStatuses);
  const quarter = sql<number>`${labels.created_at} / ${sql.raw(String(quarter_ms))}`.mapWith(Number);
  return db.sql
    .select({
      quarter,
      carrier: labels.carrier,
      currency: labels.currency,
      label_count: sum(sql`case when ${valid} then 1 else 0 end`),
      cost_cents: sum(sql`case when ${valid} then ${labels.cost_cents} else 0 end`),
      carrier_cost_cents: sum(sql`case when ${valid} then ${labels.carrier_cost_cents} else 0 end`),
      voided_count: sum(sql`case when ${valid} then 0 else 1 end`),
    })
    .from(labels)
    .where(
      and(
        isOneOf(labels.status, boughtLabelStatuses),
        sql`${labels.created_at} >= ${since}`,
        lt(labels.created_at, until),
        carrier === undefined ? undefined : eq(labels.carrier, carrier),
      ),
    )
    .groupBy(sql`1`, labels.carrier, labels.currency);
}
