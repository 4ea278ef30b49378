import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { iso, momentOf } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import { money } from "../core/money.ts";
import { bodyOf, choice, closed, queryOf } from "../core/schema.ts";
import { conventions } from "../http/conventions.ts";
import { PaginationView } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { requireMatch, tagged } from "../http/preconditions.ts";
import { answerRead, answerWrite, bare } from "../http/response.ts";
import { documented } from "../http/route.ts";
import { NoFields } from "../orders/order.schema.ts";
import { publicOrderStatuses } from "../orders/order.transitions.ts";
import { countOrders } from "../orders/search/order_list.sql.ts";
import { listOrderSummaries, type OrderSummary } from "../orders/search/order_summaries.sql.ts";
import type { Db, Tx } from "../storage/database.ts";
import {
  AddressView,
  CreateAddress,
  CreateCustomer,
  CustomerView,
  customerViewFields,
  ListCustomers,
  UpdateAddress,
  UpdateCustomer,
} from "./customer.schema.ts";
import { addressView, type Customer, customerView } from "./customer.ts";
import {
  countCustomers,
  getCustomer,
  listCustomers,
  lockCustomer,
  longCustomers,
  withAddresses,
} from "./customers.sql.ts";
import {
  acceptSuggestion,
  addAddress,
  createCustomer,
  removeAddress,
  updateAddress,
  updateCustomer,
} from "./customers.ts";

type CustomerCall = Parameters<typeof answerList>[0];

const history_max = 50;

const OrderSummaryView = closed({
  id: Type.String(),
  order_number: Type.String(),
  status: choice(publicOrderStatuses),
  total: Type.Number(),
  currency: Type.String(),
  item_count: Type.Integer(),
  created_at: Type.String({ format: "date-time" }),
});

const CustomerDetailView = closed({
  ...customerViewFields,
  order_history: Type.Array(OrderSummaryView, { maxItems: history_max }),
  order_count: Type.Integer(),
});

const CustomerListView = closed({ data: Type.Array(CustomerView), pagination: PaginationView });

const updating = (id: string, summary: string) => ({
  body: bodyOf(UpdateCustomer),
  detail: documented({
    id,
    needs: "customers.write",
    chapter: "Customers",
    summary,
    matches: true,
    tagged: true,
    answers: { 200: CustomerView },
    refuses: ["duplicate_email", "customer_erased"],
  }),
});

/** The routes of customers and their addresses. As specified, responses have no envelope, but errors do. */
export const customerRoutes = new Elysia({ prefix: "/customers" })
  .use(conventions)
  .post(
    "",
    ({ call, body }) =>
      answerWrite(call, 201, async (tx) => customerResponse(tx, await createCustomer(tx, body)), bare),
    {
      body: bodyOf(CreateCustomer),
      detail: documented({
        id: "createCustomer",
        needs: "customers.write",
        chapter: "Customers",
        tagged: true,
        summary: "Create a customer",
        refuses: ["duplicate_email"],
        answers: { 201: CustomerView },
      }),
    },
  )
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListCustomers),
    detail: documented({
      id: "listCustomers",
      needs: "customers.read",
      chapter: "Customers",
      summary: "List customers",
      answers: { 200: CustomerListView },
    }),
  })
  .get("/:id", ({ call, params }) => detail(call, params.id), {
    detail: documented({
      id: "getCustomer",
      needs: "customers.read",
      chapter: "Customers",
      tagged: true,
      summary: "Get a customer with its addresses and newest orders",
      answers: { 200: CustomerDetailView },
    }),
  })
  .patch(
    "/:id",
    ({ call, params, body }) => update(call, params.id, body),
    updating("updateCustomer", "Update a customer"),
  )
  .put(
    "/:id",
    ({ call, params, body }) => update(call, params.id, body),
    updating("putCustomer", "Update a customer (same as PATCH)"),
  )
  .post(
    "/:id/addresses",
    ({ call, params, body }) =>
      change(call, 201, params.id, async (tx) => addressView(await addAddress(tx, params.id, body))),
    {
      body: bodyOf(CreateAddress),
      detail: documented({
        id: "createAddress",
        needs: "customers.write",
        chapter: "Customers",
        matches: true,
        summary: "Add an address",
        refuses: ["customer_erased"],
        answers: { 201: AddressView },
      }),
    },
  )
  .patch(
    "/:id/addresses/:address_id",
    ({ call, params, body }) =>
      change(call, 200, params.id, async (tx) =>
        addressView(await updateAddress(tx, params.id, params.address_id, body)),
      ),
    {
      body: bodyOf(UpdateAddress),
      detail: documented({
        id: "updateAddress",
        needs: "customers.write",
        chapter: "Customers",
        matches: true,
        summary: "Update an address",
        refuses: ["customer_erased"],
        answers: { 200: AddressView },
      }),
    },
  )
  .post(
    "/:id/addresses/:address_id/accept_suggestion",
    ({ call, params }) =>
      change(call, 200, params.id, async (tx) => addressView(await acceptSuggestion(tx, params.id, params.address_id))),
    {
      body: bodyOf(NoFields),
      detail: documented({
        id: "acceptAddressSuggestion",
        needs: "customers.write",
        chapter: "Customers",
        matches: true,
        summary: "Accept the suggested address of a customer",
        description:
          "The suggestion is from the address's last check. Orders keep their address; they have their own" +
          " operation.",
        refuses: ["no_suggestion", "customer_erased"],
        answers: { 200: AddressView },
      }),
    },
  )
  .delete(
    "/:id/addresses/:address_id",
    ({ call, params }) =>
      change(call, 200, params.id, async (tx) =>
        customerResponse(tx, await removeAddress(tx, params.id, params.address_id)),
      ),
    {
      detail: documented({
        id: "deleteAddress",
        needs: "customers.write",
        chapter: "Customers",
        matches: true,
        tagged: true,
        summary: "Remove an address",
        refuses: ["customer_erased"],
        answers: { 200: CustomerView },
      }),
    },
  );

function update(call: CustomerCall, id: string, body: UpdateCustomer): Promise<Response> {
  return change(call, 200, id, async (tx) => customerResponse(tx, await updateCustomer(tx, id, body)));
}

/** Makes a change if the customer still matches `If-Match`, and responds with the result. */
function change(call: CustomerCall, status: number, id: string, work: (tx: Tx) => Promise<object>): Promise<Response> {
  const act = async (tx: Tx) => {
    await requireMatch(call, async () => customerResponse(tx, await lockCustomer(tx, id)));
    return work(tx);
  };
  return answerWrite(call, status, act, bare);
}

function detail(call: CustomerCall, id: string): Promise<Response> {
  const read = async (db: Db) => {
    const customer = await getCustomer(db, id);
    const history = await historyOf(db, customer.id);
    return tagged({ ...customerView(customer), ...history }, customer.version, history);
  };
  return answerRead(call, read, bare);
}

/**
 * A customer after a change. The ETag is that of the detail, whose orders change without a new version.
 */
async function customerResponse(db: Db, customer: Customer) {
  return tagged(customerView(customer), customer.version, await historyOf(db, customer.id));
}

async function historyOf(db: Db, customer_id: number) {
  const orders = await listOrderSummaries(db, customer_id, history_max);
  const order_count = orders.length < history_max ? orders.length : await countOrders(db, { customer_id });
  return { order_history: orders.map(summaryView), order_count };
}

function summaryView({ id, total_cents, created_at, ...same }: OrderSummary) {
  return { id: wireId("order", id), ...same, total: money(total_cents, same.currency), created_at: iso(created_at) };
}

function list(call: CustomerCall, query: ListCustomers): Promise<Response> {
  const { q, email, created_after } = query;
  const filter = { q, email, created_after: momentOf(created_after) };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listCustomers(db, filter, window),
      count: (db) => countCustomers(db, filter),
      position: (customer) => [customer.created_at, customer.id],
      long: longCustomers,
    },
    async (rows, db) => (await withAddresses(db, rows)).map(customerView),
    ({ data, pagination }) => ({ data, pagination }),
  );
}
