import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { deliveries, notices, recoveries } from "../../../db/schema/webhooks.ts";
import { day_ms } from "../../../src/core/time.ts";
import { deleteOldWebhookData } from "../../../src/webhooks/deliveries/deliveries.ts";
import { forgetOldDeliveries } from "../../../src/webhooks/webhooks.jobs.ts";
import { useScene } from "../scene.ts";

const scene = useScene();
const { ask, get, subscribe, tell, passed, rows } = scene;
const forget = (event_retention_days = 30) =>
  forgetOldDeliveries(scene.store, { ...scene.app.service, event_retention_days });

describe("works", () => {
  test("payloads and log lines are purged after their retention, except those of pending deliveries", async () => {
    const { id } = await subscribe({ version: "v2" });
    await tell(["ord_1"]);
    await scene.app.runJobs();
    expect((await ask("POST", `/webhooks/${id}/test`, { event: "order.created" })).status).toBe(200);
    passed(31 * day_ms);
    await tell(["ord_2"]);
    await scene.app.runJobs();
    const [old] = (await get("/events")).data;
    await forget();
    expect((await get("/events")).data).toMatchObject([{ id: old.id, data: null }, { data: { id: "ord_2" } }]);
    expect((await get(`/webhooks/${id}/logs`)).data.length).toBe(1);
    // Only a test event has no stored event to rebuild its bytes from.
    expect((await rows()).map(({ sequence, body }) => [sequence, body])).toEqual([
      [1, null],
      [0, ""],
      [2, null],
    ]);
    const waiting = eq(deliveries.sequence, 2);
    await scene.store.write((tx) => tx.sql.update(deliveries).set({ status: "pending" }).where(waiting));
    passed(31 * day_ms);
    await forget();
    expect((await get("/events")).data).toMatchObject([{ data: null }, { data: { id: "ord_2" } }]);
  });

  test.each([5, 90])("the operator can set a retention of %d days instead", async (days) => {
    const { id } = await subscribe();
    await tell(["ord_1"]);
    await scene.app.runJobs();
    const kept = async () => {
      await forget(days);
      const [event] = (await get("/events")).data;
      return [event.data !== null, (await get(`/webhooks/${id}/logs`)).data.length];
    };
    passed(days * day_ms);
    expect(await kept()).toEqual([true, 1]);
    passed(1);
    expect(await kept()).toEqual([false, 0]);
  });

  test("response bodies are purged after a week, attempts are not", async () => {
    const { id } = await subscribe();
    await tell(["ord_1"]);
    await scene.app.runJobs();
    passed(6 * day_ms);
    await forget();
    expect((await get(`/webhooks/${id}/logs`)).data).toMatchObject([{ response: { status_code: 200, body: "seen" } }]);
    passed(day_ms + 1);
    await forget();
    expect((await get(`/webhooks/${id}/logs`)).data).toMatchObject([{ response: { status_code: 200, body: null } }]);
  });

  test("recoveries are deleted once all their deliveries are sent, notices once their e-mail is", async () => {
    const { id } = await subscribe({ active: false });
    await tell(["ord_1"]);
    await scene.app.runJobs();
    await ask("PATCH", `/webhooks/${id}`, { active: true });
    passed(1);
    const since = new Date(scene.app.clocks.test.now() - 1).toISOString();
    const sending = (await ask("POST", `/webhooks/${id}/recoveries`, { created_after: since })).body.data;
    scene.receiver.answerWith(() => 500);
    await scene.app.runJobs();
    const none = (await ask("POST", `/webhooks/${id}/recoveries`, { created_after: since })).body.data;
    await scene.app.runJobs();
    expect([sending.total, none.total]).toEqual([1, 0]);
    const notice = {
      kind: "webhook_failing" as const,
      subscription_id: Number(id.slice(4)),
      message: "told",
      mail_attempts: 0,
      mail_next_at: null,
      created_at: scene.app.clocks.test.now(),
    };
    await scene.store.write((tx) =>
      tx.sql.insert(notices).values([
        { ...notice, mail_status: "waiting" },
        { ...notice, mail_status: "sent" },
      ]),
    );
    passed(31 * day_ms);
    await forget();
    const left = await scene.store.read(async (db) => ({
      recoveries: (await db.sql.select().from(recoveries)).map((row) => `rcy_${row.id}`),
      notices: (await db.sql.select().from(notices)).map(({ mail_status }) => mail_status),
    }));
    expect(left).toEqual({ recoveries: [sending.id], notices: ["waiting"] });
    expect((await ask("GET", `/webhooks/${id}/recoveries/${none.id}`)).status).toBe(404);
  });
});

describe("guards", () => {
  test("a long history is purged in bounded transactions", async () => {
    await subscribe({ version: "v2" });
    await tell(Array.from({ length: 25 }, (_, n) => `ord_${n}`));
    await scene.app.runJobs();
    passed(31 * day_ms);
    const kept = { event_payloads: 30, delivery_log: 30, webhook_responses: 7 };
    const more: boolean[] = [];
    for (let n = 0; n < 3; n += 1) more.push(await scene.store.write((tx) => deleteOldWebhookData(tx, kept, 10)));
    expect(more).toEqual([true, true, false]);
    const events = (await get("/events?limit=25")).data;
    expect(events.map(({ data }: { data: unknown }) => data)).toEqual(Array(25).fill(null));
  });
});
