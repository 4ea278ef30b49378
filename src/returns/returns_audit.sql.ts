// Audit rules of returns and refunds for `verify`, in SQL that is independent of the acts.
import { eq, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { isOneOf } from "../../db/kit.ts";
import { movements, stock_items } from "../../db/schema/inventory.ts";
import { order_history, order_lines, orders } from "../../db/schema/orders.ts";
import { refunds, return_inspections, return_items, returns } from "../../db/schema/returns.ts";
import { bins } from "../../db/schema/warehouses.ts";
import { eventCountRule } from "../events/events_audit.sql.ts";
import { movementsOf } from "../inventory/audited_rows.sql.ts";
import { parts } from "../orders/orders_audit.sql.ts";
import type { Db } from "../storage/database.ts";
import { plainRows, type RelatedRows, type VerifierRule, verifierOf } from "../storage/verifier.ts";
import { type ReturnStatus, refundTransitions, returnTransitions } from "./return.transitions.ts";

const part = (name: string) => sql`cast(${refunds.breakdown} ->> ${sql.raw(`'${name}'`)} as bigint)`;

// The inspected units of each returned item, and those that were accepted.
const inspected = sql`(
  select ${return_inspections.return_item_id} as item, sum(${return_inspections.quantity}) as units,
    sum(case when ${return_inspections.disposition} = 'return_to_sender' then 0 else ${return_inspections.quantity} end)
      as accepted
  from ${return_inspections} group by ${return_inspections.return_item_id}
)`;

const isIn = (...statuses: ReturnStatus[]) => isOneOf(returns.status, statuses);

// For each order line, the units that are in returns, and those that were accepted.
const returned = sql`(
  select ${return_items.order_line_id} as line, sum(coalesce(i.accepted, 0)) as accepted,
    sum(case when ${isIn(returnTransitions.cancel.to)} then 0 when ${isIn(...returnTransitions.receive.from)}
      then ${return_items.quantity} else coalesce(i.accepted, 0) end) as claimed
  from ${return_items} join ${returns} on ${returns.id} = ${return_items.return_id}
  left join inspected as i on i.item = ${return_items.id} group by ${return_items.order_line_id}
)`;

// The cost of an order's accepted units: the share of each line's total, rounded half up.
const worth = sql`(
  select id, sum(total / units_all * units + (2 * (total % units_all) * units + units_all) / (2 * units_all)) as cents
  from (
    select ${order_lines.order_id} as id, cast(r.accepted as bigint) as units, ${order_lines.quantity} as units_all,
      ${order_lines.quantity} * ${order_lines.unit_price_cents} - ${order_lines.discount_cents} as total
    from ${order_lines} join returned as r on r.line = ${order_lines.id}
  ) as lines group by id
)`;

// The refunds of an order that have not failed.
const paid = sql`(
  select ${returns.order_id} as id, sum(${part("items_cents")}) as items, sum(${part("shipping_cents")}) as shipping
  from ${refunds} join ${returns} on ${returns.id} = ${refunds.return_id} 
  where not ${isOneOf(refunds.status, [refundTransitions.failed.to])}
  group by ${returns.order_id}
)`;

// The units of each product that a return's items have received, and the part of them that an inspection disposed of or
// sent back to the customer.
const arrived = sql`(
  select ${return_items.return_id} as id, p.product as product, ${return_items.quantity_received} * p.each as units,
    coalesce(l.units, 0) * p.each as gone
  from ${return_items} join parts as p on p.line = ${return_items.order_line_id}
  left join (
    select ${return_inspections.return_item_id} as item, sum(${return_inspections.quantity}) as units
    from ${return_inspections} where ${return_inspections.disposition} in ('dispose', 'return_to_sender')
    group by ${return_inspections.return_item_id}
  ) as l on l.item = ${return_items.id}
)`;

// Both sides of the movements of returns, each as a change of one stock item.
const side = (item: AnyPgColumn, sign: "" | "-") => sql`
  select cast(substr(${movements.reference_id}, 5) as bigint) as id, ${movements.product_id} as product,
    ${item} as item, ${sql.raw(sign)}${movements.quantity} as change
  from ${movements} where ${movements.reference_type} = 'return' and ${item} is not null`;
const moved = sql`(${side(movements.to_item_id, "")} union all ${side(movements.from_item_id, "-")})`;

function refundsOfOrder(db: Db, id: number) {
  const own = db.sql.select({ id: returns.id }).from(returns).where(eq(returns.order_id, id));
  return plainRows(db, refunds.id, sql`${refunds.return_id} in ${own}`);
}

const nouns = {
  events: [],
  order: [orders.id, returns.order_id, refundsOfOrder],
  "order line": [order_lines.id, return_items.order_line_id],
  return: [returns.id, return_items.return_id, refunds.return_id, movementsOf("return")],
  "returned item": [return_items.id, return_inspections.return_item_id],
  refund: [refunds.id],
} as const satisfies Record<string, readonly RelatedRows[]>;

const rules: readonly VerifierRule<keyof typeof nouns>[] = [
  {
    rule: "an order line has no more returned units than shipped units",
    noun: "order line",
    rows: sql`select ${order_lines.id} as id, ${order_lines.quantity_shipped} as expected, r.claimed as actual
      from ${order_lines} join returned as r on r.line = ${order_lines.id}
      where r.claimed > ${order_lines.quantity_shipped}`,
  },
  {
    rule: "an order line's returned units equal the units that inspections accepted",
    noun: "order line",
    rows: sql`select ${order_lines.id} as id, coalesce(r.accepted, 0) as expected,
        ${order_lines.quantity_returned} as actual
      from ${order_lines} left join returned as r on r.line = ${order_lines.id}`,
  },
  {
    rule: "no more units are inspected than received",
    noun: "returned item",
    rows: sql`select ${return_items.id} as id, ${return_items.quantity_received} as expected, i.units as actual
      from ${return_items} join inspected as i on i.item = ${return_items.id}
      where i.units > ${return_items.quantity_received}`,
  },
  {
    rule: "units received with a return are in the ledger until they are disposed of or sent back",
    noun: "return",
    rows: sql`select id, sum(stays) as expected, sum(inside) as actual from (
        select id, product, units - gone as stays, 0 as inside from arrived
        union all select id, product, 0, change from moved
      ) as sides group by id, product`,
  },
  {
    // Units that were written off while they waited have left the bin, but not the return.
    rule: "units of a return are in a returns bin from their receipt to their inspection",
    noun: "return",
    rows: sql`select id, sum(received) as expected, sum(waiting) as actual from (
        select arrived.id as id, product, units as received, 0 as waiting
        from arrived join ${returns} on ${returns.id} = arrived.id
        where ${isIn(...returnTransitions.receive.from)}
        union all
        select moved.id, product, 0, change
        from moved join ${returns} on ${returns.id} = moved.id
        join ${stock_items} on ${stock_items.id} = moved.item
        join ${bins} on ${bins.id} = ${stock_items.bin_id}
        where ${isIn(...returnTransitions.receive.from)} and (${bins.kind} = 'returns' or ${stock_items.on_hand} = 0)
      ) as sides group by id, product`,
  },
  {
    rule: "a return and its order belong to the same merchant",
    noun: "return",
    rows: sql`select ${returns.id} as id, ${orders.merchant_id} as expected, ${returns.merchant_id} as actual
      from ${returns} join ${orders} on ${orders.id} = ${returns.order_id}`,
  },
  {
    rule: "I10 a return's status matches its timestamps",
    noun: "return",
    rows: sql`select ${returns.id} as id, 1 as expected, case
        when ${isIn(returnTransitions.receive.to)} then
          case when ${returns.received_at} is null or ${returns.inspected_at} is not null then 0 else 1 end
        when ${isIn(returnTransitions.inspect.to)} then
          case when ${returns.inspected_at} is null or ${returns.completed_at} is not null then 0 else 1 end
        when ${isIn(returnTransitions.close.to)} then case when ${returns.completed_at} is null then 0 else 1 end
        else case when coalesce(${returns.received_at}, ${returns.inspected_at}, ${returns.completed_at}) is null
          then 1 else 0 end
        end as actual
      from ${returns}`,
  },
  {
    rule: "I16 a refund equals the sum of its parts, in cents",
    noun: "refund",
    rows: sql`select ${refunds.id} as id,
        ${part("items_cents")} + ${part("shipping_cents")} - ${part("restocking_fee_cents")} as expected,
        ${refunds.amount_cents} as actual
      from ${refunds}`,
  },
  {
    rule: "I16 refunds for an order's units do not exceed the cost of the accepted units, in cents",
    noun: "order",
    rows: sql`select paid.id as id, coalesce(w.cents, 0) as expected, paid.items as actual
      from paid left join worth as w on w.id = paid.id where paid.items > coalesce(w.cents, 0)`,
  },
  {
    rule: "I16 refunds of an order's shipping do not exceed its cost, in cents",
    noun: "order",
    rows: sql`select paid.id as id, ${orders.shipping_amount_cents} as expected, paid.shipping as actual
      from paid join ${orders} on ${orders.id} = paid.id where paid.shipping > ${orders.shipping_amount_cents}`,
  },
  eventCountRule("return.created", sql`select count(*) from ${returns}`),
  // A return may be received in several parts, each with a row in its order's history.
  eventCountRule(
    "return.received",
    sql`select count(*) from ${order_history} where ${order_history.event} = 'return_received'`,
  ),
  eventCountRule("return.processed", sql`select count(*) from ${returns} where ${returns.completed_at} is not null`),
];

/** Verifies returns and refunds against shipments and prices. Returns the differences. */
export const verifyReturns = verifierOf({
  nouns,
  rules,
  shared: { inspected, returned, worth, paid, parts, arrived, moved },
});
