import { describe, expect, test } from "bun:test";
import { ensureWarehouse } from "../../../src/inventory/warehouses/warehouses.ts";
import { openApp } from "../../build/service.ts";

const app = await openApp();
await app.product("MILK", { temperature_zone: "refrigerated" });

const address = {
  name: "West",
  address_line1: "1 Pier",
  city: "Oakland",
  state: "CA",
  postal_code: "94607",
  country: "US",
};
const cold = {
  zone_id: "COLD",
  temperature_zone: "refrigerated",
  capacity: 300,
  bins: [{ code: "C-01", pick_order: 4 }],
};

describe("works", () => {
  test("a new store has one warehouse, however often it starts", async () => {
    for (let start = 0; start < 3; start += 1) await app.service.stores.live.write(ensureWarehouse);
    const { body } = await app.get("/inventory/locations");
    expect(body.data.length).toBe(1);
    expect(body.data[0]).toMatchObject({ name: "Main warehouse", revision: 1 });
    expect(body.data[0].location_zones).toMatchObject([
      {
        zone_id: "AMBIENT",
        temperature_zone: "ambient",
        capacity: 100_000,
        bins: [{ code: "A-01", kind: "storage" }, {}, {}, {}, {}],
      },
    ]);
  });

  test("an address uses the warehouse's name unless it has its own", async () => {
    const { name: _name, ...unnamed } = address;
    const other = { key: app.keys.test.full };
    const input = { name: "North", address: unnamed, location_zones: [cold] };
    const made = await app.call("POST", "/inventory/locations", input, other);
    expect([made.status, made.body.data.address]).toEqual([201, { ...address, name: "North", address_line2: null }]);
    const path = `/inventory/locations/${made.body.data.warehouse_id}`;
    const moved = await app.call("PATCH", path, { address: { ...unnamed, city: "Berkeley" } }, other);
    expect(moved.body.data.address).toMatchObject({ name: "North", city: "Berkeley" });
  });

  test("a warehouse is created, shown and changed; the response of a GET can be sent back", async () => {
    await app.takeEvents();
    const input = { name: "West", address, location_zones: [cold], timezone: "America/Los_Angeles", priority: 5 };
    const made = await app.post("/inventory/locations", input);
    expect(made.status).toBe(201);
    const { warehouse_id } = made.body.data;
    expect(made.body.data).toMatchObject({ name: "West", priority: 5, timezone: "America/Los_Angeles" });
    const [zone] = made.body.data.location_zones;
    expect(zone).toMatchObject({ zone_id: "COLD", temperature_range: "2-8°C", capacity: 300 });
    expect(zone.bins.map((bin: { code: string }) => bin.code)).toEqual([
      "C-01",
      "RETURNS",
      "PUTBACK",
      "QUARANTINE",
      "DAMAGE",
    ]);
    // The lower number is chosen, and listed, first.
    const listed = (await app.get("/inventory/locations")).body.data;
    expect(listed[0]).toEqual(made.body.data);
    const frozen = {
      zone_id: "ICE",
      temperature_zone: "frozen",
      bins: [{ code: "F-01" }, { code: "F-02", kind: "damage" }],
    };
    app.clocks.live.advance(1500);
    for (const same of [{}, made.body.data, { priority: made.body.data.priority }]) {
      expect((await app.patch(`/inventory/locations/${warehouse_id}`, same)).body.data).toEqual(made.body.data);
    }
    const sent = { ...made.body.data, priority: 500, location_zones: [...made.body.data.location_zones, frozen] };
    const changed = await app.patch(`/inventory/locations/${warehouse_id}`, sent);
    expect(changed.body.data).toMatchObject({ priority: 500, revision: 2 });
    expect(changed.body.data.location_zones).toMatchObject([
      zone,
      { zone_id: "ICE", temperature_range: "-25 to -15°C" },
    ]);
    expect((await app.get("/inventory/locations")).body.data[1]).toEqual(changed.body.data);
    expect(await app.takeEvents()).toEqual([]);
  });
});

describe("a change", () => {
  test("keeps omitted fields of a zone and of a bin", async () => {
    const bins = [{ code: "K-01", pick_order: 7, capacity: 40, kind: "damage" }];
    const kept = { zone_id: "KEPT", temperature_zone: "refrigerated", temperature_range: "0-4°C", capacity: 9, bins };
    await app.patch("/inventory/locations/whs_1001", { location_zones: [kept] });
    const named = { zone_id: "KEPT", temperature_zone: "refrigerated", bins: [{ code: "K-01" }] };
    const { body } = await app.patch("/inventory/locations/whs_1001", { location_zones: [named] });
    const whose = { dedicated_merchant_id: null, mix_merchants: false };
    const shown = { ...kept, used: 0, free: 9, bins: [{ ...bins[0], ...whose, used: 0, free: 40 }] };
    expect(body.data.location_zones.at(-1)).toEqual(shown);
  });

  test("to the same name is made once among concurrent requests", async () => {
    const other = await openApp();
    const names = ["One", "Two", "Three", "Four"];
    const made = await Promise.all(
      names.map((name) => other.post("/inventory/locations", { name, address, location_zones: [cold] })),
    );
    const answers = await Promise.all(
      made.map(({ body }) => other.patch(`/inventory/locations/${body.data.warehouse_id}`, { name: "Five" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
  });
});

describe("refuses", () => {
  const path = async () =>
    `/inventory/locations/${(await app.get("/inventory/locations")).body.data.at(-1).warehouse_id}`;

  test.each([
    ["a name that is taken", { name: "West" }, "name"],
    ["an address in no country", { address: { ...address, country: "XX" } }, "address.country"],
    ["an address in no state", { address: { ...address, state: null } }, "address.state"],
    ["a wrong postal code", { address: { ...address, postal_code: "abc" } }, "address.postal_code"],
    ["a place without zones", { location_zones: [] }, "location_zones"],
    ["an unknown time zone", { timezone: "Mars" }, "timezone"],
    [
      "a bin named as orders name theirs",
      { location_zones: [{ ...cold, bins: [{ code: "STAGING-ord_1" }] }] },
      "location_zones[0].bins[0].code",
    ],
    [
      "the bin for put-backs as one to sell from",
      { location_zones: [{ ...cold, bins: [{ code: "PUTBACK", kind: "storage" }] }] },
      "location_zones[0].bins[0].kind",
    ],
    ["a zone twice", { location_zones: [cold, { ...cold, bins: [] }] }, "location_zones[1].zone_id"],
  ])("to create %s", async (_name, fields, field) => {
    const body = { name: "East", address, location_zones: [cold], ...fields };
    const answer = await app.post("/inventory/locations", body);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, field]);
    expect((await app.get("/inventory/locations")).body.data.length).toBe(2);
  });

  test("to change a zone or bin with units, and an unknown warehouse", async () => {
    const warehouse = (await path()).split("/").at(-1);
    await app.stock("MILK", 3, { location: warehouse });
    const warm = { ...cold, temperature_zone: "ambient" };
    const zone = await app.patch(await path(), { location_zones: [warm] });
    expect(zone.body.error.details[0].field).toBe("location_zones[0].temperature_zone");
    const bin = await app.patch(await path(), {
      location_zones: [{ ...cold, bins: [{ code: "C-01", kind: "damage" }] }],
    });
    expect(bin.body.error.details[0].field).toBe("location_zones[0].bins[0].code");
    expect((await app.patch("/inventory/locations/whs_9", { priority: 1 })).status).toBe(404);
    const taken = await app.patch(await path(), { name: "Main warehouse" });
    expect(taken.body.error.details[0].field).toBe("name");
  });
});

describe("guards", () => {
  test("two servers that start concurrently create one warehouse", async () => {
    const other = await openApp();
    const { live } = other.service.stores;
    await Promise.all([live.write(ensureWarehouse), live.write(ensureWarehouse), live.write(ensureWarehouse)]);
    expect((await other.get("/inventory/locations")).body.data.length).toBe(1);
  });
});
