// Audit rules of labels and rate cards for `verify`.

import { eq, sql } from "drizzle-orm";
import { isOneOf } from "../../db/kit.ts";
import { orders } from "../../db/schema/orders.ts";
import { rate_card_versions, rate_cards } from "../../db/schema/rates.ts";
import { returns } from "../../db/schema/returns.ts";
import { label_documents, labels, shipments } from "../../db/schema/shipments.ts";
import { day_ms, hour_ms } from "../core/time.ts";
import { eventCountRule } from "../events/events_audit.sql.ts";
import { givenUp } from "../orders/order.transitions.ts";
import { plainRows, type RelatedRows, type VerifierRule, verifierOf } from "../storage/verifier.ts";
import { boughtLabelStatuses, labelStarts, usableLabelStatuses } from "./labels/label.transitions.ts";

// Return labels are excluded: their events are those of their returns.
const bought = sql`select count(*) from ${labels}
  where ${isOneOf(labels.status, boughtLabelStatuses)} and ${labels.return_id} is null`;

const isBought = isOneOf(labels.status, boughtLabelStatuses);
// A carrier's document may be unreadable. Then a warning of the label records it. A label that was bought elsewhere
// needs none.
const hasDocument = sql`(${labels.drawing} is not null or ${labels.external}
  or exists (select 1 from ${label_documents} where ${label_documents.label_id} = ${labels.id})
  or cast(${labels.warnings} as text) like '%no_document%')`;

// A purchase is given up after a day, in the job's next run. This adds an hour for that.
const late_ms = day_ms + hour_ms;

/** A label without its drawing, which is long. */
const labelRow: RelatedRows = async (db, id) => {
  const rows = await plainRows(db, labels.id, eq(labels.id, id));
  return rows.map(({ drawing: _drawing, ...row }) => row as (typeof rows)[number]);
};

const nouns = {
  events: [],
  quotes: [],
  label: [labelRow],
  "rate card": [rate_cards.id],
} as const satisfies Record<string, readonly RelatedRows[]>;

const rules: readonly VerifierRule<keyof typeof nouns>[] = [
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
  {
    rule: "L5 no purchase stays unfinished for more than a day",
    noun: "label",
    rows: sql`select ${labels.id} as id, 0 as expected, 1 as actual from ${labels}
      where ${isOneOf(labels.status, [labelStarts])}
        and ${labels.created_at} < (select now from this_run) - ${sql.raw(String(late_ms))}`,
  },
  {
    rule: "C1 every revision of a rate card is stored",
    noun: "rate card",
    rows: sql`select ${rate_cards.id} as id, ${rate_cards.revision} as expected,
        (select count(*) from ${rate_card_versions} where ${rate_card_versions.card_id} = ${rate_cards.id}
          and ${rate_card_versions.revision} between 1 and ${rate_cards.revision}) as actual
      from ${rate_cards}`,
  },
];

/** Verifies labels, and that the versions of rate cards are complete. Returns the differences. */
export const verifyShipping = verifierOf({ nouns, rules });
