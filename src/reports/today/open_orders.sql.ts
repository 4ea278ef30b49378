import { type SQL, sql } from "drizzle-orm";
import { isOneOf, opaque } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { labels, shipments } from "../../../db/schema/shipments.ts";
import { initialShipmentStatus, openStatuses, orderTransitions } from "../../orders/order.transitions.ts";
import { usableLabelStatuses } from "../../shipping/labels/label.transitions.ts";
import type { Db, ReadStatements } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import type { OrderStage } from "./today.schema.ts";

/** Unshipped orders of one warehouse that are not on hold, grouped by what a departure shows. */
export interface OpenOrders {
  readonly carrier: string | null;
  readonly service: string | null;
  readonly stage: OrderStage;
  /** Whether they were created before `first`, between `first` and `second`, or after `second`. */
  readonly came: "before" | "between" | "after";
  readonly count: number;
}

// An exact count of more open orders would take too long.
const orders_max = 10_000;

const units = (what: SQL) => sql`(
  select coalesce(sum(${what}), 0) from ${reservations}
  join ${reservation_lines} on ${reservation_lines.reservation_id} = ${reservations.id}
  where ${reservations.order_id} = o.id
)`;
const short = units(sql`${reservation_lines.wanted} - ${reservation_lines.reserved}`);
const unpicked = units(sql`${reservation_lines.wanted} - ${reservation_lines.picked}`);
// Packed units get a parcel with their label, unless they already have one.
const labelled = sql`(${labels.shipment_id} = ${shipments.id} and ${isOneOf(labels.status, usableLabelStatuses)})`;
const pending = sql`${shipments} where ${shipments.order_id} = o.id
  and ${isOneOf(shipments.status, [initialShipmentStatus])}`;
const ready = sql`(exists (select 1 from ${pending})
  and not exists (select 1 from ${pending} and not exists (select 1 from ${labels} where ${labelled})))`;
const isPacked = isOneOf(sql`o.status`, [orderTransitions.pack.to]);
const isInWork = isOneOf(sql`o.status`, [orderTransitions.process.to]);
const stage = sql`case when ${isPacked} then case when ${ready} then 'ready' else 'packed' end
  when ${short} > 0 then 'short' when ${isInWork} and ${unpicked} = 0 then 'picked' else 'to_pick' end`;
const newestLabel = sql`(
  select max(l.id) from ${labels} l where l.order_id = o.id and ${isOneOf(sql`l.status`, usableLabelStatuses)}
    and l.return_id is null
)`;

type OpenOrdersArgs = StatementArgs<{ first: number; second: number; limit: number }>;

// Records of an order are found by its id, so only the orders need the merchant's filter.
const openIn = (select: ReadStatements, a: OpenOrdersArgs, where: SQL) => {
  const { id, status, created_at, shipping_method } = orders;
  const o = select
    .select({ id, status, created_at, shipping_method })
    .from(orders)
    .where(
      sql`${isOneOf(orders.status, openStatuses)} and ${orders.held} = false
        and ${orders.imported} = false and ${where}`,
    )
    .limit(opaque(a.limit))
    .as("o");
  return sql`(
    select o.shipping_method, ${stage} as stage, ${newestLabel} as label_id,
      case when o.created_at < ${a.first} then 'before' when o.created_at < ${a.second} then 'between'
        else 'after' end as came
    from ${o}
  ) as open`;
};

const query = (where: (a: OpenOrdersArgs & StatementArgs<{ id: number }>) => SQL) =>
  prepared((select, a: OpenOrdersArgs & StatementArgs<{ id: number }>) =>
    select
      .select({
        carrier: sql<string | null>`${labels.carrier}`,
        service: sql<string | null>`case when label_id is null then open.shipping_method else ${labels.service} end`.as(
          "service_name",
        ),
        stage: sql<OrderStage>`stage`,
        came: sql<OpenOrders["came"]>`came`,
        count: sql<number>`count(*)`.mapWith(Number),
      })
      .from(openIn(select, a, where(a)))
      .leftJoin(labels, sql`${labels.id} = label_id`)
      .groupBy(sql`1`, sql`2`, sql`3`, sql`4`),
  );

const ofFirst = query((a) => sql`(${orders.warehouse_id} = ${a.id} or ${orders.warehouse_id} is null)`);
const ofOne = query((a) => sql`${orders.warehouse_id} = ${a.id}`);

/**
 * Counts the unshipped orders of a warehouse. Orders without a warehouse count for the first one. The times `first` and
 * `second` (ms) divide them into three groups.
 */
export async function countOpen(
  db: Db,
  warehouse: { readonly id: number; readonly isFirst: boolean },
  first: number,
  second: number,
): Promise<OpenOrders[]> {
  const asked = { id: warehouse.id, first, second, limit: orders_max };
  return (warehouse.isFirst ? ofFirst : ofOne)(db, asked);
}
