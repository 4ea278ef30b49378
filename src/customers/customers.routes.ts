import { Type } from "@sinclair/typebox";
import { iso } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import { money } from "../core/money.ts";
import { choice, closed, Timestamp } from "../core/schema.ts";
import { tagged } from "../http/preconditions.ts";
import { list, read, routes, write } from "../http/routes.ts";
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
  UpdateAddress,
  UpdateCustomer,
} from "./customer.schema.ts";
import { addressView, type Customer, customerView } from "./customer.ts";
import { customerList, getCustomer, lockCustomer, withAddresses } from "./customers.sql.ts";
import {
  acceptSuggestion,
  addAddress,
  createCustomer,
  removeAddress,
  updateAddress,
  updateCustomer,
} from "./customers.ts";

/** A request about one customer. */
interface ForCustomer {
  readonly params: { readonly id: string };
}

/** How many orders a customer is shown with. */
const history_max = 50;

const OrderSummaryView = closed({
  id: Type.String({ description: "The order, such as `ord_1001`." }),
  order_number: Type.String(),
  status: choice(publicOrderStatuses, { description: "The status of the order; `on_hold` while a hold is open." }),
  total: Type.Number({
    description: "The price of all units that are not cancelled, with shipping; 0 if the order is cancelled.",
  }),
  currency: Type.String(),
  item_count: Type.Integer({ description: "Units ordered, cancelled ones included." }),
  created_at: Timestamp,
});

/** A customer with its newest orders. */
export const CustomerDetailView = closed({
  ...customerViewFields,
  order_history: Type.Array(OrderSummaryView, {
    maxItems: history_max,
    description: `The newest ${history_max} orders, newest first.`,
  }),
  order_count: Type.Integer({ description: "The number of all orders of the customer." }),
});

const updating = {
  refuses: ["duplicate_email", "customer_erased"],
  tagged: true,
  envelope: false,
  body: UpdateCustomer,
  view: CustomerView,
  matches: (tx: Tx, { params }: ForCustomer) => current(tx, params.id),
  act: async (tx: Tx, { params, body }: ForCustomer & { readonly body: UpdateCustomer }) =>
    customerResponse(tx, await updateCustomer(tx, params.id, body)),
} as const;

/** The routes of customers and their addresses. As specified, responses have no envelope, but errors do. */
export const customerRoutes = routes("Customers", [
  write("POST", "/customers", "customers.write", {
    id: "createCustomer",
    summary: "Create a customer",
    description:
      "Stores a customer, whose email address must be unique within the merchant, in any case. Its addresses are" +
      " verified as they are stored; findings are in their `verification` and refuse nothing. Create the customer" +
      " before its first order.",
    refuses: ["duplicate_email"],
    tagged: true,
    envelope: false,
    body: CreateCustomer,
    view: CustomerView,
    status: 201,
    act: async (tx, { body }) => customerResponse(tx, await createCustomer(tx, body)),
  }),
  list("/customers", "customers.read", {
    id: "listCustomers",
    summary: "List customers",
    description:
      "Lists customers with all of their addresses, newest first. Erased customers stay in the list without" +
      " personal data. To find one customer, filter by `email`.",
    envelope: false,
    of: customerList,
    included: { as: "customer", rows: customerList.ofIds },
    view: CustomerView,
    views: async (rows, db) => (await withAddresses(db, rows)).map(customerView),
  }),
  read("/customers/:id", "customers.read", {
    id: "getCustomer",
    summary: "Get a customer with its addresses and newest orders",
    description:
      `Returns the customer with a summary of the newest ${history_max} orders.` +
      " `GET /orders?customer_id=…` lists all of them in full.",
    tagged: true,
    envelope: false,
    view: CustomerDetailView,
    data: async (db, { params }) => {
      const customer = await getCustomer(db, params.id);
      const history = await historyOf(db, customer.id);
      return tagged({ ...customerView(customer), ...history }, customer.revision, history);
    },
  }),
  write("PATCH", "/customers/:id", "customers.write", {
    id: "updateCustomer",
    summary: "Update a customer",
    description:
      "Changes the fields in the request. `shipping_addresses` replaces the whole list; to change one address, use" +
      " its own operation. Existing orders keep the name, email and address that they were created with.",
    ...updating,
  }),
  write("PUT", "/customers/:id", "customers.write", {
    id: "putCustomer",
    summary: "Update a customer",
    // The specification names no method.
    alias: true,
    ...updating,
  }),
  write("POST", "/customers/:id/addresses", "customers.write", {
    id: "createAddress",
    summary: "Add an address",
    description:
      "Adds an address, which is verified at once; a connected carrier may verify it again a little later. Repeating" +
      " it adds a second address. Existing orders keep theirs.",
    refuses: ["customer_erased"],
    envelope: false,
    body: CreateAddress,
    view: AddressView,
    status: 201,
    matches: (tx, { params }) => current(tx, params.id),
    act: async (tx, { params, body }) => addressView(await addAddress(tx, params.id, body)),
  }),
  write("PATCH", "/customers/:id/addresses/:address_id", "customers.write", {
    id: "updateAddress",
    summary: "Update an address",
    description:
      "Changes the fields in the request, and verifies the address again if the place has changed. Existing orders" +
      " keep the address that they were created with.",
    refuses: ["customer_erased"],
    envelope: false,
    body: UpdateAddress,
    view: AddressView,
    matches: (tx, { params }) => current(tx, params.id),
    act: async (tx, { params: { id, address_id }, body }) => addressView(await updateAddress(tx, id, address_id, body)),
  }),
  write("POST", "/customers/:id/addresses/:address_id/accept_suggestion", "customers.write", {
    id: "acceptAddressSuggestion",
    summary: "Accept the suggested address of a customer",
    description:
      "Replaces the address with the `suggestion` of its last check. Existing orders keep theirs: `POST" +
      " /orders/{id}/accept_suggestion` corrects the address of an order.",
    refuses: ["no_suggestion", "customer_erased"],
    envelope: false,
    body: NoFields,
    view: AddressView,
    matches: (tx, { params }) => current(tx, params.id),
    act: async (tx, { params: { id, address_id } }) => addressView(await acceptSuggestion(tx, id, address_id)),
  }),
  write("DELETE", "/customers/:id/addresses/:address_id", "customers.write", {
    id: "deleteAddress",
    summary: "Remove an address",
    description:
      "Removes the address and returns the customer. If it was the default, the oldest remaining one becomes the" +
      " default. Existing orders keep it.",
    refuses: ["customer_erased"],
    tagged: true,
    envelope: false,
    view: CustomerView,
    matches: (tx, { params }) => current(tx, params.id),
    act: async (tx, { params: { id, address_id } }) => customerResponse(tx, await removeAddress(tx, id, address_id)),
  }),
]);

/** The customer as its GET shows it, locked. */
const current = async (tx: Tx, id: string) => customerResponse(tx, await lockCustomer(tx, id));

/**
 * A customer after a change. The ETag is that of the detail, whose orders change without a new revision.
 */
async function customerResponse(db: Db, customer: Customer) {
  return tagged(customerView(customer), customer.revision, await historyOf(db, customer.id));
}

async function historyOf(db: Db, customer_id: number) {
  const orders = await listOrderSummaries(db, customer_id, history_max);
  const order_count =
    orders.length < history_max ? orders.length : await countOrders(db, { customer_id: [customer_id] });
  return { order_history: orders.map(summaryView), order_count };
}

function summaryView({ id, total_cents, created_at, ...same }: OrderSummary) {
  return { id: wireId("order", id), ...same, total: money(total_cents, same.currency), created_at: iso(created_at) };
}
