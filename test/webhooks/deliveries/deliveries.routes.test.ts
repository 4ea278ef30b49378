import { describe, expect, test } from "bun:test";
import { day_ms, hour_ms } from "../../../src/core/time.ts";
import { emit } from "../../../src/events/emit.ts";
import { forgetOldDeliveries } from "../../../src/webhooks/webhooks.jobs.ts";
import { useScene } from "../scene.ts";

const scene = useScene();
const { ask, get, subscribe, passed, ids } = scene;
const tell = async (...ids: string[]) => {
  await scene.tell(ids);
  await scene.app.runJobs();
};

describe("works", () => {
  test("deliveries are listed newest first, filtered, and paged by cursor", async () => {
    const { id } = await subscribe();
    await tell("ord_1");
    passed(hour_ms);
    scene.receiver.answerWith(() => 500);
    await tell("ord_2");
    await ask("POST", `/webhooks/${id}/test`, { event: "order.created" });
    const list = async (query = "") => get(`/webhooks/${id}/deliveries?${query}`);
    const numbers = async (query: string) =>
      (await list(query)).data.map(({ sequence }: { sequence: number }) => sequence);
    const { data } = await list();
    expect(data).toMatchObject([
      { sequence: 2, status: "pending", attempts: 1, max_attempts: 6, trigger: "scheduled", finished_at: null },
      { sequence: 1, status: "delivered", attempts: 1, recovery_id: null, next_attempt_at: null },
    ]);
    expect(await numbers("status=delivered")).toEqual([1]);
    expect(await numbers("event_type=order.shipped")).toEqual([]);
    expect(await numbers(`event_id=${data[0].event_id}`)).toEqual([2]);
    expect(await numbers(`created_after=${data[0].created_at}`)).toEqual([2]);
    expect(await numbers(`created_before=${data[0].created_at}`)).toEqual([1]);
    const page = await list("limit=1");
    expect(page.meta.pagination).toMatchObject({ total: 2, has_more: true });
    expect(await numbers(`limit=1&cursor=${page.meta.pagination.next_cursor}`)).toEqual([1]);
  });

  test("a redelivery has the same id and bytes, and its attempts continue the numbering", async () => {
    const { id } = await subscribe({ version: "v2", retry_limit: 3 });
    await tell("ord_1");
    const [delivery] = (await get(`/webhooks/${id}/deliveries`)).data;
    scene.receiver.answerWith((_got, count) => (count === 2 ? 500 : 200));
    const answer = await ask("POST", `/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
    expect([answer.status, answer.body.data]).toMatchObject([
      202,
      { id: delivery.id, status: "pending", attempts: 1, max_attempts: 5, trigger: "manual", sequence: 1 },
    ]);
    await scene.app.runJobs();
    passed(10_000);
    await scene.app.runJobs();
    expect(scene.receiver.received.map(({ headers }) => headers["x-webhook-attempt"])).toEqual(["1", "2", "3"]);
    expect(new Set(scene.receiver.received.map(({ body, headers }) => body + headers["webhook-id"])).size).toBe(1);
    const log = (await get(`/webhooks/${id}/logs`)).data;
    expect(log.map(({ trigger, status }: Record<string, string>) => [trigger, status])).toEqual([
      ["manual", "success"],
      ["manual", "failed"],
      ["scheduled", "success"],
    ]);
    expect((await get(`/webhooks/${id}/deliveries`)).data).toMatchObject([{ status: "delivered", attempts: 3 }]);
  });

  test("a recovery sends what was skipped during a pause, and nothing else", async () => {
    const { id } = await subscribe();
    await tell("ord_1");
    await ask("PATCH", `/webhooks/${id}`, { active: false });
    passed(hour_ms);
    const since = new Date(scene.app.clocks.test.now()).toISOString();
    await tell("ord_2", "ord_3");
    passed(hour_ms);
    await tell("ord_4");
    await ask("PATCH", `/webhooks/${id}`, { active: true });
    const until = new Date(scene.app.clocks.test.now()).toISOString();
    const started = await ask("POST", `/webhooks/${id}/recoveries`, { created_after: since, created_before: until });
    expect([started.status, started.body.data]).toMatchObject([202, { status: "running", total: 2, queued: 0 }]);
    const path = `/webhooks/${id}/recoveries/${started.body.data.id}`;
    expect((await get(path)).data).toEqual(started.body.data);
    await scene.app.runJobs();
    expect(ids().sort()).toEqual(["ord_1", "ord_2", "ord_3"]);
    expect((await get(path)).data).toMatchObject({
      status: "completed",
      total: 2,
      queued: 2,
      delivered: 2,
      failed: 0,
      created_after: since,
      created_before: until,
      statuses: ["exhausted", "skipped"],
    });
    const all = await ask("POST", `/webhooks/${id}/recoveries`, { created_after: since, statuses: ["skipped"] });
    // The end is now, and nothing that was just recorded is earlier.
    expect(all.body.data.total).toBe(0);
    passed(1);
    expect((await ask("POST", `/webhooks/${id}/recoveries`, { created_after: since })).body.data.total).toBe(1);
    await scene.app.runJobs();
    const kept = (await get(`/webhooks/${id}/deliveries`)).data;
    expect(kept.map(({ sequence, status }: Record<string, unknown>) => [sequence, status])).toEqual([
      [4, "delivered"],
      [3, "delivered"],
      [2, "delivered"],
      [1, "delivered"],
    ]);
  });

  test("a recovery counts deliveries that fail, and they can be recovered again", async () => {
    const { id } = await subscribe({ active: false, retry_limit: 3 });
    await tell(...Array.from({ length: 120 }, (_, n) => `ord_${n}`));
    await ask("PATCH", `/webhooks/${id}`, { active: true });
    const since = new Date(scene.app.clocks.test.now()).toISOString();
    passed(1);
    scene.receiver.answerWith(({ body }) => (body.includes('"ord_7"') ? 400 : 200));
    const started = (await ask("POST", `/webhooks/${id}/recoveries`, { created_after: since })).body.data;
    const path = `/webhooks/${id}/recoveries/${started.id}`;
    await scene.app.runJobs();
    expect((await get(path)).data).toMatchObject({ status: "running", total: 120, queued: 120, delivered: 119 });
    for (let n = 0; n < 3; n += 1) {
      passed(hour_ms);
      await scene.app.runJobs();
    }
    expect((await get(path)).data).toMatchObject({ status: "completed", delivered: 119, failed: 1 });
    passed(1);
    const again = (await ask("POST", `/webhooks/${id}/recoveries`, { created_after: since })).body.data;
    expect(again.total).toBe(1);
    await ask("DELETE", `/webhooks/${id}`);
    await scene.app.runJobs();
    expect((await ask("GET", path)).status).toBe(404);
  });

  test("events can be filtered by whether they were delivered everywhere", async () => {
    await subscribe();
    const other = await subscribe({ url: `${scene.receiver.url}/other` });
    await tell("ord_1");
    scene.receiver.answerWith(() => 500);
    await tell("ord_2");
    scene.receiver.answerWith(() => 200);
    await ask("PATCH", `/webhooks/${other.id}`, { active: false });
    await tell("ord_3");
    await scene.store.write((tx) =>
      emit(tx, [{ type: "return.created", merchant_id: 1, data: { object: "return", id: "ret_1" } }]),
    );
    await scene.app.runJobs();
    const found = async (query: string) =>
      (await get(`/events?${query}`)).data.map((event: { data: { id: string } }) => event.data.id);
    expect(await found("delivered=false")).toEqual(["ord_2", "ord_3"]);
    expect(await found("delivered=true")).toEqual(["ord_1", "ret_1"]);
    const page = await get("/events?delivered=false&limit=1");
    const { next_cursor } = page.meta.pagination;
    expect(await found(`delivered=false&limit=1&cursor=${next_cursor}`)).toEqual(["ord_3"]);
    expect(await found("delivered=false&type=order.shipped")).toEqual([]);
  });
});

describe("refuses", () => {
  test("redelivery and recovery while the subscription is paused, and of a purged payload", async () => {
    const { id } = await subscribe();
    await tell("ord_1");
    const [delivery] = (await get(`/webhooks/${id}/deliveries`)).data;
    const path = `/webhooks/${id}/deliveries/${delivery.id}/redeliver`;
    await ask("PATCH", `/webhooks/${id}`, { active: false });
    const since = new Date(scene.app.clocks.test.now()).toISOString();
    for (const [where, body] of [[path], [`/webhooks/${id}/recoveries`, { created_after: since }]] as const) {
      const answer = await ask("POST", where, body);
      expect([answer.status, answer.body.error]).toMatchObject([
        409,
        { code: "subscription_disabled", status: "paused" },
      ]);
    }
    await ask("PATCH", `/webhooks/${id}`, { active: true });
    passed(31 * day_ms);
    await forgetOldDeliveries(scene.store, scene.app.service);
    const late = await ask("POST", path);
    expect([late.status, late.body.error.code]).toEqual([409, "payload_expired"]);
    expect(scene.receiver.received.length).toBe(1);
  });

  test("a delivery of another subscription, a test event, and an unknown delivery", async () => {
    const { id } = await subscribe();
    const other = await subscribe({ url: `${scene.receiver.url}/other`, events: ["return.created"] });
    await tell("ord_1");
    const [delivery] = (await get(`/webhooks/${id}/deliveries`)).data;
    const { delivery_id } = (await ask("POST", `/webhooks/${id}/test`, { event: "order.created" })).body.data;
    for (const [of, which] of [
      [other.id, delivery.id],
      [id, delivery_id],
      [id, "dlv_1"],
      ["whk_1", delivery.id],
    ]) {
      expect((await ask("POST", `/webhooks/${of}/deliveries/${which}/redeliver`)).status).toBe(404);
    }
    expect((await ask("GET", `/webhooks/${id}/recoveries/rcy_1`)).status).toBe(404);
    expect((await ask("GET", "/webhooks/whk_1/deliveries")).status).toBe(404);
  });

  test("a recovery that starts too far back, or has no period or no statuses", async () => {
    const { id } = await subscribe();
    const at = (ms: number) => new Date(scene.app.clocks.test.now() + ms).toISOString();
    for (const body of [
      {},
      { created_after: at(-30 * day_ms - 1) },
      { created_after: at(0) },
      { created_after: at(-hour_ms), created_before: at(-hour_ms) },
      { created_after: at(-hour_ms), statuses: [] },
      { created_after: at(-hour_ms), statuses: ["delivered"] },
    ]) {
      expect((await ask("POST", `/webhooks/${id}/recoveries`, body)).body.error.code).toBe("validation_failed");
    }
    expect((await ask("GET", "/events?delivered=false&page=2")).body.error.code).toBe("validation_failed");
  });
});

describe("guards", () => {
  test("only a key with full access can redeliver; every key can read", async () => {
    const { id } = await subscribe();
    const { read, read_write } = scene.app.keys.test;
    expect((await ask("POST", `/webhooks/${id}/deliveries/dlv_1/redeliver`, {}, read_write)).status).toBe(403);
    expect((await ask("POST", `/webhooks/${id}/recoveries`, {}, read_write)).status).toBe(403);
    expect((await ask("GET", `/webhooks/${id}/deliveries`, undefined, read)).status).toBe(200);
  });
});
