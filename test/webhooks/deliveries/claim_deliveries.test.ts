import { describe, expect, test } from "bun:test";
import { asc, ne } from "drizzle-orm";
import { deliveries, notices, subscriptions } from "../../../db/schema/webhooks.ts";
import { minute_ms, second_ms } from "../../../src/core/time.ts";
import { claimDeliveries } from "../../../src/webhooks/deliveries/claim_deliveries.ts";
import { fanOut } from "../../../src/webhooks/deliveries/deliveries.ts";
import type { ClaimCapacity } from "../../../src/webhooks/deliveries/receiver_queues.ts";
import { useScene } from "../scene.ts";

const scene = useScene();
const { ask, subscribe, passed, rows } = scene;
const shown = async (id: string) => (await ask("GET", `/webhooks/${id}`)).body.data;
const tell = (count: number, from = 0) => scene.tell(Array.from({ length: count }, (_, n) => `ord_${from + n}`));
const empty: ClaimCapacity = { busy: new Map(), limitOf: () => 8, aheadOf: () => 0, last_id: 0, wasLate: () => false };
const claim = (room: ClaimCapacity = empty) => scene.store.write((tx) => claimDeliveries(tx, room));

describe("works", () => {
  test("a circuit opens after five failures, probes with one delivery, backs off, and closes on success", async () => {
    const { id } = await subscribe();
    scene.receiver.answerWith(() => 500);
    await tell(8);
    await scene.app.runJobs();
    const opened_at = scene.app.clocks.test.now();
    const probe_at = (ms: number) => new Date(opened_at + ms).toISOString();
    expect((await shown(id)).circuit).toEqual({ state: "open", next_probe_at: probe_at(minute_ms) });
    expect(scene.receiver.received.length).toBe(8);
    passed(30 * second_ms);
    await scene.app.runJobs();
    expect(scene.receiver.received.length).toBe(8);
    passed(30 * second_ms);
    await scene.app.runJobs();
    expect(scene.receiver.received.length).toBe(9);
    expect((await shown(id)).circuit).toEqual({ state: "open", next_probe_at: probe_at(3 * minute_ms) });
    scene.receiver.answerWith(() => 200);
    passed(2 * minute_ms);
    await scene.app.runJobs();
    expect((await shown(id)).circuit).toEqual({ state: "closed", next_probe_at: null });
    const kept = await rows();
    // Waiting used up no retries.
    expect(kept.filter(({ status }) => status === "delivered").map(({ attempts }) => attempts)).toEqual(
      Array(kept.filter(({ status }) => status === "delivered").length).fill(2),
    );
    passed(10 * minute_ms);
    await scene.app.runJobs();
    expect((await rows()).every(({ status }) => status === "delivered")).toBe(true);
  });

  test("only one server probes, and a probe whose result is not recorded is repeated", async () => {
    await subscribe();
    scene.receiver.answerWith(() => 500);
    await tell(8);
    await scene.app.runJobs();
    passed(minute_ms);
    const [first, second] = await Promise.all([claim(), claim()]);
    expect(first.claims.length + second.claims.length).toBe(1);
    passed(29 * second_ms);
    expect((await claim()).claims).toEqual([]);
    passed(second_ms);
    expect((await claim()).claims).toMatchObject([{ probe: true }]);
  });

  test("the circuit opens if more than half of twenty attempts within two minutes fail", async () => {
    const { id } = await subscribe();
    scene.receiver.answerWith(({ body }) => (Number(/ord_(\d+)/.exec(body)?.[1]) % 5 < 3 ? 500 : 200));
    for (let n = 0; n < 40; n += 1) await tell(1, n).then(() => scene.app.runJobs());
    const before = await shown(id);
    expect(before.circuit.state).toBe("open");
    expect(before.consecutive_failures).toBeLessThan(5);
    expect(scene.receiver.received.length).toBeLessThanOrEqual(25);
  });

  test("a rate limit spreads deliveries, however many are pending", async () => {
    await subscribe({ rate_limit_per_second: 5 });
    await tell(12);
    const sent: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      await scene.app.runJobs();
      sent.push(scene.receiver.received.length);
      passed(200);
    }
    expect(sent).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test("half of a subscription's slots are reserved for first and second attempts", async () => {
    const { id } = await subscribe();
    await tell(30);
    await scene.store.write((tx) => fanOut(tx));
    await scene.store.write((tx) => tx.sql.update(deliveries).set({ attempts: 3 }));
    await tell(3, 100);
    passed(1);
    await scene.store.write((tx) => fanOut(tx));
    const { claims } = await claim();
    expect(claims.map(({ delivery }) => delivery.attempts).sort()).toEqual([0, 0, 0, 3, 3, 3, 3]);
    const busy = new Map([[Number(id.slice(4)), { all: 4, late: 4 }]]);
    await scene.store.write((tx) => tx.sql.update(deliveries).set({ next_at: tx.now, leased_until: null }));
    expect((await claim({ ...empty, busy })).claims.map(({ delivery }) => delivery.attempts)).toEqual([0, 0, 0]);
  });

  test("with one slot, retries and new deliveries alternate", async () => {
    await subscribe();
    await tell(5);
    await scene.store.write((tx) => fanOut(tx));
    await scene.store.write((tx) => tx.sql.update(deliveries).set({ attempts: 3 }));
    passed(1);
    await tell(5, 100);
    await scene.store.write((tx) => fanOut(tx));
    const one = { ...empty, limitOf: () => 1 };
    const attempts = async (was_late: boolean) =>
      (await claim({ ...one, wasLate: () => was_late })).claims.map(({ delivery }) => delivery.attempts);
    expect([await attempts(false), await attempts(true), await attempts(false)]).toEqual([[3], [0], [3]]);
  });

  test("claims continue after the subscription that was served last", async () => {
    const hooks: { id: string }[] = [];
    for (let n = 0; n < 3; n += 1) hooks.push(await subscribe({ url: `${scene.receiver.url}/${n}` }));
    const numbers = hooks.map(({ id }) => Number(id.slice(4)));
    await tell(10);
    await scene.store.write((tx) => fanOut(tx));
    // All but three slots are taken, and each of the three subscriptions has one.
    const held = (id: number, all: number) => [id, { all, late: 0 }] as const;
    const others = Array.from({ length: 25 }, (_, n) => held(n, 10));
    const busy = new Map([...others, ...numbers.map((id) => held(id, 1))]);
    const [first = 0, second = 0, third = 0] = numbers;
    const { claims } = await claim({ ...empty, busy, last_id: first });
    expect(claims.map(({ subscription }) => subscription.id)).toEqual([second, second, second]);
    await scene.store.write((tx) => tx.sql.update(deliveries).set({ next_at: tx.now, leased_until: null }));
    const later = await claim({ ...empty, busy, last_id: second });
    expect(later.claims.map(({ subscription }) => subscription.id)).toEqual([third, third, third]);
  });

  test("receivers that failed last are claimed after the others, a few at a time", async () => {
    const hooks: { id: string }[] = [];
    for (let n = 0; n < 21; n += 1) hooks.push(await subscribe({ url: `${scene.receiver.url}/${n}` }));
    await tell(1);
    await scene.store.write((tx) => fanOut(tx));
    const well = Number(hooks.at(-1)?.id.slice(4));
    const ill = ne(subscriptions.id, well);
    await scene.store.write((tx) => tx.sql.update(subscriptions).set({ consecutive_failures: 1 }).where(ill));
    const first = await claim();
    const served = first.claims.map(({ subscription }) => subscription.id);
    expect([served[0], served.length, first.next_at]).toEqual([well, 17, scene.app.clocks.test.now()]);
    const second = await claim({ ...empty, last_id: served.at(-1) ?? 0 });
    expect([second.claims.length, second.next_at]).toEqual([4, scene.app.clocks.test.now() + 30 * second_ms]);
    const all = [...served, ...second.claims.map(({ subscription }) => subscription.id)];
    expect(new Set(all).size).toBe(21);
  });

  test("an overloaded receiver gets fewer concurrent deliveries", async () => {
    await subscribe();
    await tell(30);
    await scene.store.write((tx) => fanOut(tx));
    expect((await claim({ ...empty, limitOf: () => 2 })).claims.length).toBe(2);
  });

  test("slots are shared, and every subscription gets one even if others hold all of them", async () => {
    const hooks = [];
    for (let n = 0; n < 40; n += 1) hooks.push(await subscribe({ url: `${scene.receiver.url}/${n}` }));
    await tell(10);
    await scene.store.write((tx) => fanOut(tx));
    const { claims } = await claim();
    const each = Map.groupBy(claims, ({ subscription }) => subscription.id);
    expect([claims.length, each.size]).toEqual([240, 40]);
    const held = hooks.slice(1).map(({ id }) => [Number(id.slice(4)), { all: 8, late: 0 }] as const);
    await scene.store.write((tx) => tx.sql.update(deliveries).set({ next_at: tx.now, leased_until: null }));
    const last = await claim({ ...empty, busy: new Map(held) });
    expect(last.claims.map(({ subscription }) => `whk_${subscription.id}`)).toEqual([hooks[0].id]);
  });

  test("failing and disabled are each reported once", async () => {
    const { id } = await subscribe({ retry_limit: 10 });
    scene.receiver.answerWith(() => 500);
    await tell(10);
    for (let n = 0; n < 40; n += 1) {
      await scene.app.runJobs();
      passed(5 * 60 * minute_ms);
      await tell(1, 100 + n);
    }
    const { status, disabled_reason } = await shown(id);
    expect([status, disabled_reason]).toEqual(["disabled", "no_success"]);
    const told = await scene.store.read((db) => db.sql.select().from(notices).orderBy(asc(notices.id)));
    expect(told).toMatchObject([
      { kind: "webhook_failing", mail_status: "none", mail_next_at: null },
      { kind: "webhook_disabled", mail_status: "none", mail_next_at: null },
    ]);
    expect(told[1]?.message).toBe(
      `${id} (${scene.receiver.url}) was disabled because it accepted nothing for five days. ` +
        "Events are recorded for it and can be recovered.",
    );
  });

  test("a message that its receiver aborts is not sent again", async () => {
    await subscribe();
    scene.receiver.answerWith(
      () => new Response(null, { status: 400, headers: { "webhook-delivery": "abort-message" } }),
    );
    await tell(1);
    await scene.app.runJobs();
    expect(await rows()).toMatchObject([{ status: "cancelled", attempts: 1, next_at: null }]);
  });
});
