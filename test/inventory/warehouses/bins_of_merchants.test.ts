// A storage bin with one merchant's stock takes no other merchant's unless it allows mixing.
import { beforeAll, describe, expect, test } from "bun:test";
import { systemActor } from "../../../src/core/actor.ts";
import { addStock } from "../../../src/inventory/receiving/receive_units.ts";
import { buyerOf } from "../../build/buyer.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf, outcomeOf, portland } from "../../build/shop.ts";

const house = "whs_1001";
const acme = "mer_1001";

const app = await openApp();
beforeAll(async () => {
  for (const code of ["ACME", "BOLT"]) {
    await done("POST", "/merchants", { code, name: code });
    await done("POST", "/products", { sku: `${code}-TEA`, name: "Tea" }, code);
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
    // No new bin is created if all existing ones refuse.
    expect(await refused("POST", `/inventory/transfers/${transfer.id}/receive`)).toEqual(taken("W-01"));
    await done("POST", `/inventory/transfers/${transfer.id}/receive`, { items: [{ ...lines[0], bin: "W-02" }] });
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
