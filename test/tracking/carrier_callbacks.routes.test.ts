import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { carrier_callbacks, waiting_updates } from "../../db/schema/tracking.ts";
import { day_ms, minute_ms } from "../../src/core/time.ts";
import { platforms } from "../../src/platforms/platforms.transitions.ts";
import { overrideCarriers } from "../../src/shipping/carriers/connectors.ts";
import type { TrackingUpdate } from "../../src/shipping/carriers/tracking_update.ts";
import { deleteOldCallbacks } from "../../src/tracking/tracking.jobs.ts";
import { openApp } from "../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../build/shop.ts";
import { tries } from "../volume.ts";
import { addTeller, scanOf, tellingCarrier, told } from "./carrier.ts";

setDefaultTimeout(60_000);

const app = await openApp();
overrideCarriers(app.service, { teller: tellingCarrier().connector });
const shop: ParcelShop = await parcelShopOn(app);
const teller = await addTeller(app);
await app.takeEvents();

let made = 0;
const fresh = () => `CALL${String(++made).padStart(6, "0")}`;
const now = () => app.clocks.live.now();
const track = async (number: string) => (await app.get(`/tracking/${number}`)).body.data;
const follow = (tracking_number: string) => app.post("/tracking", { tracking_number, account_id: teller.id });

/** An order with a parcel shipped under a number, a new one by default. */
async function sent(tracking_number = fresh()) {
  const order = await shop.order();
  await app.post(`/orders/${order.id}/ship`, { carrier: "swift", tracking_number });
  app.clocks.live.advance(60 * minute_ms);
  await app.takeEvents();
  return { order, tracking_number };
}

describe("works", () => {
  test("duplicate callbacks out of order make one record and one delivered order", async () => {
    const { order, tracking_number } = await sent();
    const at = (minutes: number) => now() - minutes * minute_ms;
    const moved = told(tracking_number, [scanOf("in_transit", at(30))], {
      estimated_delivery: now(),
      reported_at: at(30),
    });
    const out = told(tracking_number, [scanOf("out_for_delivery", at(20))], {
      estimated_delivery: at(1),
      reported_at: at(20),
    });
    const there = told(tracking_number, [scanOf("delivered", at(10), { signed_by: "Ada" })]);
    const told_as = { repeated: false, recorded: 1, waiting: 0 };
    expect((await teller.callBack([there], { event_id: "c" })).body).toEqual({ success: true, ...told_as });
    expect(await app.takeTypes()).toEqual(["order.delivered", "shipment.tracking_updated", "shipment.delivered"]);
    const late = [await teller.callBack([out], { event_id: "b" }), await teller.callBack([moved], { event_id: "a" })];
    expect(late.map(({ status, body }) => [status, body.recorded])).toEqual([
      [200, 1],
      [200, 1],
    ]);
    const again = await teller.callBack([there], { event_id: "c" });
    expect(again.body).toEqual({ success: true, repeated: true, recorded: 0, waiting: 0 });
    // The same scans under another event id are the same scans.
    await teller.callBack([moved, out, there], { event_id: "d" });
    expect(await app.takeTypes()).toEqual([]);
    const known = await track(tracking_number);
    expect(known).toMatchObject({ status: "delivered", signed_by: "Ada" });
    expect(known.events.map(({ status }: { status: string }) => status)).toEqual([
      "delivered",
      "out_for_delivery",
      "in_transit",
      "picked_up",
    ]);
    expect(Date.parse(known.estimated_delivery)).toBe(at(1));
    expect((await app.get(`/orders/${order.id}`)).body.data.status).toBe("delivered");
  });

  test("the same reports in any order make the same record", async () => {
    const start = now() - 1000 * minute_ms;
    const event = fc.record({
      status: fc.constantFrom("pending", "picked_up", "in_transit", "exception", "delivered", "returned" as const),
      at: fc.integer({ min: 1, max: 5 }),
    });
    const telling = fc.record({
      events: fc.array(event, { maxLength: 3 }),
      due: fc.option(fc.integer({ min: 1, max: 9 })),
    });
    type Telling = { events: readonly { status: "pending"; at: number }[]; due: number | null };
    const standing = async (tellings: readonly Telling[]) => {
      const number = fresh();
      await follow(number);
      for (const { events, due } of tellings) {
        const scans = events.map(({ status, at }) => scanOf(status, start + at * minute_ms));
        const estimated_delivery = due === null || scans.length === 0 ? null : start + due * minute_ms;
        expect((await teller.callBack([told(number, scans, { estimated_delivery })])).status).toBe(200);
      }
      const { tracking_number: _, updated_at: __, next_poll_at: ___, events, ...rest } = await track(number);
      return { ...rest, events: new Set(events.map((one: object) => JSON.stringify(one))) };
    };
    await fc.assert(
      fc.asyncProperty(
        fc
          .array(telling, { minLength: 1, maxLength: 4 })
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        async ([all, shuffled]) => {
          const first = await standing(all as Telling[]);
          expect(await standing(shuffled as Telling[])).toEqual(first);
          // Even concurrently, and repeated, the result is the same.
          expect(await standing([...(all as Telling[]), ...(shuffled as Telling[])])).toEqual(first);
        },
      ),
      tries(25),
    );
    await app.takeEvents();
  });

  test("a report on an unknown number counts once a parcel has it", async () => {
    const tracking_number = fresh();
    const early = told(tracking_number, [scanOf("in_transit", now() - minute_ms)], { service: "air" });
    expect((await teller.callBack([early])).body).toMatchObject({ recorded: 0, waiting: 1 });
    expect((await app.get(`/tracking/${tracking_number}`)).status).toBe(404);
    const followed = await follow(tracking_number);
    expect(followed.body.data).toMatchObject({ status: "in_transit", service_type: "air" });
    expect(await app.takeTypes()).toEqual(["shipment.tracking_updated", "shipment.in_transit"]);
  });

  test("it is stored for the parcel's merchant while others only track the number", async () => {
    const tracking_number = fresh();
    const reports = () =>
      app.service.stores.live.read((db) =>
        db.sql.select().from(waiting_updates).where(eq(waiting_updates.tracking_number, tracking_number)),
      );
    for (const status of ["in_transit", "out_for_delivery"] as const) {
      const early = told(tracking_number, [scanOf(status, now() - minute_ms)]);
      expect((await teller.callBack([early])).body).toMatchObject({ recorded: 0, waiting: 1 });
    }
    expect(await reports()).toHaveLength(2);
    await follow(tracking_number);
    expect((await track(tracking_number)).events).toHaveLength(2);
    expect(await reports()).toHaveLength(2);
    await app.takeEvents();
    const { order } = await sent(tracking_number);
    expect((await teller.callBack([told(tracking_number, [scanOf("delivered", now())])])).body.recorded).toBe(1);
    expect((await app.get(`/orders/${order.id}`)).body.data.status).toBe("delivered");
    expect((await track(tracking_number)).events).toHaveLength(3);
    expect(await reports()).toEqual([]);
    await app.takeEvents();
  });

  test("a carrier that sends callbacks is polled once a day, and once more a day after the end", async () => {
    const tracking_number = fresh();
    await follow(tracking_number);
    await teller.callBack([told(tracking_number, [scanOf("in_transit", now())])]);
    const wait = Date.parse((await track(tracking_number)).next_poll_at) - now();
    expect(wait / minute_ms / 60).toBeGreaterThan(19);
    expect(wait / minute_ms / 60).toBeLessThan(29);
    await teller.callBack([told(tracking_number, [scanOf("delivered", now())])]);
    expect(Date.parse((await track(tracking_number)).next_poll_at) - now()).toBe(day_ms);
    await app.takeEvents();
  });

  test("the previous callback secret stays valid for an hour", async () => {
    const other = await addTeller(app);
    const rotated = await app.patch(`/shipping/carrier_accounts/${other.id}`, {
      callback_secret: "another-secret-long-enough-0123456789",
    });
    expect(rotated.status).toBe(200);
    const statuses = async () => {
      const old = await other.callBack([]);
      return [old.status, (await other.callBack([], { signed_by: "another-secret-long-enough-0123456789" })).status];
    };
    expect(await statuses()).toEqual([200, 200]);
    app.clocks.live.advance(61 * minute_ms);
    expect(await statuses()).toEqual([401, 200]);
  });

  test("test accounts report on test parcels", async () => {
    const key = app.keys.test.full;
    const sandbox = await addTeller(app, key);
    const tracking_number = fresh();
    await app.call("POST", "/tracking", { tracking_number, account_id: sandbox.id }, { key });
    await sandbox.callBack([told(tracking_number, [scanOf("delivered", now())])]);
    const seen = await app.call("GET", `/tracking/${tracking_number}`, undefined, { key });
    expect(seen.body.data.status).toBe("delivered");
    expect((await app.get(`/tracking/${tracking_number}`)).status).toBe(404);
  });

  test("old callbacks and unclaimed reports are deleted", async () => {
    await teller.callBack([told(fresh(), [scanOf("delivered", now())])], { event_id: "old" });
    app.clocks.live.advance(31 * day_ms);
    const store = app.service.stores.live;
    await deleteOldCallbacks(store, app.service);
    expect(await store.read((db) => db.sql.$count(carrier_callbacks))).toBe(0);
    expect(await store.read((db) => db.sql.$count(waiting_updates))).toBeGreaterThan(0);
    app.clocks.live.advance(60 * day_ms);
    await deleteOldCallbacks(store, app.service);
    expect(await store.read((db) => db.sql.$count(waiting_updates))).toBe(0);
  });
});

describe("refuses", () => {
  const update = (): TrackingUpdate[] => [told("NOBODY1", [scanOf("delivered", now())])];
  const kept = () => app.service.stores.live.read((db) => db.sql.$count(waiting_updates));

  test("callbacks without a signature by the account's secret, and stores nothing of them", async () => {
    const before = await kept();
    const forged = await teller.callBack(update(), { signed_by: "guessed" });
    expect([forged.status, forged.body.error.code]).toEqual([401, "invalid_signature"]);
    const body = JSON.stringify({ event_id: null, updates: update() });
    for (const path of [
      "/webhooks/carriers/teller",
      "/webhooks/carriers/teller?account=live_0",
      "/webhooks/carriers/teller?account=live_%00",
      teller.path.replace("/teller?", "/easypost?"),
      teller.path.replace("/teller?", "/constructor?"),
    ]) {
      const answer = await app.call("POST", path, body, { key: null, headers: { "x-signature": "0" } });
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 401, "invalid_signature"]);
    }
    expect(await kept()).toBe(before);
  });

  test("a body that is too long, or not JSON", async () => {
    const long = await teller.callBack([told("X".repeat(300_000), [])]);
    expect([long.status, long.body.error.code]).toEqual([413, "payload_too_large"]);
    const broken = await app.call("POST", teller.path, "{", { key: null });
    expect([broken.status, broken.body.error.code]).toEqual([400, "malformed_request"]);
  });

  test("an address that calls too often, and no other", async () => {
    const statuses = new Map<number, number>();
    for (let call = 0; call < 1300; call++) {
      const path = "/webhooks/carriers/teller";
      const { status, headers } = await app.call("POST", path, {}, { key: null });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect([...statuses.keys()].sort()).toEqual([401, 429]);
  });
});

test("no platform shares the carriers' callback paths", () => {
  expect(platforms as readonly string[]).not.toContain("carriers");
});
