import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { allMetrics } from "../../src/core/metrics.ts";
import { emit } from "../../src/events/emit.ts";
import type { Service } from "../../src/http/service.ts";
import {
  type Schedule,
  startSchedule,
  startTriggered,
  type TriggeredJob,
  triggeredJobs,
} from "../../src/server/scheduler.ts";
import { jobNames } from "../../src/storage/commit_effects.ts";
import type { Tx } from "../../src/storage/database.ts";
import { openTestApp, type TestApp } from "../build/service.ts";
import { openReceiver } from "../webhooks/receiver.ts";

let app: TestApp;
let running: Schedule[] = [];
const errors: string[] = [];
const warnings: string[] = [];
beforeEach(async () => {
  app = await openTestApp();
  errors.length = 0;
  warnings.length = 0;
});
afterEach(async () => {
  await Promise.all(running.map((schedule) => schedule.stop()));
  running = [];
  await app.close();
});

const wake = (at: number) => app.service.stores.test.write(async (tx) => tx.wake("webhooks.recover", at));
const start = (job: TriggeredJob["job"], poll_ms: number | null = null) => {
  const log = {
    ...app.service.log,
    error: (message: string) => errors.push(message),
    warn: (message: string) => warnings.push(message),
  };
  const service: Service = { ...app.service, log };
  const things: TriggeredJob = { what: "does things", job };
  running = startTriggered(app.service.stores.test, service, { "webhooks.recover": things }, poll_ms);
};
/** The value of a counter for the job of these tests. */
const counted = (name: string) => {
  const samples =
    allMetrics()
      .find((meter) => meter.name === name)
      ?.samples() ?? [];
  return samples.find(({ labels }) => labels["job"] === "webhooks.recover")?.value ?? 0;
};
/** Waits until a condition holds, for up to ten seconds: the machine may be busy. */
const until = async (so: () => boolean) => {
  for (let tries = 0; tries < 2000 && !so(); tries += 1) await Bun.sleep(5);
  expect(so()).toBe(true);
};

describe("the names of jobs", () => {
  test("are checked by the compiler, together with their jobs", () => {
    const wakeUnknown = (tx: Tx) => {
      // @ts-expect-error: no job has this name.
      tx.wake("ordres.release_holds", tx.now);
      // @ts-expect-error: no job follows such records.
      tx.changed("widgets");
    };
    expect(wakeUnknown).toBeFunction();
    const { "webhooks.mail": _, ...others } = triggeredJobs;
    // @ts-expect-error: a job is missing.
    const tooFew: typeof triggeredJobs = others;
    // @ts-expect-error: one job has no name that a commit could wake.
    const tooMany: typeof triggeredJobs = { ...tooFew, "webhooks.mial": triggeredJobs["webhooks.mail"] };
    expect(Object.keys(tooMany).length).toBe(jobNames.length);
    expect(Object.keys(triggeredJobs)).toEqual([...jobNames]);
  });
});

describe("works", () => {
  test("a job runs at the start, when a commit wakes it, and at the time that it returned", async () => {
    let rounds = 0;
    start(async (store) => (++rounds === 2 ? store.clock.now() : null));
    await until(() => rounds === 1);
    await wake(app.clocks.test.now());
    await until(() => rounds === 3);
  });

  test("a job never runs twice at once, and runs again if it was woken in the meantime", async () => {
    let rounds = 0;
    let at_once = 0;
    let most = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    start(async () => {
      rounds += 1;
      most = Math.max(most, ++at_once);
      await held;
      at_once -= 1;
      return null;
    });
    await until(() => rounds === 1);
    for (let n = 0; n < 5; n += 1) await wake(app.clocks.test.now());
    expect(rounds).toBe(1);
    release();
    await until(() => rounds === 2);
    expect(most).toBe(1);
  });

  test("the earliest time counts, by the store's clock", async () => {
    let rounds = 0;
    start(async () => {
      rounds += 1;
      return null;
    });
    await until(() => rounds === 1);
    const now = app.clocks.test.now();
    await wake(now + 10 * 365 * 86_400_000);
    await wake(now + 3_600_000);
    await Bun.sleep(30);
    expect(rounds).toBe(1);
    app.clocks.test.advance(3_600_000);
    await wake(now + 3_600_000);
    await until(() => rounds === 2);
  });

  test("with other servers it also polls", async () => {
    let rounds = 0;
    start(async () => {
      rounds += 1;
      return null;
    }, 0);
    await until(() => rounds > 3);
  });
});

describe("a job cannot spin", () => {
  test("that keeps requesting another round: it gets two hundred at once, then a hundred a second", async () => {
    let rounds = 0;
    const begun_at = performance.now();
    start(async (store) => {
      rounds += 1;
      return store.clock.now() - 1;
    });
    await until(() => rounds >= 200);
    await Bun.sleep(1000);
    const seconds = (performance.now() - begun_at) / 1000;
    expect(rounds).toBeWithin(202, 200 + 100 * seconds + 10);
    expect(warnings).toEqual(["a job runs without a pause and is slowed down"]);
    const held = counted("packhouse_job_held_rounds_total");
    expect(held).toBeGreaterThan(0);
    expect(counted("packhouse_job_rounds_total")).toBeGreaterThanOrEqual(200);
  });

  test("or sleep longer if the clock is set back, since the store's own time goes on", async () => {
    const rounds: number[] = [];
    start(async (store) => {
      rounds.push(store.clock.now());
      return rounds.length === 1 ? store.clock.now() + 20 : null;
    });
    await until(() => rounds.length === 1);
    app.clocks.test.step(-120_000);
    app.clocks.test.pass(20 / 0.9 + 1);
    await until(() => rounds.length === 2);
    expect(rounds[1]).toBeGreaterThanOrEqual((rounds[0] ?? 0) + 20);
  });
});

describe("refuses", () => {
  test("a failed job is logged and pauses before it is retried", async () => {
    let rounds = 0;
    start(async () => {
      if (++rounds === 1) throw new Error("no");
      return null;
    });
    await until(() => errors.length === 1);
    await wake(app.clocks.test.now());
    await Bun.sleep(30);
    expect(rounds).toBe(1);
    app.clocks.test.pass(1000);
    await wake(app.clocks.test.now());
    await until(() => rounds === 2);
    expect(errors).toEqual(["a job failed"]);
  });

  test("after the stop nothing runs, and the stop waits for the current round", async () => {
    let rounds = 0;
    let ended = false;
    start(async () => {
      rounds += 1;
      await Bun.sleep(30);
      ended = true;
      return app.clocks.test.now();
    });
    await until(() => rounds === 1);
    await Promise.all(running.map((schedule) => schedule.stop()));
    expect(ended).toBe(true);
    await wake(app.clocks.test.now());
    await Bun.sleep(20);
    expect(rounds).toBe(1);
  });
});

describe("guards", () => {
  test("the real schedule delivers an event, and stops", async () => {
    const receiver = openReceiver();
    const schedule = startSchedule(app.service);
    running = [schedule];
    const body = { url: receiver.url, events: ["order.created"] };
    await app.call("POST", "/webhooks", body, { key: app.keys.test.full });
    await app.service.stores.test.write((tx) =>
      emit(tx, [{ type: "order.created", merchant_id: 1, data: { object: "order", id: "ord_1" } }]),
    );
    await until(() => receiver.received.length === 1);
    await schedule.stop();
    await receiver.stop();
  });
});
