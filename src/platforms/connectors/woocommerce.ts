// WooCommerce. Notifications contain the whole order. Everything else comes from the REST API, version 3.

import { hmacHex } from "../../core/crypto.ts";
import { invalid } from "../../core/faults.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import type {
  PlatformInbound,
  PlatformLine,
  PlatformNotification,
  PlatformOrder,
  ShipmentReport,
} from "../platform.ts";
import type { PlatformOrderState } from "../platforms.transitions.ts";
import { parseReply, platformError, readPages, verifyHeader } from "./call_platform.ts";
import type { PlatformAccess, PlatformConnector } from "./connector.ts";
import {
  bundlesAsParts,
  costsOf,
  readAddress,
  readAmount,
  readAttributes,
  readCurrency,
  readEmail,
  readExternalId,
  readFields,
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
import { call, page_size, plain, readPlain } from "./woocommerce_api.ts";
import { checks } from "./woocommerce_checks.ts";
import { stock } from "./woocommerce_stock.ts";

const orderTopics = ["order.created", "order.updated", "order.deleted", "order.restored"];

// The meanings of order statuses. An order with a plugin's status, which is not listed, waits.
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

export const woocommerce: PlatformConnector = {
  verify: verifyHeader("x-wc-webhook-signature"),
  read,
  fetchOrder,
  changedSince,
  report,
  stock,
  checks,
};

/** Reads a notification. The ping after a webhook is created is an unsigned form without an order. */
function read({ headers, raw }: PlatformInbound): PlatformNotification {
  const source = readText(headers.get("x-wc-webhook-source"), 2048)?.replace(/\/+$/, "");
  const none = { order: null, problem: null };
  const about = { stores: [source ?? []].flat(), created_at: null, external_id: null, ...none };
  if (/^webhook_id=\d{1,20}$/.test(raw.trim()))
    return { ...about, kind: "ping", topic: "ping", dedupe_key: raw.trim() };
  const topic = readText(headers.get("x-wc-webhook-topic"), 100);
  if (topic === null) throw invalid("X-WC-Webhook-Topic", "is required", "required");
  // The delivery's own id repeats within a second, so the body identifies a notification.
  const dedupe_key = hmacHex(topic, raw);
  if (!orderTopics.includes(topic)) return { ...about, kind: "unknown", topic, dedupe_key };
  const body = readJson(raw);
  const external_id = readExternalId(body["id"], "id");
  // The order contains only the amounts of its refunds, so their units have to be fetched.
  const is_complete = topic !== "order.deleted" && fieldsIn(body["refunds"]).length === 0;
  const read_order = is_complete ? readOrder(() => orderOf(body, [])) : none;
  return { ...about, ...read_order, kind: "order", topic, dedupe_key, external_id };
}

async function fetchOrder(access: PlatformAccess, external_id: string): Promise<PlatformOrder | null> {
  const { status, json } = await call(access, "GET", `/orders/${external_id}`);
  if (status === 404) return null;
  const { refunds } = fieldsOrNone(json);
  const refunded = fieldsIn(refunds).length === 0 ? [] : await refundsOf(access, external_id);
  return parseReply(() => orderOf(readFields(json, "order"), refunded));
}

async function refundsOf(access: PlatformAccess, external_id: string): Promise<JsonFields[]> {
  const { json } = await call(access, "GET", `/orders/${external_id}/refunds?per_page=${page_size}`);
  return fieldsIn(json);
}

async function changedSince(access: PlatformAccess, since: number) {
  const after = encodeURIComponent(new Date(since).toISOString().slice(0, 19));
  const filter = `modified_after=${after}&dates_are_gmt=true&status=any&orderby=id&order=asc&per_page=${page_size}`;
  // Sorting by id keeps the place of an order that changes in the meantime, so none is skipped.
  const changes = await readPages(page_size, async (page) => {
    const { json } = await call(access, "GET", `/orders?${filter}&_fields=id,date_modified_gmt&page=${page}`);
    return parseReply(() => fieldsIn(json).map(changeOf));
  });
  return changes.sort((a, b) => a.updated_at - b.updated_at);
}

const changeOf = ({ id, date_modified_gmt }: JsonFields) => ({
  external_id: readExternalId(id, "id"),
  updated_at: readUtc(date_modified_gmt, "date_modified_gmt"),
});

/**
 * Reports a parcel as a note to the buyer, since WooCommerce has no shipments. The note is recognized by its tracking
 * number, otherwise by the time when the parcel left; notes of older releases by our parcel id. The last parcel
 * completes an order that is still processing.
 */
async function report(access: PlatformAccess, parcel: ShipmentReport): Promise<string | null> {
  const path = `/orders/${parcel.external_order_id}`;
  const marks = [`[${parcel.shipment_id}]`, markOf(parcel)];
  const order = await getOrFail(access, path);
  const notes = fieldsIn(await getOrFail(access, `${path}/notes`));
  const existing = notes.find(({ note }) => marks.some((mark) => String(plain(note)).includes(mark)));
  const { id } = existing ?? fieldsOrNone((await call(access, "POST", `${path}/notes`, noteOf(parcel))).json);
  const { status: platform_status } = fieldsOrNone(order);
  if (parcel.last && platform_status === "processing") {
    await call(access, "PUT", path, { status: "completed" });
  }
  return id === undefined ? null : String(id);
}

async function getOrFail(access: PlatformAccess, path: string): Promise<unknown> {
  const { status, json } = await call(access, "GET", path);
  if (status !== 404) return json;
  throw platformError("WooCommerce no longer has the order.", { permanent: true });
}

/** A sentence that identifies the parcel among the notes of its order. */
function markOf({ tracking_number, shipped_at }: ShipmentReport): string {
  if (tracking_number !== null) return `Tracking number: ${tracking_number}.`;
  return `It left on ${new Date(shipped_at).toISOString().slice(0, 19).replace("T", " at ")} UTC.`;
}

function noteOf(parcel: ShipmentReport) {
  const { carrier, service, tracking_url, collected, last } = parcel;
  const by = [carrier, service].flatMap((word) => word ?? []).join(" ");
  const words = [
    `${last ? "Your order" : "A part of your order"} was ${collected ? "collected" : `shipped${by && ` by ${by}`}`}.`,
    markOf(parcel),
    ...(tracking_url === null ? [] : [tracking_url]),
  ];
  return { note: words.join(" "), customer_note: true };
}

function orderOf(order: JsonFields, refunds: readonly JsonFields[]): PlatformOrder {
  const [billing, shipping] = [fieldsOrNone(order["billing"]), fieldsOrNone(order["shipping"])];
  const own = readText(shipping["address_1"], 200) ?? readText(shipping["city"], 100);
  const to = own === null ? billing : shipping; // Without another address the goods go to the billing address.
  const methods = fieldsIn(order["shipping_lines"]);
  const external_id = readExternalId(order["id"], "id");
  const items = readList(order["line_items"], "line_items");
  const currency = readCurrency(order["currency"], "currency");
  const lines = items.map((item, index) => {
    const parent_id = readIdOrNull(item["bundled_by"]) ?? readIdOrNull(item["composite_parent"]);
    return { line: lineOf(item, refunds, currency, `line_items[${index}]`), parent_id };
  });
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
    lines: withUnits(bundlesAsParts(lines)),
    ...collectionOf(methods),
    shipping_method: readPlain(methods[0]?.["method_title"], 200),
    shipping_method_code: methodCode(methods[0] ?? {}),
    shipping_amount_cents: readAmount(order["shipping_total"], currency, "shipping_total"),
    currency,
    notes: readNotes([plain(order["customer_note"])], items.flatMap(lineNotes)),
    attributes: readAttributes(
      fieldsIn(order["meta_data"]).map(({ key, value }) => ({ name: plain(key), value: plain(value) })),
    ),
    created_at: readUtc(order["date_created_gmt"], "date_created_gmt"),
    updated_at: readUtc(order["date_modified_gmt"], "date_modified_gmt"),
  };
}

/** Pickup methods of the classic checkout and of the block checkout. */
const pickup_methods: readonly unknown[] = ["local_pickup", "pickup_location"];

/** The method and its instance in a zone, such as `flat_rate:3`. */
function methodCode({ method_id, instance_id }: JsonFields): string | null {
  const [method, instance] = [readPlain(method_id, 100), readIdOrNull(instance_id)];
  return method === null || instance === null || method.includes(":") ? method : `${method}:${instance}`;
}

/** Whether the buyer collects the goods: all, none or some. Plugins that split a cart give each part a method. */
function collectionOf(methods: readonly JsonFields[]): Pick<PlatformOrder, "fulfillment_type" | "is_partly_collected"> {
  const collected = methods.filter(({ method_id }) => pickup_methods.includes(method_id)).length;
  if (collected === 0) return { fulfillment_type: "ship" };
  return collected === methods.length
    ? { fulfillment_type: "pickup" }
    : { fulfillment_type: "ship", is_partly_collected: true };
}

function lineOf(item: JsonFields, refunds: readonly JsonFields[], currency: string, field: string): PlatformLine {
  const external_id = readExternalId(item["id"], `${field}.id`);
  const ordered = readQuantity(item["quantity"], `${field}.quantity`);
  const [variation, product] = [readIdOrNull(item["variation_id"]), readIdOrNull(item["product_id"])];
  const variant_id = variation ?? (product === null ? `l${external_id}` : `p${product}`);
  const total_cents = readAmount(item["total"], currency, `${field}.total`);
  const full_cents = Math.max(total_cents, readAmount(item["subtotal"], currency, `${field}.subtotal`));
  const quantity = Math.max(0, ordered - refundedUnits(external_id, refunds));
  return {
    external_id,
    variant_id,
    sku: readSku(item["sku"]),
    quantity,
    left: null,
    name: readPlain(item["name"], 200) ?? `Product ${variant_id}`,
    ...costsOf({ unit_cents: Math.ceil(full_cents / Math.max(1, ordered)), total_cents, ordered }, quantity),
  };
}

/** The number of refunded units of a line. Refund items have negative quantities and name the refunded line. */
function refundedUnits(external_id: string, refunds: readonly JsonFields[]): number {
  const items = refunds.flatMap(({ line_items }) => fieldsIn(line_items));
  const own = items.filter(({ meta_data }) =>
    fieldsIn(meta_data).some(({ key, value }) => key === "_refunded_item_id" && String(value) === external_id),
  );
  return own.reduce((sum, { quantity }) => sum + Math.abs(Number(quantity) || 0), 0);
}

/** The buyer's entries for a line. Keys that start with an underscore are meant for programs. */
function lineNotes(item: JsonFields) {
  const shown = fieldsIn(item["meta_data"]).filter(({ key }) => !/^(?:_|pa_)/.test(String(key)));
  const line = readPlain(item["name"], 100) ?? "Line";
  return shown.map(({ key, value, display_key, display_value }) => ({
    line,
    name: plain(display_key ?? key),
    value: plain(display_value ?? value),
  }));
}

/** Reads a UTC time without a zone. Refuses: validation_failed. */
function readUtc(value: unknown, field: string): number {
  return readTimestamp(typeof value === "string" && /T[\d:.]+$/.test(value) ? `${value}Z` : value, field);
}
