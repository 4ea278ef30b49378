import { Type } from "@sinclair/typebox";
import { and, eq, getTableColumns, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { contains, isOneOf } from "../../../db/kit.ts";
import { manifest_labels } from "../../../db/schema/manifests.ts";
import { orders } from "../../../db/schema/orders.ts";
import { labels } from "../../../db/schema/shipments.ts";
import { readId } from "../../core/ids.ts";
import { choice, idField, textField } from "../../core/schema.ts";
import { plainTrackingNumber } from "../../orders/fulfillment/tracking_url.ts";
import { ofNumberedOrder, orderFilter } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Db } from "../../storage/database.ts";
import { anyOf, equals, filter, recordList, refersTo, search } from "../../storage/record_list.ts";
import { boughtLabelStatuses, labelStatuses, usableLabelStatuses } from "./label.transitions.ts";
import type { ListedLabel } from "./label.ts";
import { type QuarterCost, quarter_ms } from "./label_costs.ts";
import { isBuiltInLabel } from "./label_documents.ts";
import { listDocuments } from "./labels.sql.ts";
import { scannedSscc } from "./sscc.ts";

const isListed = sql`exists (select 1 from ${manifest_labels} where ${manifest_labels.label_id} = ${labels.id})`;

/** A filter of a list: records with a tracking number, in all forms in which it may be stored. */
export function hasNumber(tracking_number: AnyPgColumn, max_length: number) {
  return anyOf(
    textField(max_length, { description: "Only those with these numbers, as printed or as scanned." }),
    (scanned) => {
      const number = plainTrackingNumber(scanned);
      return inArray(tracking_number, [number, scannedSscc(number) ?? number]);
    },
  );
}

/** Condition for the search of a list: records whose tracking number contains a text, however it is written. */
export const ofNumber = (tracking_number: AnyPgColumn) => (piece: string) =>
  contains(tracking_number, plainTrackingNumber(piece) || piece);

// A list omits drawings, which are long.
const { drawing: _drawing, ...columns } = getTableColumns(labels);

/** Labels, newest first. */
export const labelList = recordList(labels, {
  select: (sql) =>
    sql
      .select({ ...columns, order_number: orders.order_number })
      .from(labels)
      .innerJoin(orders, eq(orders.id, labels.order_id)),
  filters: {
    order_id: orderFilter(labels.order_id),
    shipment_id: refersTo(labels.shipment_id, "shipment"),
    return_id: refersTo(labels.return_id, "return"),
    manifest_id: anyOf(idField("manifest", "Only labels on this manifest."), (id, db) =>
      inArray(labels.id, labelsOf(db, readId("manifest", id) ?? 0)),
    ),
    on_manifest: filter(
      Type.Boolean({ description: "True: only manifested labels. False: only labels that are on no manifest." }),
      (on_manifest) => (on_manifest ? isListed : sql`not ${isListed}`),
    ),
    status: equals(labels.status, choice(labelStatuses)),
    carrier: equals(labels.carrier, textField(100)),
    service: equals(labels.service, textField(100)),
    tracking_number: hasNumber(labels.tracking_number, 60),
    q: search("Part of the tracking number or the order number.", [
      ofNumber(labels.tracking_number),
      ofNumberedOrder(labels.order_id),
    ]),
  },
  records: async (rows, db): Promise<ListedLabel[]> => {
    const stored = rows.flatMap((row) => (isBuiltInLabel(row) ? [] : [row.id]));
    const documents = Map.groupBy(await listDocuments(db, stored), ({ label_id }) => label_id);
    return rows.map((row) => ({ ...(row as unknown as ListedLabel), documents: documents.get(row.id) ?? [] }));
  },
});

const labelsOf = (db: Db, manifest_id: number) =>
  db.sql
    .select({ id: manifest_labels.label_id })
    .from(manifest_labels)
    .where(eq(manifest_labels.manifest_id, manifest_id));

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
