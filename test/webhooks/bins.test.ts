// What receivers of the operator and of merchants are sent about stock: only the operator sees bins.
import { afterAll, expect, test } from "bun:test";
import { openApp } from "../build/service.ts";
import { mustVerify, openReceiver, type Receiver } from "./receiver.ts";

const bin = "A-77-03";
const receivers = new Map<string, Receiver>();
const hooks = new Map<string, { readonly id: string; readonly secret: string }>();
const app = await openApp({ merchant_allow_cidrs: ["127.0.0.0/8", "::1/128"] });
await app.post("/merchants", { code: "ACME", name: "Acme" });
await app.runJobs();
const house = app.keys.test.full;
const key = (await ask(house, "POST", "/keys", { name: "Acme", permission: "full", merchant_id: "ACME" })).key;
await ask(house, "POST", "/products", { sku: "TEA", name: "Tea", merchant_id: "ACME" });
for (const [whose, by] of [
  ["house", house],
  ["merchant", key],
] as const) {
  for (const version of ["v1", "v2"]) {
    const receiver = openReceiver();
    receivers.set(`${whose} ${version}`, receiver);
    const events = ["inventory.received", "inventory.updated"];
    hooks.set(`${whose} ${version}`, await ask(by, "POST", "/webhooks", { url: receiver.url, events, version }));
  }
}
await ask(house, "POST", "/inventory", { sku: "TEA", quantity: 5, bin: "A-77-04", merchant_id: "ACME" });
await ask(house, "POST", "/inventory", { sku: "TEA", quantity: 7, bin, merchant_id: "ACME" });
await app.runJobs();
afterAll(async () => {
  await Promise.all([...receivers.values()].map((receiver) => receiver.stop()));
});

function ask(by: string, method: string, path: string, body?: object) {
  return app.must(method, path, body, { key: by });
}

const last = (name: string) => {
  const found = receivers.get(name)?.received.findLast(({ body }) => body.includes('"type":"inventory.received"'));
  if (found === undefined) throw new Error(`${name} was sent nothing`);
  return found;
};

test.each(["v1", "v2"])(
  "the operator's events name bins, and a merchant's events only the warehouse: %s",
  async (version) => {
    const [house, merchant] = [last(`house ${version}`), last(`merchant ${version}`)];
    const [whole, own] = [house, merchant].map(({ body }) => JSON.parse(body));
    expect(whole.data.received.location).toBe(bin);
    const { warehouse_id } = whole.data.received;
    const kept = { warehouse_id, kind: "storage", temperature_zone: "ambient" };
    expect(whole.data.locations.map(({ location }: { location: string }) => location)).toEqual(["A-77-04", bin]);
    const data = {
      ...whole.data,
      locations: [{ ...kept, location: warehouse_id, quantity: 12 }],
      received: { ...whole.data.received, location: warehouse_id },
    };
    expect(own).toEqual({ ...whole, data });
    // The fields are in the same order.
    expect(Object.keys(own.data)).toEqual(Object.keys(whole.data));
    expect(merchant.body).not.toContain("A-77");
    for (const [name, sent] of [
      [`house ${version}`, house],
      [`merchant ${version}`, merchant],
    ] as const) {
      await mustVerify(sent, hooks.get(name)?.secret ?? "");
    }
  },
);

test.each(["v1", "v2"])("the log shows what was sent, and a redelivery sends the same: %s", async (version) => {
  const name = `merchant ${version}`;
  const { id } = hooks.get(name) ?? { id: "" };
  const { body } = last(name);
  const logs = await ask(key, "GET", `/webhooks/${id}/logs`);
  const entries = await Promise.all(
    logs.map(({ id: log_id }: { id: string }) => ask(key, "GET", `/webhooks/${id}/logs/${log_id}`)),
  );
  expect(entries.map(({ request }) => request.body)).toContain(body);
  expect(JSON.stringify(entries)).not.toContain("A-77");
  const before = receivers.get(name)?.received.length ?? 0;
  const [delivery] = (await ask(key, "GET", `/webhooks/${id}/deliveries`)).filter(
    ({ event_id }: { event_id: string }) => event_id === JSON.parse(body).id,
  );
  await ask(key, "POST", `/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
  await app.runJobs();
  expect(
    receivers
      .get(name)
      ?.received.slice(before)
      .map((again) => again.body),
  ).toEqual([body]);
});

test("a test event to a merchant's webhook names no bins either", async () => {
  const { id } = hooks.get("merchant v1") ?? { id: "" };
  await ask(key, "POST", `/webhooks/${id}/test`, { event: "inventory.received" });
  const { type, data } = receivers.get("merchant v1")?.events.at(-1) ?? {};
  expect([type, data.received.location]).toEqual(["inventory.received", data.received.warehouse_id]);
});
