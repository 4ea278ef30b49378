// BigCommerce. Notifications contain only an order's id, so the order is fetched from the API, version 2.

import { equalInConstantTime, hmacBase64 } from "../../core/crypto.ts";
import { invalid } from "../../core/faults.ts";
import { second_ms } from "../../core/time.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import type {
  PlatformChange,
  PlatformInbound,
  PlatformLine,
  PlatformNotification,
  PlatformOrder,
  ShipmentReport,
} from "../platform.ts";
import type { PlatformOrderState } from "../platforms.transitions.ts";
import { call, get, listAll, page_size } from "./bigcommerce_api.ts";
import { checks } from "./bigcommerce_checks.ts";
import { stock } from "./bigcommerce_stock.ts";
import { parseReply, platformError, readPages } from "./call_platform.ts";
import type { PlatformAccess, PlatformConnector } from "./connector.ts";
import {
  bundlesAsParts,
  costsOf,
  readAddress,
  readAmount,
  readCurrency,
  readEmail,
  readExternalId,
  readFields,
  readIdOrNull,
  readJson,
  readList,
  readName,
  readNotes,
  readQuantity,
  readSku,
  readTimestamp,
  remaining,
  withUnits,
} from "./platform_fields.ts";

const clock_difference_ms = 5 * 60 * second_ms;
const tracking_number_characters_max = 50;

const orderScopes: readonly string[] = [
  ...["store/order/created", "store/order/updated", "store/order/archived", "store/order/statusUpdated"],
  "store/order/refund/created",
];

// The meanings of BigCommerce's order statuses, by number. An order that is packed for pickup by the buyer is done.
// biome-ignore format: a table is read by its columns.
const states: Readonly<Record<number, PlatformOrderState>> = {
  0:  "unpaid",    // Incomplete
  1:  "unpaid",    // Pending
  2:  "done",      // Shipped
  3:  "open",      // Partially Shipped
  4:  "cancelled", // Refunded
  5:  "cancelled", // Cancelled
  6:  "cancelled", // Declined
  7:  "unpaid",    // Awaiting Payment
  8:  "done",      // Awaiting Pickup
  9:  "open",      // Awaiting Shipment
  10: "done",      // Completed
  11: "open",      // Awaiting Fulfillment
  12: "unpaid",    // Manual Verification Required
  13: "unpaid",    // Disputed
  14: "open",      // Partially Refunded
};

const completed = 10;

/** The carriers that BigCommerce knows and links to. */
const providers = ["auspost", "canadapost", "fedex", "royalmail", "ups", "usps"];

export const bigcommerce: PlatformConnector = { verify, read, fetchOrder, changedSince, report, stock, checks };

/**
 * Verifies a notification. Without a client secret, the API key is the proof. With one, the body is signed by Standard
 * Webhooks with the bytes of the secret.
 */
function verify(
  { headers, raw }: PlatformInbound,
  { client_secrets }: PlatformAccess["credentials"],
  now: number,
): boolean {
  if (client_secrets.length === 0) return true;
  const [id, timestamp] = [headers.get("webhook-id"), headers.get("webhook-timestamp") ?? ""];
  if (id === null || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Number(timestamp) * second_ms - now) > clock_difference_ms) return false;
  const signatures = (headers.get("webhook-signature") ?? "").split(" ");
  const expected = client_secrets.map((secret) => `v1,${hmacBase64(secret, `${id}.${timestamp}.${raw}`)}`);
  return expected.some((signature) => signatures.some((sent) => equalInConstantTime(sent, signature)));
}

function read({ headers, raw }: PlatformInbound): PlatformNotification {
  const body = readJson(raw);
  const topic = readText(body["scope"], 100);
  const store_id = readText(Number.isInteger(body["store_id"]) ? `${body["store_id"]}` : body["store_id"], 100);
  const created = body["created_at"];
  if (topic === null) throw invalid("scope", "is required", "required");
  if (store_id === null) throw invalid("store_id", "is required", "required");
  if (created !== undefined && !Number.isSafeInteger(created))
    throw invalid("created_at", "must be seconds since 1970");
  const data = fieldsOrNone(body["data"]);
  const kind = orderScopes.includes(topic) && data["type"] === "order" ? "order" : "unknown";
  const hash = readText(body["hash"], 200) ?? "";
  const external_id = kind === "order" ? readExternalId(data["id"], "data.id") : null;
  return {
    kind,
    topic,
    external_id,
    order: null,
    problem: null,
    dedupe_key: readText(headers.get("webhook-id"), 200) ?? `${store_id} ${topic} ${external_id} ${hash}`,
    stores: [readText(body["producer"], 100)?.replace(/^stores\//, ""), store_id].flatMap((name) => name ?? []),
    created_at: typeof created === "number" ? created * second_ms : null,
  };
}

async function fetchOrder(access: PlatformAccess, external_id: string): Promise<PlatformOrder | null> {
  const { status, json } = await get(access, `/orders/${external_id}`);
  if (status === 404) return null;
  const products = await listAll(access, `/orders/${external_id}/products`);
  const addresses = await listAll(access, `/orders/${external_id}/shipping_addresses`);
  return parseReply(() => orderOf(readFields(json, "order"), readList(products, "products"), addresses));
}

async function changedSince(access: PlatformAccess, since: number) {
  const filter = `min_date_modified=${encodeURIComponent(new Date(since).toISOString())}&sort=id:asc`;
  // Sorting by id keeps the place of an order that changes in the meantime, so none is skipped.
  const changes = await readPages<PlatformChange>(page_size, async (_page, last) => {
    const min_id = BigInt(last?.external_id ?? 0) + 1n;
    const { json } = await get(access, `/orders?${filter}&min_id=${min_id}&limit=${page_size}`);
    return parseReply(() => fieldsIn(json).map(changeOf));
  });
  return changes.sort((a, b) => a.updated_at - b.updated_at);
}

const changeOf = ({ id, date_modified }: JsonFields) => ({
  external_id: readExternalId(id, "id"),
  updated_at: readTimestamp(date_modified, "date_modified"),
});

/**
 * Reports a parcel. Its shipments are recognized by our parcel id in their comments. A parcel for several addresses
 * becomes one shipment for each. Those from an earlier attempt are skipped.
 */
async function report(access: PlatformAccess, parcel: ShipmentReport): Promise<string | null> {
  const path = `/orders/${parcel.external_order_id}`;
  const mark = `[${parcel.shipment_id}]`;
  const shipments = await listAll(access, `${path}/shipments`);
  const reported = shipments.filter(({ comments }) => typeof comments === "string" && comments.includes(mark));
  const known = reported
    .flatMap(({ items }) => fieldsIn(items))
    .map((item) => ({
      external_id: String(item["order_product_id"]),
      quantity: Number(item["quantity"]),
    }));
  const open = remaining(parcel.lines, known);
  const ids = reported.map(({ id }) => String(id));
  if (open.length === 0) return ids[0] ?? null;
  const products = await listAll(access, `${path}/products`);
  if (parcel.collected) return reportCollected(access, parcel, products);
  const addressOf = new Map(products.map(({ id, order_address_id }) => [String(id), order_address_id]));
  const unknown = open.find(({ external_id }) => !addressOf.has(external_id));
  if (unknown !== undefined) {
    const words = `BigCommerce order ${parcel.external_order_id} no longer has line ${unknown.external_id}.`;
    throw platformError(words, { permanent: true });
  }
  for (const [order_address_id, lines] of Map.groupBy(open, ({ external_id }) => addressOf.get(external_id))) {
    const items = lines.map((line) => ({ order_product_id: Number(line.external_id), quantity: line.quantity }));
    const shipment = { order_address_id, ...shipmentOf(parcel, mark), items };
    const { status, json } = await call(access, "POST", `/v2${path}/shipments`, shipment);
    if (status === 404) throw platformError("BigCommerce no longer has the order.", { permanent: true });
    ids.push(String(fieldsOrNone(json)["id"]));
  }
  return ids[0] ?? null;
}

/** Completes an order whose goods were collected, unless others are still to be shipped: they have no shipments. */
async function reportCollected(
  access: PlatformAccess,
  { external_order_id, last }: ShipmentReport,
  products: readonly JsonFields[],
): Promise<null> {
  const shipped = products.filter((product) => isGoods(product) && !isCollected(product));
  if (!last || shipped.some((product) => unsentUnits(product) > 0)) return null;
  const { status } = await call(access, "PUT", `/v2/orders/${external_order_id}`, { status_id: completed });
  if (status === 404) throw platformError("BigCommerce no longer has the order.", { permanent: true });
  return null;
}

function shipmentOf({ carrier, service, tracking_number, tracking_url }: ShipmentReport, mark: string) {
  const provider = (carrier ?? "").toLowerCase().replace(/[^a-z]/g, "");
  const fits = tracking_number !== null && tracking_number.length <= tracking_number_characters_max;
  return {
    tracking_number: fits ? tracking_number : "",
    shipping_provider: providers.includes(provider) ? provider : "",
    shipping_method: [carrier, service].flatMap((word) => word ?? []).join(" "),
    ...(tracking_url !== null && { tracking_link: tracking_url }),
    comments: `Packed and shipped by the warehouse ${mark}`,
  };
}

function orderOf(order: JsonFields, products: readonly JsonFields[], addresses: readonly JsonFields[]): PlatformOrder {
  const billing = fieldsOrNone(order["billing_address"]);
  // Prices are in the store's currency. `currency_code` is the currency that the buyer saw.
  const currency = readCurrency(order["default_currency_code"] ?? order["currency_code"], "default_currency_code");
  const parents = new Map(
    products.map(({ id, parent_order_product_id }) => [String(id), readIdOrNull(parent_order_product_id)]),
  );
  const updated_at = readTimestamp(order["date_modified"], "date_modified");
  const id = readExternalId(order["id"], "id");
  const destinations = destinationsOf(products, addresses);
  // Each other destination has its own part of the price of shipping.
  const costs = destinations.slice(1).map(({ address }) => readAmount(address["cost_ex_tax"], currency, "cost_ex_tax"));
  const total_cents = readAmount(order["shipping_cost_ex_tax"], currency, "shipping_cost_ex_tax");
  const first_cents = Math.max(
    0,
    costs.reduce((left, cost) => left - cost, total_cents),
  );
  const orderTo = ({ address, goods, is_pickup }: Destination, at: number): PlatformOrder => ({
    external_id: id,
    number: id,
    ...(destinations.length > 1 && { destination: is_pickup ? "pickup" : String(address["id"]) }),
    state: stateOf(order),
    email: readEmail(billing["email"]) ?? readEmail(address["email"]),
    customer_name: readName(billing["first_name"], billing["last_name"]),
    phone: readText(billing["phone"], 50),
    address: addressIn(is_pickup && Object.keys(address).length === 0 ? billing : address),
    fulfillment_type: is_pickup ? "pickup" : "ship",
    lines: withUnits(
      bundlesAsParts(
        goods
          .map(({ product, index }) => lineOf(product, currency, `products[${index}]`))
          .map((line) => ({ line, parent_id: parents.get(line.external_id) ?? null })),
      ),
    ),
    shipping_method: readText(address["shipping_method"], 200),
    shipping_amount_cents: at === 0 ? first_cents : (costs[at - 1] ?? 0),
    currency,
    notes: readNotes(
      [order["customer_message"]],
      goods.flatMap(({ product }) => lineNotes(product)),
    ),
    staff_notes: readNotes([order["staff_notes"]], []),
    created_at: readTimestamp(order["date_created"], "date_created"),
    updated_at,
  });
  const [first, ...others] = destinations.map(orderTo);
  return { ...(first ?? orderTo(nowhere, 0)), ...(others.length > 0 && { others }) };
}

/** Where goods of an order go: to an address, or to the buyer who collects them. */
interface Destination {
  readonly address: JsonFields;
  readonly goods: readonly { readonly product: JsonFields; readonly index: number }[];
  readonly is_pickup: boolean;
}

const nowhere: Destination = { address: {}, goods: [], is_pickup: false };

/** The destinations of an order: its addresses by id, then what is collected. Goods without one go to the first. */
function destinationsOf(products: readonly JsonFields[], addresses: readonly JsonFields[]): Destination[] {
  const goods = products.map((product, index) => ({ product, index })).filter(({ product }) => isGoods(product));
  const [collected, shipped] = [true, false].map((is) => goods.filter(({ product }) => isCollected(product) === is));
  const [first = {}, ...rest] = addresses.toSorted((a, b) => Number(a["id"]) - Number(b["id"]));
  const goesTo = (address: JsonFields) => (line: Destination["goods"][number]) =>
    String(line.product["order_address_id"]) === String(address["id"]);
  const others = rest.map((address) => ({ address, goods: (shipped ?? []).filter(goesTo(address)), is_pickup: false }));
  const left = (shipped ?? []).filter((line) => !rest.some((address) => goesTo(address)(line)));
  return [
    { address: first, goods: left, is_pickup: false },
    ...others,
    { address: {}, goods: collected ?? [], is_pickup: true },
  ].filter((destination) => destination.goods.length > 0);
}

const addressIn = (address: JsonFields) =>
  readAddress({
    name: readName(address["first_name"], address["last_name"]),
    company: address["company"],
    address_line1: address["street_1"],
    address_line2: address["street_2"],
    city: address["city"],
    state: address["state"],
    postal_code: address["zip"],
    country: address["country_iso2"],
    phone: address["phone"],
  });

function stateOf(order: JsonFields): PlatformOrderState {
  if (order["is_deleted"] === true) return "cancelled";
  return states[Number(order["status_id"])] ?? "unpaid";
}

/** Whether a line is neither a file nor a certificate. */
const isGoods = ({ type }: JsonFields): boolean => type !== "digital" && type !== "giftcertificate";

/** Whether the buyer collects the goods of a line. */
const isCollected = ({ order_pickup_method_id }: JsonFields): boolean => Number(order_pickup_method_id ?? 0) > 0;

function unitsToShip(product: JsonFields, field: string): number {
  const refunded = readQuantity(product["quantity_refunded"] ?? 0, `${field}.quantity_refunded`);
  return Math.max(0, readQuantity(product["quantity"], `${field}.quantity`) - refunded);
}

function unsentUnits(product: JsonFields, field = "products"): number {
  const sent = readQuantity(product["quantity_shipped"] ?? 0, `${field}.quantity_shipped`);
  return Math.max(0, unitsToShip(product, field) - sent);
}

function lineOf(product: JsonFields, currency: string, field: string): PlatformLine {
  const external_id = readExternalId(product["id"], `${field}.id`);
  const [variant, own] = [readIdOrNull(product["variant_id"]), readIdOrNull(product["product_id"])];
  const discounts = fieldsIn(product["applied_discounts"]).map(({ amount }) =>
    readAmount(amount, currency, `${field}.discount`),
  );
  const price = (units: number) => readAmount(product["price_ex_tax"], currency, `${field}.price_ex_tax`, units);
  const ordered = readQuantity(product["quantity"], `${field}.quantity`);
  const discount = discounts.reduce((sum, amount) => sum + amount, 0);
  const variant_id = variant ?? (own === null ? `l${external_id}` : `p${own}`);
  const quantity = unitsToShip(product, field);
  return {
    external_id,
    variant_id,
    sku: readSku(product["sku"]),
    quantity,
    left: unsentUnits(product, field),
    name: readText(product["name"], 200) ?? `Product ${variant_id}`,
    ...costsOf({ unit_cents: price(1), total_cents: price(ordered) - discount, ordered }, quantity),
  };
}

/** The buyer's entries for a line. Selected variants are already in the SKU. */
function lineNotes(product: JsonFields) {
  const options = fieldsIn(product["product_options"]).filter(({ type }) => /text|date|file/i.test(String(type)));
  const line = readText(product["name"], 100) ?? "Line";
  return options.map(({ display_name, display_value }) => ({ line, name: display_name, value: display_value }));
}
