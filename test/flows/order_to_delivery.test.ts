import { afterAll, beforeAll, expect, test } from "bun:test";
import { verify } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import type { StartedService } from "../../scripts/service.ts";
import { type Client, client, startFreshService, stockUp } from "./service.ts";

interface Received {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** A receiver that knows only its secret, and verifies both signatures of every delivery. */
function openReceiver() {
  const received: Received[] = [];
  const problems: string[] = [];
  let secret = "";
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const raw = await request.text();
      try {
        new Webhook(secret).verify(raw, Object.fromEntries(request.headers));
        for (const name of ["x-webhook-signature", "x-packhouse-signature"]) {
          if (!(await verify(secret, raw, `sha256=${request.headers.get(name)}`))) problems.push(`${name} is wrong`);
        }
      } catch (error) {
        problems.push(String(error));
      }
      received.push(JSON.parse(raw));
      return new Response(null, { status: 204 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hooks`,
    received,
    problems,
    trust: (it: string) => {
      secret = it;
    },
    stop: () => server.stop(true),
  };
}

let service: StartedService;
let api: Client;
const receiver = openReceiver();
beforeAll(async () => {
  service = await startFreshService();
  api = client(service.url, service.first_keys.test);
}, 60_000);
afterAll(async () => {
  await receiver.stop();
  await service.remove();
});

/** All events in commit order. */
async function eventsSince(count: number): Promise<Received[]> {
  const { data } = await api.must("GET", "/events?limit=100");
  return data.slice(count);
}

const typesOf = (events: readonly Received[]) => events.map((event) => event.type);

let hook = "";
let order = "";
let to: { customer_id: string; shipping_address_id: string };
let seen = 0;

/** Waits until the events since the last call are fanned out, checks their exact types, and returns them. */
async function told(...expected: string[]): Promise<Received[]> {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await eventsSince(seen)).length >= expected.length) break;
    await Bun.sleep(50);
  }
  const events = await eventsSince(seen);
  seen += events.length;
  expect(typesOf(events)).toEqual(expected);
  return events;
}

test("a receiver subscribes to everything, and stock comes in", async () => {
  const types = (await api.must("GET", "/event_types")).data.map((it: { type: string }) => it.type);
  const made = await api.must("POST", "/webhooks", { url: receiver.url, events: types, description: "flow" });
  hook = made.data.id;
  receiver.trust(made.data.secret);
  const { location: _location, ...ordered } = await stockUp(api, ["TEA", "CUP"], 20);
  to = ordered;
  await told("inventory.received", "inventory.updated", "inventory.received", "inventory.updated");
});

test("an order is placed, picked and packed", async () => {
  const line_items = [
    { sku: "TEA", quantity: 3, unit_price: "4.50" },
    { sku: "CUP", quantity: 1, unit_price: "12.00" },
  ];
  const placed = (await api.must("POST", "/orders", { order_number: "F-1", ...to, line_items })).data;
  expect(placed.status).toBe("pending");
  order = placed.id;
  await told("order.created", "inventory.updated", "inventory.updated");

  expect((await api.must("POST", `/orders/${order}/process`)).data.status).toBe("processing");
  expect((await api.must("POST", `/orders/${order}/pick`)).data.line_items[0].quantity_picked).toBe(3);
  // Picking changes neither on-hand nor reserved stock, so the next events are those of packing.
  expect((await api.must("POST", `/orders/${order}/pack`)).data.status).toBe("fulfilled");
  const [fulfilled] = await told("order.fulfilled");
  expect(fulfilled?.data).toMatchObject({
    object: "order",
    id: order,
    order_number: "F-1",
    status: "fulfilled",
    customer: { email: "orders@harbour-kitchen.example" },
    shipment: { tracking_number: null, carrier: null, service: null },
  });
});

test("its label is bought, and the carrier's scans ship and deliver it", async () => {
  const parcel = { weight: 2.5, weight_unit: "lbs", dimensions: { length: 10, width: 8, height: 6, unit: "in" } };
  const label = (
    await api.must("POST", "/shipping/labels", {
      order_id: order,
      carrier: "sim",
      service: "standard",
      package: parcel,
    })
  ).data;
  const pdf = await fetch(label.label_url);
  expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  expect((await pdf.text()).slice(0, 5)).toBe("%PDF-");
  await told("shipment.created");

  const scan = (status: string) => api.must("POST", `/tracking/${label.tracking_number}/events`, { status });
  await scan("picked_up");
  await told("order.shipped", "inventory.updated", "inventory.updated", "shipment.tracking_updated");
  await scan("in_transit");
  await told("shipment.tracking_updated", "shipment.in_transit");
  await scan("delivered");
  await told("order.delivered", "shipment.tracking_updated", "shipment.delivered");
  expect((await api.must("GET", `/orders/${order}`)).data).toMatchObject({
    status: "delivered",
    fulfillment_status: "delivered",
    allowed_actions: [],
  });
  expect((await api.must("GET", "/inventory/TEA")).data).toMatchObject({ available: 17, reserved: 0, total: 17 });
});

test("a unit comes back and is refunded", async () => {
  const items = [{ sku: "TEA", quantity: 1, condition: "unopened" }];
  const back = (await api.must("POST", "/returns", { order_id: order, reason: "customer_remorse", items })).data;
  await told("return.created");
  await api.must("POST", `/returns/${back.id}/receive`);
  await told("return.received", "inventory.updated");
  const level = (await api.must("GET", "/inventory/TEA")).data;
  expect(level).toMatchObject({ on_hand: 18, total: 17, unavailable: { returns: 1 } });
  await api.must("POST", `/returns/${back.id}/inspect`, { items: items.map((item) => ({ ...item, bin: "A-01" })) });
  await told("inventory.updated");
  const refund = (await api.must("POST", `/returns/${back.id}/refund`)).data;
  expect(refund).toMatchObject({ amount: 4.5, currency: "USD", refund_status: "processing" });
  await told("return.processed");
});

test("its history lists every step, and every event reached the receiver once, signed", async () => {
  const history = (await api.must("GET", `/orders/${order}/history`)).data;
  const steps = history.map(
    (row: Record<string, string>) => `${row["event"]}: ${row["from_status"]} > ${row["to_status"]}`,
  );
  expect(steps).toMatchInlineSnapshot(`
    [
      "create: null > pending",
      "process: pending > processing",
      "pick: processing > processing",
      "pack: processing > fulfilled",
      "label: fulfilled > fulfilled",
      "ship: fulfilled > shipped",
      "tracking: shipped > shipped",
      "deliver: shipped > delivered",
      "return_created: delivered > delivered",
      "return_received: delivered > delivered",
      "return_inspected: delivered > delivered",
      "refund: delivered > delivered",
    ]
  `);
  expect(history.every((row: { actor: { type: string } }) => row.actor.type === "api_key")).toBe(true);

  for (let tries = 0; receiver.received.length < seen && tries < 100; tries += 1) await Bun.sleep(50);
  expect(receiver.problems).toEqual([]);
  expect(typesOf(receiver.received).sort()).toEqual(typesOf(await eventsSince(0)).sort());
  const logs = await api.must("GET", `/webhooks/${hook}/logs?limit=100`);
  expect(logs.data.every((entry: { status: string }) => entry.status === "success")).toBe(true);
  expect(await service.verify()).toEqual({ code: 0, output: "live: 0 differences\ntest: 0 differences\n" });
}, 60_000);
