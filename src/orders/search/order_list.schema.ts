import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  idField,
  momentField,
  nullable,
  pageFields,
  several,
  Timestamp,
  textField,
  timeFields,
} from "../../core/schema.ts";
import { holdReasons, publicOrderStatuses, shipmentStatuses } from "../order.transitions.ts";

const many = (description?: string) => Type.Integer({ minimum: 0, ...(description ? { description } : {}) });

export const OrderCountsView = closed({
  total: many(),
  statuses: closed(Object.fromEntries(publicOrderStatuses.map((status) => [status, many()])), []),
  short: many("Orders with backordered units, as listed by `short=true`."),
  late: many("Orders that have not shipped by their `ship_by`, as listed by `late=true`."),
});

export const ListHistory = closed({ ...pageFields, ...timeFields("created") });
export type ListHistory = Static<typeof ListHistory>;

export const HistoryView = closed({
  id: Type.String(),
  event: Type.String(),
  from_status: nullable(Type.String()),
  to_status: Type.String(),
  reason: nullable(Type.String()),
  note: nullable(Type.String()),
  actor: closed({ type: Type.String(), id: Type.String(), name: Type.String() }),
  request_id: nullable(Type.String()),
  created_at: Timestamp,
});

/** Sort orders of the list of orders. */
export const orderSorts = ["created_at", "-created_at", "updated_at", "-updated_at", "priority"] as const;

/** Filters for orders, in the list and in its CSV. */
const orderFilters = {
  status: Type.Optional(several(choice(publicOrderStatuses, { description: "A held order is only `on_hold`." }))),
  hold_reason: Type.Optional(
    several(choice(holdReasons, { description: "Orders with an open hold for this reason." })),
  ),
  short: Type.Optional(Type.Boolean({ description: "If true, orders with backordered units; if false, all others." })),
  late: Type.Optional(
    Type.Boolean({ description: "If true, orders that have not shipped by their `ship_by`; if false, all others." }),
  ),
  ship_by_before: Type.Optional(momentField("Orders that have not shipped and whose `ship_by` is before this time.")),
  customer_id: Type.Optional(several(idField("customer"))),
  sku: Type.Optional(textField(100, { description: "Orders with a line of exactly this SKU." })),
  carrier: Type.Optional(several(textField(100, { description: "Orders with a parcel of this carrier." }))),
  service: Type.Optional(several(textField(100, { description: "Orders with a parcel of this service." }))),
  shipping_method: Type.Optional(textField(200, { description: "Orders with exactly this shipping method." })),
  platform: Type.Optional(several(textField(100, { description: "The order's `source.platform`, such as `api`." }))),
  warehouse_id: Type.Optional(several(idField("warehouse", "Orders that request this warehouse."))),
  order_number: Type.Optional(textField(100, { description: "The whole order number, exactly as written." })),
  ...timeFields("created"),
  ...timeFields("updated"),
  ...timeFields("shipped"),
  imported: Type.Optional(Type.Boolean({ description: "If true, imported past orders; if false, all others." })),
  q: Type.Optional(
    textField(200, {
      description:
        "Words that must all match the order: the beginning of its order number or of the digits at its end, its" +
        " id (`ord_1042`), the beginning of a word of its customer's name, company or email address, of a SKU, or of" +
        " a tracking number; case does not matter. A tracking number may be written in groups. There are no" +
        " totals when more than 10,000 orders might match; a page may then be short although `has_more` is true.",
    }),
  ),
  sort: Type.Optional(
    choice(orderSorts, {
      description: "Default: newest first. `priority`: highest priority first, then oldest.",
    }),
  ),
};

export const ListOrders = closed({ ...pageFields, ...orderFilters });
export type ListOrders = Static<typeof ListOrders>;

export const FilterOrders = closed(orderFilters);
export type FilterOrders = Static<typeof FilterOrders>;

export const ListLotRecall = closed({ ...pageFields });
export type ListLotRecall = Static<typeof ListLotRecall>;

const count = Type.Integer({ minimum: 0 });

export const LotRecallView = closed({
  order_id: Type.String(),
  order_number: Type.String(),
  status: choice(publicOrderStatuses),
  customer: closed({ id: Type.String(), email: Type.String(), name: Type.String() }),
  quantity: count,
  confirmed_quantity: count,
  assumed_quantity: count,
  shipments: Type.Array(
    closed({
      id: Type.String(),
      status: choice(shipmentStatuses),
      carrier: nullable(Type.String()),
      tracking_number: nullable(Type.String()),
      shipped_at: nullable(Timestamp),
    }),
  ),
  first_shipped_at: Timestamp,
  last_shipped_at: Timestamp,
});
