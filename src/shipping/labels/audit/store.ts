// Whether every label has its event and all it must have, and none stays unfinished for ever.
import { and, eq, lt, sql } from "drizzle-orm";
import { isOneOf } from "../../../../db/kit.ts";
import { orders } from "../../../../db/schema/orders.ts";
import { returns } from "../../../../db/schema/returns.ts";
import { label_documents, labels, shipments } from "../../../../db/schema/shipments.ts";
import { type Args, prepared } from "../../../database/statements.ts";
import type { Db } from "../../../database/store.ts";
import { type Check, type Difference, plainRows, type RowsOf, verifierOf } from "../../../database/verifier.ts";
import { givenUp } from "../../../orders/shipments/status.ts";
import { tells } from "../../../outbox/audit/store.ts";
import { boughtLabelStatuses, labelStarts, usableLabelStatuses } from "../status.ts";

// The events of labels that come back are those of their returns.
const bought = sql`select count(*) from ${labels}
  where ${isOneOf(labels.status, boughtLabelStatuses)} and ${labels.return_id} is null`;

const isBought = isOneOf(labels.status, boughtLabelStatuses);
// A carrier's document may be unreadable; then a warning of the label says so.
const hasDocument = sql`(${labels.drawing} is not null
  or exists (select 1 from ${label_documents} where ${label_documents.label_id} = ${labels.id})
  or cast(${labels.warnings} as text) like '%no_document%')`;

const checks: readonly Check<"events" | "label" | "quotes">[] = [
  tells("shipment.created", bought),
  {
    rule: "L1 a label that was bought has a number and a document",
    noun: "label",
    rows: sql`select ${labels.id} as id, 1 as expected,
        case when ${labels.tracking_number} is not null and ${hasDocument} then 1 else 0 end as actual
      from ${labels} where ${isBought}`,
  },
  {
    rule: "L2 no quote bought two labels",
    noun: "quotes",
    rows: sql`select cast(null as bigint) as id, count(distinct ${labels.quote_nonce}) as expected,
        count(${labels.quote_nonce}) as actual
      from ${labels} where ${isBought}`,
  },
  {
    rule: "L3 a label is of a parcel or a return of its order",
    noun: "label",
    rows: sql`select ${labels.id} as id, ${labels.order_id} as expected,
        coalesce(${shipments.order_id}, ${returns.order_id}) as actual
      from ${labels} left join ${shipments} on ${shipments.id} = ${labels.shipment_id}
      left join ${returns} on ${returns.id} = ${labels.return_id}`,
  },
  {
    rule: "L4 a labelled parcel has its label's number",
    noun: "label",
    rows: sql`select ${labels.id} as id, 1 as expected,
        case when ${shipments.tracking_number} = ${labels.tracking_number} then 1 else 0 end as actual
      from ${labels} join ${shipments} on ${shipments.id} = ${labels.shipment_id}
      where ${isOneOf(labels.status, usableLabelStatuses)} and not ${isOneOf(shipments.status, [givenUp])}`,
  },
  {
    rule: "L5 a label belongs to whom its order belongs",
    noun: "label",
    rows: sql`select ${labels.id} as id, ${orders.merchant_id} as expected, ${labels.merchant_id} as actual
      from ${labels} join ${orders} on ${orders.id} = ${labels.order_id}`,
  },
];

const labelRows: RowsOf = async (db, id) => {
  const rows = await plainRows(db, "labels", labels, eq(labels.id, id));
  return rows.map(({ drawing: _drawing, ...row }) => row as (typeof rows)[number]);
};

const verifyAll = verifierOf(checks, { events: async () => [], label: labelRows, quotes: async () => [] });

const day_ms = 86_400_000;
// A purchase is given up after a day, in the next round of the job, so a little more time passes.
const late_ms = day_ms + 3_600_000;

const lateOnes = prepared((select, a: Args<{ before: number }>) =>
  select
    .select({ id: labels.id })
    .from(labels)
    .where(and(isOneOf(labels.status, [labelStarts]), lt(labels.created_at, a.before))),
);

/** Checks labels against what must be true of them. */
export async function verifyLabels(db: Db): Promise<Difference[]> {
  const late = await lateOnes(db, { before: db.now - late_ms });
  const told: Difference[] = [];
  for (const { id } of late) {
    const rule = "L5 no label is under way for longer than a day";
    told.push({ rule, subject: `label ${id}`, expected: 0, actual: 1, rows: await labelRows(db, id) });
  }
  return [...(await verifyAll(db)), ...told];
}
