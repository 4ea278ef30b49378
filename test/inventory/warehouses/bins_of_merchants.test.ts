// A storage bin with one merchant's stock takes no other merchant's unless it allows mixing.
import { beforeAll, describe, expect, test } from "bun:test";
import { systemActor } from "../../../src/core/actor.ts";
import { addStock } from "../../../src/inventory/receiving/receive_units.ts";
import { nextBinCode } from "../../../src/inventory/warehouses/warehouse.ts";
import { buyerOf } from "../../build/buyer.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf, outcomeOf, portland } from "../../build/shop.ts";

const house = "whs_1001";
const acme = "mer_1001";

const [app, fresh] = [await openApp(), await openApp()];
beforeAll(async () => {
  for (const { must } of [app, fresh]) {
    for (const code of ["MAIN", "ACME", "BOLT"]) {
      if (code !== "MAIN") await must("POST", "/merchants", { code, name: code });
      await must("POST", "/products", { sku: `${code}-TEA`, name: "Tea" }, { merchant: code });
    }
  }
  await zone([
    { code: "A-01", pick_order: 1 },
    { code: "KEPT", pick_order: 9, dedicated_merchant_id: "BOLT" },
    { code: "OPEN", pick_order: 8, mix_merchants: true },
  ]);
});

/** Sends a request as the operator, for a merchant if one is named. It must succeed. */
const done = (method: string, path: string, body: unknown = {}, merchant?: string) =>
  app.must(method, path, body, { merchant });

/** The refusals of a bin, which change and emit nothing. */
async function refused(method: string, path: string, body: unknown = {}, merchant?: string) {
  await app.takeEvents();
  const {
    status,
    body: { error },
  } = await app.call(method, path, body, { merchant });
  expect(await app.takeEvents()).toEqual([]);
  return [status, error?.code, error?.bin, error?.merchant_id];
}

const taken = (bin: string) => [409, "bin_of_other_merchant", bin, acme];

const zone = (bins: readonly object[]) =>
  done("PATCH", `/inventory/locations/${house}`, {
    location_zones: [{ zone_id: "AMBIENT", temperature_zone: "ambient", bins }],
  });

const add = (owner: string, quantity: number, more: object = {}) =>
  ["POST", "/inventory", { sku: `${owner}-TEA`, quantity, location: house, ...more }] as const;

/** The default bin of a merchant's units. */
const place = async (owner: string, quantity = 1) => (await done(...add(owner, quantity))).received.location;

describe("works", () => {
  test("by default, units go to a bin reserved for their merchant or without other merchants' stock", async () => {
    expect([await place("ACME"), await place("BOLT"), await place("ACME")]).toEqual(["A-01", "KEPT", "A-01"]);
    await zone([{ code: "KEPT", dedicated_merchant_id: null, capacity: 1 }]);
    expect(await place("BOLT")).toBe("OPEN");
    expect(await done(...add("ACME", 1, { bin: "OPEN" }))).toMatchObject({ received: { location: "OPEN" } });
  });

  test("an emptied bin takes any merchant's stock next, and a mixing bin takes all", async () => {
    await done(...add("ACME", 2, { bin: "C-01" }));
    await done("POST", "/inventory/moves", { sku: "ACME-TEA", quantity: 2, bin: "C-01", to_bin: "A-01" });
    await done(...add("BOLT", 3, { bin: "C-01" }));
    await zone([{ code: "C-01", mix_merchants: true }]);
    await done(...add("ACME", 1, { bin: "C-01" }));
    const [bin] = await done("GET", "/inventory/bins?bin=C-01");
    expect(bin).toMatchObject({ used: 4, skus: 2, mix_merchants: true, dedicated_merchant_id: null });
  });

  test("counted units stay in their bin, and bins that are not for sale mix all merchants", async () => {
    await done("PATCH", "/inventory/BOLT-TEA", { adjustment: 2, reason: "found", bin: "A-01", location: house });
    await done("PATCH", "/inventory/BOLT-TEA", { adjustment: -2, reason: "lost", bin: "A-01", location: house });
    for (const owner of ["ACME", "BOLT"]) {
      const moved = { sku: `${owner}-TEA`, quantity: 1, bin: "OPEN", condition: "damaged" };
      expect((await done("POST", "/inventory/moves", moved)).bin).toBe("DAMAGE");
    }
  });

  test("the suggested bin accepts restocked units", async () => {
    const buyer = await buyerOf((method, way, body) => done(method, way, body, "BOLT"));
    await done(...add("BOLT", 1, { bin: "D-01" }));
    const order = await buyer.order("S-1", [["BOLT-TEA", 1]]);
    await done("POST", `/orders/${order.id}/pick`, {
      items: [{ line_id: order.line_items[0].id, quantity: 1, bin: "D-01" }],
    });
    await done("DELETE", `/orders/${order.id}`);
    await done(...add("ACME", 1, { bin: "D-01" }));
    const [{ suggested_bin }] = await done("GET", `/inventory/putbacks?order_id=${order.id}`);
    expect(suggested_bin).not.toBeNull();
    expect(suggested_bin).not.toBe("D-01");
    const back = { order_id: order.id, sku: "BOLT-TEA", quantity: 1 };
    expect(await refused("POST", "/inventory/putbacks", { ...back, bin: "D-01" })).toEqual(taken("D-01"));
    await done("POST", "/inventory/putbacks", { ...back, bin: suggested_bin });
  });
});

describe("refuses", () => {
  test("another merchant's stock in a bin: added, moved, received and transferred", async () => {
    expect(await refused(...add("BOLT", 1, { bin: "A-01" }))).toEqual(taken("A-01"));
    const moved = { sku: "BOLT-TEA", quantity: 1, bin: "C-01", to_bin: "A-01" };
    expect(await refused("POST", "/inventory/moves", moved)).toEqual(taken("A-01"));
    const lines = [{ sku: "BOLT-TEA", quantity: 1 }];
    const receipt = await done("POST", "/inventory/receipts", { items: lines, location: house });
    const items = [{ sku: "BOLT-TEA", quantity: 1, bin: "A-01" }];
    expect(await refused("POST", `/inventory/receipts/${receipt.id}/items`, { items })).toEqual(taken("A-01"));
    const west = {
      name: "West",
      address: portland,
      location_zones: [
        { zone_id: "W", temperature_zone: "ambient", bins: [{ code: "W-01", dedicated_merchant_id: acme }] },
      ],
    };
    const { warehouse_id } = await done("POST", "/inventory/locations", west);
    const transfer = await done("POST", "/inventory/transfers", {
      from_location: house,
      to_location: warehouse_id,
      items: lines,
    });
    await done("POST", `/inventory/transfers/${transfer.id}/ship`);
    expect(
      await refused("POST", `/inventory/transfers/${transfer.id}/receive`, { items: [{ ...lines[0], bin: "W-01" }] }),
    ).toEqual(taken("W-01"));
    // Without a bin, they go next to the one that refuses them.
    const { received } = await done("POST", `/inventory/transfers/${transfer.id}/receive`);
    expect(received).toEqual([{ sku: "BOLT-TEA", lot_number: null, quantity: 1, bin: "W-02" }]);
  });

  test("to reserve a bin while another merchant's stock is in it, or for an unknown merchant", async () => {
    const patch = (bin: object) =>
      app.patch(`/inventory/locations/${house}`, {
        location_zones: [{ zone_id: "AMBIENT", temperature_zone: "ambient", bins: [bin] }],
      });
    const field = "location_zones[0].bins[0].dedicated_merchant_id";
    for (const dedicated_merchant_id of ["BOLT", "NOBODY", "mer_999"]) {
      const answer = await patch({ code: "A-01", dedicated_merchant_id });
      expect([...outcomeOf(answer), ...fieldsOf(answer)]).toEqual([422, "validation_failed", field]);
    }
    expect((await patch({ code: "A-01", dedicated_merchant_id: acme })).status).toBe(200);
    expect((await done("GET", "/inventory/bins?bin=A-01"))[0].dedicated_merchant_id).toBe(acme);
  });
});

describe("without a bin, a new one next to the first is used", () => {
  let warehouses = 0;

  /** A new warehouse whose first and only bin holds another merchant's stock. */
  async function opened() {
    warehouses += 1;
    const location_zones = [{ zone_id: "AMBIENT", temperature_zone: "ambient", bins: [{ code: "A-01" }] }];
    const name = `Annex ${warehouses}`;
    const { warehouse_id: location } = await done("POST", "/inventory/locations", {
      name,
      address: portland,
      location_zones,
    });
    const arrival = (owner: string, quantity = 1) => ({ sku: `${owner}-TEA`, quantity, location });
    const placed = async (owner: string, quantity = 1) =>
      (await done("POST", "/inventory", arrival(owner, quantity))).received.location;
    const shelves = async () => (await done("GET", `/inventory/bins?kind=storage&location=${location}`)) as Shown[];
    const arrange = (bins: readonly object[]) =>
      done("PATCH", `/inventory/locations/${location}`, { location_zones: [{ ...location_zones[0], bins }] });
    expect(await placed("MAIN")).toBe("A-01");
    return { location, arrival, placed, shelves, arrange };
  }

  test("when stock is added, and is then the merchant's place", async () => {
    const { placed, shelves } = await opened();
    expect([await placed("ACME"), await placed("BOLT")]).toEqual(["A-02", "A-03"]);
    expect([await placed("MAIN"), await placed("ACME"), await placed("BOLT")]).toEqual(["A-01", "A-02", "A-03"]);
    const shown = (await shelves()).map(({ code, zone_id, pick_order, used, capacity, dedicated_merchant_id }) => {
      return [code, zone_id, pick_order, used, capacity, dedicated_merchant_id];
    });
    expect(shown).toEqual(["A-01", "A-02", "A-03"].map((code) => [code, "AMBIENT", 0, 2, null, null]));
  });

  test("in a new installation", async () => {
    const { live } = fresh.service.stores;
    const stored = await live.write(async (tx) => {
      const arrive = (owner: string) => addStock(tx, { sku: `${owner}-TEA`, quantity: 1 }, systemActor("test"));
      return [await arrive("MAIN"), await arrive("ACME")];
    });
    expect(stored.map(({ received }) => received.location)).toEqual(["A-01", "A-02"]);
  });

  test("when a delivery is received, stock is found, and counts are imported", async () => {
    const { location, arrival } = await opened();
    const { location: _, ...line } = arrival("ACME", 2);
    const receipt = await done("POST", "/inventory/receipts", { items: [line], location });
    const scanned = await done("POST", `/inventory/receipts/${receipt.id}/items`, { items: [line] });
    expect(scanned.received).toMatchObject([
      { sku: "ACME-TEA", quantity: 2, location: "A-02", warehouse_id: location },
    ]);
    const found = { adjustment: 3, reason: "found", location };
    expect((await done("PATCH", "/inventory/BOLT-TEA", found)).bin).toBe("A-03");
    await done("POST", "/products", { sku: "ACME-RICE", name: "Rice" }, "ACME");
    const headers = { "content-type": "text/csv", "packhouse-merchant": "ACME" };
    const file = `sku,location,quantity\nACME-RICE,${location},4\n`;
    expect((await app.call("POST", "/inventory/import", file, { headers })).body.data).toMatchObject({ failed: 0 });
    expect((await done("GET", "/inventory/ACME-RICE")).locations[0].location).toBe("A-02");
  });

  test("whose code is free, whatever the bin is for", async () => {
    const { placed, arrange } = await opened();
    await arrange([
      { code: "A-02", kind: "damage" },
      { code: "A-03", dedicated_merchant_id: "MAIN" },
      { code: "A-04" },
    ]);
    expect([await placed("ACME"), await placed("BOLT")]).toEqual(["A-04", "A-05"]);
  });

  test("but none in addition to the merchant's own bins that are full", async () => {
    const { arrival, placed, arrange } = await opened();
    await arrange([{ code: "A-02", capacity: 2 }]);
    expect(await placed("ACME", 2)).toBe("A-02");
    expect(outcomeOf(await app.call("POST", "/inventory", arrival("ACME")))).toEqual([409, "bin_full"]);
    expect(await placed("BOLT")).toBe("A-03");
  });

  test("for damaged units, too, if the bin for them is reserved for another merchant", async () => {
    const { location, placed, arrange } = await opened();
    await arrange([{ code: "DAMAGE", kind: "damage", dedicated_merchant_id: "ACME" }]);
    const bin = await placed("BOLT", 2);
    const moved = { sku: "BOLT-TEA", quantity: 1, bin, condition: "damaged", location };
    expect((await done("POST", "/inventory/moves", moved)).bin).toBe("DAMAGE-2");
    expect((await done("POST", "/inventory/moves", moved)).bin).toBe("DAMAGE-2");
  });

  test("by concurrent requests of one merchant together, and of two merchants each for itself", async () => {
    const { arrival, shelves } = await opened();
    const arrive = (owner: string) =>
      app.service.stores.live.write((tx) => addStock(tx, arrival(owner), systemActor("test")));
    const owners = ["ACME", "BOLT", "ACME", "BOLT"];
    const places = (await Promise.all(owners.map(arrive))).map(({ received }) => received.location);
    expect([places[0], places[1]]).toEqual([places[2], places[3]] as [string, string]);
    expect(places.slice(0, 2).sort()).toEqual(["A-02", "A-03"]);
    expect((await shelves()).map(({ code, skus, used }) => [code, skus, used])).toEqual([
      ["A-01", 1, 1],
      ["A-02", 1, 2],
      ["A-03", 1, 2],
    ]);
  });

  test.each([
    ["A-01", "A-02"],
    ["A-09", "A-10"],
    ["A-99", "A-100"],
    ["7", "8"],
    ["SHELF", "SHELF-2"],
    ["B1-x", "B1-x-2"],
    ["9".repeat(40), `${"9".repeat(30)}1000000000`],
    ["X".repeat(40), `${"X".repeat(38)}-2`],
  ])("the code after %s is %s", (code, next) => expect(nextBinCode(code)).toBe(next));
});

interface Shown {
  readonly code: string;
  readonly zone_id: string;
  readonly pick_order: number;
  readonly capacity: number | null;
  readonly dedicated_merchant_id: string | null;
  readonly used: number;
  readonly skus: number;
}

test("one of two merchants whose units arrive in an empty bin concurrently", async () => {
  const { live } = app.service.stores;
  for (let round = 0; round < 5; round += 1) {
    const arrivals = await Promise.allSettled(
      ["ACME", "BOLT"].map((owner) =>
        live.write((tx) =>
          addStock(tx, { sku: `${owner}-TEA`, quantity: 1, location: house, bin: `E-${round}` }, systemActor("test")),
        ),
      ),
    );
    expect(arrivals.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [bin] = await done("GET", `/inventory/bins?bin=E-${round}`);
    expect([bin.used, bin.skus]).toEqual([1, 1]);
  }
});
