import { describe, expect, test } from "bun:test";
import { type SQL, sql } from "drizzle-orm";
import { engine } from "../../../src/core/config.ts";
import { insertEvents } from "../../../src/events/events.sql.ts";
import { insertDeliveries } from "../../../src/webhooks/deliveries/deliveries.sql.ts";
import { fanOut } from "../../../src/webhooks/deliveries/deliveries.ts";
import { queueSome } from "../../../src/webhooks/deliveries/recover_deliveries.ts";
import { recovered_max } from "../../../src/webhooks/deliveries/recovery.ts";
import { isLong } from "../../volume.ts";
import { useScene } from "../scene.ts";

const scene = useScene();
const { ask, get, subscribe, tell, passed, rows, ids } = scene;
const queue = () => scene.store.write((tx) => queueSome(tx));
const now = () => new Date(scene.app.clocks.test.now()).toISOString();

/** A subscription that missed `count` events of a type it once selected, and the time of the first. */
async function missed(count: number): Promise<{ id: string; since: string }> {
  const { id } = await subscribe({ active: false });
  const since = now();
  await scene.store.write(async (tx) => {
    const events = Array.from({ length: count }, (_, n) => ({
      id: tx.newId("evt"),
      merchant_id: 1,
      type: "order.shipped" as const,
      previous: null,
      created_at: tx.now,
      body: JSON.stringify({ data: { object: "order", id: `ord_${n}` } }),
    }));
    await insertEvents(tx, events);
    const like = {
      merchant_id: null,
      subscription_id: Number(id.slice(4)),
      event_type: "order.shipped" as const,
      status: "skipped" as const,
      attempts: 0,
      max_attempts: 6,
      spent_attempts: 0,
      next_at: null,
      leased_until: null,
      body: null,
      form: "v1" as const,
      trigger: "scheduled" as const,
      recovery_id: null,
      restored: null,
      created_at: tx.now,
      finished_at: tx.now,
    };
    await insertDeliveries(
      tx,
      events.map((event, n) => ({ ...like, event_id: event.id, sequence: 1e6 + n })),
    );
  });
  await ask("PATCH", `/webhooks/${id}`, { active: true });
  passed(1);
  return { id, since };
}

async function recover(id: string, since: string) {
  const { status, body } = await ask("POST", `/webhooks/${id}/recoveries`, { created_after: since });
  expect(status).toBe(202);
  const path = `/webhooks/${id}/recoveries/${body.data.id}`;
  return { total: body.data.total as number, shown: async () => (await get(path)).data, path };
}

/**
 * Makes PostgreSQL plan as if these tables were empty, as when they were filled since its last ANALYZE. A query that
 * then runs once per row takes minutes.
 */
async function takenForEmpty(...names: readonly string[]): Promise<void> {
  if (engine !== "postgres") return;
  for (const name of names) {
    const counted = sql`update pg_class set relpages = 1, reltuples = 0 where oid = ${name}::regclass`;
    await scene.store.write((tx) => (tx.sql as unknown as { execute(query: SQL): Promise<unknown> }).execute(counted));
  }
}

describe("works", () => {
  // On PostgreSQL only in the long run: creating that many events takes too long.
  test.if(engine === "sqlite" || isLong)(
    "a recovery of more than ten thousand queues the oldest ten thousand, another one the rest",
    async () => {
      const over = 50;
      const { id, since } = await missed(recovered_max + over);
      await takenForEmpty("deliveries", "events");
      const first = await recover(id, since);
      expect(first.total).toBe(recovered_max);
      let rounds = 0;
      while (await queue()) rounds += 1;
      expect(rounds).toBe(recovered_max / 500);
      expect(await first.shown()).toMatchObject({ status: "running", total: recovered_max, queued: recovered_max });
      const left = (await rows()).filter(({ status }) => status === "skipped");
      expect(left.map(({ sequence }) => sequence)).toEqual(
        Array.from({ length: over }, (_, n) => 1e6 + recovered_max + n),
      );
      const second = await recover(id, since);
      expect(second.total).toBe(over);
      await queue();
      expect((await rows()).every(({ status }) => status === "pending")).toBe(true);
    },
  );

  test("a recovery ends when the subscription is paused; pending deliveries are skipped and recoverable", async () => {
    const { id, since } = await missed(700);
    const first = await recover(id, since);
    expect(await queue()).toBe(true);
    expect(await first.shown()).toMatchObject({ status: "running", total: 700, queued: 500, delivered: 0, failed: 0 });
    await ask("PATCH", `/webhooks/${id}`, { active: false });
    while (await queue());
    expect(await first.shown()).toMatchObject({ status: "cancelled", total: 700, queued: 500, failed: 500 });
    await scene.app.runJobs();
    expect(scene.receiver.received).toEqual([]);
    await ask("PATCH", `/webhooks/${id}`, { active: true });
    const second = await recover(id, since);
    expect(second.total).toBe(700);
    await scene.app.runJobs();
    expect(await second.shown()).toMatchObject({ status: "completed", queued: 700, delivered: 700, failed: 0 });
    expect(new Set(ids()).size).toBe(700);
    expect(ids().length).toBe(700);
  });

  test("a recovery ends when the subscription is deleted; pending deliveries are cancelled, not sent", async () => {
    const { id, since } = await missed(700);
    const { path } = await recover(id, since);
    await queue();
    await ask("DELETE", `/webhooks/${id}`);
    while (await queue());
    await scene.app.runJobs();
    expect(scene.receiver.received).toEqual([]);
    expect((await ask("GET", path)).status).toBe(404);
    const kept = Map.groupBy(await rows(), ({ status }) => status);
    expect([kept.get("cancelled")?.length, kept.get("skipped")?.length, kept.size]).toEqual([500, 200, 2]);
  });

  test("a delivery that is redelivered by hand during a recovery is sent once", async () => {
    const { id, since } = await missed(600);
    const recovery = await recover(id, since);
    await queue();
    const last = (await rows()).at(-1);
    await ask("POST", `/webhooks/${id}/deliveries/dlv_${last?.id}/redeliver`);
    while (await queue());
    expect(await recovery.shown()).toMatchObject({ total: 599, queued: 599 });
    await scene.app.runJobs();
    expect(await recovery.shown()).toMatchObject({ status: "completed", delivered: 599, failed: 0 });
    expect(ids().length).toBe(600);
  });

  test("new events do not wait for recovered ones", async () => {
    const { id, since } = await missed(200);
    await recover(id, since);
    while (await queue());
    await tell(["new"]);
    await scene.store.write((tx) => fanOut(tx));
    await scene.app.runJobs();
    // Half the slots are reserved for new events, so this one is among the first eight.
    expect(ids().indexOf("new")).toBeWithin(0, 16);
  });
});
