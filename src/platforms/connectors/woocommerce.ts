// WooCommerce. Its notifications contain the whole order; everything else is read from its REST API, version 3.

import { equalInConstantTime, hmacBase64, hmacHex } from "../../core/crypto.ts";
import { invalid } from "../../core/faults.ts";
import { decodeEntities } from "../../core/html.ts";
import type { ApiResult } from "../../outbound/api.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import type {
  PlatformInbound,
  PlatformLine,
  PlatformNotification,
  PlatformOrder,
  ShipmentReport,
} from "../platform.ts";
import type { PlatformOrderState } from "../platforms.transitions.ts";
import { ask, needed, platformError, understood } from "./call_platform.ts";
import type { PlatformAccess, PlatformConnector } from "./connector.ts";
import {
  costsOf,
  orderOrNull,
  readAddress,
  readAmount,
  readCurrency,
  readEmail,
  readExternalId,
  readFields,
  readJson,
  readList,
  readMoment,
  readName,
  readNotes,
  readQuantity,
  readSku,
  withUnits,
} from "./platform_fields.ts";

const page_size = 100;
const pages_max = 400;

const orderTopics = ["order.created", "order.updated", "order.deleted", "order.restored"];

// The meaning of each order status. A status added by a plugin is not listed: such an order waits.
// biome-ignore format: a table is read by its columns.
const states = new Map<unknown, PlatformOrderState>(Object.entries({
  "checkout-draft": "unpaid",
  pending:          "unpaid",
  "on-hold":        "unpaid",
  failed:           "unpaid",
  processing:       "open",
  completed:        "done",
  cancelled:        "cancelled",
  refunded:         "cancelled",
  trash:            "cancelled",
}));

export const woocommerce: PlatformConnector = { verify, read, fetchOrder, changedSince, report };

function verify({ headers, raw }: PlatformInbound, { client_secrets }: PlatformAccess["credentials"]): boolean {
  const given = headers.get("x-wc-webhook-signature") ?? "";
  return client_secrets.some((secret) => equalInConstantTime(given, hmacBase64(secret, raw)));
}

/** The ping at a webhook's creation is a form, unsigned and without an order. */
function read({ headers, raw }: PlatformInbound): PlatformNotification {
  const source = readText(headers.get("x-wc-webhook-source"), 2048)?.replace(/\/+$/, "");
  const about = { stores: [source ?? []].flat(), created_at: null, external_id: null, order: null };
  if (/^webhook_id=\d{1,20}$/.test(raw.trim()))
    return { ...about, kind: "ping", topic: "ping", dedupe_key: raw.trim() };
  const topic = readText(headers.get("x-wc-webhook-topic"), 100);
  if (topic === null) throw invalid("X-WC-Webhook-Topic", "is required", "required");
  // The delivery's own id repeats within a second, so the body has to distinguish notifications.
  const dedupe_key = hmacHex(topic, raw);
  if (!orderTopics.includes(topic)) return { ...about, kind: "unknown", topic, dedupe_key };
  const body = readJson(raw);
  const external_id = readExternalId(body["id"], "id");
  // The order contains only the amount of its refunds; their units have to be requested.
  const whole = topic !== "order.deleted" && fieldsIn(body["refunds"]).length === 0;
  const order = whole ? orderOrNull(() => orderOf(body, [])) : null;
  return { ...about, kind: "order", topic, dedupe_key, external_id, order };
}

async function fetchOrder(access: PlatformAccess, external_id: string): Promise<PlatformOrder | null> {
  const { status, json } = await call(access, "GET", `/orders/${external_id}`);
  if (status === 404) return null;
  const { refunds } = fieldsOrNone(json);
  const refunded = fieldsIn(refunds).length === 0 ? [] : await refundsOf(access, external_id);
  return understood(() => orderOf(readFields(json, "order"), refunded));
}

async function refundsOf(access: PlatformAccess, external_id: string): Promise<JsonFields[]> {
  const { json } = await call(access, "GET", `/orders/${external_id}/refunds?per_page=${page_size}`);
  return fieldsIn(json);
}

async function changedSince(access: PlatformAccess, since: number) {
  const after = encodeURIComponent(new Date(since).toISOString().slice(0, 19));
  const filter = `modified_after=${after}&dates_are_gmt=true&status=any&orderby=id&order=asc&per_page=${page_size}`;
  const found: { external_id: string; updated_at: number }[] = [];
  for (let page = 1; page <= pages_max; page += 1) {
    const { json } = await call(access, "GET", `/orders?${filter}&_fields=id,date_modified_gmt&page=${page}`);
    // An order that changes meanwhile keeps its place in the order of ids, so none is skipped.
    const orders = understood(() => fieldsIn(json).map(changeOf));
    found.push(...orders);
    if (orders.length < page_size) break;
  }
  return found.sort((one, other) => one.updated_at - other.updated_at);
}

const changeOf = ({ id, date_modified_gmt }: JsonFields) => ({
  external_id: readExternalId(id, "id"),
  updated_at: readUtc(date_modified_gmt, "date_modified_gmt"),
});

/**
 * WooCommerce itself has no shipments: the buyer is informed by a note of the order. It is recognised by the tracking
 * number in it, else by the moment at which the parcel left; notes of older releases by our id of the parcel. With the
 * last parcel the order is completed, if it is still in progress.
 */
async function report(access: PlatformAccess, parcel: ShipmentReport): Promise<string | null> {
  const path = `/orders/${parcel.external_order_id}`;
  const marks = [`[${parcel.shipment_id}]`, markOf(parcel)];
  const order = await mustFind(access, path);
  const notes = fieldsIn(await mustFind(access, `${path}/notes`));
  const told = notes.find(({ note }) => marks.some((mark) => String(plain(note)).includes(mark)));
  const { id } = told ?? fieldsOrNone((await call(access, "POST", `${path}/notes`, noteOf(parcel))).json);
  const { status: theirs } = fieldsOrNone(order);
  if (parcel.last && theirs === "processing") {
    await call(access, "PUT", path, { status: "completed" });
  }
  return id === undefined ? null : String(id);
}

async function mustFind(access: PlatformAccess, path: string): Promise<unknown> {
  const { status, json } = await call(access, "GET", path);
  if (status !== 404) return json;
  throw platformError("WooCommerce no longer has the order.", { permanent: true });
}

/** What no note of another parcel of the order says. */
function markOf({ tracking_number, shipped_at }: ShipmentReport): string {
  if (tracking_number !== null) return `Tracking number: ${tracking_number}.`;
  return `It left on ${new Date(shipped_at).toISOString().slice(0, 19).replace("T", " at ")} UTC.`;
}

function noteOf(parcel: ShipmentReport) {
  const { carrier, service, tracking_url, last } = parcel;
  const by = [carrier, service].flatMap((word) => word ?? []).join(" ");
  const words = [
    `${last ? "Your order" : "A part of your order"} was shipped${by && ` by ${by}`}.`,
    markOf(parcel),
    ...(tracking_url === null ? [] : [tracking_url]),
  ];
  return { note: words.join(" "), customer_note: true };
}

/** WooCommerce writes its texts for HTML. */
const plain = (value: unknown): unknown => (typeof value === "string" ? decodeEntities(value) : value);
const readPlain = (value: unknown, characters_max: number) => readText(plain(value), characters_max);

function orderOf(order: JsonFields, refunds: readonly JsonFields[]): PlatformOrder {
  const [billing, shipping] = [fieldsOrNone(order["billing"]), fieldsOrNone(order["shipping"])];
  const own = readText(shipping["address_1"], 200) ?? readText(shipping["city"], 100);
  const to = own === null ? billing : shipping; // Without another address the goods go to the billing address.
  const methods = fieldsIn(order["shipping_lines"]);
  const external_id = readExternalId(order["id"], "id");
  const items = readList(order["line_items"], "line_items");
  const currency = readCurrency(order["currency"], "currency");
  return {
    external_id,
    number: readText(order["number"], 100) ?? external_id,
    state: states.get(order["status"]) ?? "unpaid",
    email: readEmail(billing["email"]),
    customer_name: readName(billing["first_name"], billing["last_name"]),
    phone: readText(billing["phone"], 50),
    address: readAddress({
      name: readName(to["first_name"], to["last_name"]),
      company: to["company"],
      address_line1: to["address_1"],
      address_line2: to["address_2"],
      city: to["city"],
      state: to["state"],
      postal_code: to["postcode"],
      country: to["country"],
      phone: readText(to["phone"], 50) ?? billing["phone"],
    }),
    lines: withUnits(items.map((item, index) => lineOf(item, refunds, currency, `line_items[${index}]`))),
    shipping_method: readPlain(methods[0]?.["method_title"], 200),
    shipping_amount_cents: readAmount(order["shipping_total"], currency, "shipping_total"),
    currency,
    notes: readNotes([plain(order["customer_note"])], items.flatMap(wishesOf)),
    created_at: readUtc(order["date_created_gmt"], "date_created_gmt"),
    updated_at: readUtc(order["date_modified_gmt"], "date_modified_gmt"),
  };
}

function lineOf(item: JsonFields, refunds: readonly JsonFields[], currency: string, field: string): PlatformLine {
  const external_id = readExternalId(item["id"], `${field}.id`);
  const ordered = readQuantity(item["quantity"], `${field}.quantity`);
  const [variation, product] = [Number(item["variation_id"] ?? 0), Number(item["product_id"] ?? 0)];
  const variant_id = variation > 0 ? `${variation}` : product > 0 ? `p${product}` : `l${external_id}`;
  const total_cents = readAmount(item["total"], currency, `${field}.total`);
  const full_cents = Math.max(total_cents, readAmount(item["subtotal"], currency, `${field}.subtotal`));
  const quantity = Math.max(0, ordered - refundedUnits(external_id, refunds));
  return {
    external_id,
    variant_id,
    sku: readSku(item["sku"]),
    quantity,
    name: readPlain(item["name"], 200) ?? `Product ${variant_id}`,
    ...costsOf({ unit_cents: Math.ceil(full_cents / Math.max(1, ordered)), total_cents, ordered }, quantity),
  };
}

/** How many units of a line were refunded: the items of refunds have negative quantities and name the refunded line. */
function refundedUnits(external_id: string, refunds: readonly JsonFields[]): number {
  const items = refunds.flatMap(({ line_items }) => fieldsIn(line_items));
  const own = items.filter(({ meta_data }) =>
    fieldsIn(meta_data).some(({ key, value }) => key === "_refunded_item_id" && String(value) === external_id),
  );
  return own.reduce((sum, { quantity }) => sum + Math.abs(Number(quantity) || 0), 0);
}

/** What the buyer chose or wrote for a line. Keys that start with an underscore are for the shop's programs. */
function wishesOf(item: JsonFields) {
  const shown = fieldsIn(item["meta_data"]).filter(({ key }) => !/^(?:_|pa_)/.test(String(key)));
  const line = readPlain(item["name"], 100) ?? "Line";
  return shown.map(({ key, value, display_key, display_value }) => ({
    line,
    name: plain(display_key ?? key),
    value: plain(display_value ?? value),
  }));
}

/** WooCommerce writes times in UTC without a zone. */
function readUtc(value: unknown, field: string): number {
  return readMoment(typeof value === "string" && /T[\d:.]+$/.test(value) ? `${value}Z` : value, field);
}

/** Calls the shop. If it lacks the route, the API is elsewhere; that does not mean that the order is missing. */
async function call(
  access: PlatformAccess,
  method: "GET" | "POST" | "PUT",
  path: string,
  body?: unknown,
): Promise<ApiResult> {
  const { connection, credentials } = access;
  const user = needed(credentials.api_key, "consumer key");
  const password = needed(credentials.api_token, "consumer secret");
  const found = await ask(access, {
    method,
    url: `${connection.api_url}/wp-json/wc/v3${path}`,
    headers: {
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (found.status === 404 && !/_invalid_id$/.test(String(fieldsOrNone(found.json)["code"]))) {
    throw platformError("WooCommerce's API is not found at the connection's api_url.", { permanent: true });
  }
  if (found.status === 404 && method !== "GET") {
    throw platformError("WooCommerce no longer has the order.", { permanent: true });
  }
  return found;
}
