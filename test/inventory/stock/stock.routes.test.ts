import { describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { fieldsOf, outcomeOf, refusalOf } from "../../build/shop.ts";

const app = await openApp();
const warehouse = (await app.get("/inventory/locations")).body.data[0].warehouse_id;
const cold = { zone_id: "COLD", temperature_zone: "refrigerated", capacity: 500, bins: [{ code: "C-01" }] };
await app.patch(`/inventory/locations/${warehouse}`, { location_zones: [cold] });
await app.product("RICE", { reorder_point: 5 });
const tracked = { temperature_zone: "refrigerated", lot_tracking: true, expiration_tracking: true };
await app.product("MILK", tracked);
await app.product("ICE", { temperature_zone: "frozen" });
await app.product("a/b ü");
await app.product("MANY");

describe("works", () => {
  test("stock is added, shown and emitted", async () => {
    await app.takeEvents();
    const input = { sku: "RICE", quantity: 12, location: warehouse, unit_cost: "1.25", reference: "PO-7" };
    const added = await app.post("/inventory", input);
    expect(added.status).toBe(201);
    expect(added.body.data).toMatchObject({
      sku: "RICE",
      available: 12,
      reserved: 0,
      total: 12,
      on_hand: 12,
      status: "in_stock",
      locations: [{ warehouse_id: warehouse, location: "A-01", quantity: 12, temperature_zone: "ambient" }],
      received: { quantity: 12, location: "A-01", reference: "PO-7", reason: "received", lot_number: null },
    });
    const { received: _received, ...item } = added.body.data;
    expect((await app.get("/inventory/RICE")).body.data).toEqual(item);
    const [received, updated, ...others] = await app.takeEvents();
    expect(others).toEqual([]);
    expect(received).toMatchObject({ type: "inventory.received", data: { object: "inventory_item", sku: "RICE" } });
    expect(updated?.type).toBe("inventory.updated");
    expect(updated?.data).toEqual({ object: "inventory_item", ...item });
  });

  test("lots have expiry, and cold products go to a cold bin, which is created if new", async () => {
    const lot = { lot_number: "L-1", expiration_date: "2026-02-01" };
    const added = await app.post("/inventory", { sku: "MILK", quantity: 5, ...lot });
    expect(added.body.data.received).toMatchObject({ location: "C-01", expiration_date: "2026-02-01T23:59:59.999Z" });
    const other = { lot_number: "L-2", expiration_date: "2026-01-20", received_date: "2026-01-01", bin: "C-77" };
    await app.stock("MILK", 3, other);
    await app.stock("MILK", 1, { lot_number: "L-1" });
    const { body } = await app.get("/inventory/MILK");
    expect(body.data).toMatchObject({ available: 9, lot_tracking: true, expiration_tracking: true });
    expect(body.data.locations).toMatchObject([
      { location: "C-01", quantity: 6, temperature_zone: "refrigerated", temperature_range: "2-8°C" },
      { location: "C-77", quantity: 3 },
    ]);
    expect(body.data.lots).toMatchObject([
      { lot_number: "L-1", quantity: 6, status: "available" },
      { lot_number: "L-2", quantity: 3, received_date: "2026-01-01T05:00:00.000Z" },
    ]);
    await app.takeEvents();
  });

  test("an adjustment returns the units before and after, and low stock is reported once", async () => {
    await app.takeEvents();
    const input = { adjustment: -8, reason: "stock_count", location: warehouse, notes: "Cycle count" };
    const { body } = await app.patch("/inventory/RICE", { ...input, expected_quantity: 12 });
    expect(body.data).toMatchObject({
      sku: "RICE",
      previous_quantity: 12,
      adjustment: -8,
      new_quantity: 4,
      reason: "stock_count",
      adjusted_at: "2026-01-02T03:04:05.000Z",
      adjusted_by: "key_1003",
    });
    expect(await app.takeTypes()).toEqual(["inventory.updated", "inventory.low_stock"]);
    await app.patch("/inventory/RICE", { adjustment: 3, reason: "found" });
    expect(await app.takeTypes()).toEqual(["inventory.updated"]);
    expect((await app.get("/inventory/RICE")).body.data).toMatchObject({ available: 7, on_hand: 7 });
  });

  test("movements show what moved, from where and to where", async () => {
    const { body } = await app.get("/inventory/movements?sku=RICE");
    const shown = body.data.map((row: Record<string, unknown>) => [
      row["type"],
      row["quantity"],
      row["from_location"],
      row["to_location"],
      row["balance_after"],
    ]);
    expect(shown).toEqual([
      ["adjustment", 3, null, "A-01", 7],
      ["adjustment", 8, "A-01", "write_off", 4],
      ["receipt", 12, null, "A-01", 12],
    ]);
    const [, , receipt] = body.data;
    expect(receipt).toMatchObject({ unit_cost: 1.25, reference: { type: "reference", id: "PO-7" } });
    expect(receipt.actor).toEqual({ type: "api_key", id: "key_1003" });
  });

  test("a list shows each change at once, even if it was just requested", async () => {
    const quantities = async () => {
      const { body } = await app.get("/inventory?limit=100");
      return body.data.map(({ sku, on_hand }: { sku: string; on_hand: number }) => [sku, on_hand]);
    };
    for (let round = 0; round < 3; round += 1) {
      const before = new Map(await quantities());
      await app.product(`NEW-${round}`);
      await app.stock("RICE", 1, { location: warehouse });
      const now = new Map([...before, [`NEW-${round}`, 0], ["RICE", Number(before.get("RICE")) + 1]]);
      expect(new Map(await quantities())).toEqual(now);
      expect((await app.get("/inventory?limit=1")).body.meta.pagination.total).toBe(now.size);
    }
  });

  test("a SKU may contain any text, encoded in paths", async () => {
    await app.stock("a/b ü", 2);
    const { body } = await app.get(`/inventory/${encodeURIComponent("a/b ü")}`);
    expect(body.data).toMatchObject({ sku: "a/b ü", available: 2 });
  });
});

describe("refuses", () => {
  test.each([
    ["an unknown SKU", { sku: "NONE", quantity: 1 }, "404 resource_missing sku"],
    ["an unknown warehouse", { sku: "RICE", quantity: 1, location: "whs_9" }, "404 resource_missing location"],
    ["no quantity", { sku: "RICE" }, "422 validation_failed quantity"],
    ["a quantity of zero", { sku: "RICE", quantity: 0 }, "422 validation_failed quantity"],
    ["part of a unit", { sku: "RICE", quantity: 1.5 }, "422 validation_failed quantity"],
    ["no lot where lots are tracked", { sku: "MILK", quantity: 1 }, "422 validation_failed lot_number"],
    [
      "a new lot without the expiry that is tracked",
      { sku: "MILK", quantity: 1, lot_number: "L-9" },
      "422 validation_failed expiration_date",
    ],
    [
      "another expiry than the lot's",
      { sku: "MILK", quantity: 1, lot_number: "L-1", expiration_date: "2026-02-02" },
      "422 validation_failed expiration_date",
    ],
    [
      "a day that is none",
      { sku: "MILK", quantity: 1, lot_number: "L-1", expiration_date: "2026-02-30" },
      "422 validation_failed expiration_date",
    ],
    [
      "a bin that is too warm",
      { sku: "MILK", quantity: 1, bin: "A-01", lot_number: "L-1" },
      "422 validation_failed bin",
    ],
    ["goods that no zone suits", { sku: "ICE", quantity: 1 }, "422 validation_failed location"],
    ["a bin named by a blank", { sku: "RICE", quantity: 1, bin: " " }, "422 validation_failed bin"],
    ["a bin with a blank behind it", { sku: "RICE", quantity: 1, bin: "A-01 " }, "422 validation_failed bin"],
    [
      "a lot with a blank before it",
      { sku: "MILK", quantity: 1, lot_number: " L-1", expiration_date: "2026-02-01" },
      "422 validation_failed lot_number",
    ],
    ["a bin of an order", { sku: "RICE", quantity: 1, bin: "STAGING-ord_1" }, "422 validation_failed bin"],
    [
      "goods from the future",
      { sku: "RICE", quantity: 1, received_date: "2026-02-01" },
      "422 validation_failed received_date",
    ],
  ] as const)("to add %s", async (_name, body, refusal) => {
    await app.takeEvents();
    const answer = await app.post("/inventory", body);
    expect(refusalOf(answer)).toBe(refusal);
    expect(await app.takeTypes()).toEqual([]);
  });

  test("products that no zone suits, and says how to add one", async () => {
    const { body } = await app.post("/inventory", { sku: "ICE", quantity: 1 });
    expect(body.error.details[0].message).toBe(
      "has no zone for frozen goods; add a zone with that temperature_zone to the warehouse first",
    );
  });

  test.each([
    ["by nothing", "RICE", { adjustment: 0, reason: "found" }, "422 validation_failed"],
    ["without a reason", "RICE", { adjustment: 1 }, "422 validation_failed"],
    ["for another reason without notes", "RICE", { adjustment: 1, reason: "other" }, "422 validation_failed"],
    [
      "for another reason with blank notes",
      "RICE",
      { adjustment: 1, reason: "other", notes: " \n" },
      "422 validation_failed",
    ],
    ["below zero", "RICE", { adjustment: -500, reason: "lost" }, "409 insufficient_inventory"],
    ["what is not there", "ICE", { adjustment: -1, reason: "lost" }, "409 insufficient_inventory"],
    ["an unknown SKU", "NONE", { adjustment: 1, reason: "found" }, "404 resource_missing"],
    ["two lots at once", "MILK", { adjustment: -1, reason: "lost" }, "422 ambiguous_stock"],
    ["an unknown lot", "MILK", { adjustment: 1, reason: "found", lot_number: "L-9" }, "422 validation_failed"],
    [
      "a count that is out of date",
      "RICE",
      { adjustment: 1, reason: "found", expected_quantity: 99 },
      "409 quantity_conflict",
    ],
  ] as const)("to adjust %s", async (_name, sku, body, outcome) => {
    await app.takeEvents();
    const answer = await app.patch(`/inventory/${sku}`, body);
    expect(outcomeOf(answer).join(" ")).toBe(outcome);
    expect(await app.takeTypes()).toEqual([]);
  });

  test("to remove more than is in the named bin and lot, and names it", async () => {
    const input = { adjustment: -900, reason: "lost", location: warehouse };
    const { message: bin } = (await app.patch("/inventory/RICE", { ...input, bin: "NONE" })).body.error;
    expect(bin).toBe("Only 0 units of RICE in bin NONE can be removed.");
    const { message: lot } = (await app.patch("/inventory/MILK", { ...input, lot_number: "L-9" })).body.error;
    expect(lot).toBe("Only 0 units of lot L-9 of MILK can be removed.");
  });

  test("to take reserved units, and names an order with two reservations once", async () => {
    await app.product("TWICE");
    await app.stock("TWICE", 5, { location: warehouse });
    for (const quantity of [2, 3])
      await app.post("/inventory/reserve", { order_id: "N-2", items: [{ sku: "TWICE", quantity }] });
    const { error } = (await app.patch("/inventory/TWICE", { adjustment: -4, reason: "lost" })).body;
    expect(error.orders).toEqual([{ order_id: null, order_number: "N-2", quantity: 4 }]);
    expect(error.message).toBe("Units of TWICE are reserved for N-2. Use allow_shortfall to backorder them.");
  });

  test("adjustments without a warehouse if there are two, and of reserved units", async () => {
    const { warehouse_id: _id, name: _name, ...rest } = (await app.get("/inventory/locations")).body.data[0];
    const west = (await app.post("/inventory/locations", { ...rest, name: "West" })).body.data.warehouse_id;
    await app.stock("MANY", 4, { location: warehouse, bin: "A-01" });
    expect(fieldsOf(await app.post("/inventory", { sku: "MANY", quantity: 2 }))).toEqual(["location"]);
    await app.stock("MANY", 2, { location: west, bin: "M-1" });
    expect(fieldsOf(await app.patch("/inventory/MANY", { adjustment: -1, reason: "lost" }))).toEqual(["location"]);
    await app.post("/inventory/reserve", { order_id: "N-1", items: [{ sku: "MANY", quantity: 5 }] });
    await app.takeEvents();
    const input = { adjustment: -2, reason: "lost", location: west };
    const refused = await app.patch("/inventory/MANY", input);
    expect(refused.body.error).toMatchObject({
      code: "would_break_reservations",
      orders: [{ order_id: null, order_number: "N-1", quantity: 1 }],
    });
    expect(await app.takeTypes()).toEqual([]);
    const allowed = await app.patch("/inventory/MANY", { ...input, allow_shortfall: true });
    expect(allowed.body.data).toMatchObject({ previous_quantity: 2, new_quantity: 0 });
    expect((await app.get("/inventory/MANY")).body.data).toMatchObject({ available: 0, backordered: 1, on_hand: 4 });
  });
});
