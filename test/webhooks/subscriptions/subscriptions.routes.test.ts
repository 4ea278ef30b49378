import { describe, expect, test } from "bun:test";
import { asc } from "drizzle-orm";
import { deliveries, subscriptions } from "../../../db/schema/webhooks.ts";
import { hour_ms } from "../../../src/core/time.ts";
import { verified } from "../receiver.ts";
import { useScene } from "../scene.ts";

const scene = useScene();
const { ask, subscribe } = scene;
const change = (id: string, body: unknown) => ask("PATCH", `/webhooks/${id}`, body);
const tell = (...ids: string[]) => scene.tell(ids);
const statuses = async () => (await scene.rows()).map(({ status }) => status);

describe("works", () => {
  test("every field but the version can be changed, and the response of a GET can be sent back", async () => {
    const { id, secret: _, ...made } = await subscribe({ version: "v2" });
    const fields = {
      url: `${scene.receiver.url}/else`,
      events: ["order.shipped", "order.created"],
      description: "the shop",
      payload: "thin",
      retry_limit: 10,
      rate_limit_per_second: 5,
    };
    scene.app.clocks.test.advance(1000);
    const changed = (await change(id, fields)).body.data;
    expect(changed).toMatchObject({ ...fields, events: ["order.created", "order.shipped"], version: "v2" });
    expect(changed.updated_at > made.updated_at).toBe(true);
    expect((await ask("GET", `/webhooks/${id}`)).body.data).toEqual(changed);
    scene.app.clocks.test.advance(1000);
    expect((await change(id, changed)).body.data).toEqual(changed);
    const freed = await change(id, { description: null, rate_limit_per_second: null });
    expect(freed.body.data).toMatchObject({ description: null, rate_limit_per_second: null, retry_limit: 10 });
  });

  test("a changed URL and changed events apply from then on", async () => {
    const { id } = await subscribe();
    await change(id, { url: `${scene.receiver.url}/else`, events: ["order.shipped"] });
    await tell("ord_1");
    await scene.tell(["ord_2"], "order.shipped");
    await scene.app.runJobs();
    expect(scene.receiver.events.map(({ data }) => data.id)).toEqual(["ord_2"]);
    expect((await ask("GET", `/webhooks/${id}/logs`)).body.data).toMatchObject([{ url: `${scene.receiver.url}/else` }]);
  });

  test("a pause skips pending and new deliveries; after it, new events are sent and numbering continues", async () => {
    const { id } = await subscribe();
    scene.receiver.answerWith(() => 500);
    await tell("ord_1");
    await scene.app.runJobs();
    const paused = (await change(id, { active: false })).body.data;
    expect(paused).toMatchObject({ active: false, status: "paused", consecutive_failures: 0 });
    await tell("ord_2");
    scene.app.clocks.test.advance(hour_ms);
    await scene.app.runJobs();
    expect(await statuses()).toEqual(["skipped", "skipped"]);
    scene.receiver.answerWith(() => 200);
    expect((await change(id, { active: true })).body.data).toMatchObject({ active: true, status: "active" });
    await tell("ord_3");
    await scene.app.runJobs();
    expect(scene.receiver.events.map(({ data }) => data.id)).toEqual(["ord_1", "ord_3"]);
    const rows = await scene.store.read((db) => db.sql.select().from(deliveries).orderBy(asc(deliveries.id)));
    expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  test("a disabled subscription can be enabled again, with its failures cleared", async () => {
    const { id } = await subscribe();
    scene.receiver.answerWith(() => 410);
    await tell("ord_1");
    await scene.app.runJobs();
    expect((await ask("GET", `/webhooks/${id}`)).body.data).toMatchObject({ status: "disabled" });
    const resumed = (await change(id, { active: true })).body.data;
    expect(resumed).toMatchObject({ status: "active", disabled_reason: null, consecutive_failures: 0 });
  });

  test("deleting a subscription cancels its pending deliveries and erases its secrets", async () => {
    const { id } = await subscribe();
    const kept = await subscribe({ url: `${scene.receiver.url}/kept` });
    scene.receiver.answerWith(() => 500);
    await tell("ord_1");
    await scene.app.runJobs();
    expect((await ask("DELETE", `/webhooks/${id}`)).body.data).toEqual({ id, deleted: true });
    await tell("ord_2");
    scene.app.clocks.test.advance(hour_ms);
    scene.receiver.answerWith(() => 200);
    await scene.app.runJobs();
    expect((await statuses()).sort()).toEqual(["cancelled", "delivered", "delivered"]);
    for (const path of [`/webhooks/${id}`, `/webhooks/${id}/logs`]) expect((await ask("GET", path)).status).toBe(404);
    expect((await ask("DELETE", `/webhooks/${id}`)).status).toBe(404);
    expect((await ask("GET", "/webhooks")).body.data.map((one: { id: string }) => one.id)).toEqual([kept.id]);
    const [row] = await scene.store.read((db) => db.sql.select().from(subscriptions).orderBy(asc(subscriptions.id)));
    expect([row?.secret, row?.previous_secret]).toEqual(["", null]);
    // Its slot is free again.
    expect((await subscribe()).id).toMatch(/^whk_/);
  });

  test("during an overlap both secrets verify by every header, and afterwards only the new one", async () => {
    const { id, secret } = await subscribe();
    const rotated = (await ask("POST", `/webhooks/${id}/rotate_secret`, { overlap_seconds: 3600 })).body.data;
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.previous_secret_expires_at).toBe(new Date(scene.app.clocks.test.now() + hour_ms).toISOString());
    await tell("ord_1");
    await scene.app.runJobs();
    scene.app.clocks.test.advance(hour_ms);
    await tell("ord_2");
    await scene.app.runJobs();
    const [during, after] = scene.receiver.received;
    if (during === undefined || after === undefined) throw new Error("not both were received");
    expect(await verified(during, rotated.secret)).toEqual({ timed: true, body: true, previous: false });
    expect(await verified(during, secret)).toEqual({ timed: true, body: false, previous: true });
    expect(during.headers["webhook-signature"]?.split(" ").length).toBe(2);
    expect(await verified(after, rotated.secret)).toEqual({ timed: true, body: true, previous: false });
    expect(await verified(after, secret)).toEqual({ timed: false, body: false, previous: false });
    expect(after.headers["x-webhook-signature-previous"]).toBeUndefined();
  });

  test("a secret can be supplied, and an overlap of 0 revokes the previous one immediately", async () => {
    const { id, secret } = await subscribe();
    const mine = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
    await ask("POST", `/webhooks/${id}/rotate_secret`);
    const last = await ask("POST", `/webhooks/${id}/rotate_secret`, { secret: mine, overlap_seconds: 0 });
    expect(last.body.data).toMatchObject({ secret: mine, previous_secret_expires_at: null });
    await tell("ord_1");
    await scene.app.runJobs();
    const [got] = scene.receiver.received;
    if (got === undefined) throw new Error("nothing was received");
    expect(await verified(got, mine)).toEqual({ timed: true, body: true, previous: false });
    expect(await verified(got, secret)).toEqual({ timed: false, body: false, previous: false });
  });

  test("the secret can be rotated again once the overlap has ended", async () => {
    const { id } = await subscribe();
    const rotate = async () => (await ask("POST", `/webhooks/${id}/rotate_secret`, { overlap_seconds: 60 })).status;
    expect([await rotate(), await rotate()]).toEqual([200, 409]);
    scene.app.clocks.test.advance(60_000);
    expect(await rotate()).toBe(200);
  });
});

describe("refuses", () => {
  test.each([
    ["another version", { version: "v2" }, "immutable_field"],
    ["no events", { events: [] }, "validation_failed"],
    ["an unknown event", { events: ["order.eaten"] }, "validation_failed"],
    ["a private address", { url: "https://10.0.0.1/" }, "blocked_address"],
    ["a thin version 1", { payload: "thin" }, "validation_failed"],
    ["four retries", { retry_limit: 4 }, "validation_failed"],
    ["a rate of nothing", { rate_limit_per_second: 0 }, "validation_failed"],
    ["a secret", { secret: "whsec_AAAA" }, "validation_failed"],
    ["an unknown field", { colour: "red" }, "validation_failed"],
  ])("a change to %s", async (_name, body, code) => {
    const { id, secret: _, ...made } = await subscribe();
    const answer = await change(id, body);
    expect([answer.status, answer.body.error.code]).toEqual([422, code]);
    expect((await ask("GET", `/webhooks/${id}`)).body.data).toEqual({ id, ...made });
  });

  test("a change that makes it a duplicate of another subscription", async () => {
    const first = await subscribe();
    const second = await subscribe({ url: `${scene.receiver.url}/else` });
    const answer = await change(second.id, { url: scene.receiver.url });
    expect([answer.status, answer.body.error.code]).toEqual([409, "duplicate_subscription"]);
    expect(answer.body.error.existing_id).toBe(first.id);
    expect((await change(first.id, { url: scene.receiver.url })).status).toBe(200);
  });

  test("a second rotation during the overlap, and malformed secrets", async () => {
    const { id } = await subscribe();
    const rotate = (body: unknown) => ask("POST", `/webhooks/${id}/rotate_secret`, body);
    const wrong = ["AAAA", "whsec_AAAA", "whsec_!", `whsec_${Buffer.alloc(65).toString("base64")}`];
    for (const secret of wrong) expect((await rotate({ secret })).body.error.code).toBe("validation_failed");
    for (const overlap_seconds of [-1, 604_801, 1.5]) expect((await rotate({ overlap_seconds })).status).toBe(422);
    expect((await rotate({ overlap_seconds: 604_800 })).status).toBe(200);
    const again = await rotate({});
    expect([again.status, again.body.error.code]).toEqual([409, "rotation_in_progress"]);
    expect(again.body.error.previous_secret_expires_at).toBe(
      new Date(scene.app.clocks.test.now() + 604_800_000).toISOString(),
    );
  });
});

describe("guards", () => {
  test("a repeated rotation happens once, and its stored response is sealed", async () => {
    const { id } = await subscribe();
    const rotate = () =>
      scene.app.call(
        "POST",
        `/webhooks/${id}/rotate_secret`,
        {},
        { key: scene.app.keys.test.full, headers: { "idempotency-key": "r1" } },
      );
    const [first, second] = [await rotate(), await rotate()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    const { idempotency_keys } = await import("../../../db/schema/service.ts");
    const kept = await scene.store.read((db) => db.sql.select().from(idempotency_keys));
    expect(JSON.stringify(kept)).not.toContain(first.body.data.secret);
  });
});
