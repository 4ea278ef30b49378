// While a server that has no time left falls behind with its deliveries, writes of keys wait, and say so.
import { expect, test } from "bun:test";
import { delayFor, reportDeliveryLag } from "../../src/http/backpressure.ts";
import { openApp } from "../build/service.ts";

const app = await openApp();

/** Leaves this process no time for its timers for a while. */
async function keepBusy(): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    Bun.sleepSync(60);
    await Bun.sleep(0);
  }
}

let count = 0;
const write = () => app.post("/products", { sku: `PACE-${++count}`, name: "Tea" });
const toldOf = async (answer: ReturnType<typeof write>) => (await answer).headers.get("server-timing");

test("a write waits the longer the further deliveries are behind, and not while there is time", () => {
  const behind = [0, 1000, 2000, 3000, 5000, 3_600_000];
  expect(behind.map((ms) => delayFor(ms, 50))).toEqual([0, 0, 63, 250, 1000, 1000]);
  expect(behind.map((ms) => delayFor(ms, 5))).toEqual([0, 0, 0, 0, 0, 0]);
});

test("writes of keys wait and say so; reads do not, nor does the other world", async () => {
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
