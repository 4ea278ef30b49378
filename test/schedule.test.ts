import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Service } from "../src/http/service.ts";
import { emit } from "../src/outbox/emit.ts";
import { type Schedule, startSchedule, startWoken, type WokenJob } from "../src/schedule.ts";
import { openTestApp, type TestApp } from "./harness.ts";
import { openReceiver } from "./webhooks/receiver.ts";

let app: TestApp;
let running: Schedule[] = [];
const errors: string[] = [];
beforeEach(async () => {
  app = await openTestApp();
  errors.length = 0;
});
afterEach(async () => {
  await Promise.all(running.map((schedule) => schedule.stop()));
  running = [];
  await app.close();
});

const wake = (at: number) => app.service.stores.test.write(async (tx) => tx.wake("things.do", at));
const start = (job: WokenJob["job"], poll_ms: number | null = null) => {
  const log = { ...app.service.log, error: (message: string) => errors.push(message) };
  const service: Service = { ...app.service, log };
  const things: WokenJob = { when: "things.do", what: "does things", job };
  running = startWoken(app.service.stores.test, service, [things], poll_ms);
};
/** Waits until something is so, for ten seconds at most: the machine may be busy. */
const until = async (so: () => boolean) => {
  for (let tries = 0; tries < 2000 && !so(); tries += 1) await Bun.sleep(5);
  expect(so()).toBe(true);
};

describe("works", () => {
  test("a job runs at the start, when a commit asks for it, and at the moment it named itself", async () => {
    let rounds = 0;
    start(async (store) => (++rounds === 2 ? store.clock.now() : null));
    await until(() => rounds === 1);
    await wake(app.clocks.test.now());
    await until(() => rounds === 3);
  });

  test("a job never runs twice at once, and again when it was woken meanwhile", async () => {
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

  test("the earliest moment counts, by the store's clock", async () => {
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

  test("with other servers about, it looks by itself", async () => {
    let rounds = 0;
    start(async () => {
      rounds += 1;
      return null;
    }, 0);
    await until(() => rounds > 3);
  });
});

describe("refuses", () => {
  test("a job that fails is told of and rests before it is tried again", async () => {
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

  test("after the stop nothing runs, and the stop waits for the round that does", async () => {
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
  test("the real schedule sends an event without being asked, and stops", async () => {
    const receiver = openReceiver();
    const schedule = startSchedule(app.service);
    running = [schedule];
    const body = { url: receiver.url, events: ["order.created"] };
    await app.call("POST", "/webhooks", body, { key: app.keys.test.full });
    await app.service.stores.test.write((tx) =>
      emit(tx, [{ type: "order.created", data: { object: "order", id: "ord_1" } }]),
    );
    await until(() => receiver.received.length === 1);
    await schedule.stop();
    await receiver.stop();
  });
});
