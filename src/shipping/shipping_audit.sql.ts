// Audit rules of labels and rate cards for `verify`.

import { and, eq, lt, sql } from "drizzle-orm";
import { isOneOf } from "../../db/kit.ts";
import { orders } from "../../db/schema/orders.ts";
import { rate_card_versions, rate_cards } from "../../db/schema/rates.ts";
import { returns } from "../../db/schema/returns.ts";
import { label_documents, labels, shipments } from "../../db/schema/shipments.ts";
import { day_ms } from "../core/time.ts";
import { eventCountRule } from "../events/events_audit.sql.ts";
import { givenUp } from "../orders/order.transitions.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import {
  type FindVerifiedRows,
  plainRows,
  type VerifierDifference,
  type VerifierRule,
  verifierOf,
} from "../storage/verifier.ts";
import { boughtLabelStatuses, labelStarts, usableLabelStatuses } from "./labels/label.transitions.ts";

// Return labels are excluded: their events are those of their returns.
const bought = sql`select count(*) from ${labels}
  where ${isOneOf(labels.status, boughtLabelStatuses)} and ${labels.return_id} is null`;

const isBought = isOneOf(labels.status, boughtLabelStatuses);
// A carrier's document may be unreadable. Then a warning of the label records it.
const hasDocument = sql`(${labels.drawing} is not null
  or exists (select 1 from ${label_documents} where ${label_documents.label_id} = ${labels.id})
  or cast(${labels.warnings} as text) like '%no_document%')`;

const label_checks: readonly VerifierRule<"events" | "label" | "quotes">[] = [
  eventCountRule("shipment.created", bought),
  {
    rule: "L1 a bought label has a tracking number and a document",
    noun: "label",
    rows: sql`select ${labels.id} as id, 1 as expected,
        case when ${labels.tracking_number} is not null and ${hasDocument} then 1 else 0 end as actual
      from ${labels} where ${isBought}`,
  },
  {
    rule: "L2 a quote buys at most one label",
    noun: "quotes",
    rows: sql`select cast(null as bigint) as id, count(distinct ${labels.quote_nonce}) as expected,
        count(${labels.quote_nonce}) as actual
      from ${labels} where ${isBought}`,
  },
  {
    rule: "L3 a label belongs to a parcel or a return of its order",
    noun: "label",
    rows: sql`select ${labels.id} as id, ${labels.order_id} as expected,
        coalesce(${shipments.order_id}, ${returns.order_id}) as actual
      from ${labels} left join ${shipments} on ${shipments.id} = ${labels.shipment_id}
      left join ${returns} on ${returns.id} = ${labels.return_id}`,
  },
  {
    rule: "L4 a labeled parcel has its label's tracking number",
    noun: "label",
    rows: sql`select ${labels.id} as id, 1 as expected,
        case when ${shipments.tracking_number} = ${labels.tracking_number} then 1 else 0 end as actual
      from ${labels} join ${shipments} on ${shipments.id} = ${labels.shipment_id}
      where ${isOneOf(labels.status, usableLabelStatuses)} and not ${isOneOf(shipments.status, [givenUp])}`,
  },
  {
    rule: "L5 a label and its order belong to the same merchant",
    noun: "label",
    rows: sql`select ${labels.id} as id, ${orders.merchant_id} as expected, ${labels.merchant_id} as actual
      from ${labels} join ${orders} on ${orders.id} = ${labels.order_id}`,
  },
];

const labelRows: FindVerifiedRows = async (db, id) => {
  const rows = await plainRows(db, "labels", labels, eq(labels.id, id));
  return rows.map(({ drawing: _drawing, ...row }) => row as (typeof rows)[number]);
};

const verifyLabelRows = verifierOf(label_checks, { events: async () => [], label: labelRows, quotes: async () => [] });

// A purchase is given up after a day, in the job's next run. This adds an hour for that.
const late_ms = day_ms + 3_600_000;

const unfinishedLabels = prepared((select, a: StatementArgs<{ before: number }>) =>
  select
    .select({ id: labels.id })
    .from(labels)
    .where(and(isOneOf(labels.status, [labelStarts]), lt(labels.created_at, a.before))),
);

/** Verifies all labels. Returns the differences. */
export async function verifyLabels(db: Db): Promise<VerifierDifference[]> {
  const late = await unfinishedLabels(db, { before: db.now - late_ms });
  const differences: VerifierDifference[] = [];
  for (const { id } of late) {
    const rule = "L5 no purchase stays unfinished for more than a day";
    differences.push({ rule, subject: `label ${id}`, expected: 0, actual: 1, rows: await labelRows(db, id) });
  }
  return [...(await verifyLabelRows(db)), ...differences];
}

const rate_card_checks: readonly VerifierRule<"rate card">[] = [
  {
    rule: "C1 every version of a rate card is stored",
    noun: "rate card",
    rows: sql`select ${rate_cards.id} as id, ${rate_cards.version} as expected,
        (select count(*) from ${rate_card_versions} where ${rate_card_versions.card_id} = ${rate_cards.id}
          and ${rate_card_versions.version} between 1 and ${rate_cards.version}) as actual
      from ${rate_cards}`,
  },
];

const verifyRateCardRows = verifierOf(rate_card_checks, {
  "rate card": (db, id) => plainRows(db, "rate_cards", rate_cards, eq(rate_cards.id, id)),
});

/** Verifies that the versions of all rate cards are complete. Returns the differences. */
export async function verifyRateCards(db: Db): Promise<VerifierDifference[]> {
  return verifyRateCardRows(db);
}
