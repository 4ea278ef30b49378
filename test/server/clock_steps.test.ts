// Waits that the service sets for itself end neither early nor late, even if the clock is changed.

import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { platform_connections, platform_imports } from "../../db/schema/platforms.ts";
import { held_claims, leases } from "../../db/schema/service.ts";
import { deliveries, notices, subscriptions } from "../../db/schema/webhooks.ts";
import { day_ms, hour_ms, second_ms } from "../../src/core/time.ts";
import { shiftDueTimes } from "../../src/server/scheduler.ts";
import { lead } from "../../src/storage/leases.ts";
import { claimDeliveries } from "../../src/webhooks/deliveries/claim_deliveries.ts";
import { fanOut } from "../../src/webhooks/deliveries/deliveries.ts";
import { useScene } from "../webhooks/scene.ts";

const year_ms = 365 * day_ms;

const scene = useScene();
const room = { busy: new Map(), limitOf: () => 8, aheadOf: () => 0, last_id: 0, wasLate: () => false };
const claim = async () => (await scene.store.write((tx) => claimDeliveries(tx, room))).claims.length;

const steps = [
  ["a year back", -year_ms],
  ["an hour back", -hour_ms],
  ["two minutes back", -120 * second_ms],
  ["an hour ahead", hour_ms],
  ["a year ahead", year_ms],
] as const;

describe.each(steps)("when the clock is set %s", (_, by_ms) => {
  const set = () => {
    scene.store.onStep(shiftDueTimes);
    scene.app.clocks.test.step(by_ms);
  };
  // Waits may take up to a ninth longer.
  const pass = (ms: number) => scene.app.clocks.test.pass(Math.ceil(ms / 0.9));

  test("a retry is sent when its wait is over", async () => {
    await scene.subscribe();
    scene.receiver.answerWith((_got, count) => (count === 1 ? 500 : 200));
    await scene.tell(["ord_1"]);
    await scene.app.runJobs();
    set();
    await scene.app.runJobs();
    scene.app.clocks.test.pass(4 * second_ms);
    await scene.app.runJobs();
    expect(scene.receiver.received.length).toBe(1);
    // Five seconds and up to a fifth more, plus some milliseconds for the clock's own steps.
    pass(2.5 * second_ms + 4 * second_ms * 0.1);
    await scene.app.runJobs();
    expect(scene.receiver.received.length).toBe(2);
  });

  test("a lease lasts for the requested time", async () => {
    await scene.subscribe();
    await scene.tell(["ord_1"]);
    await scene.store.write(fanOut);
    expect(await claim()).toBe(1);
    set();
    scene.app.clocks.test.pass(29 * second_ms);
    expect(await claim()).toBe(0);
    pass(3 * second_ms + 29 * second_ms * 0.1);
    expect(await claim()).toBe(1);
  });

  test("so does the lease of a job, and no server takes over that of another", async () => {
    const take = (owner: string) => scene.store.write((tx) => lead(tx, "things", owner, 60 * second_ms));
    expect(await take("a")).toBe(true);
    set();
    scene.app.clocks.test.pass(59 * second_ms);
    expect(await take("b")).toBe(false);
    pass(7 * second_ms);
    expect(await take("b")).toBe(true);
  });

  test("the pause of a receiver, requested or after failures, does not get longer", async () => {
    const { id } = await scene.subscribe();
    scene.receiver.answerWith((_got, count) =>
      count === 1 ? new Response(null, { status: 429, headers: { "retry-after": "60" } }) : 200,
    );
    await scene.tell(["ord_1"]);
    await scene.app.runJobs();
    set();
    await scene.tell(["ord_2"]);
    scene.app.clocks.test.pass(50 * second_ms);
    await scene.app.runJobs();
    expect(scene.ids()).toEqual(["ord_1"]);
    pass(10 * second_ms + 5 * second_ms);
    await scene.app.runJobs();
    expect(scene.ids().slice(1).sort()).toEqual(["ord_1", "ord_2"]);
    expect((await scene.get(`/webhooks/${id}`)).data).toMatchObject({ status: "active", consecutive_failures: 0 });
  });
});

test("every due time that the service set itself is shifted", async () => {
  const { id } = await scene.subscribe();
  const [at, by_ms] = [scene.app.clocks.test.now(), -hour_ms];
  const subscription_id = Number(id.slice(4));
  await scene.tell(["ord_1"]);
  await scene.store.write(async (tx) => {
    await fanOut(tx);
    const waits = { first_failure_at: at, failing_since: at, paused_until: at, paced_until: at, next_probe_at: at };
    await tx.sql.update(subscriptions).set(waits);
    await tx.sql.update(deliveries).set({ next_at: at, leased_until: at });
    const notice = { kind: "webhook_failing", subscription_id, message: "", created_at: at } as const;
    await tx.sql.insert(notices).values({ ...notice, mail_status: "waiting", mail_attempts: 1, mail_next_at: at });
    const held = { server_id: 1, ids: [1], until: at, rest_ms: 0 };
    await tx.sql.insert(held_claims).values(["deliveries", "notices"].map((kind) => ({ ...held, kind })));
    await tx.sql.insert(leases).values({ name: "things", owner: "me", until: at });
    const whole = { created_at: at, updated_at: at };
    const store = { key: "k", platform: "shopify", name: "S", store_id: "s", api_url: "https://s.test" } as const;
    const [connection] = await tx.sql
      .insert(platform_connections)
      .values({ ...store, merchant_id: 1, order_prefix: "S", status: "active", revision: 1, ...whole })
      .returning({ id: platform_connections.id });
    const queued = { connection_id: connection?.id ?? 0, status: "queued", attempts: 1 } as const;
    const tried = { ...queued, lines: [], order_id: 1, next_at: at, give_up_at: at, ...whole };
    await tx.sql
      .insert(platform_imports)
      .values({ ...tried, merchant_id: 1, external_id: "1", revision: 1, leased_until: at });
  });
  await scene.store.write((tx) => shiftDueTimes(tx, by_ms));
  const to = at + by_ms;
  const rows = await scene.store.read(async (db) => [
    ...(await db.sql.select().from(subscriptions).where(eq(subscriptions.id, subscription_id))),
    ...(await db.sql.select().from(deliveries)),
    ...(await db.sql.select().from(notices)),
    ...(await db.sql.select().from(held_claims).orderBy(held_claims.kind)),
    ...(await db.sql.select().from(leases).where(eq(leases.name, "things"))),
    ...(await db.sql.select().from(platform_imports)),
  ]);
  expect(rows).toMatchObject([
    { first_failure_at: to, failing_since: to, paused_until: to, paced_until: to, next_probe_at: to, created_at: at },
    // A lease is identified by its original end.
    { next_at: to, leased_until: at, created_at: at },
    { mail_next_at: to, created_at: at },
    { kind: "deliveries", until: at },
    { kind: "notices", until: to },
    { until: to },
    { next_at: to, give_up_at: to, leased_until: at, created_at: at },
  ]);
});
