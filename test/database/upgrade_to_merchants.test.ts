// A house that was made by the version before merchants goes on as it was: its goods, orders and customers are MAIN's,
// its keys the house's, and nothing differs.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../src/database/store.ts";
import { stillClock } from "../../src/kit/clock.ts";
import { wholeExport } from "../../src/merchant_commands.ts";
import { verifyStore } from "../../src/verification.ts";
import { type Answered, appOn, start } from "../harness.ts";
import { before, openUpgraded } from "./before_merchants.ts";
import { openTemporaryStore } from "./temporary.ts";

const clock = stillClock(start + 3_600_000);
let upgraded: Awaited<ReturnType<typeof openUpgraded>>;
let test_store: Store;
let ask: (method: string, path: string, body?: object, key?: string) => Promise<{ status: number; body: Json }>;

type Json = Answered["body"];

beforeAll(async () => {
  upgraded = await openUpgraded(clock);
  test_store = await openTemporaryStore({ mode: "test", clock });
  const app = appOn({ live: upgraded.store, test: test_store });
  ask = async (method, path, body, key = before.key) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await app.handle(new Request(`http://packhouse.test/v1${path}`, { method, headers, ...sent }));
    return { status: response.status, body: await response.json() };
  };
}, 60_000);
afterAll(async () => {
  await upgraded.close();
  await test_store.close();
});

test("verify finds no difference", async () => {
  expect(await upgraded.store.read(verifyStore)).toEqual([]);
});

test("what there was belongs to MAIN, and the key of before is the house's", async () => {
  const { body: merchants } = await ask("GET", "/merchants");
  expect(merchants.data).toMatchObject([{ id: "mer_1", code: "MAIN", status: "active" }]);
  for (const path of ["/orders", "/products", "/returns", "/shipping/labels", "/inventory/receipts"]) {
    const { body } = await ask("GET", `${path}?limit=100`);
    expect(body.data.length).toBeGreaterThan(0);
    expect(new Set(body.data.map(({ merchant_id }: Json) => merchant_id))).toEqual(new Set(["mer_1"]));
  }
  expect((await ask("GET", "/orders?limit=100")).body.data).toHaveLength(before.rows["orders"]?.length ?? 0);
  const { body: keys } = await ask("GET", "/keys");
  expect(keys.data.length).toBeGreaterThan(0);
  for (const key of keys.data) expect(key.merchant_id).toBeNull();
});

test("the events of before are MAIN's: its own key is told them, and its files hold them", async () => {
  const told = async (key?: string) => {
    const { body } = await ask("GET", "/events?limit=100", undefined, key);
    return body.data.map(({ id }: Json) => id);
  };
  const all = (before.rows["events"] ?? []).map(({ id }) => id);
  expect(all.length).toBeGreaterThan(50);
  const { body: key } = await ask("POST", "/keys", { name: "MAIN", permission: "read", merchant_id: "MAIN" });
  expect([(await told()).sort(), (await told(key.data.key)).sort()]).toEqual([all.toSorted(), all.toSorted()]);
  const to = mkdtempSync(join(tmpdir(), "packhouse-files-"));
  try {
    const stores = { live: upgraded.store, test: test_store };
    const silent = { print() {}, warn() {} };
    await wholeExport.run(stores as never, { merchant: "MAIN", to, mode: "live" } as never, silent as never);
    const written: Json[] = JSON.parse(readFileSync(join(to, "events.json"), "utf8"));
    expect(written.map(({ id }) => id).sort()).toEqual(all.toSorted());
  } finally {
    rmSync(to, { recursive: true });
  }
});

test("work goes on: an order is made, kept and told as before, without a word of merchants", async () => {
  const [customer] = (await ask("GET", "/customers")).body.data;
  const [product] = (await ask("GET", "/products?status=active")).body.data.filter(
    ({ type }: Json) => type === "simple",
  );
  const made = await ask("POST", "/orders", {
    order_number: "AFTER-1",
    customer_id: customer.id,
    shipping_address_id: customer.shipping_addresses[0].id,
    line_items: [{ sku: product.sku, quantity: 1, unit_price: "5.00" }],
  });
  expect([made.status, made.body.data?.merchant_id]).toEqual([201, "mer_1"]);
  expect(await upgraded.store.read(verifyStore)).toEqual([]);
});
