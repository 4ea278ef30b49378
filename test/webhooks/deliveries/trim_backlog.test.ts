// A receiver's backlog is trimmed in slices, by count and by age. Trimmed deliveries can be recovered.

import { describe, expect, test } from "bun:test";
import { iso } from "../../../src/core/clock.ts";
import { day_ms } from "../../../src/core/time.ts";
import { endNext, fanOut } from "../../../src/webhooks/deliveries/deliveries.ts";
import { backlogLimits, trimBacklog } from "../../../src/webhooks/deliveries/trim_backlog.ts";
import { useScene } from "../scene.ts";

const slice = 500;
const many = 3 * slice + 20;

const scene = useScene();
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const names = (count: number, from = 0) => upTo(count).map((n) => `ord_${from + n}`);
const fanAll = async () => {
  while (await scene.store.write(fanOut));
};
const statuses = async () => {
  const counts: Record<string, number> = {};
  for (const { status } of await scene.rows()) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
/** A subscription with this many pending deliveries. */
const behind = async (count: number): Promise<string> => {
  const { id } = await scene.subscribe();
  await scene.tell(names(count));
  await fanAll();
  return id;
};
const idOf = (subscription: string) => Number(subscription.slice(4));
const trim = (subscription: string, limits = {}, mails = false) =>
  scene.store.write((tx) => trimBacklog(tx, idOf(subscription), mails, { ...backlogLimits, ...limits }));

describe("the backlog of a subscription that no longer receives", () => {
  test("is cancelled by a job after a deletion, one slice per transaction, and never sent", async () => {
    const id = await behind(many);
    expect((await scene.ask("DELETE", `/webhooks/${id}`)).status).toBe(200);
    expect(await statuses()).toEqual({ cancelled: slice, pending: many - slice });
    // A server that dies here loses nothing: the next one continues.
    expect(await scene.store.write(endNext)).toBe(true);
    expect(await statuses()).toEqual({ cancelled: 2 * slice, pending: many - 2 * slice });
    await scene.app.runJobs();
    expect(await statuses()).toEqual({ cancelled: many });
    expect(await scene.store.write(endNext)).toBe(false);
    expect(scene.receiver.received).toEqual([]);
    expect((await scene.rows()).map(({ sequence }) => sequence)).toEqual(upTo(many));
  });

  test("is skipped after a pause, and not sent if the subscription is resumed immediately", async () => {
    const id = await behind(many);
    const switched = (active: boolean) => scene.ask("PATCH", `/webhooks/${id}`, { active });
    expect((await switched(false)).body.data).toMatchObject({ status: "paused" });
    expect(await statuses()).toEqual({ skipped: slice, pending: many - slice });
    expect((await switched(true)).body.data).toMatchObject({ status: "active" });
    expect(await statuses()).toEqual({ skipped: many });
    await scene.tell(["after"]);
    await scene.app.runJobs();
    expect(scene.ids()).toEqual(["after"]);
  });

  test("is skipped when its receiver is gone", async () => {
    await behind(slice + 100);
    scene.receiver.answerWith(() => 410);
    await scene.app.runJobs();
    expect(await statuses()).toEqual({ skipped: slice + 100 });
    expect(scene.receiver.received.length).toBeLessThanOrEqual(8);
  });
});

describe("a receiver that is slower than its events arrive", () => {
  test("misses the oldest deliveries beyond a count, which are reported and can be recovered", async () => {
    const id = await behind(40);
    scene.passed(1000);
    await scene.tell(names(20, 40));
    await fanAll();
    expect(await trim(id, { count: 50 })).toBe(false);
    const kept = await scene.rows();
    expect(kept.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill("skipped"));
    expect(kept.slice(10).map(({ status }) => status)).toEqual(Array(50).fill("pending"));
    expect(kept.map(({ sequence }) => sequence)).toEqual(upTo(60));
    const now = scene.app.clocks.test.now();
    const shown = (await scene.get(`/webhooks/${id}`)).data;
    expect(shown).toMatchObject({ status: "active", backlog: { skipped: 10, last_skipped_at: iso(now) } });
    expect((await scene.get("/notices")).data).toMatchObject([{ kind: "webhook_backlog", subscription_id: id }]);
    await scene.app.runJobs();
    expect(scene.receiver.received.length).toBe(50);
    await scene.ask("POST", `/webhooks/${id}/recoveries`, { created_after: iso(now - 60_000) });
    await scene.app.runJobs();
    expect([...scene.ids()].sort()).toEqual(names(60).sort());
  });

  test("misses deliveries that are a week overdue, tried or not, but keeps those scheduled for later", async () => {
    const id = await behind(5);
    scene.receiver.answerWith(() => 500);
    await scene.app.runJobs();
    expect(await trim(id)).toBe(false);
    scene.passed(7 * day_ms);
    await scene.tell(["fresh"]);
    await fanAll();
    expect(await trim(id)).toBe(false);
    expect(await statuses()).toEqual({ pending: 6 });
    scene.passed(60_000);
    expect(await trim(id)).toBe(false);
    expect(await statuses()).toEqual({ skipped: 5, pending: 1 });
  });

  test("is reported to the operator once a day, also by e-mail, and trimmed one slice at a time", async () => {
    const id = await behind(2 * slice + 10);
    expect([await trim(id, { count: 10 }, true), await trim(id, { count: 10 }, true)]).toEqual([true, true]);
    expect(await trim(id, { count: 10 }, true)).toBe(false);
    expect(await statuses()).toEqual({ skipped: 2 * slice, pending: 10 });
    expect((await scene.get("/notices")).data).toMatchObject([{ mail_status: "waiting" }]);
    // This continues: some are skipped every few hours.
    const notices: number[] = [];
    for (const count of [8, 6, 4, 2]) {
      scene.passed(day_ms / 3 + 1);
      await trim(id, { count }, true);
      notices.push((await scene.get("/notices")).data.length);
    }
    expect(notices).toEqual([1, 1, 2, 2]);
    expect((await scene.get(`/webhooks/${id}`)).data.backlog.skipped).toBe(2 * slice + 8);
  });

  test("has no backlog left once it is paused", async () => {
    const id = await behind(5);
    await scene.ask("PATCH", `/webhooks/${id}`, { active: false });
    expect(await trim(id, { count: 0 })).toBe(false);
    expect((await scene.get(`/webhooks/${id}`)).data.backlog.skipped).toBe(0);
  });
});
