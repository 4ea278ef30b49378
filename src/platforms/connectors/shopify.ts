// Shopify. Notifications contain the whole order. Everything else comes from the GraphQL Admin API.

import { hmacHex } from "../../core/crypto.ts";
import { invalid } from "../../core/faults.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import type { PlatformInbound, PlatformLine, PlatformNotification, PlatformOrder } from "../platform.ts";
import type { NotificationKind, PlatformOrderState } from "../platforms.transitions.ts";
import { parseReply, verifyHeader } from "./call_platform.ts";
import type { PlatformAccess, PlatformConnector } from "./connector.ts";
import {
  costsOf,
  type PlatformLineAmounts,
  readAddress,
  readAmount,
  readAttributes,
  readCurrency,
  readEmail,
  readExternalId,
  readIdOrNull,
  readJson,
  readList,
  readName,
  readNotes,
  readOrder,
  readQuantity,
  readSku,
  readTimestamp,
  withUnits,
} from "./platform_fields.ts";
import { changes_query, graphql, order_query, pages, withoutType } from "./shopify_api.ts";
import { checks } from "./shopify_checks.ts";
import { report } from "./shopify_shipment_update.ts";
import { stock } from "./shopify_stock.ts";

const orderTopics: readonly string[] = [
  ...["orders/create", "orders/updated", "orders/paid", "orders/cancelled", "orders/fulfilled"],
  ...["orders/partially_fulfilled", "orders/edited", "orders/delete"],
];

export const shopify: PlatformConnector = {
  verify: verifyHeader("x-shopify-hmac-sha256"),
  read,
  fetchOrder,
  changedSince,
  report,
  stock,
  checks,
};

function read({ headers, raw }: PlatformInbound): PlatformNotification {
  const topic = readText(headers.get("x-shopify-topic"), 100);
  if (topic === null) throw invalid("X-Shopify-Topic", "is required", "required");
  const kind: NotificationKind = orderTopics.includes(topic) ? "order" : "unknown";
  const event = readText(headers.get("x-shopify-event-id"), 200) ?? hmacHex(topic, raw);
  const triggered = Date.parse(headers.get("x-shopify-triggered-at") ?? "");
  const about = {
    // One action of the merchant may arrive under several topics with the same id.
    kind,
    topic,
    dedupe_key: `${topic} ${event}`,
    stores: [readText(headers.get("x-shopify-shop-domain"), 255)?.toLowerCase() ?? []].flat(),
    created_at: Number.isNaN(triggered) ? null : triggered,
  };
  const none = { order: null, problem: null };
  if (kind === "unknown") return { ...about, ...none, external_id: null };
  const body = readJson(raw);
  if (topic === "orders/edited") {
    const { order_id } = fieldsOrNone(body["order_edit"]);
    return { ...about, ...none, external_id: readExternalId(order_id, "order_edit.order_id") };
  }
  const read_order = topic === "orders/delete" ? none : readOrder(() => orderOf(body, lineItems(body)));
  return { ...about, ...read_order, external_id: readExternalId(body["id"], "id") };
}

async function fetchOrder(access: PlatformAccess, external_id: string): Promise<PlatformOrder | null> {
  const id = `gid://shopify/Order/${external_id}`;
  let order: unknown = null;
  const lines = await pages(
    async (after) => {
      const data = await graphql(access, order_query, { id, after });
      order ??= data["order"];
      return data;
    },
    (data) => fieldsOrNone(data["order"])["line_items"],
  );
  if (order === null || order === undefined) return null;
  return parseReply(() => orderOf(fieldsOrNone(order), readList(lines, "line_items")));
}

async function changedSince(access: PlatformAccess, since: number) {
  const filter = `updated_at:>='${new Date(since).toISOString()}'`;
  const changes = await pages(
    (after) => graphql(access, changes_query, { filter, after }),
    (data) => data["orders"],
  );
  return parseReply(() =>
    changes.map(({ id, updated_at }) => ({
      external_id: readId(id, "id"),
      updated_at: readTimestamp(updated_at, "updated_at"),
    })),
  );
}

/** Reads a number, or a global id such as `gid://shopify/Order/123`. */
const readId = (value: unknown, field: string): string => readExternalId(withoutType(value), field);

/** The lines of an order in a webhook, with their units after refunds and removals. */
function lineItems(order: JsonFields): readonly JsonFields[] {
  const refunded = fieldsIn(order["refunds"]).flatMap(({ refund_line_items }) => fieldsIn(refund_line_items));
  return readList(order["line_items"], "line_items").map((line, index) => {
    if (line["current_quantity"] !== undefined) return line;
    const field = `line_items[${index}].quantity`;
    const gone = refunded.filter(({ line_item_id }) => String(line_item_id) === String(line["id"]));
    const units = gone.reduce((sum, { quantity }) => sum + readQuantity(quantity, "refunds.quantity"), 0);
    return { ...line, current_quantity: Math.max(0, readQuantity(line["quantity"], field) - units) };
  });
}

function orderOf(order: JsonFields, lines: readonly JsonFields[]): PlatformOrder {
  const address = fieldsOrNone(order["shipping_address"]);
  const billing = fieldsOrNone(order["billing_address"]);
  const customer = fieldsOrNone(order["customer"]);
  const { nodes = order["shipping_lines"] } = fieldsOrNone(order["shipping_lines"]);
  const shipping = fieldsIn(nodes).filter(({ is_removed }) => is_removed !== true);
  const external_id = readId(order["id"], "id");
  const currency = readCurrency(order["currency"], "currency");
  const costs = shipping.map(({ discounted_price_set, price }) =>
    readAmount(inShop(discounted_price_set) ?? price, currency, "price"),
  );
  const goods = lines
    .map((line, index) => ({ line, field: `line_items[${index}]` }))
    .filter(({ line }) => isSent(line));
  return {
    external_id,
    number: readText(order["name"], 100)?.replace(/^#/, "") || external_id,
    state: stateOf(order),
    is_pending: String(order["financial_status"]).toLowerCase() === "pending",
    is_test: order["test"] === true,
    email: readEmail(order["email"]) ?? readEmail(order["contact_email"]) ?? readEmail(customer["email"]),
    customer_name:
      readName(billing["name"]) ?? readName(customer["first_name"], customer["last_name"]) ?? readName(address["name"]),
    phone: readText(order["phone"], 50) ?? readText(billing["phone"], 50),
    address: readAddress({
      name: address["name"],
      company: address["company"],
      address_line1: address["address1"],
      address_line2: address["address2"],
      city: address["city"],
      postal_code: address["zip"],
      state: readText(address["province_code"], 100) ?? address["province"],
      country: address["country_code"],
      phone: address["phone"],
    }),
    lines: withUnits(goods.map(({ line, field }) => lineOf(line, currency, field))),
    ...collectionOf(order),
    shipping_method: readText(shipping[0]?.["title"], 200),
    shipping_method_code: readText(shipping[0]?.["code"], 200),
    shipping_amount_cents: costs.reduce((sum, cost) => sum + cost, 0),
    currency,
    notes: readNotes(
      [order["note"], ...attributesOf(order)],
      goods.flatMap(({ line }) => lineNotes(line)),
    ),
    attributes: readAttributes(fieldsIn(order["note_attributes"]).map(({ name, value }) => ({ name, value }))),
    created_at: readTimestamp(order["created_at"], "created_at"),
    updated_at: readTimestamp(order["updated_at"], "updated_at"),
  };
}

const collected: readonly unknown[] = ["PICK_UP", "LOCAL"];

/**
 * Whether the buyer collects the order, or the shop brings it itself: neither needs a parcel from here. A webhook does
 * not say.
 */
function collectionOf(order: JsonFields): Pick<PlatformOrder, "fulfillment_type" | "is_partly_collected"> {
  if (order["fulfillment_orders"] === undefined) return { fulfillment_type: null };
  const all = fieldsIn(fieldsOrNone(order["fulfillment_orders"])["nodes"])
    .filter(({ status }) => status !== "CANCELLED")
    .map(({ status, deliveryMethod }) => ({
      is_done: status === "CLOSED",
      is_collected: collected.includes(fieldsOrNone(deliveryMethod)["methodType"]),
    }));
  if (all.length > 0 && all.every(({ is_collected }) => is_collected)) return { fulfillment_type: "pickup" };
  const is_partly_collected = all.some(({ is_collected, is_done }) => is_collected && !is_done);
  return { fulfillment_type: "ship", ...(is_partly_collected && { is_partly_collected }) };
}

/** The state of an order by its payment status. An authorized payment may never be captured. */
const payments = new Map<string, PlatformOrderState>([
  ["paid", "open"],
  ["partially_refunded", "open"],
  ["refunded", "cancelled"],
  ["voided", "cancelled"],
]);

function stateOf(order: JsonFields): PlatformOrderState {
  if (typeof order["cancelled_at"] === "string") return "cancelled";
  const fulfilled = String(order["fulfillment_status"] ?? "").toLowerCase() === "fulfilled";
  if (fulfilled || typeof order["closed_at"] === "string") return "done";
  return payments.get(String(order["financial_status"]).toLowerCase()) ?? "unpaid";
}

const isSent = ({ gift_card, requires_shipping }: JsonFields): boolean =>
  gift_card !== true && requires_shipping !== false;

function lineOf(line: JsonFields, currency: string, field: string): PlatformLine {
  const external_id = readId(line["id"], `${field}.id`);
  const variant = idOrNull(line["variant_id"] ?? fieldsOrNone(line["variant"])["id"]);
  const product = idOrNull(line["product_id"] ?? fieldsOrNone(line["product"])["id"]);
  const variant_id = variant ?? (product === null ? `l${external_id}` : `p${product}`);
  const quantity = readQuantity(line["current_quantity"], `${field}.quantity`);
  const left = readQuantity(line["fulfillable_quantity"] ?? quantity, `${field}.fulfillable_quantity`);
  return {
    external_id,
    variant_id,
    sku: readSku(line["sku"]),
    quantity,
    left: Math.min(left, quantity),
    name: readText(line["name"], 200) ?? readText(line["title"], 200) ?? `Product ${variant_id}`,
    ...costsOf(moneyOf(line, currency, field), quantity),
  };
}

/** The unit price, and the total with the line's share of all discounts, for all ordered units. */
function moneyOf(line: JsonFields, currency: string, field: string): PlatformLineAmounts {
  const price = inShop(line["price_set"]) ?? line["price"];
  const shares = fieldsIn(line["discount_allocations"]).map(({ amount, amount_set }) =>
    readAmount(inShop(amount_set) ?? amount, currency, `${field}.discount`),
  );
  const discount = shares.reduce((sum, share) => sum + share, 0);
  const ordered = readQuantity(line["quantity"], `${field}.quantity`);
  const full_cents = readAmount(price, currency, `${field}.price`, ordered);
  const unit_cents = readAmount(price, currency, `${field}.price`);
  return { unit_cents, total_cents: full_cents - discount, ordered };
}

/** Order attributes from the shop. Names that start with an underscore are meant for programs. */
function attributesOf(order: JsonFields): string[] {
  return fieldsIn(order["note_attributes"]).flatMap(({ name, value }) => {
    const [title, words] = [readText(name, 100), readText(value, 500)];
    return words === null || title?.startsWith("_") ? [] : [title === null ? words : `${title}: ${words}`];
  });
}

/** The buyer's entries for a line. Names that start with an underscore are meant for programs. */
function lineNotes(line: JsonFields) {
  const properties = fieldsIn(line["properties"]).filter(({ name }) => !String(name).startsWith("_"));
  const title = readText(line["name"], 100) ?? readText(line["title"], 100) ?? "Line";
  return properties.map(({ name, value }) => ({ line: title, name, value }));
}

const inShop = (money: unknown): unknown => fieldsOrNone(fieldsOrNone(money)["shop_money"])["amount"];

const idOrNull = (value: unknown): string | null => readIdOrNull(withoutType(value));
