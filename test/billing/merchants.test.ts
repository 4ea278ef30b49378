// What is billed in a house of several merchants: each fact and each row of storage is of one of them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeStorage } from "../../src/billing/storage/jobs.ts";
import { verifyStore } from "../../src/verification.ts";
import { openTestApp, type TestApp } from "../harness.ts";

let app: TestApp;
const merchants = ["ACME", "BOLT"] as const;
const ids = { ACME: "mer_1001", BOLT: "mer_1002" };
const keys: Record<string, string> = {};
beforeAll(async () => {
  app = await openTestApp();
  for (const code of merchants) {
    await app.post("/merchants", { code, name: code });
    const { key } = (await app.post("/keys", { name: code, permission: "full", merchant_id: code })).body.data;
    app.watch.keep("a merchant's key", key);
    keys[code] = key;
    await app.post("/products", { merchant_id: code, sku: `TEA-${code}`, name: "Tea", price: "5.00" });
    const added = await app.post("/inventory", {
      merchant_id: code,
      sku: `TEA-${code}`,
      quantity: 10,
      bin: `B-${code}`,
    });
    expect([added.status, added.body.error]).toEqual([201, undefined]);
  }
}, 60_000);
afterAll(async () => {
  expect(await app.service.stores.live.read(verifyStore)).toEqual([]);
  await app.close();
});

const seen = (rows: { merchant_id: string }[]) => [...new Set(rows.map(({ merchant_id }) => merchant_id))].sort();
const list = async (path: string, key?: string) =>
  (await app.call("GET", path, undefined, key ? { key } : {})).body.data;

test("a count of the house is billed to each merchant whose goods were looked for", async () => {
  const { id, lines } = (await app.post("/inventory/counts", {})).body.data;
  const counted = lines.map(({ sku, bin }: Record<string, string>) => ({ sku, bin, quantity: 9 }));
  const recorded = await app.post(`/inventory/counts/${id}/lines`, { lines: counted });
  expect([recorded.status, recorded.body.error]).toEqual([200, undefined]);
  await app.post(`/inventory/counts/${id}/review`);
  expect((await app.post(`/inventory/counts/${id}/post`, {})).status).toBe(200);
  const facts = await list("/billing/events?kind=handling");
  expect(facts).toMatchObject(
    [ids.BOLT, ids.ACME].map((merchant_id) => ({ merchant_id, act: "count.post", quantity: 1, source: { id } })),
  );
});

test("the house sees all, or those of one; a merchant sees its own and tells nothing", async () => {
  app.clocks.live.advance(48 * 3_600_000);
  await closeStorage(app.service.stores.live, app.service);
  for (const path of ["/billing/events", "/billing/storage"]) {
    expect(seen(await list(path))).toEqual([ids.ACME, ids.BOLT]);
    for (const code of merchants) {
      expect(seen(await list(`${path}?merchant=${code}`))).toEqual([ids[code]]);
      expect(seen(await list(path, keys[code]))).toEqual([ids[code]]);
      const file = (await app.call("GET", `${path}/export.csv`, undefined, { key: keys[code] ?? "" })).body as string;
      expect([...new Set(file.match(/mer_\d+/g))]).toEqual([ids[code]]);
    }
  }
  const project = { minutes: 5, description: "Photographs" };
  const refused = await app.call("POST", "/billing/events", project, { key: keys["ACME"] ?? "" });
  expect([refused.status, refused.body.error.code]).toEqual([403, "not_for_merchants"]);
  const vague = await app.post("/billing/events", project);
  expect([vague.status, vague.body.error.code]).toEqual([422, "merchant_required"]);
  const told = await app.post("/billing/events", { ...project, merchant_id: "BOLT" });
  expect([told.status, told.body.data?.merchant_id]).toEqual([201, ids.BOLT]);
});
