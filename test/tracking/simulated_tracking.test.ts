import { expect, test } from "bun:test";
import { simulatedUpdate } from "../../src/tracking/simulated_tracking.ts";
import { openApp } from "../build/service.ts";

const app = await openApp();

const numbers = {
  EZ1000000001: "pending",
  EZ2000000002: "in_transit",
  EZ3000000003: "out_for_delivery",
  EZ4000000004: "delivered",
  EZ5000000005: "returned",
  EZ6000000006: "exception",
  EZ7000000007: "pending",
  SHIPPO_PRE_TRANSIT: "pending",
  SHIPPO_TRANSIT: "in_transit",
  SHIPPO_DELIVERED: "delivered",
  SHIPPO_RETURNED: "returned",
  SHIPPO_FAILURE: "exception",
  SHIPPO_UNKNOWN: "pending",
} as const;

test.each(Object.entries(numbers))("test data shows %s as %s", async (number, status) => {
  const key = app.keys.test.read;
  const shown = await app.call("GET", `/tracking/${number.toLowerCase()}`, undefined, { key });
  expect([shown.status, shown.body.data?.status]).toEqual([200, status]);
  expect(shown.body.data.signed_by).toBe(status === "delivered" ? "John Tester" : null);
  const live = await app.get(`/tracking/${number}`);
  expect([live.status, live.body.error.code]).toEqual([404, "resource_missing"]);
});

test("a SIM number plays its days, ten seconds each, to the outcome of its suffix", () => {
  const told = (number: string, after_ms: number) => {
    const { update, next_at } = simulatedUpdate(number, 1_000_000, 1_000_000 + after_ms) ?? expect.unreachable();
    return [update.events.map(({ status }) => status).join(" "), next_at === null ? null : next_at - 1_000_000];
  };
  expect(told("SIM1", 0)).toEqual(["pending", 10_000]);
  expect(told("SIM1", 29_999)).toEqual(["pending accepted in_transit", 30_000]);
  expect(told("SIM1", 40_000)).toEqual(["pending accepted in_transit out_for_delivery delivered", null]);
  const held = "pending accepted in_transit exception out_for_delivery delivered";
  expect(told("SIM1EXC", 60_000)).toEqual([held, null]);
  expect(told("SIM1RTS", 60_000)).toEqual(["pending accepted in_transit out_for_delivery returned", null]);
  expect(
    ["WH1", "EZ1000000002", "EZ8000000008", "SIM", "constructor"].map((one) => simulatedUpdate(one, 0, 0)),
  ).toEqual([null, null, null, null, null]);
});
