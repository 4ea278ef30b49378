// Back-pressure: while a busy server falls behind with its deliveries, writes by API keys are delayed, and the response
// reports the delay.
import { expect, test } from "bun:test";
import { delayFor, reportDeliveryLag } from "../../src/http/backpressure.ts";
import { openApp } from "../build/service.ts";

const app = await openApp();

/** Blocks the event loop for a while, so that timers run late. */
async function keepBusy(): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    Bun.sleepSync(60);
    await Bun.sleep(0);
  }
}

let count = 0;
const write = () => app.post("/products", { sku: `PACE-${++count}`, name: "Tea" });
const toldOf = async (answer: ReturnType<typeof write>) => (await answer).headers.get("server-timing");

test("the delay of a write grows with the delivery lag, and is zero while the server is not busy", () => {
  const behind = [0, 1000, 2000, 3000, 5000, 3_600_000];
  expect(behind.map((ms) => delayFor(ms, 50))).toEqual([0, 0, 63, 250, 1000, 1000]);
  expect(behind.map((ms) => delayFor(ms, 5))).toEqual([0, 0, 0, 0, 0, 0]);
});

test("writes by keys are delayed and report it; reads and the other environment are not delayed", async () => {
  const { live } = app.service.stores;
  expect(await toldOf(write())).toBeNull();
  reportDeliveryLag(live, 2000);
  await keepBusy();
  reportDeliveryLag(live, 2000);
  expect(await toldOf(write())).toBe('pace;dur=63;desc="webhooks are behind"');
  expect(await toldOf(app.get("/products"))).toBeNull();
  const body = { sku: "PACE", name: "Tea" };
  expect(await toldOf(app.call("POST", "/products", body, { key: app.keys.test.full }))).toBeNull();
  reportDeliveryLag(live, 0);
  expect(await toldOf(write())).toBeNull();
});
