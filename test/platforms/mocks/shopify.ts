// A mock Shopify shop by its public documentation: orders and fulfillments of the GraphQL Admin API, and
// its signed webhooks.
import { createHmac } from "node:crypto";
import { type DocumentNode, graphqlSync, Kind, parse, type SelectionSetNode } from "graphql";
import { type Answered, type Asked, type Json, objectOf, openServer } from "../../outbound/mock_server.ts";
import { openShelf, type Shelf } from "./shelf.ts";
import { shopifyApp } from "./shopify_app.ts";
import { schema } from "./shopify_schema.ts";
import {
  connection,
  fulfillmentView,
  gid,
  iso,
  lineIn,
  type Open,
  openView,
  orderView,
  payloadOf,
  type ShopOrder,
} from "./shopify_shop.ts";
import { stockRoot } from "./shopify_stock.ts";

const query_cost_max = 1000;
const supported_version = /^\/admin\/api\/20\d\d-(?:01|04|07|10)\/graphql\.json$/;

/** The shared state of the mock: the shop's orders and stock, its clock and its counter. */
interface Shop {
  readonly orders: Map<number, ShopOrder>;
  readonly shelf: Shelf;
  readonly replays: Parameters<typeof stockRoot>[1];
  readonly now: () => number;
  readonly app: ReturnType<typeof shopifyApp>;
  last_id: number;
}

/** The cost of a query: a point for each object, multiplied by the size of a page or the number of ids. */
function costOf(selections: SelectionSetNode, ids: number): number {
  return selections.selections.reduce((sum, selection) => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return sum + costOf(selection.selectionSet, ids);
    if (selection.kind !== Kind.FIELD) return sum;
    const { name, selectionSet, arguments: given = [] } = selection;
    if (selectionSet === undefined || name.value === "pageInfo") return sum;
    const first = given.find((argument) => argument.name.value === "first")?.value;
    const inside = costOf(selectionSet, ids);
    if (given.some((argument) => argument.name.value === "ids")) return sum + ids * (1 + inside);
    if (first?.kind !== Kind.INT) return sum + 1 + inside;
    const nodes = selectionSet.selections.some((one) => one.kind === Kind.FIELD && one.name.value === "nodes");
    return sum + Number(first.value) * (nodes ? inside : 1 + inside);
  }, 0);
}

function changeOrder({ now }: Shop, order: ShopOrder, fields: Json): void {
  Object.assign(order.fields, { updated_at: iso(now()), ...fields });
}

const refuse = (message: string) => ({ fulfillment: null, userErrors: [{ field: ["fulfillment"], message }] });

interface Chosen {
  readonly order: ShopOrder;
  readonly open: Open;
  readonly entry: Open["lines"][number];
  readonly quantity: number;
}

/** The units that a fulfillment takes, or why it is refused. */
function chosenUnits({ orders }: Shop, fulfillment: Json): Chosen[] | string {
  const all = [...orders.values()].flatMap((order) => order.fulfillment_orders.map((open) => ({ order, open })));
  const chosen: Chosen[] = [];
  for (const part of fulfillment["lineItemsByFulfillmentOrder"] as Json[]) {
    const found = all.find(({ open }) => gid("FulfillmentOrder", open.id) === part["fulfillmentOrderId"]);
    if (found === undefined) return "Fulfillment order does not exist.";
    const { order, open } = found;
    if (open.status !== "OPEN") return `Fulfillment order has the status ${open.status.toLowerCase()}.`;
    const items = (part["fulfillmentOrderLineItems"] as { id: string; quantity: number }[] | undefined) ?? [];
    if (items.length === 0)
      chosen.push(...open.lines.map((entry) => ({ order, open, entry, quantity: entry.remaining })));
    for (const { id, quantity } of items) {
      const entry = open.lines.find((line) => gid("FulfillmentOrderLineItem", line.id) === id);
      if (entry === undefined) return "Fulfillment order line item does not exist.";
      if (quantity < 1 || quantity > entry.remaining) return "Invalid fulfillment order line item quantity.";
      chosen.push({ order, open, entry, quantity });
    }
  }
  const [first] = chosen;
  if (chosen.some(({ order, open }) => order !== first?.order || open.location !== first.open.location)) {
    return "All fulfillment orders must be of one order and assigned to one location.";
  }
  return chosen;
}

function fulfill(shop: Shop, fulfillment: Json) {
  const chosen = chosenUnits(shop, fulfillment);
  if (typeof chosen === "string") return refuse(chosen);
  const order = chosen[0]?.order;
  if (order === undefined) return refuse("There is nothing to fulfill.");
  for (const { entry, quantity } of chosen) entry.remaining -= quantity;
  for (const open of order.fulfillment_orders) {
    if (open.lines.every(({ remaining }) => remaining === 0)) open.status = "CLOSED";
  }
  shop.last_id += 1;
  const tracking = { number: null, company: null, url: null, ...(fulfillment["trackingInfo"] as Json | undefined) };
  const lines = chosen.map(({ entry, quantity }) => ({ id: entry.line_id, quantity }));
  const notified = fulfillment["notifyCustomer"] === true;
  order.fulfillments.push({ id: shop.last_id, status: "SUCCESS", tracking, notified, lines });
  const closed = order.fulfillment_orders.every(({ status }) => status === "CLOSED");
  changeOrder(shop, order, { fulfillment_status: closed ? "fulfilled" : "partial" });
  return { fulfillment: { id: gid("Fulfillment", shop.last_id), status: "SUCCESS" }, userErrors: [] };
}

const rootOf = (shop: Shop, { orders } = shop) => ({
  order: ({ id }: Json) => {
    const order = [...orders.values()].find(({ fields }) => gid("Order", fields.id) === id);
    return order ? orderView(order) : null;
  },
  orders: ({ query, ...page }: Json) => {
    const since = Date.parse(/^updated_at:>='(.+)'$/.exec(String(query))?.[1] ?? "");
    if (Number.isNaN(since)) throw new Error("Invalid search");
    const at = ({ fields }: ShopOrder) => Date.parse(fields.updated_at);
    const changed = [...orders.values()].filter((order) => at(order) >= since).sort((a, b) => at(a) - at(b));
    return connection(changed.map(orderView), page);
  },
  fulfillment: ({ id }: Json) => {
    const found = [...orders.values()].flatMap((order) => order.fulfillments.map((one) => ({ order, one })));
    const made = found.find(({ one }) => gid("Fulfillment", one.id) === id);
    return made ? fulfillmentView(made.one, (line_id) => lineIn(made.order, line_id)) : null;
  },
  fulfillmentOrder: ({ id }: Json) => {
    const found = [...orders.values()].flatMap((order) => order.fulfillment_orders.map((one) => ({ order, one })));
    const open = found.find(({ one }) => gid("FulfillmentOrder", one.id) === id);
    return open ? openView(open.one, (line_id) => lineIn(open.order, line_id)) : null;
  },
  fulfillmentCreate: ({ fulfillment }: { fulfillment: Json }) => fulfill(shop, fulfillment),
  currentAppInstallation: () => ({
    id: gid("AppInstallation", 1),
    accessScopes: shop.app.scopes.map((handle) => ({ handle, description: handle })),
  }),
  webhookSubscriptionCreate: (created: Parameters<typeof shop.app.subscribe>[0]) => shop.app.subscribe(created),
  webhookSubscriptions: (page: Json) =>
    connection(
      shop.app.webhooks.map((webhook, index) => ({ id: gid("WebhookSubscription", index + 1), ...webhook })),
      page,
    ),
  ...stockRoot(shop.shelf, shop.replays),
});

function answer(shop: Shop, isValid: (token: string | undefined) => boolean, asked: Asked): Answered {
  const { method, path, headers, body } = asked;
  if (!supported_version.test(path) || method !== "POST") return { status: 404, body: { errors: "Not Found" } };
  if (!isValid(headers["x-shopify-access-token"])) {
    return { status: 401, body: { errors: "[API] Invalid API key or access token" } };
  }
  const given = headers["content-type"] === "application/json" ? objectOf(body) : null;
  if (given === null) return { status: 400, body: { errors: { query: "Required parameter missing or invalid" } } };
  const source = String(given["query"]);
  const variableValues = (given["variables"] ?? {}) as Json;
  const { ids } = variableValues;
  const cost = costOf(operationOf(parse(source)), Array.isArray(ids) ? ids.length : 1);
  const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 2000 - cost, restoreRate: 100 };
  const extensions = { cost: { requestedQueryCost: cost, actualQueryCost: cost, throttleStatus } };
  if (cost > query_cost_max) {
    const error = { message: `Query cost is ${cost}`, extensions: { code: "MAX_COST_EXCEEDED", cost } };
    return { status: 200, body: { errors: [error], extensions } };
  }
  const result = graphqlSync({ schema, source, rootValue: rootOf(shop), variableValues });
  return { status: 200, body: { ...result, extensions } };
}

/** Opens the API of one shop. */
export async function openShopify({ token = "shpat_mock", shop = "lamps.myshopify.com", now = Date.now } = {}) {
  const app = shopifyApp();
  const state: Shop = { orders: new Map(), shelf: openShelf(), replays: new Map(), now, app, last_id: 6000 };
  const isValid = (sent: string | undefined) => sent === token || app.accepts(sent);
  const server = await openServer((asked) =>
    asked.path === "/admin/oauth/access_token" ? app.answer(asked) : answer(state, isValid, asked),
  );
  return {
    ...server,
    app,
    token,
    shop,
    orders: state.orders,
    shelf: state.shelf,
    /** Adds an order to the shop, which takes its units from the shelf. */
    add(order: ShopOrder) {
      state.orders.set(order.fields.id, order);
      for (const line of order.lines) {
        const item = state.shelf.bySku(line.sku);
        if (item !== undefined) Object.assign(line, { variant_id: item.id, product_id: item.product_id });
      }
      state.shelf.sell(order.lines);
      return order;
    },
    /** Changes fields of an order, as the merchant does. */
    change: (order: ShopOrder, fields: Json) => changeOrder(state, order, fields),
    /** Shopify's response when a query exceeds its budget. */
    throttled: (lacking: number): Answered => ({
      status: 200,
      body: {
        errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }],
        extensions: {
          cost: {
            requestedQueryCost: 100 + lacking,
            throttleStatus: { maximumAvailable: 2000, currentlyAvailable: 100, restoreRate: 100 },
          },
        },
      },
    }),
    /** The notification of an order as the shop sends it. */
    notification(
      order: ShopOrder,
      { topic = "orders/create", secret = "hush", event_id = crypto.randomUUID() as string } = {},
    ) {
      const id = order.fields.id;
      const thin: Record<string, Json> = {
        "orders/delete": { id },
        "orders/edited": { order_edit: { id: 1, order_id: id } },
      };
      const body = JSON.stringify(thin[topic] ?? payloadOf(order));
      const headers: Record<string, string> = {
        "Content-Type": "application/json",
        "X-Shopify-Topic": topic,
        "X-Shopify-Shop-Domain": shop,
        "X-Shopify-API-Version": "2026-07",
        "X-Shopify-Webhook-Id": crypto.randomUUID(),
        "X-Shopify-Event-Id": event_id,
        "X-Shopify-Triggered-At": new Date(now()).toISOString(),
        "X-Shopify-Hmac-SHA256": createHmac("sha256", secret).update(body).digest("base64"),
      };
      return { body, headers };
    },
  };
}
export type ShopifyMock = Awaited<ReturnType<typeof openShopify>>;

function operationOf({ definitions }: DocumentNode): SelectionSetNode {
  const [operation] = definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("the mock knows operations only");
  return operation.selectionSet;
}
