import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { Fault } from "../../src/core/faults.ts";
import { day_ms, hour_ms, minute_ms } from "../../src/core/time.ts";
import { getAccount } from "../../src/shipping/carriers/accounts.sql.ts";
import { overrideCarriers } from "../../src/shipping/carriers/connectors.ts";
import { claimPolls, recordPolled } from "../../src/tracking/poll_carriers.ts";
import { openApp } from "../build/service.ts";
import { parcelShopOn } from "../build/shop.ts";
import { addTeller, scanOf, tellingCarrier, told } from "./carrier.ts";

setDefaultTimeout(60_000);

let teller: Awaited<ReturnType<typeof addTeller>>;
const app = await openApp();
const carrier: ReturnType<typeof tellingCarrier> = tellingCarrier();
overrideCarriers(app.service, { teller: carrier.connector });
beforeEach(async () => {
  // Each test has its own account, with its own callbacks and failures.
  for (const { id } of (await app.get("/shipping/carrier_accounts")).body.data) {
    await app.call("DELETE", `/shipping/carrier_accounts/${id}`);
  }
  carrier.answer = async () => [];
  teller = await addTeller(app);
  await app.takeEvents();
  carrier.asked.length = 0;
});

let made = 0;
const fresh = () => `POLL${String(++made).padStart(6, "0")}`;
const now = () => app.clocks.live.now();
const track = async (number: string) => (await app.get(`/tracking/${number}`)).body.data;
const waitOf = async (number: string) => Date.parse((await track(number)).next_poll_at) - now();
const asked = () => carrier.asked.splice(0).map(({ what, numbers }) => [what, ...numbers]);

/** Numbers that the account tracks and whose carrier knows so, all due now. */
async function followed(count: number) {
  const numbers = Array.from({ length: count }, fresh);
  for (const tracking_number of numbers) await app.post("/tracking", { tracking_number, account_id: teller.id });
  await app.runJobs();
  app.clocks.live.advance(8 * hour_ms);
  asked();
  return numbers;
}

test("polling alone tracks an order from label to delivery on schedule, and once more afterwards", async () => {
  const shop = await parcelShopOn(app);
  const order = await shop.order();
  const number = fresh();
  await app.post(`/orders/${order.id}/ship`, { carrier: "swift", tracking_number: number });
  await app.post("/tracking", { tracking_number: number, account_id: teller.id });
  const events: ReturnType<typeof scanOf>[] = [];
  carrier.answer = async () => [told(number, events)];
  await app.runJobs();
  expect(asked()).toEqual([["follow", number]]);
  const steps = [
    ["picked_up", 3 * hour_ms],
    ["in_transit", 3 * hour_ms],
    ["exception", 6 * hour_ms],
    ["out_for_delivery", 45 * minute_ms],
  ] as const;
  await app.takeEvents();
  for (const [status, wait] of steps) {
    // The first report is known from the hand-over.
    if (status !== "picked_up") {
      app.clocks.live.advance(await waitOf(number));
      events.unshift(scanOf(status, now()));
      await app.runJobs();
      expect(asked()).toEqual([["track", number]]);
    }
    expect((await track(number)).status).toBe(status);
    expect(Math.abs((await waitOf(number)) / wait - 1)).toBeLessThanOrEqual(0.2);
    // Nothing is due before.
    app.clocks.live.advance(0.79 * wait);
    await app.runJobs();
    expect(asked()).toEqual([]);
  }
  app.clocks.live.advance(await waitOf(number));
  events.unshift(scanOf("delivered", now()));
  await app.runJobs();
  expect(await waitOf(number)).toBe(day_ms);
  expect((await app.get(`/orders/${order.id}`)).body.data.status).toBe("delivered");
  asked();
  app.clocks.live.advance(day_ms);
  await app.runJobs();
  expect([asked(), (await track(number)).next_poll_at]).toEqual([[["track", number]], null]);
  const types = (await app.takeEvents()).map(({ type }) => type);
  expect(types.filter((type) => type === "shipment.tracking_updated")).toHaveLength(4);
  expect(types.filter((type) => type === "order.delivered")).toHaveLength(1);
});

test("due numbers are polled together, and each report goes to its parcel", async () => {
  const numbers = await followed(5);
  carrier.answer = async ({ numbers: of }) => of.slice(1).map((one) => told(one, [scanOf("in_transit", now())]));
  await app.runJobs();
  const [[what, ...together] = []] = asked();
  expect([what, together.toSorted()]).toEqual(["track", numbers]);
  const statuses = await Promise.all(together.map(async (one) => (await track(one)).status));
  expect(statuses).toEqual(["pending", ...Array(4).fill("in_transit")]);
});

test("an account with a failing carrier waits as requested, then tries one parcel", async () => {
  const numbers = await followed(3);
  let down = true;
  carrier.answer = async () => {
    if (down) throw new Fault("carrier_error", "Too many requests.", { permanent: false, retry_after_seconds: 7200 });
    return [];
  };
  await app.runJobs();
  const [[, first = "", ...others] = [], ...more] = asked();
  expect([[first, ...others].toSorted(), more]).toEqual([numbers, []]);
  app.clocks.live.advance(2 * hour_ms - 2 * minute_ms);
  await app.runJobs();
  expect(asked()).toEqual([]);
  app.clocks.live.advance(2 * minute_ms);
  await app.runJobs();
  expect(asked()).toEqual([["track", first]]);
  down = false;
  app.clocks.live.advance(2 * hour_ms + minute_ms);
  await app.runJobs();
  // The first alone, and after its success the others.
  const [alone, [, ...rest] = []] = asked();
  expect([alone, rest.toSorted()]).toEqual([["track", first], others.toSorted()]);
});

test("without a requested delay the wait doubles with each failure", async () => {
  const [number = ""] = await followed(1);
  carrier.answer = async () => {
    throw new Fault("carrier_timeout", "No answer.", { permanent: false });
  };
  const waits: number[] = [];
  for (let failure = 0; failure < 3; failure++) {
    await app.runJobs();
    waits.push((await waitOf(number)) / (5 * minute_ms * 2 ** failure));
    app.clocks.live.advance(await waitOf(number));
  }
  for (const wait of waits) expect(Math.abs(wait - 1)).toBeLessThanOrEqual(0.2);
  expect(asked()).toHaveLength(3);
});

test("a parcel that its carrier refuses delays no other", async () => {
  const numbers = await followed(3);
  const [bad = ""] = numbers;
  carrier.answer = async ({ numbers: of }) => {
    if (of.includes(bad)) throw new Fault("carrier_refused", "No such tracker.");
    return of.map((one) => told(one, [scanOf("in_transit", now())]));
  };
  for (let round = 0; round < 4; round++) {
    await app.runJobs();
    app.clocks.live.advance(7 * minute_ms);
  }
  expect((await Promise.all(numbers.map(track))).map(({ status }) => status)).toEqual([
    "pending",
    "in_transit",
    "in_transit",
  ]);
});

/** The claims of another server. */
async function claimedElsewhere() {
  return app.service.stores.live.write(async (tx) => {
    const account = await getAccount(tx, teller.id);
    return (await claimPolls(tx, [{ ...account, follows: true }])).claims;
  });
}

test("two servers never poll one parcel, and no transaction is open during a poll", async () => {
  const [number = ""] = await followed(1);
  let claims: unknown = null;
  carrier.answer = async () => {
    claims = await claimedElsewhere();
    return [told(number, [scanOf("in_transit", now())])];
  };
  await app.runJobs();
  expect([asked(), claims]).toEqual([[["track", number]], []]);
  expect((await track(number)).status).toBe("in_transit");
});

test("a dead server's claims are polled after five minutes; its late result postpones nothing", async () => {
  const [number = ""] = await followed(1);
  const [claim = expect.unreachable()] = await claimedElsewhere();
  await app.runJobs();
  expect(asked()).toEqual([]);
  app.clocks.live.advance(5 * minute_ms);
  carrier.answer = async () => [told(number, [scanOf("in_transit", now())])];
  await app.runJobs();
  const known = await track(number);
  expect([asked().length, known.status]).toEqual([1, "in_transit"]);
  await app.service.stores.live.write((tx) => recordPolled(tx, claim, []));
  expect(await track(number)).toEqual(known);
});

test("deleted accounts and parcels older than ninety days are not polled", async () => {
  const [number = ""] = await followed(1);
  app.clocks.live.advance(90 * day_ms);
  await app.runJobs();
  expect([asked().length, (await track(number)).next_poll_at]).toEqual([1, null]);
  // By now the number may be another parcel's: tracking it again starts over.
  const anew = await app.post("/tracking", { tracking_number: number, account_id: teller.id });
  expect(Date.parse(anew.body.data.updated_at)).toBe(now());
  await app.call("DELETE", `/shipping/carrier_accounts/${teller.id}`);
  await app.runJobs();
  expect(asked()).toEqual([]);
});
