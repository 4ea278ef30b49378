// A mock WooCommerce shop by its public documentation: orders of the REST API, version 3, and its signatures.
import { createHmac } from "node:crypto";
import { type Answered, type Asked, type Json, objectOf, openServer } from "../../outbound/mock_server.ts";
import { openShelf, type Shelf } from "./shelf.ts";
import { answerStock } from "./woocommerce_stock.ts";

export interface SiteOrder {
  readonly fields: Json & { line_items: Json[]; refunds: Json[] };
  readonly notes: { id: number; note: string; customer_note: boolean }[];
  readonly refunds: Json[];
}

const statuses = ["pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed", "trash"];

/** Times as WooCommerce writes them: in UTC, without a zone. */
export const plain = (at: number): string => new Date(at).toISOString().slice(0, 19);

const error = (status: number, code: string, message: string): Answered => ({
  status,
  body: { code, message, data: { status } },
});

/** An order of three bars of soap by a customer in Leeds; `order` and `lines` override fields. */
export function siteOrder(id: number, at: number, order: Json = {}, lines: readonly Json[] = [{}]): SiteOrder {
  const name = { first_name: "Noor", last_name: "Ahmed", company: "Ahmed Ltd" };
  const street = { address_1: "12 Mill Lane", address_2: "", city: "Leeds", state: "", postcode: "LS1 4DY" };
  const to = { ...name, ...street, country: "GB", phone: "" };
  return {
    fields: {
      id,
      number: String(id),
      status: "processing",
      currency: "GBP",
      customer_note: "",
      refunds: [],
      date_created_gmt: plain(at),
      date_modified_gmt: plain(at),
      shipping_total: "4.20",
      total: "30.00",
      billing: { ...to, email: "noor@ahmed.example", phone: "0113 496 0000" },
      shipping: to,
      shipping_lines: [{ id: 1, method_title: "Royal Mail 48", method_id: "flat_rate", total: "4.20" }],
      ...order,
      line_items: lines.map((line, index) => ({
        id: id * 100 + index,
        name: "Soap",
        product_id: 50 + index,
        variation_id: 0,
        quantity: 3,
        subtotal: "27.00",
        total: "25.80",
        sku: "SOAP-1",
        price: 8.6,
        meta_data: [],
        ...line,
      })),
    },
    notes: [],
    refunds: [],
  };
}

/** The shared state of the mock: the shop's orders and stock, its clock and its counter. */
interface Shop {
  readonly orders: Map<number, SiteOrder>;
  readonly shelf: Shelf;
  readonly now: () => number;
  readonly webhooks: { topic: string; delivery_url: string; status: string; secret?: string | undefined }[];
  /** Whether the key may only read. */
  is_read_only: boolean;
  last_id: number;
}

function listOrders({ orders }: Shop, query: URLSearchParams): Answered {
  const known = ["modified_after", "dates_are_gmt", "status", "orderby", "order", "per_page", "page", "_fields"];
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  const [size, number] = [Number(query.get("per_page") ?? 10), Number(query.get("page") ?? 1)];
  const since = Date.parse(`${query.get("modified_after") ?? plain(0)}Z`);
  const sound = size >= 1 && size <= 100 && number >= 1 && !Number.isNaN(since);
  const sorted = ["date", "id", "include", "title", "slug", "modified"].includes(query.get("orderby") ?? "date");
  if (unknown !== undefined || !sound || !sorted) return error(400, "rest_invalid_param", "Invalid parameter(s)");
  if (query.get("dates_are_gmt") !== "true") throw new Error("the mock knows UTC only");
  const found = [...orders.values()].map(({ fields }) => fields);
  const listed = found.filter(({ date_modified_gmt, status }) => {
    return status !== "trash" && Date.parse(`${date_modified_gmt}Z`) > since;
  });
  const shown = listed.sort((one, other) => Number(one["id"]) - Number(other["id"]));
  const fields = query.get("_fields")?.split(",");
  const body = shown.slice((number - 1) * size, number * size).map((order) => {
    return fields ? Object.fromEntries(fields.map((name) => [name, order[name]])) : order;
  });
  return { status: 200, body, headers: { "X-WP-Total": String(shown.length) } };
}

function changeStatus({ now }: Shop, order: SiteOrder, { body, headers }: Asked): Answered {
  const given = headers["content-type"]?.startsWith("application/json") ? objectOf(body) : null;
  const { status, ...rest } = given ?? { nothing: true };
  if (Object.keys(rest).length > 0) throw new Error(`the mock cannot change ${Object.keys(rest)}`);
  if (!statuses.includes(String(status))) return error(400, "rest_invalid_param", "Invalid parameter(s): status");
  Object.assign(order.fields, { status, date_modified_gmt: plain(now()) });
  return { status: 200, body: order.fields };
}

function addNote(shop: Shop, order: SiteOrder, { body, headers }: Asked): Answered {
  const given = headers["content-type"]?.startsWith("application/json") ? objectOf(body) : null;
  const { note, customer_note = false } = given ?? {};
  if (typeof note !== "string" || note === "") {
    return error(400, "rest_missing_callback_param", "Missing parameter(s): note");
  }
  shop.last_id += 1;
  order.notes.unshift({ id: shop.last_id, note, customer_note: customer_note === true });
  return { status: 201, body: order.notes[0] };
}

function answer(shop: Shop, rest: string, asked: Asked): Answered {
  const { method, query } = asked;
  if (rest === "/orders" && method === "GET") return listOrders(shop, query);
  if (rest === "/webhooks" && method === "GET") return { status: 200, body: shop.webhooks };
  if (shop.is_read_only && method !== "GET") {
    return error(401, "woocommerce_rest_authentication_error", "The API key provided does not have write permissions.");
  }
  if (rest === "/webhooks" && method === "POST") {
    const { topic, delivery_url, secret } = objectOf(asked.body) as Record<string, string>;
    shop.webhooks.push({ topic: topic ?? "", delivery_url: delivery_url ?? "", status: "active", secret });
    return { status: 201, body: shop.webhooks.at(-1) };
  }
  if (rest === "/orders/batch" && method === "POST") return { status: 200, body: {} };
  const stock = answerStock(shop.shelf, rest, asked);
  if (stock !== null) return stock;
  const [, id, list] = /^\/orders\/(\d+)(?:\/(notes|refunds))?$/.exec(rest) ?? [];
  if (id === undefined) return noRoute;
  const order = shop.orders.get(Number(id));
  if (order === undefined) {
    const code = list === undefined ? "woocommerce_rest_shop_order_invalid_id" : "woocommerce_rest_order_invalid_id";
    return error(404, code, "Invalid ID.");
  }
  if (method === "POST" && list === "notes") return addNote(shop, order, asked);
  if (method === "PUT" && list === undefined) return changeStatus(shop, order, asked);
  if (method !== "GET") return noRoute;
  const found = { notes: order.notes, refunds: order.refunds, order: order.fields };
  return { status: 200, body: found[(list ?? "order") as keyof typeof found] };
}

const noRoute = error(404, "rest_no_route", "No route was found matching the URL and request method.");

/** Opens the API of one shop. */
export async function openWooCommerce({ key = "ck_mock", secret = "cs_mock", now = Date.now } = {}) {
  const access = { webhooks: [], is_read_only: false };
  const shop: Shop = { orders: new Map(), shelf: openShelf(), now, ...access, last_id: 0 };
  const right = `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`;
  const server = await openServer((asked) => {
    const [, rest] = /^\/wp-json\/wc\/v3(\/.*)$/.exec(asked.path) ?? [];
    if (rest === undefined) return noRoute;
    if (asked.headers["authorization"] === right) return answer(shop, rest, asked);
    return error(401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.");
  });

  return {
    ...server,
    key,
    secret,
    shop,
    orders: shop.orders,
    shelf: shop.shelf,
    /** Adds an order to the shop, which takes its units from the shelf. */
    add(order: SiteOrder) {
      shop.orders.set(Number(order.fields["id"]), order);
      const lines = order.fields["line_items"] as (Json & { sku: string; quantity: number })[];
      for (const line of lines) {
        const item = shop.shelf.bySku(line.sku);
        if (item === undefined) continue;
        const variation_id = item.id === item.product_id ? 0 : item.id;
        Object.assign(line, { product_id: item.product_id, variation_id });
      }
      shop.shelf.sell(lines);
      return order;
    },
    /** Changes fields of an order, as the merchant does. */
    change(order: SiteOrder, fields: Json) {
      Object.assign(order.fields, { date_modified_gmt: plain(now()), ...fields });
    },
    /** Refunds units of a line. */
    refund(order: SiteOrder, line_id: number, quantity: number) {
      shop.last_id += 1;
      const meta_data = [{ id: 1, key: "_refunded_item_id", value: String(line_id) }];
      order.refunds.push({
        id: shop.last_id,
        amount: "1.00",
        line_items: [{ id: shop.last_id, quantity: -quantity, meta_data }],
      });
      order.fields.refunds = [...order.fields.refunds, { id: shop.last_id, reason: "", total: "-1.00" }];
      this.change(order, {});
    },
    /** The notification of an order as the shop sends it. */
    notification(order: SiteOrder, { topic = "order.created", signed_with = "hush", source = server.url } = {}) {
      const body = JSON.stringify(topic === "order.deleted" ? { id: order.fields["id"] } : order.fields);
      const [resource = "", event = ""] = topic.split(".");
      const headers: Record<string, string> = {
        "Content-Type": "application/json",
        "X-WC-Webhook-Source": `${source}/`,
        "X-WC-Webhook-Topic": topic,
        "X-WC-Webhook-Resource": resource,
        "X-WC-Webhook-Event": event,
        "X-WC-Webhook-ID": "7",
        "X-WC-Webhook-Signature": createHmac("sha256", signed_with).update(body).digest("base64"),
        "X-WC-Webhook-Delivery-ID": "66f7c1d0e1c7a9f0a1b2c3d4e5f60718",
      };
      return { body, headers };
    },
    /** The unsigned request that the shop sends when a webhook is created. */
    ping: () => ({ body: "webhook_id=7", headers: { "Content-Type": "application/x-www-form-urlencoded" } }),
  };
}
export type WooCommerceMock = Awaited<ReturnType<typeof openWooCommerce>>;
