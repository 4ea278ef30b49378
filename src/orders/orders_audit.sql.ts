// Compares the counters of orders with their allocations and with the ledger, in plain SQL that shares nothing with the
// acts.
import { type SQL, sql } from "drizzle-orm";
import { eachOf, isOneOf } from "../../db/kit.ts";
import { billable_events, billing_start } from "../../db/schema/billing.ts";
import { movements } from "../../db/schema/inventory.ts";
import { merchants } from "../../db/schema/merchants.ts";
import { order_counts, order_history, order_holds, order_lines, order_tags, orders } from "../../db/schema/orders.ts";
import { reservation_lines } from "../../db/schema/reservations.ts";
import { shipment_lines, shipments } from "../../db/schema/shipments.ts";
import { shipping_rule_versions, shipping_rules } from "../../db/schema/shipping_rules.ts";
import { eventCountRule } from "../events/events_audit.sql.ts";
import { movementsOf } from "../inventory/audited_rows.sql.ts";
import { type RelatedRows, type VerifierRule, verifierOf } from "../storage/verifier.ts";
import {
  initialShipmentStatus,
  type OrderStatus,
  openStatuses,
  orderStatuses,
  orderTransitions,
  unpackedStatuses,
} from "./order.transitions.ts";

// The allocation of each product for each order line.
const claims = sql`(
  select ${reservation_lines.order_line_id} as line, ${reservation_lines.product_id} as product,
    sum(${reservation_lines.wanted}) as wanted, sum(${reservation_lines.picked}) as picked
  from ${reservation_lines} where ${reservation_lines.order_line_id} is not null
  group by ${reservation_lines.order_line_id}, ${reservation_lines.product_id}
)`;

/** The stock that each order line needs: its product, or the units of each component for one set of a bundle. */
export const parts = sql`(
  select ${order_lines.id} as line, ${order_lines.product_id} as product, 1 as each
  from ${order_lines} where ${order_lines.components} is null
  union all
  select ${order_lines.id}, cast(part.value ->> 'product_id' as bigint), cast(part.value ->> 'quantity' as bigint)
  from ${order_lines} cross join ${eachOf(order_lines.components)}
)`;

// Units of each order line in parcels: not shipped, shipped, and delivered.
const parcelled = sql`(
  select ${shipment_lines.order_line_id} as line,
    sum(case when ${isOneOf(shipments.status, [initialShipmentStatus])} then ${shipment_lines.quantity} else 0 end)
      as waiting,
    sum(case when ${shipments.shipped_at} is null then 0 else ${shipment_lines.quantity} end) as gone,
    sum(case when ${shipments.delivered_at} is null then 0 else ${shipment_lines.quantity} end) as arrived
  from ${shipments} join ${shipment_lines} on ${shipment_lines.shipment_id} = ${shipments.id}
  group by ${shipment_lines.order_line_id}
)`;

// The units of each line that are not cancelled, including shipped ones; all of its units; and their total cost.
const kept = sql`(
  select ${order_lines.id} as line, ${order_lines.quantity} - ${order_lines.quantity_cancelled} as units,
    ${order_lines.quantity} as units_all,
    ${order_lines.quantity} * ${order_lines.unit_price_cents} - ${order_lines.discount_cents} as total
  from ${order_lines}
)`;

// The open units of each order, those of them that are not packed, and its cost. A line's share is rounded half up,
// from the whole cents of each unit and the rest, so that no product is too large.
const open = sql`(
  select ${order_lines.order_id} as id,
    sum(${order_lines.quantity} - ${order_lines.quantity_cancelled} - ${order_lines.quantity_shipped}) as units,
    sum(${order_lines.quantity} - ${order_lines.quantity_cancelled} - ${order_lines.quantity_packed}) as loose,
    sum(total / units_all * units + (2 * (total % units_all) * units + units_all) / (2 * units_all)) as worth
  from ${order_lines} join kept on kept.line = ${order_lines.id} group by ${order_lines.order_id}
)`;

// The number of rows of each order's history, and the number of the last.
const histories = sql`(
  select ${order_history.order_id} as id, count(*) as rows, max(${order_history.number}) as last
  from ${order_history} group by ${order_history.order_id}
)`;

// How many orders of each merchant are in each status, and how many the stored counters show.
const found = sql`(
  select ${orders.merchant_id} as merchant, ${orders.status} as status, ${orders.held} as held, count(*) as number
  from ${orders} group by ${orders.merchant_id}, ${orders.status}, ${orders.held}
)`;
const shown = sql`(
  select ${order_counts.merchant_id} as merchant, ${order_counts.status} as status, ${order_counts.held} as held,
    sum(${order_counts.number}) as number
  from ${order_counts} group by ${order_counts.merchant_id}, ${order_counts.status}, ${order_counts.held}
)`;

const nouns = {
  events: [],
  merchant: [],
  parcel: [shipments.id],
  order: [orders.id, order_lines.order_id, movementsOf("order")],
  "shipping rule": [shipping_rules.id],
  "order line": [order_lines.id, reservation_lines.order_line_id, shipment_lines.order_line_id],
} as const satisfies Record<string, readonly RelatedRows[]>;

/** The number of orders that match a condition, without imported ones: no event was emitted for their past. */
const counted = (condition: SQL) => sql`select count(*) from ${orders} where not ${orders.imported} and ${condition}`;

// How often a fulfilled order was unpacked.
const unfulfilled = sql`select count(*) from ${order_history} where ${order_history.event} = 'unpack'`;

// Orders that were imported in transit and have arrived since.
const arrivedHere = sql`select count(*) from ${orders} join ${order_history}
  on ${order_history.order_id} = ${orders.id} and ${order_history.number} = 1
    and ${isOneOf(order_history.to_status, [orderTransitions.ship.to])}
  where ${orders.imported} and ${orders.delivered_at} is not null`;

const rules: readonly VerifierRule<keyof typeof nouns>[] = [
  {
    rule: "an order's allocation wants its open units",
    noun: "order line",
    rows: sql`select ${order_lines.id} as id,
        (${order_lines.quantity} - ${order_lines.quantity_cancelled} - ${order_lines.quantity_shipped}) * p.each
          as expected,
        coalesce(c.wanted, 0) as actual
      from ${order_lines} join parts as p on p.line = ${order_lines.id}
      left join claims as c on c.line = p.line and c.product = p.product`,
  },
  {
    rule: "searches find an order by each of its tags",
    noun: "order",
    rows: sql`select ${orders.id} as id, coalesce(t.wanted, 0) as expected, coalesce(s.stored, 0) as actual
      from ${orders}
      left join (
        select ${orders.id} as id, count(*) as wanted from ${orders} cross join ${eachOf(orders.tags)}
        group by ${orders.id}
      ) as t on t.id = ${orders.id}
      left join (
        select ${order_tags.order_id} as id, count(*) as stored from ${order_tags} group by ${order_tags.order_id}
      ) as s on s.id = ${orders.id}
      where t.wanted is not null or s.stored is not null`,
  },
  {
    rule: "an order line has its order's creation time",
    noun: "order line",
    rows: sql`select ${order_lines.id} as id, ${orders.created_at} as expected, ${order_lines.ordered_at} as actual
      from ${order_lines} join ${orders} on ${orders.id} = ${order_lines.order_id}`,
  },
  {
    rule: "no more units are packed than were picked",
    noun: "order line",
    rows: sql`select id, case when packed > picked then picked else packed end as expected, packed as actual from (
        select ${order_lines.id} as id, ${order_lines.quantity_packed} * p.each as packed,
          ${order_lines.quantity_shipped} * p.each + coalesce(c.picked, 0) as picked
        from ${order_lines} join parts as p on p.line = ${order_lines.id}
        left join claims as c on c.line = p.line and c.product = p.product
      ) as counts`,
  },
  {
    // The ledger has nothing of imported past orders, which took no stock here.
    rule: "an order's shipped units are the ledger's, of each product",
    noun: "order",
    rows: sql`select id, sum(sold) as expected, sum(shipped) as actual from (
        select cast(substr(${movements.reference_id}, 5) as bigint) as id, ${movements.product_id} as product,
          ${movements.quantity} as sold, 0 as shipped
        from ${movements} where ${movements.type} = 'sale' and ${movements.reference_type} = 'order'
        union all
        select ${order_lines.order_id}, p.product, 0, ${order_lines.quantity_shipped} * p.each
        from ${order_lines} join parts as p on p.line = ${order_lines.id}
        join ${orders} on ${orders.id} = ${order_lines.order_id} and not ${orders.imported}
      ) as sides group by id, product`,
  },
  {
    rule: "an order line's shipped units are those of its parcels",
    noun: "order line",
    rows: sql`select ${order_lines.id} as id, coalesce(p.gone, 0) as expected, ${order_lines.quantity_shipped} as actual
      from ${order_lines} left join parcelled as p on p.line = ${order_lines.id}`,
  },
  {
    rule: "an order line's delivered units are those of its parcels",
    noun: "order line",
    rows: sql`select ${order_lines.id} as id, coalesce(p.arrived, 0) as expected,
        ${order_lines.quantity_delivered} as actual
      from ${order_lines} left join parcelled as p on p.line = ${order_lines.id}`,
  },
  {
    rule: "no more units are in unshipped parcels than are open",
    noun: "order line",
    rows: sql`select id, case when waiting > units then units else waiting end as expected, waiting as actual from (
        select ${order_lines.id} as id, p.waiting,
          ${order_lines.quantity} - ${order_lines.quantity_cancelled} - ${order_lines.quantity_shipped} as units
        from ${order_lines} join parcelled as p on p.line = ${order_lines.id}
      ) as counts`,
  },
  {
    rule: "an order that has shipped or is cancelled has no open units",
    noun: "order",
    rows: sql`select ${orders.id} as id, 0 as expected, o.units as actual from ${orders} join open as o
      on o.id = ${orders.id} where not ${isOneOf(orders.status, openStatuses)}`,
  },
  {
    rule: "every open unit of a fulfilled order is packed",
    noun: "order",
    rows: sql`select ${orders.id} as id, 0 as expected, o.loose as actual from ${orders} join open as o
      on o.id = ${orders.id} where ${isOneOf(orders.status, openStatuses)}
        and not ${isOneOf(orders.status, unpackedStatuses)}`,
  },
  {
    // Cancelled units that were packed stay billed, and so does what was packed before billing began.
    rule: "I17 an order's packed units are billed, if none were cancelled",
    noun: "order",
    rows: sql`select ${orders.id} as id, p.packed as expected, coalesce(b.billed, 0) as actual
      from ${orders} join (
        select ${order_lines.order_id} as id, sum(${order_lines.quantity_packed} * p.each) as packed,
          sum(${order_lines.quantity_cancelled}) as cancelled
        from ${order_lines} join parts as p on p.line = ${order_lines.id} group by ${order_lines.order_id}
      ) as p on p.id = ${orders.id}
      left join (
        select ${billable_events.source_id} as id, sum(${billable_events.quantity}) as billed from ${billable_events}
        where ${billable_events.act} = 'order.pack' group by ${billable_events.source_id}
      ) as b on b.id = ${orders.id}
      where p.cancelled = 0 and ${orders.cancelled_at} is null and not ${orders.imported}
        and ${orders.created_at} >= (select coalesce(max(${billing_start.began_at}), 0) from ${billing_start})`,
  },
  {
    rule: "an order is held while it has an open hold",
    noun: "order",
    rows: sql`select ${orders.id} as id, coalesce(h.held, 0) as expected,
        case when ${orders.held} then 1 else 0 end as actual
      from ${orders} left join (
        select ${order_holds.order_id} as id, 1 as held from ${order_holds}
        where ${order_holds.released_at} is null group by ${order_holds.order_id}
      ) as h on h.id = ${orders.id}`,
  },
  {
    rule: "an order's subtotal is the cost of its units that are not cancelled, in cents",
    noun: "order",
    rows: sql`select ${orders.id} as id, o.worth as expected, ${orders.subtotal_cents} as actual from ${orders}
      join open as o on o.id = ${orders.id}`,
  },
  {
    rule: "the last row of an order's history has its status",
    noun: "order",
    rows: sql`select ${orders.id} as id, 1 as expected,
        case when l.to_status = case when ${orders.held} then 'on_hold' else ${orders.status} end then 1 else 0 end
          as actual
      from ${orders} left join ${order_history} as l on l.id = (
        select max(${order_history.id}) from ${order_history} where ${order_history.order_id} = ${orders.id}
      )`,
  },
  {
    rule: "I10 the rows of an order's history have no gap",
    noun: "order",
    rows: sql`select ${orders.id} as id, ${orders.history_rows} as expected, coalesce(h.rows, 0) as actual
      from ${orders} left join histories as h on h.id = ${orders.id}`,
  },
  {
    rule: "I10 the last row of an order's history has the highest number",
    noun: "order",
    rows: sql`select ${orders.id} as id, ${orders.history_rows} as expected, coalesce(h.last, 0) as actual
      from ${orders} left join histories as h on h.id = ${orders.id}`,
  },
  {
    rule: "I10 each row of an order's history begins where the one before it ended",
    noun: "order",
    rows: sql`select id, 0 as expected, count(*) as actual from (
        select ${order_history.order_id} as id, ${order_history.from_status} as begun,
          lag(${order_history.to_status}) over (partition by ${order_history.order_id} order by ${order_history.number})
            as ended
        from ${order_history}
      ) as steps where begun is distinct from ended group by id`,
  },
  {
    rule: "a parcel has its order's merchant",
    noun: "parcel",
    rows: sql`select ${shipments.id} as id, ${orders.merchant_id} as expected, ${shipments.merchant_id} as actual
      from ${shipments} join ${orders} on ${orders.id} = ${shipments.order_id}`,
  },
  {
    rule: "every revision of a shipping rule is stored",
    noun: "shipping rule",
    rows: sql`select ${shipping_rules.id} as id, ${shipping_rules.revision} as expected,
        (select count(*) from ${shipping_rule_versions} where ${shipping_rule_versions.rule_id} = ${shipping_rules.id}
          and ${shipping_rule_versions.revision} between 1 and ${shipping_rules.revision}) as actual
      from ${shipping_rules}`,
  },
  eventCountRule("order.created", counted(sql`true`)),
  eventCountRule(
    "order.fulfilled",
    sql`select (${counted(sql`${orders.fulfilled_at} is not null`)}) + (${unfulfilled})`,
  ),
  eventCountRule("order.shipped", counted(sql`${orders.shipped_at} is not null`)),
  eventCountRule(
    "order.delivered",
    sql`select (${counted(sql`${orders.delivered_at} is not null`)}) + (${arrivedHere})`,
  ),
  eventCountRule("order.cancelled", counted(sql`${orders.cancelled_at} is not null`)),
  ...orderStatuses.flatMap((status) => [false, true].map((held) => countRule(status, held))),
];

/** Rule: a merchant's stored counter of a status is the number of its orders in it. */
function countRule(status: OrderStatus, held: boolean): VerifierRule<"merchant"> {
  const isState = sql`merchant = ${merchants.id} and status = ${sql.raw(`'${status}'`)}
    and held = ${sql.raw(String(held))}`;
  return {
    rule: `the orders in state ${status}${held ? " that are held" : ""} are as many as their stored counter shows`,
    noun: "merchant",
    rows: sql`select ${merchants.id} as id, coalesce((select number from found where ${isState}), 0) as expected,
      coalesce((select number from shown where ${isState}), 0) as actual from ${merchants}`,
  };
}

/** Compares every order's counters with its allocation and the ledger, and returns the differences. */
export const verifyOrders = verifierOf({
  nouns,
  rules,
  shared: { claims, parts, parcelled, kept, open, histories, found, shown },
});
