// Every event type as it really occurs, checked against its published schema by an independent validator.
import { afterAll, beforeAll, expect, test } from "bun:test";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { eventTypes } from "../../src/events/event_types.ts";
import { openApp } from "../build/service.ts";
import { openReceiver } from "./receiver.ts";

interface Event {
  readonly type: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

const app = await openApp();
const receiver = openReceiver();
beforeAll(async () => {
  await must("POST", "/webhooks", { url: receiver.url, events: [...eventTypes], version: "v2" });
  await live();
  await app.runJobs();
}, 30_000);
afterAll(async () => {
  await receiver.stop();
});

const must = (method: string, path: string, body?: unknown) =>
  app.must(method, path, body, { key: app.keys.test.full });

/** A small business in which every type of event occurs. */
async function live(): Promise<void> {
  const person = {
    email: "jane@example.com",
    company: "Harbour Kitchen",
    shipping_addresses: [
      { address_line1: "100 Commercial St", city: "Portland", state: "ME", postal_code: "04101", country: "US" },
    ],
  };
  const { id: customer_id, shipping_addresses } = await must("POST", "/customers", person);
  const to = { customer_id, shipping_address_id: shipping_addresses[0].id };
  await must("POST", "/products", { sku: "TEA", name: "Tea", price: "4.50", reorder_point: 9 });
  await must("POST", "/products", {
    sku: "SET",
    name: "Set",
    type: "bundle",
    components: [{ sku: "TEA", quantity: 2 }],
  });
  await must("POST", "/inventory", { sku: "TEA", quantity: 10 });
  const place = async (order_number: string) => {
    const line_items = [{ sku: "TEA", quantity: 2, unit_price: "4.50" }];
    return (await must("POST", "/orders", { order_number, ...to, line_items })).id;
  };
  await must("DELETE", `/orders/${await place("E-2")}`);
  const order = await place("E-3");
  for (const step of ["process", "pick", "pack"]) await must("POST", `/orders/${order}/${step}`);
  const parcel = { weight: 2.5, weight_unit: "lbs", dimensions: { length: 10, width: 8, height: 6, unit: "in" } };
  const label = { order_id: order, carrier: "sim", service: "standard", package: parcel };
  const { tracking_number } = await must("POST", "/shipping/labels", label);
  for (const status of ["picked_up", "in_transit", "exception", "in_transit", "delivered"]) {
    await must("POST", `/tracking/${tracking_number}/events`, { status });
  }
  const items = [{ sku: "TEA", quantity: 1, condition: "unopened" }];
  const back = await must("POST", "/returns", { order_id: order, reason: "customer_remorse", items });
  await must("POST", `/returns/${back.id}/receive`);
  await must("POST", `/returns/${back.id}/inspect`, { items });
  await must("POST", `/returns/${back.id}/refund`);
}

/** The published data of each type, and a validator for its schema in one version. */
async function schemas(version: "schema" | "schema_v2") {
  const published = await must("GET", "/event_types");
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const compiled = published.map((one: { type: string } & Record<typeof version, object>) => {
    return [one.type, ajv.compile(one[version])] as const;
  });
  return { published, checks: new Map<string, ReturnType<typeof ajv.compile>>(compiled) };
}

/** The received events, in the order in which they occurred. */
const received = (): Event[] => receiver.events.toSorted((one, other) => one.sequence - other.sequence);

test("every type occurs, and every event matches its published schema", async () => {
  const { published, checks } = await schemas("schema");
  const { body } = await app.call("GET", "/events?limit=100", undefined, { key: app.keys.test.read });
  const happened = new Set(body.data.map(({ type }: { type: string }) => type));
  expect([...happened].sort()).toEqual([...eventTypes].sort());
  for (const event of [...body.data, ...published.map(({ example }: { example: unknown }) => example)]) {
    const check = checks.get(event.type);
    if (check === undefined) throw new Error(`${event.type} is not published`);
    expect(Object.keys(event)).toEqual(["id", "type", "created_at", "merchant_id", "data"]);
    expect([event.type, check(event) ? null : check.errors]).toEqual([event.type, null]);
    // The schema is closed: it rejects unknown fields.
    expect(check({ ...event, data: { ...event.data, unheard_of: 1 } })).toBe(false);
  }
});

test("version 2 matches its published schema too, and includes the previous values of changed fields", async () => {
  const { published, checks } = await schemas("schema_v2");
  const came = received();
  expect(new Set(came.map(({ type }) => type)).size).toBe(eventTypes.length);
  for (const event of [...came, ...published.map(({ example_v2 }: { example_v2: Event }) => example_v2)]) {
    const check = checks.get(event.type);
    if (check === undefined) throw new Error(`${event.type} is not published`);
    expect(Object.keys(event)).toEqual(["id", "type", "created_at", "merchant_id", "api_version", "sequence", "data"]);
    expect([event.type, check(event) ? null : check.errors]).toEqual([event.type, null]);
    const { previous_attributes, ...data } = event.data;
    const old = Object.entries(previous_attributes as object);
    for (const [field, value] of old) {
      expect(field in data).toBe(true);
      if (typeof value !== "object") expect([event.type, field, data[field]]).not.toEqual([event.type, field, value]);
    }
    // New records have no previous values; everything else does.
    const is_new = ["order.created", "shipment.created", "return.created"].includes(event.type);
    expect([event.type, old.length === 0]).toEqual([event.type, is_new]);
    expect(check({ ...event, data: { ...data, previous_attributes: { unheard_of: 1 } } })).toBe(false);
  }
});

test("events about orders, parcels and returns include the previous values", () => {
  const told = (object: string) =>
    received()
      .filter(({ data }) => data["object"] === object)
      .map(({ type, data }) => [type, data["previous_attributes"]]);
  expect(told("order")).toEqual([
    ["order.created", {}],
    ["order.cancelled", { status: "pending" }],
    ["order.created", {}],
    ["order.fulfilled", { status: "processing" }],
    ["order.shipped", { status: "fulfilled", fulfillment_status: "fulfilled" }],
    ["order.delivered", { status: "shipped", fulfillment_status: "shipped" }],
  ]);
  expect(told("shipment")).toEqual([
    ["shipment.created", {}],
    ["shipment.tracking_updated", { status: "pending", tracking: { status: "pending" } }],
    ["shipment.tracking_updated", { tracking: { status: "picked_up" } }],
    ["shipment.in_transit", { tracking: { status: "picked_up" } }],
    ["shipment.tracking_updated", { tracking: { status: "in_transit" } }],
    ["shipment.exception", { tracking: { status: "in_transit" } }],
    ["shipment.tracking_updated", { status: "shipped", tracking: { status: "exception" } }],
    ["shipment.delivered", { status: "shipped", tracking: { status: "exception" } }],
  ]);
  expect(told("return")).toEqual([
    ["return.created", {}],
    ["return.received", { status: "initiated" }],
    ["return.processed", { status: "inspected", refund_status: "pending" }],
  ]);
});

test("each stock event starts from the levels that the previous one left, also for bundles", () => {
  const levels = ["on_hand", "reserved", "available", "total", "backordered", "status"];
  const last = new Map<string, Record<string, unknown>>();
  let compared = 0;
  for (const { type, data } of received()) {
    if (type !== "inventory.updated") continue;
    const sku = String(data["sku"]);
    const before = last.get(sku);
    last.set(sku, data);
    if (before === undefined) continue;
    const changed = levels.filter((level) => before[level] !== data[level]);
    const old = Object.fromEntries(changed.map((level) => [level, before[level]]));
    expect([sku, data["previous_attributes"]]).toEqual([sku, old]);
    compared += 1;
  }
  expect([...last.keys()].sort()).toEqual(["SET", "TEA"]);
  expect(compared).toBeGreaterThanOrEqual(8);
});

/** The texts that equal the name of their own field, which an example has where no sample was declared. */
function unsaid(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === "string") return value === path.at(-1) ? [path.join(".")] : [];
  if (value === null || typeof value !== "object") return [];
  if (Array.isArray(value)) return value.flatMap((one) => unsaid(one, path));
  return Object.entries(value).flatMap(([field, inner]) => unsaid(inner, [...path, field]));
}

test("example events and test events are realistic", async () => {
  const { published } = await schemas("schema");
  expect(published.flatMap(({ type, example }: { type: string; example: unknown }) => unsaid(example, [type]))).toEqual(
    [],
  );
  const { id } = await must("POST", "/webhooks", { url: receiver.url, events: ["return.created"] });
  receiver.received.length = 0;
  await must("POST", `/webhooks/${id}/test`, { event: "return.created" });
  const [{ merchant_id, data }] = receiver.events;
  expect([merchant_id, data.merchant_id, data.id]).toEqual(["mer_1", "mer_1", "ret_1001"]);
});
