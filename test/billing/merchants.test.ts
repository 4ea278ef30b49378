// Billing with several merchants: each event and each row of storage belongs to one of them.
import { expect, test } from "bun:test";
import { closeStorage } from "../../src/billing/storage_days.jobs.ts";
import { openApp } from "../build/service.ts";

const merchants = ["ACME", "BOLT"] as const;
const ids = { ACME: "mer_1001", BOLT: "mer_1002" };
const keys: Record<string, string> = {};
const app = await openApp();
for (const code of merchants) {
  await app.post("/merchants", { code, name: code });
  const { key } = (await app.post("/keys", { name: code, permission: "full", merchant_id: code })).body.data;
  app.watch.keep("a merchant's key", key);
  keys[code] = key;
  await app.product(`TEA-${code}`, { merchant_id: code, price: "5.00" });
  const added = await app.post("/inventory", { merchant_id: code, sku: `TEA-${code}`, quantity: 10, bin: `B-${code}` });
  expect([added.status, added.body.error]).toEqual([201, undefined]);
}

const seen = (rows: { merchant_id: string }[]) => [...new Set(rows.map(({ merchant_id }) => merchant_id))].sort();
const list = async (path: string, key?: string) =>
  (await app.call("GET", path, undefined, key ? { key } : {})).body.data;

test("a count by the operator is billed to each merchant whose stock was counted", async () => {
  const { id, items: lines } = (await app.post("/inventory/counts", {})).body.data;
  const counted = lines.map(({ sku, bin }: Record<string, string>) => ({ sku, bin, quantity: 9 }));
  const recorded = await app.post(`/inventory/counts/${id}/items`, { items: counted });
  expect([recorded.status, recorded.body.error]).toEqual([200, undefined]);
  await app.post(`/inventory/counts/${id}/review`);
  expect((await app.post(`/inventory/counts/${id}/post`, {})).status).toBe(200);
  const facts = await list("/billing/events?kind=handling");
  expect(facts).toMatchObject(
    [ids.BOLT, ids.ACME].map((merchant_id) => ({ merchant_id, act: "count.post", quantity: 1, source: { id } })),
  );
});

test("a merchant sees no bins and no users of the operator", async () => {
  const [sku, location] = ["TEA-ACME", "whs_1001"];
  const damaged = { sku, quantity: 1, bin: "B-ACME", condition: "damaged", location };
  expect((await app.post("/inventory/moves", damaged)).status).toBe(201);
  const project = { minutes: 5, description: "Photographs", approved_by: "Ada", merchant_id: "ACME", location };
  expect((await app.post("/billing/events", project)).status).toBe(201);
  app.clocks.live.advance(48 * 3_600_000);
  await closeStorage(app.service.stores.live, app.service);
  const facts = async (key?: string) => {
    const rows = await list("/billing/events?limit=100", key);
    const told = (act: string) => rows.find((row: { act: string }) => row.act === act)?.attributes;
    return [told("stock.move"), told("project.add")];
  };
  const moved = { sku, from_bin: "B-ACME", to_bin: expect.any(String), reason: "damaged" };
  const { description, approved_by } = project;
  expect(await facts()).toEqual([moved, { description, approved_by, told_by: expect.stringMatching(/^key_/) }]);
  expect(await facts(keys["ACME"])).toEqual([
    { sku, reason: "damaged" },
    { description, approved_by },
  ]);
  const binsOf = async (key?: string) => {
    const rows: { sku: string; bin: string | null }[] = await list("/billing/storage?limit=100", key);
    return rows.flatMap((row) => (row.sku === sku ? row.bin : []));
  };
  expect(await binsOf()).toContain("B-ACME");
  const shown = await binsOf(keys["ACME"]);
  expect([shown.length > 1, ...new Set(shown)]).toEqual([true, null]);
  for (const path of ["/billing/events/export.csv", "/billing/storage/export.csv"]) {
    const file = (key?: string) =>
      app.call("GET", path, undefined, key ? { key } : {}).then(({ body }) => body as string);
    const secrets = path.includes("events") ? ["B-ACME", "told_by"] : ["B-ACME"];
    for (const secret of secrets) {
      expect([path, secret, (await file()).includes(secret)]).toEqual([path, secret, true]);
      expect([path, secret, (await file(keys["ACME"])).includes(secret)]).toEqual([path, secret, false]);
    }
  }
});

test("the operator sees all events, or those of one merchant; a merchant sees its own and records none", async () => {
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
