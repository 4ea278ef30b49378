// Whether a subscription gets an event depends on the order in which events are sequenced, never on time.

import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import { databaseUrl, engine } from "../../../src/core/config.ts";
import { hour_ms } from "../../../src/core/time.ts";
import { emit } from "../../../src/events/emit.ts";
import { fanOut, fanOutAll } from "../../../src/webhooks/deliveries/deliveries.ts";
import { createSubscription, updateSubscription } from "../../../src/webhooks/subscriptions/subscriptions.ts";
import { fanOutEvents } from "../../../src/webhooks/webhooks.jobs.ts";
import { openApp, type TestApp } from "../../build/service.ts";

const rounds = 40;

let app: TestApp;
setDefaultTimeout(60_000);
beforeEach(async () => {
  app = await openApp();
});

const ask = (method: string, path: string, body?: unknown) => app.call(method, path, body, { key: app.keys.test.full });
const subscribe = async (name: string | number): Promise<string> => {
  const answer = await ask("POST", "/webhooks", { url: `http://127.0.0.1:9/${name}`, events: ["order.created"] });
  expect(answer.status).toBe(201);
  return answer.body.data.id;
};
const event = (id: string) => [{ type: "order.created" as const, merchant_id: 1, data: { object: "order", id } }];
const tell = (id: string) => app.service.stores.test.write((tx) => emit(tx, event(id)));
/** The orders of a subscription's deliveries, by sequence number. */
const toldOf = async (subscription: string): Promise<string[]> => {
  const { data } = (await ask("GET", `/webhooks/${subscription}/deliveries?limit=100`)).body;
  const ids: string[] = [];
  for (const { event_id } of data.toReversed()) ids.push((await ask("GET", `/events/${event_id}`)).body.data.data.id);
  return ids;
};

/** Resolves when one PostgreSQL transaction waits for another. */
async function someoneWaits(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl ?? "" });
  await client.connect();
  const waiting = `select 1 from pg_locks join pg_stat_activity using (pid)
    where not granted and query ~ '"(leases|subscriptions)"'`;
  while ((await client.query(waiting)).rowCount === 0) await Bun.sleep(5);
  await client.end();
}

describe("a subscription gets", () => {
  test("every event after its creation, even while other events are being fanned out", async () => {
    const store = app.service.stores.test;
    let done = false;
    const fanning = (async () => {
      while (!done) await fanOutEvents(store);
    })();
    const made: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      made.push(await subscribe(round));
      await tell(`ord_${round}`);
    }
    done = true;
    await fanning;
    await fanOutEvents(store);
    const all = Array.from({ length: rounds }, (_, at) => `ord_${at}`);
    for (const [at, id] of made.entries()) expect(await toldOf(id)).toEqual(all.slice(at));
  });

  test("its sequence position while another is changed, without a deadlock", async () => {
    const store = app.service.stores.test;
    const changed = await subscribe("changed");
    let creations = 0;
    let changes = 0;
    const change = () =>
      store.write((tx) => {
        changes += 1;
        return updateSubscription(tx, changed, { description: "other" });
      });
    let changing: Promise<unknown> = Promise.resolve();
    await store.write(async (tx) => {
      creations += 1;
      const begins_after = await fanOutAll(tx);
      if (creations === 1) changing = change();
      if (creations === 1 && engine === "postgres") await someoneWaits();
      const input = { merchant_id: null, url: "http://127.0.0.1:9/created", events: ["order.created" as const] };
      return createSubscription(tx, input, "sealed", begins_after);
    });
    await changing;
    expect([creations, changes]).toEqual([1, 1]);
  });

  for (const [named, by_ms] of [
    ["a minute", -60_000],
    ["an hour", -hour_ms],
    ["to 1970", -Date.parse("2026-01-01T00:00:00Z")],
    ["a day ahead", 24 * hour_ms],
  ] as const) {
    test(`every later event, even if the clock was changed in between: ${named}`, async () => {
      await tell("before");
      const id = await subscribe("step");
      await tell("first");
      await fanOutEvents(app.service.stores.test);
      app.clocks.test.step(by_ms);
      for (let n = 0; n < 5; n += 1) await tell(`ord_${n}`);
      // In a single round, without waiting for the clock to catch up.
      expect(await app.service.stores.test.write(fanOut)).toBe(false);
      expect(await toldOf(id)).toEqual(["first", ...Array.from({ length: 5 }, (_, n) => `ord_${n}`)]);
    });
  }

  test("no event committed before its creation, however many were waiting for fan-out", async () => {
    const old = await subscribe("old");
    const many = Array.from({ length: 450 }, (_, n) => event(`before_${n}`)).flat();
    await app.service.stores.test.write((tx) => emit(tx, many));
    const id = await subscribe("late");
    await tell("after");
    await fanOutEvents(app.service.stores.test);
    expect(await toldOf(id)).toEqual(["after"]);
    const counted = (await ask("GET", `/webhooks/${old}/deliveries?limit=1`)).body.meta.pagination.total;
    expect(counted).toBe(451);
  });
});

if (engine === "postgres") {
  test("an event with a lower number that is committed after its creation", async () => {
    const store = app.service.stores.test;
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = store.write(async (tx) => {
      await emit(tx, event("numbered first, committed last"));
      begun.resolve();
      await released.promise;
    });
    await begun.promise;
    await tell("committed before");
    const id = await subscribe("between");
    released.resolve();
    await slow;
    await tell("last");
    await fanOutEvents(store);
    expect(await toldOf(id)).toEqual(["numbered first, committed last", "last"]);
  });
}
