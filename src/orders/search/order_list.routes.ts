import { Type } from "@sinclair/typebox";
import { momentOf } from "../../core/clock.ts";
import { invalid } from "../../core/faults.ts";
import { readIds, wireId } from "../../core/ids.ts";
import type { Call } from "../../http/call.ts";
import type { ListQuery } from "../../http/pagination.ts";
import { list, read, routes } from "../../http/routes.ts";
import type { LongRecords } from "../../storage/long_records.ts";
import { findOrderRows, type StoredOrderRow, sizesOfOrders } from "../lifecycle/order_lookup.sql.ts";
import { OrderView } from "../order.schema.ts";
import { publicOrderStatuses } from "../order.transitions.ts";
import { orderView } from "../order.ts";
import { type FilterOrders, ListOrders, OrderCountsView, UsedTagView } from "./order_list.schema.ts";
import {
  countAllOrders,
  countOrders,
  isSearched,
  listOrders,
  type OrderFilter,
  type OrderSort,
  orderPosition,
  searchOrders,
  wholePage,
} from "./order_list.sql.ts";
import { readSearch } from "./order_search.sql.ts";
import { listUsedTags } from "./order_tags.sql.ts";

/** Order counts, for the columns of a board. */
export const orderCountRoutes = routes("Orders", [
  read("/orders/counts", "orders.read", {
    id: "countOrders",
    summary: "Count orders by status, and those that are backordered or late",
    description:
      "One request is enough for a whole board. A held order counts only as `on_hold`; `short` and `late` orders also" +
      " count in their status. Imported past orders count, too.",
    view: OrderCountsView,
    data: countAllOrders,
  }),
]);

/** The tags of orders. */
export const orderTagRoutes = routes("Orders", [
  read("/order_tags", "orders.read", {
    id: "listOrderTags",
    summary: "List the tags of orders that are in use",
    description:
      "The tags that orders have now, with the number of orders of each merchant: the 1,000 most used, most used" +
      " first. The field `tags` of an order sets them.",
    view: Type.Array(UsedTagView),
    data: async (db) =>
      (await listUsedTags(db)).map((one) => ({ ...one, merchant_id: wireId("merchant", one.merchant_id) })),
  }),
]);

/** The list of orders. */
export const listRoutes = routes("Orders", [
  list("/orders", "orders.read", {
    id: "listOrders",
    summary: "List and search orders",
    description:
      "Returns whole orders, newest first. All filters can be combined, also with a search (`q`) and a sort. A cursor" +
      " continues its own list: with other filters or another sort it is refused.",
    of: {
      query: ListOrders,
      listing: ({ call, query }) => {
        const { sort = "-created_at" } = query;
        const filter = filterOf(query, call);
        return isSearched(filter) ? searching(filter, sort) : plainListing(filter, sort);
      },
    },
    included: { as: "order", rows: findOrderRows },
    view: OrderView,
    views: async (rows, db) => (await wholePage(db, rows)).map((one) => orderView(one, db.now)),
  }),
]);

/** The filter of a query, as the database queries take it. */
export function filterOf(query: FilterOrders, { merchant_id }: Pick<Call, "merchant_id">): OrderFilter {
  const { status, customer_id, warehouse_id, order_number, imported, q } = query;
  const { hold_reason, short, late, sku, carrier, service, one_unit, labeled, printed, tag } = query;
  const { fulfillment_type, shipping_method, platform } = query;
  return {
    statuses: status && publicOrderStatuses.filter((one) => status.includes(one)),
    hold_reason,
    short,
    sku,
    carrier,
    service,
    one_unit,
    tag,
    labeled,
    printed,
    fulfillment_type,
    shipping_method,
    platform,
    late,
    customer_id: customer_id && readIds("customer", customer_id),
    warehouse_id: warehouse_id && readIds("warehouse", warehouse_id),
    ship_by_after: momentOf(query.ship_by_after),
    ship_by_before: momentOf(query.ship_by_before),
    shipped_after: momentOf(query.shipped_after),
    shipped_before: momentOf(query.shipped_before),
    order_number,
    created_after: momentOf(query.created_after),
    created_before: momentOf(query.created_before),
    updated_after: momentOf(query.updated_after),
    updated_before: momentOf(query.updated_before),
    imported,
    search: q === undefined ? undefined : (readSearch(q, merchant_id === null) ?? undefined),
  };
}

const long: LongRecords<StoredOrderRow> = {
  bytes: (db, rows) =>
    sizesOfOrders(
      db,
      rows.map(({ id }) => id),
    ),
  again: findOrderRows,
};

function plainListing(filter: OrderFilter, sort: OrderSort): ListQuery<StoredOrderRow> {
  return {
    rows: (db, window) => listOrders(db, filter, window, sort),
    count: (db) => countOrders(db, filter),
    position: (order) => orderPosition(order, sort),
    long,
  };
}

function searching(filter: OrderFilter, sort: OrderSort): ListQuery<StoredOrderRow> {
  let total = 0;
  return {
    rows: async (db, window) => {
      const found = await searchOrders(db, filter, window, sort);
      if (found.total !== null) {
        total = found.total;
        return found.rows;
      }
      if (window.offset === 0) return found;
      throw invalid("page", "cannot be used for a search with this many possible matches; use the cursor");
    },
    count: async () => total,
    position: (order) => orderPosition(order, sort),
    long,
  };
}
