import { describe, expect, test } from "bun:test";
import { open } from "../../src/core/crypto.ts";
import { subscriptionList } from "../../src/webhooks/subscriptions/subscriptions.sql.ts";
import { mustVerify } from "./receiver.ts";
import { useScene } from "./scene.ts";

const scene = useScene();
const { subscribe } = scene;
const hook = { url: "https://hooks.example.com/packhouse", events: ["order.created"] };
const inTest = (method: string, path: string, body?: unknown, headers = {}) =>
  scene.ask(method, path, body, scene.app.keys.test.full, headers);

describe("works", () => {
  test("a subscription is created, read and listed, and its secret is shown once", async () => {
    const created = await inTest("POST", "/webhooks", { ...hook, url: scene.receiver.url, description: "the shop" });
    expect(created.status).toBe(201);
    const { secret, ...shown } = created.body.data;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toMatchObject({ active: true, status: "active", version: "v1", payload: "full", retry_limit: 5 });
    expect(shown.id).toMatch(/^whk_\d+$/);
    expect((await inTest("GET", `/webhooks/${shown.id}`)).body.data).toEqual(shown);
    expect((await inTest("GET", `/webhooks/${shown.id.slice(4)}`)).body.data).toEqual(shown);
    expect((await inTest("GET", "/webhooks")).body.data).toEqual([shown]);
  });

  test("duplicate event types are removed, and the response of a GET can be sent back", async () => {
    const first = await subscribe({ events: ["order.shipped", "order.created", "order.shipped"], active: false });
    expect(first).toMatchObject({ events: ["order.created", "order.shipped"], active: false, status: "paused" });
    const { secret: _, ...shown } = first;
    const again = await inTest("POST", "/webhooks", { ...shown, version: "v2", payload: "thin", retry_limit: 10 });
    expect(again.body.data).toMatchObject({ version: "v2", payload: "thin", retry_limit: 10, active: false });
  });

  test("the secret is sealed in the database and in the stored response of a repeated request", async () => {
    const headers = { "idempotency-key": "hook-1" };
    const body = { url: scene.receiver.url, events: ["order.created"] };
    const created = await inTest("POST", "/webhooks", body, headers);
    const again = await inTest("POST", "/webhooks", body, headers);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect(again.body).toEqual(created.body);
    const { secret } = created.body.data;
    const kept = await scene.app.service.stores.test.read(async (db) => {
      const { idempotency_keys } = await import("../../db/schema/service.ts");
      return {
        rows: await subscriptionList.rows(db, {}, { limit: 50 }),
        answers: await db.sql.select().from(idempotency_keys),
      };
    });
    expect(JSON.stringify(kept)).not.toContain(secret);
    expect(open(kept.rows[0]?.secret ?? "", scene.app.service.secret_key, "webhooks.secret")).toBe(secret);
  });

  test.each(["event", "event_type"])("a test event, selected by %s, is sent immediately", async (field) => {
    const { id, secret } = await subscribe();
    const answer = await inTest("POST", `/webhooks/${id}/test`, { [field]: "order.shipped" });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      event_type: "order.shipped",
      status: "success",
      response: { status_code: 200, body_excerpt: "seen" },
      error: null,
    });
    const [got] = scene.receiver.received;
    if (got === undefined) throw new Error("nothing was received");
    await mustVerify(got, secret);
    expect(got.headers).toMatchObject({
      "x-webhook-test": "true",
      "x-webhook-event": "order.shipped",
      "x-webhook-attempt": "1",
      "x-webhook-subscription": id,
      "webhook-id": answer.body.data.event_id,
      "user-agent": "Packhouse-Webhooks/1",
      "content-type": "application/json",
    });
    const event = JSON.parse(got.body);
    expect(Object.keys(event)).toEqual(["id", "type", "created_at", "merchant_id", "data"]);
    expect(event).toMatchObject({ type: "order.shipped", data: { object: "order", status: "shipped" } });
    expect(event.id).toMatch(/^evt_test_[0-9a-f]{32}$/);
    const log = (await inTest("GET", `/webhooks/${id}/logs`)).body.data;
    expect(log).toMatchObject([
      { trigger: "test", status: "success", attempt: 1, max_attempts: 1, event_id: event.id },
    ]);
  });

  test("a failed test event is logged and not retried, and does not affect the receiver's health", async () => {
    const { id } = await subscribe({ version: "v2", active: false });
    scene.receiver.answerWith(() => 410);
    const { data } = (await inTest("POST", `/webhooks/${id}/test`, { event: "order.created" })).body;
    expect(data).toMatchObject({ status: "failed", response: { status_code: 410 }, error: { code: "gone" } });
    scene.app.clocks.test.advance(86_400_000);
    await scene.app.runJobs();
    expect(scene.receiver.events).toMatchObject([
      { api_version: "v1", sequence: 0, data: { previous_attributes: {} } },
    ]);
    const after = (await inTest("GET", `/webhooks/${id}`)).body.data;
    expect(after).toMatchObject({ status: "paused", consecutive_failures: 0 });
  });

  test("the log can be filtered and is paged by cursor", async () => {
    const { id } = await subscribe();
    for (const event of ["order.created", "order.shipped", "order.created"]) {
      await inTest("POST", `/webhooks/${id}/test`, { event });
      scene.app.clocks.test.advance(1000);
    }
    scene.receiver.answerWith(() => 500);
    await inTest("POST", `/webhooks/${id}/test`, { event: "order.cancelled" });
    const log = async (query: string) => (await inTest("GET", `/webhooks/${id}/logs?${query}`)).body;
    const types = async (query: string) =>
      (await log(query)).data.map((line: { event_type: string }) => line.event_type.slice(6));
    expect(await types("")).toEqual(["cancelled", "created", "shipped", "created"]);
    expect(await types("status=failed")).toEqual(["cancelled"]);
    expect(await types("event_type=order.shipped")).toEqual(["shipped"]);
    const [first] = (await log("event_type=order.shipped")).data;
    expect(await types(`event_id=${first.event_id}`)).toEqual(["shipped"]);
    expect(await types(`created_after=${first.started_at}`)).toEqual(["cancelled", "created", "shipped"]);
    expect(await types(`created_before=${first.started_at}`)).toEqual(["created"]);
    const page = await log("limit=3");
    expect(page.meta.pagination).toMatchObject({ total: 4, has_more: true });
    expect(await types(`limit=3&cursor=${page.meta.pagination.next_cursor}`)).toEqual(["created"]);
  });
});

describe("refuses", () => {
  test.each([
    ["no events", { ...hook, events: [] }, "validation_failed"],
    ["an unknown event", { ...hook, events: ["order.eaten"] }, "validation_failed"],
    ["no https", { ...hook, url: "http://hooks.example.com" }, "validation_failed"],
    ["another port", { ...hook, url: "https://hooks.example.com:9000" }, "validation_failed"],
    ["a user in the address", { ...hook, url: "https://me@hooks.example.com" }, "validation_failed"],
    ["a fragment", { ...hook, url: "https://hooks.example.com/#a" }, "validation_failed"],
    ["this machine", { ...hook, url: "https://127.0.0.1/" }, "blocked_address"],
    ["the neighbours", { ...hook, url: "https://10.1.2.3/" }, "blocked_address"],
    ["the cloud's own", { ...hook, url: "https://169.254.169.254/" }, "blocked_address"],
    ["four retries", { ...hook, retry_limit: 4 }, "validation_failed"],
    ["a thin version 1", { ...hook, payload: "thin" }, "validation_failed"],
    ["a secret of the client's", { ...hook, secret: "whsec_AAAA" }, "validation_failed"],
  ])("%s", async (_name, body, code) => {
    const answer = await scene.app.post("/webhooks", body);
    expect([answer.status, answer.body.error.code]).toEqual([422, code]);
    expect((await scene.app.get("/webhooks")).body.data).toEqual([]);
  });

  test("the same subscription twice, with its events in any order", async () => {
    const events = ["order.created", "order.shipped"];
    const first = await subscribe({ events });
    const body = { url: scene.receiver.url, events: [...events].reverse() };
    const second = await inTest("POST", "/webhooks", body);
    expect([second.status, second.body.error.code]).toEqual([409, "duplicate_subscription"]);
    expect(second.body.error.existing_id).toBe(first.id);
    expect((await inTest("POST", "/webhooks", { ...body, version: "v2" })).status).toBe(201);
  });

  test("all but one of many identical concurrent subscriptions", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => inTest("POST", "/webhooks", hook)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect((await inTest("GET", "/webhooks")).body.data).toHaveLength(1);
  });

  test("more than fifty subscriptions", async () => {
    for (let n = 0; n < 50; n += 1) await subscribe({ url: `${scene.receiver.url}/${n}` });
    const answer = await inTest("POST", "/webhooks", { url: `${scene.receiver.url}/50`, events: ["order.created"] });
    expect([answer.status, answer.body.error.code]).toEqual([409, "subscription_limit"]);
  });

  test("a test event that is unknown, missing, or specified twice", async () => {
    const { id } = await subscribe();
    const bodies = [{}, { event: "order.eaten" }, { event: "order.created", event_type: "order.shipped" }];
    for (const body of bodies) {
      const answer = await inTest("POST", `/webhooks/${id}/test`, body);
      expect([answer.status, answer.body.error.code]).toEqual([422, "validation_failed"]);
    }
    expect((await inTest("POST", "/webhooks/whk_9/test", { event: "order.created" })).status).toBe(404);
    expect(scene.receiver.received).toEqual([]);
  });

  test("more than ten test events a minute", async () => {
    const { id } = await subscribe();
    const send = async () => (await inTest("POST", `/webhooks/${id}/test`, { event: "order.created" })).status;
    for (let n = 0; n < 10; n += 1) expect(await send()).toBe(200);
    scene.app.clocks.test.advance(15_500);
    const refused = await inTest("POST", `/webhooks/${id}/test`, { event: "order.created" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "45"]);
    scene.app.clocks.test.advance(45_000);
    expect(await send()).toBe(200);
  });

  test("more than ten test events at once", async () => {
    const { id } = await subscribe();
    const send = () => inTest("POST", `/webhooks/${id}/test`, { event: "order.created" });
    const answers = await Promise.all(Array.from({ length: 30 }, send));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), ...Array(20).fill(429)]);
    expect(scene.receiver.received).toHaveLength(10);
  });
});
