import { Elysia } from "elysia";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList, type Listing } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import { momentOf } from "../../kit/clock.ts";
import { invalid } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { queryOf } from "../../kit/schema.ts";
import { type Order, orderView } from "../order.ts";
import { OrderView } from "../schemas.ts";
import { readSearch, type Search } from "../search/rules.ts";
import { type FilterOrders, ListOrders } from "./schemas.ts";
import { countOrders, listOrders, type OrderFilter, type OrderSort, orderPosition, searchOrders } from "./store.ts";

/** The list of orders. */
export const listRoutes = new Elysia({ prefix: "/orders" })
  .use(conventions)
  .get("", ({ call, query }) => answerOrders(call, query), {
    query: queryOf(ListOrders),
    detail: documented({
      id: "listOrders",
      summary: "List and search orders",
      description:
        "All filters go together, with a search, a sort and a cursor. A cursor goes on in the list that gave it: with" +
        " other filters, another search or another sort it is refused. Orders that come in between shift nothing.",
      answers: { 200: ListView(OrderView) },
    }),
  });

/** What a query narrows the orders to, as the store takes it. */
export function filterOf(query: FilterOrders): OrderFilter {
  const { status, customer_id, order_number, imported, q } = query;
  return {
    status,
    customer_id: customer_id === undefined ? undefined : (readId("customer", customer_id) ?? 0),
    order_number,
    created_after: momentOf(query.created_after),
    created_before: momentOf(query.created_before),
    updated_after: momentOf(query.updated_after),
    imported,
    search: q === undefined ? undefined : (readSearch(q) ?? undefined),
  };
}

function answerOrders(call: Call, query: ListOrders): Promise<Response> {
  const { sort = "-created_at" } = query;
  const { search, ...filter } = filterOf(query);
  const listing = search === undefined ? plainListing(filter, sort) : searching({ ...filter, search }, sort);
  return answerList(call, query, listing, (found, db) => found.map((one) => orderView(one, db.now)));
}

function plainListing(filter: OrderFilter, sort: OrderSort): Listing<Order> {
  return {
    rows: (db, window) => listOrders(db, filter, window, sort),
    count: (db) => countOrders(db, filter),
    position: (order) => orderPosition(order, sort),
  };
}

function searching(filter: OrderFilter & { readonly search: Search }, sort: OrderSort): Listing<Order> {
  let total = 0;
  return {
    rows: async (db, window) => {
      const found = await searchOrders(db, filter, window, sort);
      if (found.total !== null) {
        total = found.total;
        return found.rows;
      }
      if (window.offset === 0) return found;
      throw invalid("page", "cannot be given for a search that may mean so many orders: go on by cursor");
    },
    count: async () => total,
    position: (order) => orderPosition(order, sort),
  };
}
