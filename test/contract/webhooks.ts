import { afterAll, describe, expect, test } from "bun:test";
import { badSignatures, startReceiver } from "./receiver.ts";
import { type Api, callers, expectPages, open, replay } from "./service.ts";
import {
  anyListOf,
  envelope,
  envelopedList,
  expectShape,
  flag,
  integer,
  listOf,
  moment,
  object,
  oneOf,
  orNull,
  prefixed,
  record,
  text,
} from "./shape.ts";
import { buyLabel, fresh, makeCustomer, makeStock, scan } from "./supplies.ts";

// Every event type that the specification names.
const types = [
  "order.created",
  "order.fulfilled",
  "order.shipped",
  "order.delivered",
  "order.cancelled",
  "inventory.updated",
  "inventory.low_stock",
  "inventory.received",
  "shipment.created",
  "shipment.tracking_updated",
  "shipment.delivered",
  "shipment.in_transit",
  "shipment.exception",
  "return.created",
  "return.received",
  "return.processed",
];

const subscription = record({
  id: prefixed("whk_"),
  url: text,
  events: listOf(oneOf(...types)),
  description: orNull(text),
  active: flag,
  created_at: moment,
});

const attempt = record({
  id: text,
  delivery_id: text,
  event_id: text,
  event_type: oneOf(...types),
  attempt: integer,
  max_attempts: integer,
  trigger: oneOf("scheduled", "manual", "test"),
  status: oneOf("success", "failed", "blocked"),
  url: text,
  request: record({ headers: object }),
  response: orNull(record({ status_code: integer, headers: object, body: orNull(text) })),
  error: orNull(record({ code: text, message: text })),
  duration_ms: orNull(integer),
  started_at: moment,
  next_attempt_at: orNull(moment),
});

const tested = record({
  delivery_id: text,
  event_id: prefixed("evt_test_"),
  status: oneOf("success", "failed"),
  response: orNull(record({ status_code: integer, body_excerpt: orNull(text) })),
  duration_ms: integer,
});

const event = record({
  id: prefixed("evt_"),
  type: oneOf(...types),
  created_at: moment,
  data: record({ object: text }),
});

const orderFulfilled = record({
  object: oneOf("order"),
  id: prefixed("ord_"),
  order_number: text,
  status: oneOf("fulfilled"),
  customer: record({ email: text, name: text }),
  shipment: record({ tracking_number: text, carrier: text, service: text }),
  fulfilled_at: moment,
});

const receiver = startReceiver();
const broken = startReceiver(500);
afterAll(async () => {
  await receiver.stop();
  await broken.stop();
});

/** A receiver by https that refuses every connection at once: its name needs no resolving. */
const nobody = () => `https://127.0.0.1:8443/${fresh("hooks")}`;

/** Where a subscription of this mode may send: live ones by https only, test ones to this process as well. */
const address = ({ mode }: Api, to = receiver) => (mode === "test" ? to.url : nobody());

/** An event of every type, caused by what a warehouse does. */
async function causeEveryEvent(api: Api): Promise<void> {
  const { sku, product_id } = await makeStock(api, 10, { reorder_point: 5 });
  const to = await makeCustomer(api);
  const line_items = [{ product_id, quantity: 6, unit_price: 12.5 }];
  const order = (await api.post("/orders", { order_number: fresh("ORD"), ...to, line_items })).textAt("data.id");
  const number = (await buyLabel(api, order)).textAt("data.tracking_number");
  await api.post(`/orders/${order}/pack`);
  for (const status of ["in_transit", "exception", "delivered"]) await scan(api, number, status);
  const back = (await api.post("/returns", { order_id: order, reason: "defective" })).textAt("data.id");
  await api.post(`/returns/${back}/receive`);
  const items = [{ sku, quantity: 6, condition: "unopened", disposition: "restock" }];
  await api.post(`/returns/${back}/inspect`, { items });
  await api.post(`/returns/${back}/refund`);
  const other = { order_number: fresh("ORD"), ...to, line_items: [{ product_id, quantity: 1, unit_price: 12.5 }] };
  await api.must("DELETE", `/orders/${(await api.post("/orders", other)).textAt("data.id")}`);
}

describe("webhooks", () => {
  replay("POST /webhooks", "subscribes by the documented request and tells the secret once", async (api) => {
    const body = {
      url: nobody(),
      events: ["order.created", "order.shipped"],
      description: "Order updates",
      active: false,
    };
    const answer = await api.ask("POST", "/webhooks", body);
    expect(answer.status).toBe(201);
    expectShape(answer.body, envelope(subscription));
    expectShape(answer.at("data.secret"), prefixed("whsec_"));
    expect(answer.at("data")).toMatchObject(body);
    const again = await api.get(`/webhooks/${answer.textAt("data.id")}`);
    expectShape(again.body, envelope(subscription));
    expect(again.at("data")).not.toHaveProperty("secret");
  });

  replay("POST /webhooks", "is active and without description unless told otherwise", async (api) => {
    const url = nobody();
    const answer = await api.post("/webhooks", { url, events: ["return.processed"] });
    expectShape(answer.body, envelope(subscription));
    expect(answer.at("data")).toMatchObject({ url, active: true, description: null });
  });

  replay("POST /webhooks", "takes each documented event type, and no other", async (api) => {
    const url = nobody();
    for (const type of types) {
      const answer = await api.post("/webhooks", { url, events: [type], active: false });
      expect(answer.at("data.events")).toEqual([type]);
    }
    const refused = { url, events: ["order.lost"] };
    await api.refused(422, "validation_failed", "POST", "/webhooks", refused);
    await api.refused(422, "validation_failed", "POST", "/webhooks", { url, events: [] });
  });

  replay("POST /webhooks", "takes the versions and numbers of retries that the dashboard offers", async (api) => {
    const url = nobody();
    for (const [version, retry_limit] of [
      ["v1", 3],
      ["v2", 5],
      ["v2", 10],
    ] as const) {
      const body = { url, events: [types[retry_limit]], active: false, version, retry_limit };
      expect((await api.post("/webhooks", body)).at("data")).toMatchObject({ version, retry_limit });
    }
    const refused = { url, events: ["order.created"], retry_limit: 4 };
    await api.refused(422, "validation_failed", "POST", "/webhooks", refused);
  });

  replay("POST /webhooks", "wants https of a live subscription", async (api) => {
    const body = { url: "http://shop.example.com/hooks", events: ["order.created"], active: false };
    const answer = await api.ask("POST", "/webhooks", body);
    expect(answer.status).toBe(api.mode === "live" ? 422 : 201);
  });

  replay("POST /webhooks/:id/test", "takes the type as `event` and as `event_type`", async (api) => {
    const made = await api.post("/webhooks", { url: address(api), events: ["order.created"], active: false });
    const path = `/webhooks/${made.textAt("data.id")}/test`;
    for (const name of ["event", "event_type"]) {
      const answer = await api.post(path, { [name]: "order.fulfilled" });
      expectShape(answer.body, envelope(tested));
      expect(answer.at("data.status")).toBe(api.mode === "test" ? "success" : "failed");
    }
    await api.refused(422, "validation_failed", "POST", path, { event: "order.lost" });
    if (api.mode === "live") return;
    const sent = receiver.deliveries.filter(({ headers }) => headers.get("x-webhook-test") === "true").at(-1);
    if (sent === undefined) throw new Error("No test event came.");
    expectShape(sent.event, event);
    expectShape(sent.event["data"], orderFulfilled);
    expect(await badSignatures(sent, made.textAt("data.secret"))).toEqual([]);
  });

  replay("GET /webhooks/:id/logs", "lists every attempt in pages", async (api) => {
    const made = await api.post("/webhooks", { url: address(api, broken), events: ["order.created"], active: false });
    const path = `/webhooks/${made.textAt("data.id")}`;
    for (const type of ["order.created", "order.shipped"]) await api.post(`${path}/test`, { event: type });
    const answer = await api.get(`${path}/logs`);
    expectShape(answer.body, envelopedList(attempt));
    const failed = { attempt: 1, trigger: "test", status: "failed" };
    expect(answer.at("data")).toMatchObject([
      { ...failed, event_type: "order.shipped" },
      { ...failed, event_type: "order.created" },
    ]);
    if (api.mode === "test") expect(answer.at("data.0.response.status_code")).toBe(500);
    await expectPages(api, `${path}/logs`);
  });

  test.each(callers.filter(({ mode }) => mode === "test"))(
    "every event type reaches its receiver, signed in both ways ($mode key, $base)",
    async (caller) => {
      const api = open(caller);
      const own = startReceiver();
      const made = await api.post("/webhooks", { url: own.url, events: types });
      const secret = made.textAt("data.secret");
      await causeEveryEvent(api);
      const deliveries = await own.until(
        (all) => new Set(all.map(({ event: { type } }) => type)).size === types.length,
      );
      for (const delivery of deliveries) {
        const { headers, raw } = delivery;
        expectShape(delivery.event, event, delivery.event.type);
        expect(Object.keys(delivery.event)).toEqual(["id", "type", "created_at", "merchant_id", "data"]);
        expect(await badSignatures(delivery, secret)).toEqual([]);
        expect(await badSignatures({ headers, raw: `${raw} ` }, secret)).toHaveLength(3);
        expect(headers.get("x-packhouse-signature")).toBe(headers.get("x-webhook-signature"));
        expect(headers.get("webhook-id")).toBe(delivery.event.id);
        expect(headers.get("content-type")).toStartWith("application/json");
        if (delivery.event.type === "order.fulfilled") expectShape(delivery.event["data"], orderFulfilled);
        if (delivery.event.type.startsWith("order.")) expect(delivery.event["data"]).toMatchObject({ object: "order" });
      }
      const ids = deliveries.map(({ event: { id } }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      await own.stop();
    },
  );

  test.each(callers)("the list of event types is the specification's ($mode key, $base)", async (caller) => {
    const answer = await open(caller).get("/event_types");
    expectShape(answer.at("data"), listOf(record({ type: oneOf(...types) })));
    expect(answer.at("data")).toHaveLength(types.length);
  });

  test.each(callers)("events are told again to who asks ($mode key, $base)", async (caller) => {
    const answer = await open(caller).get("/events?limit=5");
    expectShape(answer.at("data"), anyListOf(event));
  });
});
