// Every type of event as it truly happens, held against its published schema by a validator that is not ours.
import { afterAll, beforeAll, expect, test } from "bun:test";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { eventTypes } from "../../src/outbox/catalog.ts";
import { openTestApp, type TestApp } from "../harness.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

const must = async (method: string, path: string, body?: unknown) => {
  const answer = await app.call(method, path, body, { key: app.keys.test.full });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data ?? answer.body;
};

/** A small business in which everything happens that there is an event for. */
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

test("every type happens, and every event keeps the schema that is published of its type", async () => {
  await live();
  await app.runJobs();
  const published = await must("GET", "/event-types");
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const checks = new Map<string, ReturnType<typeof ajv.compile>>(
    published.map((one: { type: string; schema: object }) => [one.type, ajv.compile(one.schema)]),
  );
  const { body } = await app.call("GET", "/events?limit=100", undefined, { key: app.keys.test.read });
  const happened = new Set(body.data.map(({ type }: { type: string }) => type));
  expect([...happened].sort()).toEqual([...eventTypes].sort());
  for (const event of [...body.data, ...published.map(({ example }: { example: unknown }) => example)]) {
    const check = checks.get(event.type);
    if (check === undefined) throw new Error(`${event.type} is not published`);
    expect(Object.keys(event)).toEqual(["id", "type", "created_at", "data"]);
    expect([event.type, check(event) ? null : check.errors]).toEqual([event.type, null]);
    // The schema is closed: it would not let just anything pass.
    expect(check({ ...event, data: { ...event.data, unheard_of: 1 } })).toBe(false);
  }
});
