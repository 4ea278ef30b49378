import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults.ts";
import type { Log } from "../../../src/core/log.ts";
import type { CarrierAccount } from "../../../src/shipping/carriers/account.ts";
import type { RateOffers, ShipmentRequest } from "../../../src/shipping/offer.ts";
import { RateFetcher, type RateSource } from "../../../src/shipping/rates/fetch_rates.ts";
import { fakeCarrier, fakeOffer } from "../carriers/fake_carrier.ts";

const carriage = {} as ShipmentRequest;
const ten_dollars: RateOffers = { offers: [fakeOffer()], messages: [] };
const never = () => new Promise<never>(() => {});
const fails = async () => {
  throw new Fault("carrier_error", "The fake is out of order.");
};

/** A rate fetcher with its own clock, and its log. */
function openAsker() {
  const clock = { now: 0 };
  const warned: unknown[] = [];
  const log: Log = { shows: () => true, info: () => {}, warn: (_, facts) => warned.push(facts), error: () => {} };
  return { clock, warned, asker: new RateFetcher({ now: () => clock.now, log }) };
}

/** An account of a carrier with this response. */
function sourceOf(id: number, offers: () => Promise<RateOffers>, revision = 1) {
  const fake = fakeCarrier();
  fake.offers = offers;
  const account = { id, name: `account ${id}`, revision } as CarrierAccount;
  const ctx = { account, mode: "live", credentials: {} } as unknown as RateSource["ctx"];
  return { fake, source: { account, ctx, connector: fake.connector } };
}

const codesOf = ({ messages }: { messages: readonly { code: string }[] }) => messages.map(({ code }) => code);

describe("fetching rates", () => {
  test("takes no longer than the slowest carrier in time, and reports the others", async () => {
    const { asker } = openAsker();
    const good = sourceOf(1, async () => ten_dollars);
    const hung = sourceOf(2, never);
    const failing = sourceOf(3, fails);
    const broken = sourceOf(4, async () => {
      throw new Error("a wrong program");
    });
    const began = performance.now();
    const answer = await asker.ask(
      [hung, failing, good, broken].map(({ source }) => source),
      carriage,
      100,
    );
    expect(performance.now() - began).toBeLessThan(2000);
    expect(answer.offers).toEqual([{ account_id: 1, offer: fakeOffer() }]);
    expect(answer.messages.map(({ account_id, code, level }) => [account_id, code, level])).toEqual([
      [2, "carrier_timeout", "error"],
      [3, "carrier_error", "error"],
      [4, "carrier_error", "error"],
    ]);
    expect(answer.messages[0]?.message).toBe("account 2 did not answer within 0.1 seconds.");
  });

  test("skips a carrier after three timeouts in a row, until an attempt succeeds", async () => {
    const { asker, clock, warned } = openAsker();
    const { fake, source } = sourceOf(1, never);
    const ask = () => asker.ask([source], carriage, 5);
    for (let at = 0; at < 3; at++) expect(codesOf(await ask())).toEqual(["carrier_timeout"]);
    expect([fake.asked.length, warned.length]).toEqual([3, 1]);
    const rested = await ask();
    expect(fake.asked.length).toBe(3);
    expect(rested.messages[0]).toMatchObject({
      code: "carrier_timeout",
      message: expect.stringContaining("30 seconds"),
    });
    clock.now = 30_000;
    // Of many concurrent requests, one calls the carrier.
    await Promise.all([ask(), ask(), ask()]);
    expect(fake.asked.length).toBe(4);
    clock.now = 60_000;
    fake.offers = async () => ten_dollars;
    expect((await ask()).offers).toHaveLength(1);
    await Promise.all([ask(), ask()]);
    expect([fake.asked.length, warned.length]).toEqual([7, 1]);
  });

  test("waits as long as a carrier asks, and starts over with other credentials", async () => {
    const { asker, clock } = openAsker();
    const busy = async () => {
      throw new Fault("carrier_error", "Too often.", { retry_after_seconds: 20 });
    };
    const { fake, source } = sourceOf(1, busy);
    await asker.ask([source], carriage, 100);
    clock.now = 19_999;
    expect((await asker.ask([source], carriage, 100)).messages[0]?.message).toContain("Too often.");
    expect(fake.asked.length).toBe(1);
    const changed = { ...source, account: { ...source.account, revision: 2 } };
    await asker.ask([changed], carriage, 100);
    expect(fake.asked.length).toBe(2);
  });

  test("a refusal of a parcel is not a failure of the carrier", async () => {
    const { asker } = openAsker();
    const refuses = async () => {
      throw new Fault("carrier_refused", "Too long.");
    };
    const { fake, source } = sourceOf(1, refuses);
    for (let at = 0; at < 5; at++)
      expect(codesOf(await asker.ask([source], carriage, 100))).toEqual(["carrier_refused"]);
    expect(fake.asked.length).toBe(5);
  });

  test("has at most thirty-two open requests per account, while other accounts are called", async () => {
    const { asker } = openAsker();
    let [now, most] = [0, 0];
    const busy = sourceOf(1, async () => {
      most = Math.max(most, ++now);
      await Bun.sleep(5);
      now -= 1;
      return ten_dollars;
    });
    const hung = sourceOf(2, never);
    const counters = [busy.source, hung.source];
    const answers = await Promise.all(Array.from({ length: 100 }, () => asker.ask(counters, carriage, 2000)));
    expect([most, busy.fake.asked.length, hung.fake.asked.length]).toEqual([32, 100, 32]);
    expect(answers.every(({ offers }) => offers.length === 1)).toBe(true);
    // Requests that timed out while waiting make no call later.
    expect(answers.every((answer) => codesOf(answer)[0] === "carrier_timeout")).toBe(true);
  });
});
