// Audit rules of printed documents for `verify`, in SQL that is independent of the acts.
import { and, eq, inArray, sql } from "drizzle-orm";
import { isOneOf } from "../../../db/kit.ts";
import { document_chunks, documents } from "../../../db/schema/documents.ts";
import { order_history, orders } from "../../../db/schema/orders.ts";
import { labels, shipments } from "../../../db/schema/shipments.ts";
import type { Db } from "../../storage/database.ts";
import { type FoundFigure, plainRows, type RelatedRows, verifierOf } from "../../storage/verifier.ts";
import type { DocumentStatus } from "./printed_document.transitions.ts";

const unread: readonly DocumentStatus[] = ["failed"];
const drawn: readonly DocumentStatus[] = ["completed"];

// An erasure removes the notes of history rows, and the content of documents.
const entriesWith = (words: string) => sql`select ${order_history.order_id} as order_id, count(*) as prints,
    sum(case when ${order_history.note} like '%reprint%' then 0 else 1 end) as firsts
  from ${order_history} where ${order_history.event} = 'print' and ${order_history.note} like ${sql.raw(`'%${words}%'`)}
  group by ${order_history.order_id}`;

const isErased = sql`exists (select 1 from ${order_history} where ${order_history.order_id} = ${orders.id}
  and ${order_history.event} = 'print' and ${order_history.note} is null)`;

const slips = sql`(${orders.slip_prints} + (select coalesce(sum(${shipments.slip_prints}), 0) from ${shipments}
  where ${shipments.order_id} = ${orders.id}))`;

/** A document without its lists of orders, which are long. */
const documentRow: RelatedRows = async (db, id) => {
  const rows = await plainRows(db, documents.id, eq(documents.id, id));
  return rows.map(({ items: _items, printed: _printed, skipped: _skipped, ...row }) => row as (typeof rows)[number]);
};

const parts = sql`select ${document_chunks.document_id} as document_id, count(*) as chunks,
    max(${document_chunks.position}) + 1 as positions, sum(length(${document_chunks.bytes})) as bytes
  from ${document_chunks} group by ${document_chunks.document_id}`;

/** Finds documents whose content is not what they say, and marks of orders and labels that no document explains. */
export const verifyPrinting = verifierOf({
  nouns: { document: [documentRow], order: [orders.id], label: [] },
  shared: {
    printed_pick_lists: sql`(${entriesWith("pick list")})`,
    printed_slips: sql`(${entriesWith("packing slip")})`,
    document_parts: sql`(${parts})`,
  },
  rules: [
    {
      rule: "D1 a completed document has its whole content, unless it was erased",
      noun: "document",
      rows: sql`select ${documents.id} as id, ${documents.size} as expected,
          case when chunks = positions then bytes else -1 end as actual
        from ${documents} join document_parts on document_id = ${documents.id}
        where ${isOneOf(documents.status, drawn)}`,
    },
    {
      rule: "D2 a failed document has no content",
      noun: "document",
      rows: sql`select ${documents.id} as id, 0 as expected, chunks as actual
        from ${documents} join document_parts on document_id = ${documents.id}
        where ${isOneOf(documents.status, unread)}`,
    },
    {
      rule: "D3 the prints of a pick list are those in the order's history",
      noun: "order",
      rows: sql`select ${orders.id} as id, coalesce(prints, 0) as expected, ${orders.pick_list_prints} as actual
        from ${orders} left join printed_pick_lists on order_id = ${orders.id} where not ${isErased}`,
    },
    {
      rule: "D4 only the first print of a pick list is not a reprint",
      noun: "order",
      rows: sql`select order_id as id, 1 as expected, firsts as actual from printed_pick_lists where firsts > 1`,
    },
    {
      rule: "D5 a packing slip is marked as printed exactly if the order's history has its print",
      noun: "order",
      rows: sql`select ${orders.id} as id, case when prints is null then 0 else 1 end as expected,
          case when ${orders.slip_printed_at} is null and ${slips} = 0 then 0
            when ${orders.slip_printed_at} is not null and ${slips} >= coalesce(prints, 0) then 1 else -1 end as actual
        from ${orders} left join printed_slips on order_id = ${orders.id} where not ${isErased}`,
    },
    {
      rule: "D6 a label that was printed says when",
      noun: "label",
      rows: sql`select ${labels.id} as id, case when ${labels.prints} > 0 then 1 else 0 end as expected,
          case when ${labels.printed_at} is null then 0 else 1 end as actual from ${labels}`,
    },
  ],
  figures: printedOrders,
});

const documents_at_once = 100;

/** For each completed document: the orders that it printed, and those whose history says so. */
async function* printedOrders(db: Db): AsyncGenerator<FoundFigure> {
  const columns = { id: documents.id, printed: documents.printed, completed_at: documents.completed_at };
  for (let after = 0; ; ) {
    const found = await db.sql
      .select(columns)
      .from(documents)
      .where(and(isOneOf(documents.status, drawn), sql`${documents.id} > ${after}`))
      .orderBy(documents.id)
      .limit(documents_at_once);
    for (const { id, printed, completed_at } of found) {
      const ids = printed.map(({ order_id }) => order_id);
      const entries = await db.sql
        .selectDistinct({ id: order_history.order_id })
        .from(order_history)
        .where(
          and(
            inArray(order_history.order_id, ids),
            eq(order_history.event, "print"),
            eq(order_history.created_at, completed_at ?? 0),
          ),
        );
      const rule = "D7 every order that a document printed has this in its history";
      const [expected, actual] = [ids.length, entries.length];
      yield { rule, subject: `document ${id}`, expected, actual, rows: () => [] };
    }
    const last = found.at(-1);
    if (last === undefined || found.length < documents_at_once) return;
    after = last.id;
  }
}
