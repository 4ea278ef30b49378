// A warehouse has the bundles of which its own units make a set.
import { expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
const { warehouse_id: _id, name: _name, ...rest } = (await shop.app.get("/inventory/locations")).body.data[0];
const west = (await shop.app.post("/inventory/locations", { ...rest, name: "West" })).body.data.warehouse_id;
for (const sku of ["CUP", "TEA"]) await shop.product({ sku, units: 5 });
const components = [
  { sku: "CUP", quantity: 2 },
  { sku: "TEA", quantity: 1 },
];
await shop.app.product("SET", { type: "bundle", components });

const add = (sku: string, quantity: number) => shop.app.post("/inventory", { sku, quantity, location: west });
const listed = async (location: string) =>
  (await shop.app.get(`/inventory?location=${location}`)).body.data.map(({ sku }: { sku: string }) => sku);

test("a bundle is listed where its components make a set", async () => {
  expect(await listed("whs_1001")).toEqual(["CUP", "SET", "TEA"]);
  await add("CUP", 1);
  await add("TEA", 4);
  expect(await listed(west)).toEqual(["CUP", "TEA"]);
  await add("CUP", 1);
  expect(await listed(west)).toEqual(["CUP", "SET", "TEA"]);
  expect((await shop.app.get(`/inventory?location=${west}&sku=SET`)).body.meta.pagination.total).toBe(1);
});

test("reserved units make no set", async () => {
  const items = [{ sku: "CUP", quantity: 1 }];
  const made = await shop.app.post("/inventory/reserve", { order_id: "N-99", items, location: west });
  expect(made.status).toBe(201);
  expect(await listed(west)).toEqual(["CUP", "TEA"]);
  expect(await listed("whs_9")).toEqual([]);
});
