// Ownership transfers: units leave one merchant's stock and enter another's, with all their attributes.
import { beforeAll, describe, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf, outcomeOf } from "../../build/shop.ts";

const house = "whs_1001";
const [acme, bolt] = ["mer_1001", "mer_1002"];
const day = "2026-05-01T23:59:59.999Z";

const app = await openApp();
beforeAll(async () => {
  for (const code of ["ACME", "BOLT"]) await done("POST", "/merchants", { code, name: code });
  for (const owner of ["ACME", "BOLT"]) {
    await done("POST", "/products", { sku: "TEA", name: "Tea", lot_tracking: true, reorder_point: 5 }, owner);
  }
  await done("POST", "/products", { sku: "MUG", name: "Mug" }, "ACME");
  await done("POST", "/products", { sku: "CUP", name: "Cup" }, "BOLT");
  const lot = { lot_number: "L-1", expiration_date: day, received_date: "2026-01-01T00:00:00.000Z" };
  await done("POST", "/inventory", { sku: "TEA", quantity: 10, bin: "A-01", ...lot }, "ACME");
  await done("POST", "/inventory", { sku: "MUG", quantity: 6, bin: "A-02" }, "ACME");
});

/** Sends a request as the operator, for a merchant if one is named. It must succeed. */
const done = (method: string, path: string, body: unknown = {}, merchant?: string) =>
  app.must(method, path, body, { merchant });

const path = "/inventory/ownership_transfers";
const sale = { from_merchant_id: "ACME", to_merchant_id: bolt, reason: "Sold." };
const level = (sku: string, owner: string) => done("GET", `/inventory/${sku}`, undefined, owner);
const told = async () =>
  (await app.takeEvents()).map(({ type, data }) => `${type} ${data["merchant_id"]} ${data["sku"]} ${data["on_hand"]}`);

async function order(owner: string, sku: string, quantity: number, order_number: string) {
  const must = (method: string, path: string, body?: object) => done(method, path, body, owner);
  return (await buyerOf(must, { email: `${order_number}@example.com` })).order(order_number, [[sku, quantity]]);
}

describe("works", () => {
  test("units move from one merchant's stock to another's, with lot and age, and fill backorders", async () => {
    const waiting = await order("BOLT", "TEA", 3, "S-1");
    await told();
    const body = { ...sale, sku: "TEA", quantity: 4, bin: "A-01", to_bin: "B-01" };
    const given = await app.must("POST", path, body, { headers: { "idempotency-key": "give-1" } });
    expect(given).toMatchObject({
      ...{ from_merchant_id: acme, to_merchant_id: bolt, sku: "TEA", to_sku: "TEA", quantity: 4, location: house },
      ...{ bin: "A-01", to_bin: "B-01", lot_number: "L-1", reason: "Sold." },
    });
    expect(await told()).toEqual([`inventory.updated ${acme} TEA 6`, `inventory.updated ${bolt} TEA 4`]);
    // The same key transfers them once.
    expect(await app.must("POST", path, body, { headers: { "idempotency-key": "give-1" } })).toEqual(given);
    expect([(await level("TEA", "ACME")).on_hand, (await level("TEA", "BOLT")).on_hand]).toEqual([6, 4]);
    const [lot] = await done("GET", "/inventory/lots?merchant=BOLT");
    expect(lot).toMatchObject({
      ...{ merchant_id: bolt, lot_number: "L-1", expiration_date: day, received_date: "2026-01-01T00:00:00.000Z" },
      ...{ status: "available", quantity: 4, reserved: 3 },
    });
    expect((await done("GET", `/orders/${waiting.id}`)).quantity_backordered ?? 0).toBe(0);
    const pair = await done("GET", `/inventory/movements?reference=${given.id}`);
    const about = { type: "adjustment", reason: "ownership_transfer", notes: "Sold.", quantity: 4, lot_number: "L-1" };
    const reference = { type: "ownership_transfer", id: given.id };
    expect(pair).toMatchObject([
      { ...about, reference, id: given.to_movement_id, merchant_id: bolt, from_location: null, to_location: "B-01" },
      {
        ...about,
        reference,
        id: given.from_movement_id,
        merchant_id: acme,
        from_location: "A-01",
        to_location: "other_merchant",
      },
    ]);
  });

  test("all units of a bin stay there, under the new owner's SKU", async () => {
    await told();
    const given = await done("POST", path, { ...sale, sku: "MUG", to_sku: "CUP", quantity: 6 }, "ACME");
    expect([given.bin, given.to_bin]).toEqual(["A-02", "A-02"]);
    expect(await told()).toEqual([`inventory.updated ${acme} MUG 0`, `inventory.updated ${bolt} CUP 6`]);
    const back = { from_merchant_id: "BOLT", to_merchant_id: "ACME", reason: "Sold back.", sku: "CUP", to_sku: "MUG" };
    await done("POST", path, { ...back, quantity: 6 });
    expect([(await level("MUG", "ACME")).on_hand, (await level("CUP", "BOLT")).on_hand]).toEqual([6, 0]);
  });
});

describe("refuses", () => {
  test.each<[string, object, unknown[]]>([
    [
      "part of a bin where the rest would lie beside it",
      { sku: "MUG", to_sku: "CUP", quantity: 2 },
      [409, "bin_of_other_merchant"],
    ],
    ["more than there is", { sku: "MUG", to_sku: "CUP", quantity: 7 }, [409, "insufficient_inventory"]],
    ["a part of a unit", { sku: "MUG", to_sku: "CUP", quantity: 1.5 }, [422, "validation_failed", "quantity"]],
    ["a SKU that the owner does not have", { sku: "CUP", quantity: 1 }, [404, "resource_missing", "sku"]],
    ["a SKU that the new owner does not have", { sku: "MUG", quantity: 1 }, [404, "resource_missing", "sku"]],
    [
      "goods without a lot for one that tracks lots",
      { sku: "MUG", to_sku: "TEA", quantity: 1, to_bin: "B-09" },
      [422, "validation_failed", "to_sku"],
    ],
    [
      "an unknown merchant",
      { sku: "MUG", quantity: 1, to_merchant_id: "NOBODY" },
      [422, "validation_failed", "to_merchant_id"],
    ],
    [
      "to give goods to their owner",
      { sku: "MUG", quantity: 1, to_merchant_id: acme },
      [422, "validation_failed", "to_merchant_id"],
    ],
  ])("%s", async (_, body, refusal) => {
    await told();
    const answer = await app.post(path, { ...sale, ...body });
    expect([...outcomeOf(answer), ...fieldsOf(answer)]).toEqual(refusal);
    expect(await told()).toEqual([]);
  });

  test("reserved units, and units of a lot that differs for the new owner", async () => {
    await order("ACME", "TEA", 4, "S-2");
    const tea = { ...sale, sku: "TEA", to_bin: "B-01" };
    const reserved = await app.post(path, { ...tea, quantity: 3 });
    expect(outcomeOf(reserved)).toEqual([409, "insufficient_inventory"]);
    expect(reserved.body.error.shortages).toEqual([{ sku: "TEA", requested: 3, available: 2 }]);
    const [lot] = await done("GET", "/inventory/lots?merchant=BOLT");
    await done("PATCH", `/inventory/lots/${lot.id}`, { expiration_date: "2026-06-01T00:00:00.000Z" });
    const other = await app.post(path, { ...tea, quantity: 1 });
    expect([...outcomeOf(other), ...fieldsOf(other)]).toEqual([422, "validation_failed", "lot_number"]);
  });

  test("a merchant's request, and a closed new owner", async () => {
    const { key } = await done("POST", "/keys", { name: "shop", permission: "full", merchant_id: "ACME" });
    const own = await app.call("POST", path, { ...sale, sku: "MUG", quantity: 1 }, { key });
    expect(outcomeOf(own)).toEqual([403, "not_for_merchants"]);
    await done("POST", "/merchants", { code: "GONE", name: "Gone" });
    await done("POST", "/merchants/GONE/close");
    const closed = await app.post(path, { ...sale, to_merchant_id: "GONE", sku: "MUG", quantity: 1 });
    expect(outcomeOf(closed)).toEqual([409, "merchant_closed"]);
  });
});
