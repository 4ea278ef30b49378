import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { second_ms } from "../../../src/core/time.ts";
import type { AttemptResult } from "../../../src/webhooks/deliveries/attempt.ts";
import { fanOut } from "../../../src/webhooks/deliveries/deliveries.ts";
import type { DeliveryClaim } from "../../../src/webhooks/deliveries/delivery_claim.ts";
import { ReceiverQueues } from "../../../src/webhooks/deliveries/receiver_queues.ts";
import { deliverDue, deliveriesSettled } from "../../../src/webhooks/webhooks.jobs.ts";
import { tries } from "../../volume.ts";
import { useScene } from "../scene.ts";

const scene = useScene();

let made = 0;
const claims = (subscription_id: number, count: number): DeliveryClaim[] =>
  Array.from({ length: count }, () => {
    const delivery = { id: ++made, trigger: "scheduled", attempts: 0 };
    return { delivery, subscription: { id: subscription_id }, body: "", probe: false } as DeliveryClaim;
  });
const answer = (status_code: number, duration_ms = 1): AttemptResult => ({
  status_code,
  headers: {},
  body: "",
  truncated: false,
  ip_address: null,
  duration_ms,
  error: status_code === 200 ? null : { code: "http_error", message: "no" },
});

/** Starts the deliveries that a queue has slots for. */
function beginAll(lines: ReceiverQueues, subscription_id: number): DeliveryClaim[] {
  const begun: DeliveryClaim[] = [];
  for (let claim = lines.next(subscription_id); claim !== null; claim = lines.next(subscription_id)) {
    lines.begin(claim, Promise.resolve());
    begun.push(claim);
  }
  return begun;
}

describe("a receiver's queue", () => {
  test("sends eight at once, in order, and takes the next when one has ended", () => {
    const lines = new ReceiverQueues(() => 0);
    const all = claims(1, 10);
    lines.add(all);
    const begun = beginAll(lines, 1);
    expect(begun).toEqual(all.slice(0, 8));
    expect([lines.count, lines.isDry(1)]).toEqual([10, false]);
    lines.end(begun[3] as DeliveryClaim, answer(200));
    expect(beginAll(lines, 1)).toEqual([all[8] as DeliveryClaim]);
    lines.end(begun[0] as DeliveryClaim, answer(200));
    lines.end(begun[1] as DeliveryClaim, answer(200));
    expect(beginAll(lines, 1)).toEqual([all[9] as DeliveryClaim]);
    expect([lines.count, lines.isDry(1)]).toEqual([7, true]);
    const room = lines.room();
    expect([room.busy.get(1), room.aheadOf(1), room.aheadOf(2)]).toEqual([{ all: 7, late: 0 }, 6, 0]);
    expect(lines.room().aheadOf(1)).toBe(0);
    // Nor for a receiver that takes longer than the deliveries claimed ahead may wait.
    lines.end(begun[2] as DeliveryClaim, answer(200, 100));
    expect(lines.room().aheadOf(1)).toBe(0);
  });

  test("sends nothing more after a failure, and nothing that has waited too long", () => {
    let now = 0;
    const lines = new ReceiverQueues(() => now);
    lines.add(claims(1, 10));
    const [first] = beginAll(lines, 1);
    lines.end(first as DeliveryClaim, answer(500));
    expect(beginAll(lines, 1)).toEqual([]);
    expect([lines.takeUnwanted().length, lines.room().aheadOf(1)]).toEqual([2, 0]);
    lines.add(claims(3, 10));
    const [one] = beginAll(lines, 3);
    now += 51;
    lines.end(one as DeliveryClaim, answer(200));
    expect(beginAll(lines, 3)).toEqual([]);
    expect([lines.takeUnwanted().length, lines.count]).toEqual([2, 7 + 7]);
  });

  test("sends or releases every claim exactly once, whatever happens", () => {
    const act = fc.oneof(
      fc.record({ what: fc.constant("add" as const), id: fc.nat(2), count: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ what: fc.constant("end" as const), id: fc.nat(2), status: fc.constantFrom(200, 200, 200, 500, 503) }),
      fc.record({ what: fc.constantFrom("stop" as const, "room" as const, "stopAll" as const), id: fc.nat(2) }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const lines = new ReceiverQueues(() => 0);
        const given: DeliveryClaim[] = [];
        const begun: DeliveryClaim[] = [];
        const back: DeliveryClaim[] = [];
        const sending = new Set<DeliveryClaim>();
        const proceed = (id: number) => {
          for (const claim of beginAll(lines, id)) {
            begun.push(claim);
            sending.add(claim);
          }
        };
        for (const one of acts) {
          if (one.what === "add") {
            const some = claims(one.id, one.count);
            given.push(...some);
            lines.add(some);
          } else if (one.what === "end") {
            const ended = [...sending].find(({ subscription }) => subscription.id === one.id);
            if (ended !== undefined) lines.end(ended, answer(one.status));
            if (ended !== undefined) sending.delete(ended);
          } else if (one.what === "stop") lines.stop(one.id);
          else if (one.what === "stopAll") lines.stopAll();
          else lines.room();
          proceed(one.id);
          back.push(...lines.takeUnwanted());
          expect(lines.count).toBe(given.length - back.length - (begun.length - sending.size));
        }
        lines.stopAll();
        back.push(...lines.takeUnwanted());
        expect(new Set([...begun, ...back])).toEqual(new Set(given));
        expect(begun.length + back.length).toBe(given.length);
        expect(lines.count).toBe(sending.size);
      }),
      tries(300),
    );
  });
});

describe("a delivery that was claimed ahead", () => {
  const orders = 300;

  async function begin(answerOf: (before: number) => number | Promise<number>): Promise<void> {
    scene.receiver.answerWith(() => answerOf(scene.receiver.received.length));
    await scene.tell(Array.from({ length: orders }, (_, n) => `ord_${n}`));
    while (await scene.store.write((tx) => fanOut(tx)));
    await deliverDue(scene.store, scene.app.service);
  }

  async function received(least: number): Promise<void> {
    while (scene.receiver.received.length < least) await Bun.sleep(1);
  }

  test("is released without using an attempt when the receiver is backing off", async () => {
    await scene.subscribe();
    await begin((before) => (before <= 100 ? 200 : 429));
    await received(101);
    await deliveriesSettled(scene.store);
    const refused = scene.receiver.received.length - 100;
    // Eight were in flight, and up to eight more may have been claimed since.
    expect(refused).toBeLessThanOrEqual(16);
    const rows = await scene.rows();
    expect(rows.filter(({ status }) => status === "delivered").length).toBe(100);
    expect(rows.filter(({ attempts }) => attempts === 0).length).toBe(orders - 100 - refused);
    expect(rows.every(({ leased_until }) => leased_until === null)).toBe(true);
    scene.receiver.answerWith(() => 200);
    for (let n = 0; n < 3; n += 1) {
      scene.passed(3600 * second_ms);
      await scene.app.runJobs();
    }
    expect((await scene.rows()).every(({ status }) => status === "delivered")).toBe(true);
    expect(new Set(scene.ids()).size).toBe(orders);
  });

  test("is not sent if the subscription is paused in the meantime", async () => {
    const { id } = await scene.subscribe();
    await begin(async () => {
      await Bun.sleep(2);
      return 200;
    });
    await received(100);
    scene.passed(1);
    await scene.ask("PATCH", `/webhooks/${id}`, { active: false });
    const before = scene.receiver.received.length;
    await deliveriesSettled(scene.store);
    expect(scene.receiver.received.length - before).toBeLessThanOrEqual(32);
    const rows = await scene.rows();
    const delivered = rows.filter(({ status }) => status === "delivered").length;
    expect([delivered, rows.filter(({ status }) => status === "skipped").length]).toEqual([
      scene.receiver.received.length,
      orders - scene.receiver.received.length,
    ]);
  });
});
