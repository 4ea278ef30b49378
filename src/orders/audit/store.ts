// The counters of orders held against their claims on stock and against the ledger, in plain SQL that shares nothing
// with the commands.
import { eq, type SQL, sql } from "drizzle-orm";
import { eachOf } from "../../../db/kit.ts";
import { movements } from "../../../db/schema/inventory.ts";
import { order_lines } from "../../../db/schema/orders.ts";
import { reservation_lines } from "../../../db/schema/reservations.ts";
import type { Db } from "../../database/store.ts";
import { causedBy, movementRows, plainRows, type RowsOf } from "../../inventory/audit/rows/store.ts";
import { type Check, verifierOf } from "../../inventory/audit/store.ts";
import { wireId } from "../../kit/ids.ts";

// What stock holds of each product for each order line.
const claims = sql`(
  select ${reservation_lines.order_line_id} as line, ${reservation_lines.product_id} as product,
    sum(${reservation_lines.wanted}) as wanted, sum(${reservation_lines.picked}) as picked
  from ${reservation_lines} where ${reservation_lines.order_line_id} is not null
  group by ${reservation_lines.order_line_id}, ${reservation_lines.product_id}
)`;

// What each order line is in the stock: its product, or so many of each component for a set of a bundle.
const parts = sql`(
  select ${order_lines.id} as line, ${order_lines.product_id} as product, 1 as each
  from ${order_lines} where ${order_lines.components} is null
  union all
  select ${order_lines.id}, cast(part.value ->> 'product_id' as bigint), cast(part.value ->> 'quantity' as bigint)
  from ${order_lines} cross join ${eachOf(order_lines.components)}
)`;

const linesOf = (db: Db, condition: SQL) => plainRows(db, "order_lines", order_lines, condition);

/** Where to find the rows of each noun of the orders. */
const orderRows = {
  order: async (db, id) => [
    ...(await linesOf(db, eq(order_lines.order_id, id))),
    ...(await movementRows(db, causedBy("order", wireId("order", id)))),
  ],
  "order line": async (db, id) => [
    ...(await linesOf(db, eq(order_lines.id, id))),
    ...(await plainRows(db, "reservation_lines", reservation_lines, eq(reservation_lines.order_line_id, id))),
  ],
} as const satisfies Record<string, RowsOf>;

const checks: readonly Check<keyof typeof orderRows>[] = [
  {
    rule: "an order's claim wants its units that have neither left nor been cancelled",
    noun: "order line",
    rows: sql`select ${order_lines.id} as id,
        (${order_lines.quantity} - ${order_lines.quantity_cancelled} - ${order_lines.quantity_shipped}) * p.each
          as expected,
        coalesce(c.wanted, 0) as actual
      from ${order_lines} join ${parts} as p on p.line = ${order_lines.id}
      left join ${claims} as c on c.line = p.line and c.product = p.product`,
  },
  {
    rule: "no more units are packed than were picked",
    noun: "order line",
    rows: sql`select id, case when packed > picked then picked else packed end as expected, packed as actual from (
        select ${order_lines.id} as id, ${order_lines.quantity_packed} * p.each as packed,
          ${order_lines.quantity_shipped} * p.each + coalesce(c.picked, 0) as picked
        from ${order_lines} join ${parts} as p on p.line = ${order_lines.id}
        left join ${claims} as c on c.line = p.line and c.product = p.product
      ) as counts`,
  },
  {
    rule: "an order has shipped what the ledger took out for it, of each product",
    noun: "order",
    rows: sql`select id, sum(sold) as expected, sum(shipped) as actual from (
        select cast(substr(${movements.reference_id}, 5) as bigint) as id, ${movements.product_id} as product,
          ${movements.quantity} as sold, 0 as shipped
        from ${movements} where ${movements.type} = 'sale' and ${movements.reference_type} = 'order'
        union all
        select ${order_lines.order_id}, p.product, 0, ${order_lines.quantity_shipped} * p.each
        from ${order_lines} join ${parts} as p on p.line = ${order_lines.id}
      ) as sides group by id, product`,
  },
];

/** Holds every order's counters against its claim and the ledger, and answers what differs. */
export const verifyOrders = verifierOf(checks, orderRows);
