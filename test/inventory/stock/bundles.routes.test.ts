import { describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";

const app = await openApp();
for (const sku of ["TIN", "CUP"]) await app.product(sku);
const components = [
  { sku: "TIN", quantity: 2 },
  { sku: "CUP", quantity: 1 },
];
await app.product("SET", { type: "bundle", components });
const cold = { temperature_zone: "frozen", lot_tracking: true };
await app.product("COLD-SET", { type: "bundle", components, ...cold });
await app.stock("TIN", 9);
await app.stock("CUP", 6);
await app.takeEvents();

describe("works", () => {
  test("a bundle's breakdown shows its components and the number of available sets", async () => {
    const { available } = (await app.get("/inventory/SET")).body.data;
    expect((await app.get("/inventory/SET/explain")).body.data).toMatchObject({
      available,
      on_hand: 0,
      components: [
        { sku: "TIN", quantity: 2, available: 9, sets: 4 },
        { sku: "CUP", quantity: 1, available: 6, sets: 6 },
      ],
    });
    expect(available).toBe(4);
    expect((await app.get("/inventory/TIN/explain")).body.data.components).toBeUndefined();
  });
});

describe("emits an event", () => {
  const told = async () =>
    (await app.takeEvents()).map(({ type, data }) => `${type} ${data["sku"]} ${data["available"]}`);
  const adjust = (sku: string, adjustment: number) => app.patch(`/inventory/${sku}`, { adjustment, reason: "found" });

  test("when components make more or fewer sets of a bundle, and when these become low", async () => {
    const components = [
      { sku: "LID", quantity: 2 },
      { sku: "JAR", quantity: 1 },
    ];
    for (const { sku } of components) await app.product(sku);
    await app.product("POT", { type: "bundle", components, reorder_point: 3 });
    await app.stock("LID", 9);
    expect(await told()).toEqual(["inventory.received LID 9", "inventory.updated LID 9"]);
    await app.stock("JAR", 5);
    expect(await told()).toEqual(["inventory.received JAR 5", "inventory.updated JAR 5", "inventory.updated POT 4"]);
    // The ninth lid and the fifth jar do not complete a set.
    await adjust("LID", -1);
    await adjust("JAR", -1);
    expect(await told()).toEqual(["inventory.updated LID 8", "inventory.updated JAR 4"]);
    await adjust("JAR", -2);
    const low = ["inventory.updated POT 2", "inventory.low_stock POT 2"];
    expect(await told()).toEqual(["inventory.updated JAR 2", ...low]);
    await adjust("LID", -6);
    expect(await told()).toEqual(["inventory.updated LID 2", "inventory.updated POT 1"]);
    // Both components of an order change the bundle once.
    await adjust("LID", 6);
    await adjust("JAR", 2);
    await app.takeEvents();
    await app.post("/inventory/reserve", { order_id: "N-9", items: components });
    const parts = ["inventory.updated LID 6", "inventory.updated JAR 3"];
    expect(await told()).toEqual([...parts, "inventory.updated POT 3"]);
    expect((await app.get("/inventory/POT")).body.data.available).toBe(3);
  });

  test("when a bundle gets other components, through the API or CSV", async () => {
    for (const [sku, quantity] of Object.entries({ TEA: 12, BOX: 5 })) {
      await app.product(sku);
      await app.stock(sku, quantity);
    }
    const components = [{ sku: "TEA", quantity: 2 }];
    const gift = { sku: "GIFT", name: "Gift", type: "bundle", components, reorder_point: 4 };
    const { id } = (await app.post("/products", gift)).body.data;
    const change = (fields: object) => app.patch(`/products/${id}`, fields);
    await app.takeEvents();
    await change({ components: [...components, { sku: "BOX", quantity: 1 }] });
    expect(await told()).toEqual(["inventory.updated GIFT 5"]);
    await change({ components: [{ sku: "TEA", quantity: 4 }], name: "Great gift" });
    expect(await told()).toEqual(["inventory.updated GIFT 3", "inventory.low_stock GIFT 3"]);
    expect((await app.get("/inventory/GIFT")).body.data.available).toBe(3);
    // The same number of sets emits nothing, nor does a refused change.
    await change({
      components: [
        { sku: "TEA", quantity: 4 },
        { sku: "BOX", quantity: 1 },
      ],
    });
    await change({ name: "Gift" });
    expect((await change({ components: [{ sku: "NONE", quantity: 1 }] })).status).toBe(404);
    expect(await told()).toEqual([]);
    const csv = 'sku,components\nGIFT,"[{""sku"":""TEA"",""quantity"":1}]"\n';
    const taken = await app.call("POST", "/products/import", csv, { headers: { "content-type": "text/csv" } });
    expect(taken.body.data).toMatchObject({ updated: 1, failed: 0 });
    expect(await told()).toEqual(["inventory.updated GIFT 12"]);
  });
});

describe("refuses", () => {
  const tins = { sku: "TIN", quantity: 1 };
  const sets = { sku: "SET", quantity: 1 };

  test.each([
    ["as a delivery", "/inventory/receipts", { items: [tins, sets] }, "items[1].sku"],
    ["as a count", "/inventory/counts", { skus: ["TIN", "SET"] }, "skus[1]"],
    ["as a reservation", "/inventory/reserve", { order_id: "N-1", items: [tins, sets] }, "items[1].sku"],
    ["as stock", "/inventory", { ...sets, sku: "COLD-SET" }, "sku"],
  ])("a bundle %s", async (_, path, body, field) => {
    const { status, body: answer } = await app.post(path, body);
    const message = "is a bundle, which has no stock: use its components";
    expect([status, answer.error.details]).toEqual([422, [expect.objectContaining({ field, message })]]);
    expect(await app.takeEvents()).toEqual([]);
  });

  test("an adjustment of a bundle, also in a CSV file with other errors", async () => {
    const lost = await app.patch("/inventory/SET", { adjustment: -1, reason: "lost" });
    expect([lost.status, lost.body.error.details[0].field]).toEqual([422, "sku"]);
    const file = "sku,bin,quantity\nTIN,A-01,9\nCOLD-SET,A-01,1\nCUP,A-01,6";
    const { body } = await app.call("POST", "/inventory/import", file, { headers: { "content-type": "text/csv" } });
    const message = "is a bundle, which has no stock: use its components";
    expect(body.data).toMatchObject({ unchanged: 2, failed: 1, errors: [{ line: 3, field: "sku", message }] });
  });

  test("a bundle in a transfer", async () => {
    const { address, location_zones, warehouse_id } = (await app.get("/inventory/locations")).body.data[0];
    const to = await app.post("/inventory/locations", { name: "West", address, location_zones });
    const ends = { from_location: warehouse_id, to_location: to.body.data.warehouse_id };
    const { status, body } = await app.post("/inventory/transfers", { ...ends, items: [tins, sets] });
    expect([status, body.error.details[0].field]).toEqual([422, "items[1].sku"]);
  });

  test("a bundle in a count", async () => {
    const [{ warehouse_id: location }] = (await app.get("/inventory/locations")).body.data;
    const { id } = (await app.post("/inventory/counts", { location, bins: ["A-01"] })).body.data;
    const lines = [
      { sku: "TIN", bin: "A-01", quantity: 9 },
      { sku: "SET", bin: "A-01", quantity: 1 },
    ];
    const { status, body } = await app.post(`/inventory/counts/${id}/items`, { items: lines });
    expect([status, body.error.details[0].field]).toEqual([422, "items[1].sku"]);
    expect((await app.get("/inventory/SET")).body.data).toMatchObject({ on_hand: 0, incoming: 0 });
  });
});
