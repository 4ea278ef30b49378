// A person with a unique word in every field, taken through everything that can happen to a customer.
import { createHmac, randomInt } from "node:crypto";
import { eq } from "drizzle-orm";
import { platform_reports } from "../../db/schema/platform_reports.ts";
import { label_documents, shipments } from "../../db/schema/shipments.ts";
import { waiting_updates } from "../../db/schema/tracking.ts";
import { readId } from "../../src/core/ids.ts";
import type { TestApp } from "../build/service.ts";
import type { Receiver } from "../webhooks/receiver.ts";

/** Unique words for the named fields; a phone number has only digits. */
export function canaries() {
  const made: string[] = [];
  const digits = () => String(randomInt(10 ** 11, 10 ** 12));
  const word = (field: string) => {
    const text = field === "phone" ? `1${digits()}` : `Zq${Bun.randomUUIDv7("hex").slice(-14)}${field}`;
    made.push(text);
    return text;
  };
  return { made, word };
}

type Word = (field: string) => string;

/** API calls that return the data of the response, and throw if refused. */
function caller(app: TestApp) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await app.call(method, path, body, { key: app.keys.test.full, headers });
    if (answer.status >= 300) {
      throw new Error(`${method} ${path} is answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer.body.data ?? answer.body;
  };
}

const place = (word: Word) => ({
  ...{ name: `Pat ${word("placename")}`, company: word("company"), address_line1: `1 ${word("street")} Rd` },
  ...{ address_line2: word("floor"), city: word("city"), state: "OR", postal_code: "97201", country: "US" },
  phone: `+${word("phone")}`,
});

/** Takes a person through an order, shipment, return, webhooks and searches. Returns what later steps need. */
export async function live(app: TestApp, word: Word, receiver: Receiver) {
  const ask = caller(app);
  await ask("POST", "/webhooks", {
    url: `${receiver.url}/${Bun.randomUUIDv7()}`,
    events: ["order.created", "order.shipped", "shipment.in_transit", "return.created"],
  });
  const sku = `TEA-${Bun.randomUUIDv7("hex").slice(-6)}`;
  const product = await ask("POST", "/products", { sku, name: "Tea" });
  await ask("POST", "/inventory", { sku, quantity: 100 });
  const email = `${word("mail")}@example.com`;
  const customer = await ask(
    "POST",
    "/customers",
    {
      ...{ email, first_name: word("first"), last_name: word("last"), phone: `+${word("phone")}` },
      ...{ company: word("firm"), metadata: { note: word("metadata") }, shipping_addresses: [place(word)] },
    },
    { "idempotency-key": `customer-${sku}` },
  );
  await ask("POST", `/customers/${customer.id}/addresses`, place(word), { "idempotency-key": `address-${sku}` });
  const { order, first_order } = await ordered(ask, { word, customer, product, sku });
  const label = await sent(ask, word, order.id);
  await carried(app, word, order.id, label);
  const sentBack = await returned(ask, word, { order_id: order.id, sku, email });
  await told(app, ask, { word, email, sku });
  await lookedFor(ask, customer.last_name, email);
  await app.runJobs();
  return { email, sku, customer, order, first_order, label, sentBack };
}

type Ask = ReturnType<typeof caller>;
type Made = Record<string, string>;

async function ordered(
  ask: Ask,
  { word, customer, product, sku }: { word: Word; customer: Made; product: Made; sku: string },
) {
  const addresses = customer["shipping_addresses"] as unknown as { id: string }[];
  const first_order = {
    ...{ order_number: `P-${sku}`, customer_id: customer["id"], shipping_address_id: addresses[0]?.id },
    line_items: [{ product_id: product["id"], quantity: 2, unit_price: "3.20" }],
    ...{ order_notes: `leave it with ${word("neighbour")}`, metadata: { gift: word("gift") } },
    ...{ packing_note: `wrap it for ${word("recipient")}`, tags: [word("tag")] },
  };
  const order = await ask("POST", "/orders", first_order, { "idempotency-key": `order-${sku}` });
  await ask("POST", `/orders/${order.id}/hold`, { reason: "manual", note: word("hold") });
  await ask("POST", `/orders/${order.id}/release`, {});
  await ask("POST", `/orders/${order.id}/notes`, { text: `rang ${word("caller")}` });
  return { order, first_order };
}

async function sent(ask: Ask, word: Word, order_id: string) {
  await ask("POST", `/orders/${order_id}/process`, {});
  const weight = { weight: 2.5, weight_unit: "lbs" };
  const label = await ask(
    "POST",
    "/shipping/labels",
    { order_id, carrier: "sim", service: "standard", package: weight },
    { "idempotency-key": `label-${order_id}` },
  );
  await ask("POST", `/orders/${order_id}/ship`, {});
  const number = label.tracking_number;
  const location = { city: word("scancity"), state: "OR", country: "US" };
  const scan = { status: "in_transit", message: word("scan"), location, reason: word("reason") };
  await ask("POST", `/tracking/${number}/events`, scan, { "idempotency-key": `scan-${number}` });
  await ask("POST", `/tracking/${number}/events`, { status: "delivered", message: `left with ${word("door")}` });
  return label;
}

/** Adds records of an external carrier and shop: label documents, pending scans, and the reason for a refusal. */
async function carried(app: TestApp, word: Word, order_id: string, { label_id, tracking_number }: Made) {
  const id = readId("order", order_id) ?? 0;
  const now = Date.now();
  await app.service.stores.test.write(async (tx) => {
    const [parcel] = await tx.sql.select().from(shipments).where(eq(shipments.order_id, id));
    const paper = { label_id: readId("label", label_id as string) ?? 0, position: 0, kind: "label" };
    const bytes = Buffer.from(`%PDF of ${word("paper")}`);
    await tx.sql.insert(label_documents).values({ ...paper, content_type: "application/pdf", bytes } as never);
    const told = { message: word("waiting") };
    const scan = { account_id: 1, tracking_number: tracking_number as string, told, received_at: now };
    await tx.sql.insert(waiting_updates).values(scan as never);
    await tx.sql
      .update(shipments)
      .set({ told_url: `https://carrier.example/${word("link")}` })
      .where(eq(shipments.id, parcel?.id ?? 0));
    await tx.sql.insert(platform_reports).values({
      ...{ connection_id: 1, order_id: id, shipment_id: parcel?.id ?? 0, lines: [], status: "failed", attempts: 1 },
      ...{ give_up_at: now, error_code: "refused", error_message: `no parcel for ${word("refusal")}` },
      ...{ created_at: now, updated_at: now },
    } as never);
  });
}

async function returned(
  ask: Ask,
  word: Word,
  { order_id, sku, email }: { order_id: string; sku: string; email: string },
) {
  const item = { sku, quantity: 1 };
  const made = await ask("POST", "/returns", {
    ...{ order_id, reason: "other", customer_email: email },
    items: [{ ...item, notes: word("returnnote") }],
  });
  await ask("POST", `/returns/${made.id}/receive`, {});
  const found = { condition: "opened", notes: word("inspection") };
  await ask("POST", `/returns/${made.id}/inspect`, { items: [{ ...item, ...found }] });
  await ask("POST", `/returns/${made.id}/refund`, { notes: word("refund") });
  return made;
}

/** A shop reports an unpaid order of the same person, which is never imported. */
async function told(app: TestApp, ask: Ask, { word, email, sku }: { word: Word; email: string; sku: string }) {
  const shop = `${sku.toLowerCase()}.myshopify.com`;
  const secret = "the-secret-of-the-app-of-tests";
  const api_url = "https://127.0.0.1:8443";
  const made = await ask("POST", "/platforms", { platform: "shopify", store_id: shop, api_url, client_secret: secret });
  const moment = new Date().toISOString();
  const raw = JSON.stringify({
    ...{ id: 450_789_469, name: `S-${sku}`, email, currency: "USD", financial_status: "pending" },
    ...{ created_at: moment, updated_at: moment, note: word("shopnote") },
    line_items: [{ id: 1, variant_id: 2, sku, title: "Tea", quantity: 2, price: "3.50" }],
    shipping_address: {
      ...{ name: word("shopname"), address1: `7 ${word("shopstreet")} St`, city: word("shopcity") },
      ...{ zip: "40202", country_code: "US", phone: `+${word("phone")}` },
    },
  });
  const signature = createHmac("sha256", secret).update(raw).digest("base64");
  const path = new URL(made.callback_url);
  const answer = await app.call("POST", path.pathname.replace("/v1", "") + path.search, raw, {
    key: null,
    headers: {
      "content-type": "application/json",
      "x-shopify-topic": "orders/create",
      "x-shopify-shop-domain": shop,
      "x-shopify-hmac-sha256": signature,
    },
  });
  if (answer.status !== 200) throw new Error(`the shop is answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

async function lookedFor(ask: Ask, name: string, email: string): Promise<void> {
  await ask("GET", `/customers?email=${encodeURIComponent(email)}`);
  await ask("GET", `/customers?q=${encodeURIComponent(email.toUpperCase())}`);
  await ask("GET", `/search?q=${encodeURIComponent(name)}`);
}
