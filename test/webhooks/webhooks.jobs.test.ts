import { describe, expect, test } from "bun:test";
import { asc } from "drizzle-orm";
import { events as eventRows } from "../../db/schema/outbox.ts";
import { deliveries } from "../../db/schema/webhooks.ts";
import { day_ms, minute_ms, second_ms } from "../../src/core/time.ts";
import { emit } from "../../src/events/emit.ts";
import { eventTypes } from "../../src/events/event_types.ts";
import { claimDeliveries, recordAttempts } from "../../src/webhooks/deliveries/claim_deliveries.ts";
import { fanOut } from "../../src/webhooks/deliveries/deliveries.ts";
import type { DeliveryClaim } from "../../src/webhooks/deliveries/delivery_claim.ts";
import { deliverDue, deliveriesSettled } from "../../src/webhooks/webhooks.jobs.ts";
import { mustVerify, openReceiver } from "./receiver.ts";
import { useScene } from "./scene.ts";

const scene = useScene();
const { get, tell, passed, rows, ids } = scene;
const subscribe = (fields: object = {}) => scene.subscribe({ events: ["order.created", "order.shipped"], ...fields });
const room = { busy: new Map(), limitOf: () => 8, aheadOf: () => 0, last_id: 0, wasLate: () => false };

/** What a server that claimed a delivery records about it. */
const outcome = (claim: DeliveryClaim, status_code: number) => ({
  claim,
  signatures: { timestamp_s: 0, signatures: "" },
  started_at: scene.app.clocks.test.now(),
  real_now: 0,
  random: 0,
  result: {
    status_code,
    headers: {},
    body: "",
    truncated: false,
    ip_address: null,
    duration_ms: 1,
    error: status_code === 200 ? null : { code: "http_error" as const, message: "no" },
  },
});

describe("works", () => {
  test("an event is delivered once, signed, with the bytes that were committed", async () => {
    const { id, secret } = await subscribe();
    await tell(["ord_1"]);
    await scene.app.runJobs();
    await scene.app.runJobs();
    expect(scene.receiver.received.length).toBe(1);
    const [got] = scene.receiver.received;
    if (got === undefined) throw new Error("nothing was received");
    await mustVerify(got, secret);
    const [event] = await scene.store.read((db) => db.sql.select().from(eventRows));
    expect(got.body).toBe(event?.body ?? "");
    expect(got.headers).toMatchObject({ "webhook-id": event?.id ?? "", "x-webhook-attempt": "1" });
    expect(got.headers["x-webhook-test"]).toBeUndefined();
    expect(await rows()).toMatchObject([
      { status: "delivered", attempts: 1, sequence: 1, next_at: null, leased_until: null, body: null },
    ]);
    const log = (await get(`/webhooks/${id}/logs`)).data;
    // The body shown as sent is the body that was received.
    const sent = Object.entries(log[0].request.headers).map(([name, value]) => [name.toLowerCase(), value]);
    expect(sent.length).toBe(10);
    expect(got.headers).toMatchObject(Object.fromEntries(sent));
    expect(log).toMatchObject([
      {
        event_id: event?.id,
        event_type: "order.created",
        attempt: 1,
        max_attempts: 6,
        trigger: "scheduled",
        status: "success",
        url: scene.receiver.url,
        error: null,
        ip_address: "127.0.0.1",
        next_attempt_at: null,
        request: { headers: { "webhook-id": event?.id } },
        response: { status_code: 200, body: "seen", truncated: false },
      },
    ]);
  });

  test("the events of a request are sent in order, with data as in a GET", async () => {
    const ask = async (method: string, path: string, body: unknown = {}) => {
      const answer = await scene.app.call(method, path, body, { key: scene.app.keys.test.full });
      if (answer.status > 201) throw new Error(JSON.stringify(answer.body.error));
      return answer.body.data ?? answer.body;
    };
    await ask("POST", "/products", { sku: "MILK", name: "Milk", price: 2 });
    await ask("POST", "/inventory", { sku: "MILK", quantity: 10 });
    const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
    const person = { email: "jane@example.com", first_name: "Jane", last_name: "Doe", shipping_addresses: [address] };
    const { id: customer_id, shipping_addresses } = await ask("POST", "/customers", person);
    passed(1);
    await subscribe({ events: [...eventTypes] });
    const line_items = [{ sku: "MILK", quantity: 2, unit_price: 2 }];
    const shipping_address_id = shipping_addresses[0].id;
    const order = await ask("POST", "/orders", { order_number: "SO-1", customer_id, shipping_address_id, line_items });
    await scene.app.runJobs();
    expect(scene.receiver.events.map(({ type }) => type).sort()).toEqual(["inventory.updated", "order.created"]);
    const told = scene.receiver.events.find(({ type }) => type === "order.created");
    expect(told.data).toEqual({ object: "order", ...order });
    await ask("POST", `/orders/${order.id}/ship`);
    await scene.app.runJobs();
    const listed = (await get("/events?limit=100")).data.map(({ type }: { type: string }) => type);
    expect(listed.filter((type: string) => type.startsWith("order."))).toEqual([
      "order.created",
      "order.fulfilled",
      "order.shipped",
    ]);
    const got = scene.receiver.received.map(({ headers }) => headers["x-webhook-event"]).sort();
    // All but those of the receipt of stock, which came before there was a subscription.
    expect(got).toEqual(listed.slice(2).sort());
  });

  test("each subscription gets the events it selected, numbered without gaps and in order", async () => {
    const created = await subscribe({ events: ["order.created"] });
    const both = await subscribe();
    const off = await subscribe({ url: `${scene.receiver.url}/off`, active: false });
    for (let n = 0; n < 30; n += 1) await tell([`ord_${n}`], n % 3 === 0 ? "order.shipped" : "order.created");
    await tell(["ord_x"], "return.created");
    await scene.app.runJobs();
    const kept = await rows();
    const numbersOf = ({ id }: { id: string }) =>
      kept.filter((row) => row.subscription_id === Number(id.slice(4))).map(({ sequence }) => sequence);
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    expect([numbersOf(created), numbersOf(both), numbersOf(off)]).toEqual([upTo(20), upTo(30), upTo(30)]);
    expect(Map.groupBy(kept, ({ status }) => status).get("skipped")?.length).toBe(30);
    expect(scene.receiver.received.length).toBe(50);
    const listed = (await get("/events?limit=100")).data;
    expect(listed.map((event: { data: { id: string } }) => event.data.id)).toEqual([
      ...upTo(30).map((n) => `ord_${n - 1}`),
      "ord_x",
    ]);
  });

  test("events before a subscription's creation are not sent to it", async () => {
    await tell(["ord_1"]);
    passed(1);
    await subscribe();
    await tell(["ord_2"]);
    await scene.app.runJobs();
    expect(ids()).toEqual(["ord_2"]);
  });

  test("version 2 adds its members, and a thin payload contains only the object's id", async () => {
    await subscribe({ version: "v2" });
    await tell(["ord_1"]);
    await scene.app.runJobs();
    const [full] = scene.receiver.events;
    expect(Object.keys(full).sort()).toEqual([
      "api_version",
      "created_at",
      "data",
      "id",
      "merchant_id",
      "sequence",
      "type",
    ]);
    expect(full).toMatchObject({
      api_version: "v1",
      sequence: 1,
      data: { object: "order", id: "ord_1", email: "ada@example.com", previous_attributes: {} },
    });
    await subscribe({ version: "v2", payload: "thin", url: `${scene.receiver.url}/thin` });
    await tell(["ord_2"]);
    await scene.app.runJobs();
    const thin = scene.receiver.events.find(({ data }) => data.previous_attributes === undefined);
    expect(thin?.data).toEqual({ object: "order", id: "ord_2" });
  });

  test("a failed delivery is retried when its wait is over, with the same id and bytes", async () => {
    const { id } = await subscribe({ retry_limit: 3 });
    scene.receiver.answerWith((_got, count) => (count < 3 ? 500 : 200));
    await tell(["ord_1"]);
    const began = scene.app.clocks.test.now();
    await scene.app.runJobs();
    const [waiting] = await rows();
    const wait = (waiting?.next_at ?? 0) - began;
    expect(wait).toBeGreaterThanOrEqual(5 * second_ms);
    expect(wait).toBeLessThanOrEqual(6 * second_ms);
    passed(wait - 1);
    await scene.app.runJobs();
    expect(scene.receiver.received.length).toBe(1);
    passed(1);
    await scene.app.runJobs();
    expect(scene.receiver.received.length).toBe(2);
    passed(6 * minute_ms);
    await scene.app.runJobs();
    expect(scene.receiver.received.map(({ headers }) => headers["x-webhook-attempt"])).toEqual(["1", "2", "3"]);
    expect(new Set(scene.receiver.received.map(({ body, headers }) => body + headers["webhook-id"])).size).toBe(1);
    expect(await rows()).toMatchObject([{ status: "delivered", attempts: 3 }]);
    const log = (await get(`/webhooks/${id}/logs`)).data;
    expect(log.map((line: { status: string }) => line.status)).toEqual(["success", "failed", "failed"]);
    expect(log[2].next_attempt_at).toBe(new Date(began + wait).toISOString());
    expect((await get(`/webhooks/${id}`)).data).toMatchObject({ status: "active", consecutive_failures: 0 });
  });

  test("a delivery ends when its retries are used up", async () => {
    await subscribe({ retry_limit: 3 });
    scene.receiver.answerWith(() => 500);
    await tell(["ord_1"]);
    for (let n = 0; n < 6; n += 1) {
      await scene.app.runJobs();
      passed(3 * 60 * minute_ms);
    }
    expect(scene.receiver.received.length).toBe(4);
    expect(await rows()).toMatchObject([{ status: "exhausted", attempts: 4, next_at: null }]);
  });

  test("429 pauses the whole subscription for as long as the receiver requested", async () => {
    const { id } = await subscribe();
    scene.receiver.answerWith((_got, count) =>
      count === 1 ? new Response(null, { status: 429, headers: { "retry-after": "120" } }) : 200,
    );
    await tell(["ord_1"]);
    await scene.app.runJobs();
    await tell(["ord_2"]);
    passed(119 * second_ms);
    await scene.app.runJobs();
    expect(ids()).toEqual(["ord_1"]);
    expect((await get(`/webhooks/${id}`)).data.paused_until).not.toBeNull();
    passed(second_ms);
    await scene.app.runJobs();
    expect(ids().slice(1).sort()).toEqual(["ord_1", "ord_2"]);
  });

  test("410 disables the subscription and skips pending and new deliveries", async () => {
    const { id } = await subscribe();
    scene.receiver.answerWith(() => 410);
    await tell(Array.from({ length: 20 }, (_, n) => `ord_${n}`));
    await scene.app.runJobs();
    expect((await get(`/webhooks/${id}`)).data).toMatchObject({
      active: false,
      status: "disabled",
      disabled_reason: "gone",
    });
    expect(scene.receiver.received.length).toBeLessThanOrEqual(8);
    await tell(["ord_later"]);
    passed(day_ms);
    await scene.app.runJobs();
    const kept = await rows();
    expect(kept.map(({ status }) => status)).toEqual(Array(21).fill("skipped"));
    expect(kept.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
  });

  test("five failures over a minute make it failing, and a success active again", async () => {
    const { id } = await subscribe();
    scene.receiver.answerWith(() => 503);
    await tell(["ord_1", "ord_2", "ord_3", "ord_4"]);
    await scene.app.runJobs();
    expect((await get(`/webhooks/${id}`)).data).toMatchObject({ status: "active", consecutive_failures: 4 });
    passed(minute_ms);
    await scene.app.runJobs();
    const failing = (await get(`/webhooks/${id}`)).data;
    expect(failing).toMatchObject({ status: "failing", active: true });
    expect(failing.failing_since).not.toBeNull();
    scene.receiver.answerWith(() => 200);
    passed(10 * minute_ms);
    await scene.app.runJobs();
    const after = (await get(`/webhooks/${id}`)).data;
    expect(after).toMatchObject({ status: "active", consecutive_failures: 0, failing_since: null });
  });

  test("a slow receiver gets eight at once and does not delay another", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = openReceiver(async () => {
      await held;
      return 200;
    });
    await subscribe({ url: slow.url });
    await subscribe();
    await tell(Array.from({ length: 20 }, (_, n) => `ord_${n}`));
    await scene.store.write((tx) => fanOut(tx));
    let tries = 0;
    while (scene.receiver.received.length < 20 && tries++ < 400) {
      await deliverDue(scene.store, scene.app.service);
      await Bun.sleep(5);
    }
    expect([scene.receiver.received.length, slow.received.length]).toEqual([20, 8]);
    release();
    await deliveriesSettled(scene.store);
    await scene.app.runJobs();
    expect(slow.received.length).toBe(20);
    await slow.stop();
  });
});

describe("refuses", () => {
  test("a lease is respected until it expires, and then another server takes over", async () => {
    await subscribe();
    await tell(["ord_1"]);
    await scene.store.write((tx) => fanOut(tx));
    const first = await scene.store.write((tx) => claimDeliveries(tx, room));
    expect(first.claims.length).toBe(1);
    expect(first.next_at).toBe(scene.app.clocks.test.now() + 30 * second_ms);
    expect((await scene.store.write((tx) => claimDeliveries(tx, room))).claims).toEqual([]);
    await scene.app.runJobs();
    expect(scene.receiver.received).toEqual([]);
    passed(30 * second_ms);
    await scene.app.runJobs();
    expect(scene.receiver.received.length).toBe(1);
    expect(await rows()).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  test("a server whose lease was taken over cannot record a failure, but a success still counts", async () => {
    await subscribe();
    await tell(["ord_1"]);
    await scene.store.write((tx) => fanOut(tx));
    const claimOne = async () => {
      const [claim] = (await scene.store.write((tx) => claimDeliveries(tx, room))).claims;
      if (claim === undefined) throw new Error("nothing to claim");
      return claim;
    };
    const late = await claimOne();
    passed(30 * second_ms);
    const now = await claimOne();
    await scene.store.write((tx) => recordAttempts(tx, [outcome(late, 500)]));
    expect(await rows()).toMatchObject([{ status: "pending", attempts: 0, leased_until: now.delivery.leased_until }]);
    await scene.store.write((tx) => recordAttempts(tx, [outcome(late, 200)]));
    expect(await rows()).toMatchObject([{ status: "delivered", attempts: 1 }]);
    await scene.store.write((tx) => recordAttempts(tx, [outcome(now, 500)]));
    expect(await rows()).toMatchObject([{ status: "delivered" }]);
  });

  test("a failed transaction leaves no event and no gap in the numbers", async () => {
    await subscribe();
    await tell(["ord_1"]);
    const failed = scene.store.write(async (tx) => {
      await emit(tx, [{ type: "order.created", merchant_id: 1, data: { object: "order", id: "ord_2" } }]);
      throw new Error("undone");
    });
    await expect(failed).rejects.toThrow("undone");
    await tell(["ord_3"]);
    await scene.app.runJobs();
    expect(ids().sort()).toEqual(["ord_1", "ord_3"]);
    expect((await rows()).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
});

describe("guards", () => {
  test("a long backlog is fanned out in bounded rounds, in order", async () => {
    await subscribe();
    await scene.store.write((tx) =>
      emit(
        tx,
        Array.from({ length: 450 }, (_, n) => ({
          type: "order.created",
          merchant_id: 1,
          data: { object: "order", id: `${n}` },
        })),
      ),
    );
    const more: boolean[] = [];
    for (let round = 0; round < 3; round += 1) more.push(await scene.store.write((tx) => fanOut(tx)));
    expect(more).toEqual([true, true, false]);
    const kept = await rows();
    expect(kept.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 450 }, (_, n) => n + 1));
    const placed = await scene.store.read((db) => db.sql.select().from(eventRows).orderBy(asc(eventRows.seq)));
    expect(placed.map(({ position }) => position)).toEqual(Array.from({ length: 450 }, (_, n) => n + 1));
    expect(kept.map(({ event_id }) => event_id)).toEqual(placed.map(({ id }) => id));
  });

  test("two servers at once assign no number twice and skip none", async () => {
    await subscribe();
    const work = Array.from({ length: 8 }, async (_, n) => {
      for (let m = 0; m < 5; m += 1) {
        await tell([`ord_${n}_${m}`]);
        while (await scene.store.write((tx) => fanOut(tx))) await Bun.sleep(1);
      }
    });
    await Promise.all(work);
    await scene.app.runJobs();
    const upTo = Array.from({ length: 40 }, (_, n) => n + 1);
    expect((await rows()).map(({ sequence }) => sequence)).toEqual(upTo);
    const placed = await scene.store.read((db) => db.sql.select().from(eventRows).orderBy(asc(eventRows.position)));
    expect(placed.map(({ position }) => position)).toEqual(upTo);
    expect(new Set(ids()).size).toBe(40);
  });

  test("no secret is stored in plain text", async () => {
    const { secret } = await subscribe();
    await tell(["ord_1"]);
    await scene.app.runJobs();
    const { subscriptions, delivery_attempts } = await import("../../db/schema/webhooks.ts");
    const dump = await scene.store.read(async (db) => [
      await db.sql.select().from(subscriptions),
      await db.sql.select().from(deliveries),
      await db.sql.select().from(delivery_attempts),
    ]);
    expect(JSON.stringify(dump)).not.toContain(secret.slice(6));
  });
});
