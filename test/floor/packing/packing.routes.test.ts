import { beforeEach, describe, expect, test } from "bun:test";
import { day_ms, minute_ms } from "../../../src/core/time.ts";
import { codeOf, openShop, outcomeOf, refusalOf, type Shop } from "../../build/shop.ts";
import { packerOf } from "./packing_floor.ts";

let shop: Shop;
let packer: Awaited<ReturnType<typeof packerOf>>;
beforeEach(async () => {
  shop = await openShop();
  packer = await packerOf(shop);
}, 30_000);

const size = (length: number, width: number, height: number) => ({ length, width, height, unit: "cm" });
const weighed = (weight: number, fields: object = {}) => ({ weight, weight_unit: "g", ...fields });

async function threeLines() {
  const sizes = { dimensions: size(10, 10, 10) };
  await shop.product({ sku: "CUP", units: 20, ...weighed(350, sizes) });
  await shop.product({ sku: "TEA", units: 20, ...weighed(100.5, sizes) });
  await shop.product({ sku: "POT", units: 20, ...weighed(900, sizes) });
  return shop.order([
    ["CUP", 2],
    ["TEA", 1],
    ["POT", 1],
  ]);
}

describe("works", () => {
  test("the last scan packs the parcel, buys the label and prints both documents", async () => {
    await packer.carton("S", [100, 100, 100], 50);
    await packer.carton("M", [300, 200, 200], 150);
    const order = await threeLines();
    await shop.act(order.id, "pick");
    await shop.told();
    const opened = await packer.open({ order_id: order.order_number });
    expect(outcomeOf(opened)).toEqual([201, undefined]);
    const { id } = opened.body.data;
    expect(opened.body.data).toMatchObject({
      status: "open",
      order_id: order.id,
      ...{ units_needed: 4, units_scanned: 0, label_status: "none", label: null, blocked_by: null },
      carton: { code: "M", source: "smallest_fit" },
      ...{ weight: 1850.5, weight_unit: "g", weight_source: "calculated" },
    });
    for (const sku of ["CUP", "TEA", "CUP"]) expect((await packer.scan(id, sku)).status).toBe(200);
    expect(await shop.told()).toEqual([]);
    const last = await packer.scan(id, "POT");
    expect(outcomeOf(last)).toEqual([200, undefined]);
    expect(last.body.data).toMatchObject({
      status: "closed",
      ...{ units_needed: 4, units_scanned: 4, label_status: "completed", label_error: null },
      label: {
        carrier: "local",
        tracking_number: expect.any(String),
        package: { weight: 1850.5, weight_unit: "g", dimensions: { length: 30, width: 20, height: 20, unit: "cm" } },
      },
    });
    expect(await shop.told()).toEqual(["order.fulfilled", "shipment.created"]);
    const after = await shop.get(order.id);
    expect([after.status, after.shipments.length, after.shipments[0].id]).toEqual([
      "fulfilled",
      1,
      last.body.data.shipment_id,
    ]);
    const { label_id } = last.body.data.label;
    expect((await packer.prints()).map(({ kind, label_id: label, shipment_id }) => [kind, label, shipment_id])).toEqual(
      [
        ["label", Number(label_id.slice(4)), Number(after.shipments[0].id.slice(4))],
        ["packing_slip", null, Number(after.shipments[0].id.slice(4))],
      ],
    );
    expect(codeOf(await packer.open({ code: order.order_number }))).toBe("already_packed");
    await shop.expectVerified();
  });

  test("a wrong or surplus item is refused and changes nothing", async () => {
    const order = await threeLines();
    await shop.product({ sku: "OTHER", units: 1 });
    const { id } = (await packer.open({ code: order.id })).body.data;
    await packer.scan(id, "TEA");
    const before = await packer.get(id);
    expect(outcomeOf(await packer.scan(id, "TEA"))).toEqual([409, "surplus_item"]);
    expect(outcomeOf(await packer.scan(id, "CUP", { quantity: 3 }))).toEqual([409, "surplus_item"]);
    expect(outcomeOf(await packer.scan(id, "OTHER"))).toEqual([409, "wrong_item"]);
    expect(outcomeOf(await packer.post(`/${id}/scans`, { code: "4006381333931" }))).toEqual([422, "unknown_barcode"]);
    expect(await packer.get(id)).toEqual(before);
    expect((await packer.post(`/${id}/unscan`, { sku: "TEA" })).body.data.units_scanned).toBe(0);
    expect(codeOf(await packer.post(`/${id}/unscan`, { sku: "TEA" }))).toBe("wrong_item");
  });

  test("an order in two parcels has two sessions and two labels", async () => {
    const order = await threeLines();
    const first = (await packer.open({ order_id: order.id })).body.data;
    await packer.scan(first.id, "CUP", { quantity: 2 });
    const closed = (await packer.post(`/${first.id}/close`)).body.data;
    expect(closed).toMatchObject({ status: "closed", label_status: "completed", weight: 700 });
    expect((await shop.get(order.id)).status).toBe("processing");
    const second = (await packer.open({ order_id: order.id })).body.data;
    expect([second.id === first.id, second.units_needed]).toEqual([false, 2]);
    await packer.scan(second.id, "TEA");
    const last = (await packer.scan(second.id, "POT")).body.data;
    expect(last).toMatchObject({ status: "closed", label_status: "completed", weight: 1000.5 });
    const after = await shop.get(order.id);
    expect([after.status, after.shipments.map(({ id }: { id: string }) => id)]).toEqual([
      "fulfilled",
      [closed.shipment_id, last.shipment_id],
    ]);
    const facts = (await shop.app.get("/billing/events?limit=100")).body.data as { act: string; quantity: number }[];
    expect(facts.filter(({ act }) => act === "order.pack").map(({ quantity }) => quantity)).toEqual([2, 2]);
  });

  test("one-unit orders: an item gets the label of the oldest order, and two packers get two orders", async () => {
    await shop.product({ sku: "MUG", units: 10, ...weighed(400) });
    const orders = [];
    for (let n = 0; n < 3; n++) orders.push(await shop.order([["MUG", 1]]));
    await shop.order([["MUG", 2]]);
    await shop.act(orders[1].id, "pick");
    const picked = await packer.fromItem("MUG");
    expect(picked.body.data).toMatchObject({ order_id: orders[1].id, status: "closed", label_status: "completed" });
    expect(picked.status).toBe(201);
    const both = await Promise.all([packer.fromItem("MUG"), packer.fromItem("MUG", { device: "table-2" })]);
    expect(both.map(({ body }) => body.data.order_id).sort()).toEqual([orders[0].id, orders[2].id]);
    expect(both.map(({ body }) => body.data.label_status)).toEqual(["completed", "completed"]);
    expect(outcomeOf(await packer.fromItem("MUG"))).toEqual([409, "no_matching_order"]);
  });

  test("an item goes to no unpicked order while others pack the picked one, or a planned wave has it", async () => {
    await shop.product({ sku: "URN", units: 10, ...weighed(400) });
    const [picked, planned] = [await shop.order([["URN", 1]]), await shop.order([["URN", 1]])];
    await shop.act(picked.id, "pick");
    await shop.app.create("/waves", { mode: "order", filters: { order_ids: [planned.id] } });
    const free = await shop.order([["URN", 1]]);
    await shop.app.post(`/work/pack_${picked.id}/claim`, { device: "table-2" });
    const refused = await packer.fromItem("URN");
    expect([codeOf(refused), refused.body.error.claim.device]).toEqual(["task_taken", "table-2"]);
    await shop.app.post(`/work/pack_${picked.id}/release`, { device: "table-2" });
    const packed = [await packer.fromItem("URN"), await packer.fromItem("URN")];
    expect(packed.map(({ body }) => body.data.order_id)).toEqual([picked.id, free.id]);
    expect(codeOf(await packer.fromItem("URN"))).toBe("no_matching_order");
  });

  test("a lot-tracked product needs a lot that was picked, and not one that has expired since", async () => {
    const { sku } = await shop.product({ sku: "MILK", ...weighed(1000), lot_tracking: true });
    for (const [lot_number, expiration_date] of [
      ["L-1", "2026-01-20"],
      ["L-2", "2026-03-01"],
    ]) {
      await shop.app.create("/inventory", { sku, quantity: 2, location: "whs_1001", lot_number, expiration_date });
    }
    const order = await shop.order([["MILK", 3]]);
    await shop.act(order.id, "pick");
    const opened = (await packer.open({ order_id: order.id })).body.data;
    expect(opened.lines[0].lots).toEqual([
      { lot_number: "L-1", quantity: 2, scanned: 0 },
      { lot_number: "L-2", quantity: 1, scanned: 0 },
    ]);
    const scan = (lot_number?: string) => packer.scan(opened.id, sku, { lot_number });
    expect(refusalOf(await scan())).toBe("422 validation_failed lot_number");
    expect(codeOf(await scan("L-9"))).toBe("wrong_lot");
    expect((await scan("l-2")).status).toBe(200);
    expect(codeOf(await scan("L-2"))).toBe("wrong_lot");
    expect((await scan("L-1")).status).toBe(200);
    shop.app.clocks.live.advance(30 * day_ms);
    expect(codeOf(await scan("L-1"))).toBe("lot_expired");
    expect((await packer.get(opened.id)).units_scanned).toBe(2);
  });

  test("components of a bundle are scanned each, and a set goes into one parcel", async () => {
    for (const sku of ["CUP", "TEA"]) await shop.product({ sku, units: 9, ...weighed(100) });
    await shop.bundle(
      [
        ["CUP", 2],
        ["TEA", 1],
      ],
      { sku: "SET" },
    );
    const order = await shop.order([
      ["SET", 1],
      ["CUP", 1],
    ]);
    const { id, lines } = (await packer.open({ order_id: order.id })).body.data;
    expect(lines.map(({ sku, bundle_sku, needed }: Record<string, unknown>) => [sku, bundle_sku, needed])).toEqual([
      ["CUP", "SET", 2],
      ["TEA", "SET", 1],
      ["CUP", null, 1],
    ]);
    expect(codeOf(await packer.scan(id, "SET"))).toBe("wrong_item");
    await packer.scan(id, "CUP");
    expect(codeOf(await packer.post(`/${id}/close`))).toBe("bundle_incomplete");
    await packer.scan(id, "CUP", { quantity: 2 });
    const last = (await packer.scan(id, "TEA")).body.data;
    expect([last.status, last.label_status, last.weight]).toEqual(["closed", "completed", 400]);
  });

  test("a parcel whose weight is unknown is closed once it is weighed", async () => {
    await shop.product({ sku: "ROCK", units: 5 });
    const order = await shop.order([["ROCK", 1]]);
    const { id } = (await packer.open({ order_id: order.id })).body.data;
    const scanned = (await packer.scan(id, "ROCK")).body.data;
    expect([scanned.status, scanned.blocked_by.field, scanned.carton_gap]).toEqual(["open", "weight", "no_cartons"]);
    expect(refusalOf(await packer.post(`/${id}/close`))).toBe("422 validation_failed weight");
    const closed = await packer.patch(id, { weight: 2, weight_unit: "lb" });
    expect(closed.body.data).toMatchObject({
      status: "closed",
      label_status: "completed",
      weight: 2,
      weight_unit: "lb",
    });
  });

  test("a weight that differs by more than 50 g and 3 % needs a reason", async () => {
    await shop.product({ sku: "BAG", units: 9, ...weighed(1000) });
    const order = await shop.order([["BAG", 2]]);
    const { id } = (await packer.open({ order_id: order.id })).body.data;
    for (const [weight, status] of [
      [2060, 200],
      [1940, 200],
      [2061, 422],
      [1939, 422],
    ] as const) {
      expect([weight, (await packer.patch(id, { weight, weight_unit: "g" })).status]).toEqual([weight, status]);
    }
    const reason = { weight: 2.5, weight_unit: "kg", weight_reason: "With ice." };
    expect((await packer.patch(id, reason)).body.data).toMatchObject({ weight: 2.5, weight_source: "typed" });
    const last = (await packer.scan(id, "BAG", { quantity: 2 })).body.data;
    expect(last).toMatchObject({ status: "closed", weight_reason: "With ice.", label: { package: { weight: 2.5 } } });
  });

  test("the carton that someone chose is suggested for the same goods", async () => {
    await packer.carton("S", [200, 100, 100], 40);
    const large = await packer.carton("L", [400, 400, 400], 300);
    await shop.product({ sku: "JAR", units: 9, ...weighed(500, { dimensions: size(9, 9, 9) }) });
    const pack = async () => {
      const order = await shop.order([["JAR", 1]]);
      return (await packer.open({ order_id: order.id })).body.data;
    };
    const first = await pack();
    expect([first.carton.code, first.carton.source]).toEqual(["S", "smallest_fit"]);
    const chosen = (await packer.patch(first.id, { carton_id: large })).body.data;
    expect([chosen.carton.code, chosen.carton.source, chosen.calculated_grams]).toEqual(["L", "chosen", 800]);
    await packer.scan(first.id, "JAR");
    const next = await pack();
    expect([next.carton.code, next.carton.source]).toEqual(["L", "last_choice"]);
    expect(refusalOf(await packer.patch(next.id, { carton_id: "ctn_99" }))).toBe("422 validation_failed carton_id");
  });

  test("an order for pickup gets a parcel and a slip, but no label", async () => {
    await shop.product({ sku: "BOX", units: 9 });
    const order = await shop.order([["BOX", 1]], { fulfillment_type: "pickup" });
    const { id } = (await packer.open({ order_id: order.id })).body.data;
    const last = (await packer.scan(id, "BOX")).body.data;
    expect(last).toMatchObject({
      status: "closed",
      label_status: "none",
      label: null,
      shipment_id: expect.any(String),
    });
    expect((await packer.prints()).map(({ kind }) => kind)).toEqual(["packing_slip"]);
    expect(codeOf(await packer.post(`/${id}/label`))).toBe("pickup_order");
    expect((await shop.get(order.id)).status).toBe("fulfilled");
  });

  test("after its label is voided, a parcel can be packed again, or get another label", async () => {
    const order = await threeLines();
    const { id } = (await packer.open({ order_id: order.id })).body.data;
    for (const [sku, quantity] of [
      ["CUP", 2],
      ["TEA", 1],
      ["POT", 1],
    ] as const)
      await packer.scan(id, sku, { quantity });
    expect(codeOf(await packer.post(`/${id}/label`))).toBe("duplicate_label");
    const { label } = await packer.get(id);
    await shop.app.create(`/shipping/labels/${label.label_id}/void`);
    expect((await packer.get(id)).label_status).toBe("voided");
    const again = (await packer.post(`/${id}/label`, { carrier: "local", service: "express" })).body.data;
    expect([again.label_status, again.label.service]).toEqual(["completed", "express"]);
    expect(codeOf(await packer.open({ order_id: order.id }))).toBe("already_packed");
    await shop.app.create(`/shipping/labels/${again.label.label_id}/void`);
    const reopened = await packer.open({ order_id: order.id });
    expect([reopened.status, reopened.body.data.units_needed]).toEqual([201, 4]);
    const facts = (await shop.app.get("/billing/events?limit=100")).body.data as { act: string }[];
    expect(facts.filter(({ act }) => act === "order.pack")).toHaveLength(1);
  });

  test("a label that was bought before the order is packed is printed, and no other is bought", async () => {
    await shop.product({ sku: "MUG", units: 9, ...weighed(400) });
    const order = await shop.order([["MUG", 2]]);
    const { label_id } = await shop.label(order.id);
    const { id } = (await packer.open({ order_id: order.id })).body.data;
    const last = (await packer.scan(id, "MUG", { quantity: 2 })).body.data;
    expect([last.label_status, last.label.label_id]).toEqual(["completed", label_id]);
    expect((await shop.get(order.id)).shipments).toHaveLength(1);
  });
});

describe("refuses", () => {
  test("orders that cannot be packed, each with its own code", async () => {
    await shop.product({ sku: "MUG", units: 4, ...weighed(400) });
    const [held, gone, short] = [
      await shop.order([["MUG", 1]]),
      await shop.order([["MUG", 1]]),
      await shop.order([["MUG", 5]], { allow_backorder: true }),
    ];
    await shop.act(held.id, "hold", { reason: "payment" });
    await shop.cancel(gone.id);
    expect(codeOf(await packer.open({ order_id: held.id }))).toBe("order_on_hold");
    expect(codeOf(await packer.open({ order_id: gone.id }))).toBe("order_cancelled");
    expect(codeOf(await packer.open({ order_id: short.id }))).toBe("insufficient_inventory");
    expect((await packer.open({ order_id: short.id, partial: true })).status).toBe(201);
    expect(codeOf(await packer.open({ code: "NO-SUCH" }))).toBe("unknown_barcode");
    expect(codeOf(await packer.open({ tote: "T-1" }))).toBe("resource_missing");
    expect(refusalOf(await packer.open({}))).toBe("422 validation_failed code");
  });

  test("a parcel that someone else packs, until its lease is over", async () => {
    await shop.product({ sku: "MUG", units: 4, ...weighed(400) });
    const order = await shop.order([["MUG", 2]]);
    const { id } = (await packer.open({ order_id: order.id })).body.data;
    await packer.scan(id, "MUG");
    const by = { key: shop.app.keys.live.read_write };
    const take = () => shop.app.call("POST", "/packing_sessions", { device: "table-2", order_id: order.id }, by);
    expect(outcomeOf(await take())).toEqual([409, "task_taken"]);
    shop.app.clocks.live.advance(16 * minute_ms);
    expect((await take()).body.data).toMatchObject({ id, device: "table-2", units_scanned: 1 });
  });
});
