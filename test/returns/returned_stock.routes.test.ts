// Where the units of a return are, from their receipt to the end of their inspection.
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { bins } from "../../db/schema/warehouses.ts";
import { closeStorage } from "../../src/billing/storage_days.jobs.ts";
import { day_ms } from "../../src/core/time.ts";
import { openShop, portland, shopOn } from "../build/shop.ts";
import { openWest } from "../build/west.ts";

const main = "whs_1001";
const shop = await openShop();
const { app } = shop;
const west = await openWest(app);

type Fields = Readonly<Record<string, unknown>>;

/** A return of everything that an order shipped, not received yet. */
async function coming(order_id: string) {
  const { id } = await app.create("/returns", { order_id, reason: "customer_remorse" });
  const act = (step: string, body: object = {}) => app.create(`/returns/${id}/${step}`, body);
  const refused = async (step: string, body: object = {}) => {
    const { status, body: answer } = await app.post(`/returns/${id}/${step}`, body);
    return [status, answer.error?.code];
  };
  return { id: id as string, act, refused };
}

/** A shipped order of a new product, and its return. */
async function sold(quantity: number, fields: Fields = {}) {
  const product = await shop.product({ units: quantity, ...fields });
  const order = await shop.order([[product, quantity]], { warehouse_id: main });
  await shop.act(order.id, "ship");
  return { sku: product.sku, order_id: order.id as string, ...(await coming(order.id)) };
}

/** Stock of a lot-tracked product, and an order of all of it. */
async function lotted(sku: string, lots: Readonly<Record<string, number>>) {
  const product = await shop.product({ sku, lot_tracking: true });
  let units = 0;
  for (const [lot_number, quantity] of Object.entries(lots)) {
    await app.create("/inventory", { sku, quantity, lot_number, location: main, bin: "A-01" });
    units += quantity;
  }
  return { product, order: await shop.order([[product, units]]) };
}

const found = (sku: string, quantity: number, fields: Fields = {}) => ({
  sku,
  quantity,
  condition: "unopened",
  disposition: "restock",
  ...fields,
});

/** What is on hand, in total and for sale, and why the rest is not for sale. The sums must hold. */
async function levels(sku: string): Promise<Record<string, number>> {
  const { on_hand, total, available, unavailable } = await shop.stockOf(sku);
  const causes = Object.entries(unavailable as Record<string, number>).filter(([, units]) => units > 0);
  expect(on_hand).toBe(total + causes.reduce((sum, [, units]) => sum + units, 0));
  return { on_hand, available, ...Object.fromEntries(causes) };
}

/** The movements of a SKU since its last sale, oldest first. */
async function moved(sku: string, skip: number) {
  const { data } = (await app.get(`/inventory/movements?sku=${sku}`)).body;
  return data
    .toReversed()
    .slice(skip)
    .map((row: Record<string, string>) => {
      const lot = row["lot_number"] === null ? "" : ` of ${row["lot_number"]}`;
      const way = `${row["from_location"]} > ${row["to_location"]}`.replace(/STAGING-\w+/, "STAGING");
      return `${row["type"]} ${row["quantity"]}${lot}, ${row["reason"]}: ${way}`;
    });
}

const tasksOf = async (id: string) =>
  (await app.get(`/inventory/putbacks?return_id=${id}`)).body.data.map((task: Fields) => [
    task["sku"],
    task["quantity"],
    task["lot_number"],
  ]);

const putBack = (body: object) => app.post("/inventory/putbacks", body);

describe("works", () => {
  test("units that arrive in parts wait in the returns bin, and each disposition takes them out of it", async () => {
    const { sku, id, act, order_id } = await sold(6);
    expect(await levels(sku)).toEqual({ on_hand: 0, available: 0 });
    await act("receive", { items: [{ sku, quantity: 2 }] });
    expect(await levels(sku)).toEqual({ on_hand: 2, available: 0, returns: 2 });
    await act("receive", { items: [{ sku, quantity: 3 }] });
    expect(await levels(sku)).toEqual({ on_hand: 5, available: 0, returns: 5 });
    expect((await shop.stockOf(sku)).locations).toMatchObject([
      { warehouse_id: main, location: "RETURNS", kind: "returns", quantity: 5 },
    ]);
    expect((await app.get(`/inventory/${sku}/explain`)).body.data).toMatchObject({
      on_hand: 5,
      unavailable: [{ cause: "returns", bin: "RETURNS", units: 5 }],
    });
    await act("inspect", {
      items: [
        found(sku, 1, { bin: "A-01" }),
        found(sku, 1),
        found(sku, 1, { disposition: "quarantine" }),
        found(sku, 1, { disposition: "dispose" }),
        found(sku, 1, { disposition: "return_to_sender" }),
      ],
    });
    expect(await levels(sku)).toEqual({ on_hand: 3, available: 1, returns: 1, quarantined: 1 });
    expect(await moved(sku, 3)).toEqual([
      "return 2, return_received: null > RETURNS",
      "return 3, return_received: null > RETURNS",
      "transfer 1, return_restock: RETURNS > A-01",
      "transfer 1, return_quarantine: RETURNS > QUARANTINE",
      "adjustment 1, return_dispose: RETURNS > write_off",
      "return 1, return_to_sender: RETURNS > customer",
    ]);
    expect(await tasksOf(id)).toEqual([[sku, 1, null]]);
    expect((await putBack({ return_id: id, sku, quantity: 1, bin: "A-01" })).status).toBe(201);
    expect(await levels(sku)).toEqual({ on_hand: 3, available: 2, quarantined: 1 });
    // The unit that never arrived, and the one that was sent back, can be returned again.
    const again = await coming(order_id);
    await again.act("receive");
    expect(await levels(sku)).toEqual({ on_hand: 5, available: 2, returns: 2, quarantined: 1 });
    expect(await again.refused("cancel")).toEqual([409, "invalid_state_transition"]);
    await again.act("inspect", { items: [found(sku, 2, { disposition: "dispose" })] });
    await again.act("close");
    expect(await levels(sku)).toEqual({ on_hand: 3, available: 2, quarantined: 1 });
  });

  test("a dry run of a receipt or an inspection moves nothing", async () => {
    const { sku, act } = await sold(2);
    await act("receive?dry_run=true");
    expect(await levels(sku)).toEqual({ on_hand: 0, available: 0 });
    await act("receive");
    await act("inspect?dry_run=true", { items: [found(sku, 2, { disposition: "dispose" })] });
    expect(await levels(sku)).toEqual({ on_hand: 2, available: 0, returns: 2 });
  });

  test("units of one shipped lot wait in that lot", async () => {
    const { order } = await lotted("ONE-LOT", { L1: 2 });
    await shop.act(order.id, "ship");
    const { act } = await coming(order.id);
    await act("receive");
    expect((await shop.stockOf("ONE-LOT")).lots).toMatchObject([{ lot_number: "L1", quantity: 2 }]);
    await act("inspect", { items: [found("ONE-LOT", 2, { bin: "A-01" })] });
    expect(await levels("ONE-LOT")).toEqual({ on_hand: 2, available: 2 });
    expect(await moved("ONE-LOT", 3)).toEqual([
      "return 2 of L1, return_received: null > RETURNS",
      "transfer 2 of L1, return_restock: RETURNS > A-01",
    ]);
  });

  test("units of several shipped lots wait without one, and get it from their inspection", async () => {
    const { order } = await lotted("MANY-LOTS", { L1: 2, L2: 2 });
    await shop.act(order.id, "ship");
    const { id, act } = await coming(order.id);
    await act("receive");
    expect(await shop.stockOf("MANY-LOTS")).toMatchObject({ on_hand: 4, unavailable: { returns: 4 }, lots: [] });
    await act("inspect", {
      items: [
        found("MANY-LOTS", 1, { lot_number: "L2", bin: "A-01" }),
        found("MANY-LOTS", 1, { lot_number: "L2" }),
        found("MANY-LOTS", 1, { lot_number: "L1", disposition: "quarantine" }),
        found("MANY-LOTS", 1, { disposition: "return_to_sender" }),
      ],
    });
    expect(await moved("MANY-LOTS", 6)).toEqual([
      "return 4, return_received: null > RETURNS",
      "transfer 1 of L2, return_restock: RETURNS > A-01",
      "transfer 1 of L2, return_restock: RETURNS > RETURNS",
      "transfer 1 of L1, return_quarantine: RETURNS > QUARANTINE",
      "return 1, return_to_sender: RETURNS > customer",
    ]);
    expect(await levels("MANY-LOTS")).toEqual({ on_hand: 3, available: 1, returns: 1, quarantined: 1 });
    expect(await tasksOf(id)).toEqual([["MANY-LOTS", 1, "L2"]]);
    const lots = (await shop.stockOf("MANY-LOTS")).lots.map((lot: Fields) => [lot["lot_number"], lot["quantity"]]);
    expect(Object.fromEntries(lots)).toEqual({ L1: 1, L2: 2 });
    expect((await putBack({ return_id: id, sku: "MANY-LOTS", quantity: 1, bin: "A-01" })).status).toBe(201);
  });

  test("units of a lot that is found are taken first from those received in it", async () => {
    const { product, order } = await lotted("LATER", { L1: 2 });
    const line_items = [{ product_id: product.id, quantity: 3, unit_price: "1.00" }];
    await app.patch(`/orders/${order.id}`, { line_items });
    await shop.act(order.id, "ship", { partial: true });
    const { act, id } = await coming(order.id);
    await act("receive", { items: [{ sku: "LATER", quantity: 1 }] });
    expect((await shop.stockOf("LATER")).lots).toMatchObject([{ lot_number: "L1", quantity: 1 }]);
    await app.create("/inventory", { sku: "LATER", quantity: 1, lot_number: "L2", location: main });
    await shop.act(order.id, "ship");
    await act("receive");
    const lots = [found("LATER", 1, { lot_number: "L1" }), found("LATER", 1, { lot_number: "L2" })];
    await act("inspect", { items: lots });
    expect(await moved("LATER", 3)).toEqual([
      "return 1 of L1, return_received: null > RETURNS",
      "receipt 1 of L2, received: null > A-01",
      "transfer 1 of L2, picked: A-01 > STAGING",
      "sale 1 of L2, shipped: STAGING > customer",
      "return 1, return_received: null > RETURNS",
      "transfer 1 of L2, return_restock: RETURNS > RETURNS",
    ]);
    expect(await tasksOf(id)).toEqual([
      ["LATER", 1, "L1"],
      ["LATER", 1, "L2"],
    ]);
  });

  test("an inspection may find another lot than the units were received in", async () => {
    const { product, order } = await lotted("OTHER-LOT", { L1: 1 });
    const line_items = [{ product_id: product.id, quantity: 2, unit_price: "1.00" }];
    await app.patch(`/orders/${order.id}`, { line_items });
    await shop.act(order.id, "ship", { partial: true });
    const { act } = await coming(order.id);
    await act("receive");
    await app.create("/inventory", { sku: "OTHER-LOT", quantity: 1, lot_number: "L2", location: main });
    await shop.act(order.id, "ship");
    await act("inspect", { items: [found("OTHER-LOT", 1, { lot_number: "L2", bin: "A-01" })] });
    expect((await shop.stockOf("OTHER-LOT")).lots).toMatchObject([{ lot_number: "L2", quantity: 1 }]);
    expect(await levels("OTHER-LOT")).toEqual({ on_hand: 1, available: 1 });
  });

  test("units return to the warehouse that shipped most of them", async () => {
    const product = await shop.product({ sku: "TWO-HOUSES" });
    await app.create("/inventory", { sku: "TWO-HOUSES", quantity: 1, location: main });
    await app.create("/inventory", { sku: "TWO-HOUSES", quantity: 2, location: west });
    const order = await shop.order([[product, 3]]);
    await shop.act(order.id, "ship");
    const { act } = await coming(order.id);
    await act("receive");
    expect((await shop.stockOf("TWO-HOUSES")).locations).toMatchObject([{ warehouse_id: west, quantity: 3 }]);
    await act("inspect", { items: [found("TWO-HOUSES", 3, { disposition: "quarantine" })] });
    expect((await shop.stockOf("TWO-HOUSES")).locations).toMatchObject([
      { warehouse_id: west, location: "QUARANTINE", quantity: 3 },
    ]);
  });

  test("a bundle arrives as its components, of which no set can be made before the inspection", async () => {
    const [cup, pot] = [await shop.product({ units: 4 }), await shop.product({ units: 2 })];
    const set = await shop.bundle([
      [cup.sku, 2],
      [pot.sku, 1],
    ]);
    const order = await shop.order([[set, 2]], { warehouse_id: main });
    await shop.act(order.id, "ship");
    const { act } = await coming(order.id);
    await app.takeEvents();
    await act("receive", { items: [{ sku: set.sku, quantity: 1 }] });
    await act("receive");
    const updated = (await app.takeEvents()).filter(({ type }) => type === "inventory.updated");
    expect(new Set(updated.map(({ data }) => data["sku"]))).toEqual(new Set([cup.sku, pot.sku]));
    expect([await levels(cup.sku), await levels(pot.sku), await shop.available(set.sku)]).toEqual([
      { on_hand: 4, available: 0, returns: 4 },
      { on_hand: 2, available: 0, returns: 2 },
      0,
    ]);
    await act("inspect", {
      items: [found(set.sku, 1, { bin: "A-01" }), found(set.sku, 1, { disposition: "dispose" })],
    });
    expect([await levels(cup.sku), await levels(pot.sku), await shop.available(set.sku)]).toEqual([
      { on_hand: 2, available: 2 },
      { on_hand: 1, available: 1 },
      1,
    ]);
  });

  test("a merchant's own returns bin is used first; while units wait there, the merchant is not closed", async () => {
    const { app } = await openShop();
    await app.must("POST", "/merchants", { code: "OWN", name: "Own" });
    const { location_zones } = (await app.get("/inventory/locations")).body.data[0];
    const { zone_id, temperature_zone } = location_zones[0];
    const change = (bin: object) =>
      app.patch(`/inventory/locations/${main}`, { location_zones: [{ zone_id, temperature_zone, bins: [bin] }] });
    expect((await change({ code: "OWN-RET", kind: "returns", dedicated_merchant_id: "OWN" })).status).toBe(200);
    const customer = { email: "own@example.com", first_name: "Own", shipping_addresses: [portland, portland] };
    const theirs = await shopOn(app, { merchant: "OWN", customer });
    const product = await theirs.product({ sku: "OWN-TEA" });
    await app.create("/inventory", { sku: "OWN-TEA", quantity: 2, location: main, bin: "OWN-01" });
    const order = await theirs.order([[product, 2]]);
    await theirs.act(order.id, "ship");
    const { id } = await app.create("/returns", { order_id: order.id, reason: "defective" });
    await app.create(`/returns/${id}/receive`);
    expect((await app.stockOf("OWN-TEA")).locations).toMatchObject([{ location: "OWN-RET", quantity: 2 }]);
    expect((await change({ code: "OWN-RET", kind: "storage" })).body.error.code).toBe("validation_failed");
    expect((await app.post("/merchants/OWN/close")).body.error).toMatchObject({ code: "merchant_not_empty", units: 2 });
    await app.create(`/returns/${id}/inspect`, { items: [found("OWN-TEA", 2, { disposition: "dispose" })] });
    expect((await app.stockOf("OWN-TEA")).on_hand).toBe(0);
  });

  test("a returns bin is created where a warehouse has none", async () => {
    const other = await openShop();
    const product = await other.product({ units: 1 });
    const order = await other.order([[product, 1]]);
    await other.act(order.id, "ship");
    const renamed = { code: "OLD-RETURNS", kind: "damage" } as const;
    await other.app.service.stores.live.write((tx) => tx.sql.update(bins).set(renamed).where(eq(bins.code, "RETURNS")));
    const { id } = await other.app.create("/returns", { order_id: order.id, reason: "defective" });
    await other.app.create(`/returns/${id}/receive`);
    expect((await other.stockOf(product.sku)).locations).toMatchObject([{ location: "RETURNS", kind: "returns" }]);
  });

  test("a storage bin coded RETURNS takes no returned units: a returns bin with a free code is created", async () => {
    const other = await openShop();
    const product = await other.product({ units: 1 });
    const order = await other.order([[product, 1]]);
    await other.act(order.id, "ship");
    const changed = { kind: "storage" } as const;
    await other.app.service.stores.live.write((tx) => tx.sql.update(bins).set(changed).where(eq(bins.code, "RETURNS")));
    const { id } = await other.app.create("/returns", { order_id: order.id, reason: "defective" });
    await other.app.create(`/returns/${id}/receive`);
    expect((await other.stockOf(product.sku)).locations).toMatchObject([{ location: "RETURNS-2", kind: "returns" }]);
  });

  test("received units are stored in the returns bin until their inspection, for billing too", async () => {
    const other = await openShop();
    const { clocks, service } = other.app;
    const { sku, id: product } = await other.product({ units: 2 });
    const order = await other.order([[{ id: product }, 2]]);
    await other.act(order.id, "ship");
    const { id } = await other.app.create("/returns", { order_id: order.id, reason: "defective" });
    await other.app.create(`/returns/${id}/receive`);
    clocks.live.advance(day_ms);
    await other.app.create(`/returns/${id}/inspect`, { items: [found(sku, 2, { disposition: "dispose" })] });
    clocks.live.advance(2 * day_ms);
    await closeStorage(service.stores.live, service);
    const days = (await other.app.get("/billing/storage")).body.data;
    expect(days.map(({ bin, units_at_close, units_peak }: Fields) => [bin, units_at_close, units_peak])).toEqual([
      ["RETURNS", 0, 2],
      ["RETURNS", 2, 2],
      ["A-01", 0, 2],
    ]);
  });

  test("units that a count or an adjustment wrote off are there after all if the inspection sees them", async () => {
    const { sku, id, act } = await sold(4);
    await act("receive");
    const lost = { adjustment: -1, reason: "lost", location: main, bin: "RETURNS" };
    expect((await app.patch(`/inventory/${sku}`, lost)).status).toBe(200);
    const count = await app.create("/inventory/counts", { location: main, bins: ["RETURNS"] });
    const line = count.items.find((one: Fields) => one["sku"] === sku);
    expect(line).toMatchObject({ bin: "RETURNS", expected_quantity: 3 });
    await app.create(`/inventory/counts/${count.id}/items`, { items: [{ sku, bin: "RETURNS", quantity: 0 }] });
    await app.create(`/inventory/counts/${count.id}/review`);
    await app.create(`/inventory/counts/${count.id}/post`);
    expect(await levels(sku)).toEqual({ on_hand: 0, available: 0 });
    // Others of the same product do not make up for them.
    const other = await app.create("/inventory", { sku, quantity: 1, location: main, bin: "A-01" });
    expect(other.on_hand).toBe(1);
    await act("inspect", {
      items: [found(sku, 1), found(sku, 2, { bin: "A-01" }), found(sku, 1, { disposition: "dispose" })],
    });
    expect(await levels(sku)).toEqual({ on_hand: 4, available: 3, returns: 1 });
    expect((await moved(sku, 6)).filter((row: string) => row.includes("found"))).toEqual([
      "adjustment 4, found: null > RETURNS",
    ]);
    expect(await tasksOf(id)).toEqual([[sku, 1, null]]);
    const second = await sold(3);
    await second.act("receive");
    expect((await app.patch(`/inventory/${second.sku}`, { ...lost, adjustment: -2 })).status).toBe(200);
    await second.act("inspect", { items: [found(second.sku, 3, { bin: "A-01" })] });
    expect(await levels(second.sku)).toEqual({ on_hand: 3, available: 3 });
  });
});

describe("refuses", () => {
  test("to restock, move, transfer or sell units before their inspection", async () => {
    const { sku, id, act } = await sold(3);
    expect((await putBack({ return_id: id, sku, quantity: 1, bin: "A-01" })).body.error).toMatchObject({
      code: "return_not_inspected",
      status: "initiated",
    });
    await act("receive");
    await app.takeEvents();
    const code = async (path: string, body: object) => (await app.post(path, body)).body.error?.code;
    expect(await code("/inventory/putbacks", { return_id: id, sku, quantity: 1, bin: "A-01" })).toBe(
      "return_not_inspected",
    );
    expect(await code("/inventory/moves", { sku, quantity: 1, bin: "RETURNS", to_bin: "A-01" })).toBe(
      "validation_failed",
    );
    const reserving = { order_id: "NOBODY-1", items: [{ sku, quantity: 1 }] };
    expect(await code("/inventory/reserve", reserving)).toBe("insufficient_inventory");
    expect(await tasksOf(id)).toEqual([]);
    expect((await app.get("/inventory/putbacks")).body.data.filter((task: Fields) => task["sku"] === sku)).toEqual([]);
    expect(await app.takeEvents()).toEqual([]);
    expect(await levels(sku)).toEqual({ on_hand: 3, available: 0, returns: 3 });
    await act("inspect", { items: [found(sku, 3)] });
    expect(await tasksOf(id)).toEqual([[sku, 3, null]]);
  });

  test("a bin that has no room, and moves nothing then", async () => {
    const { sku, act, refused } = await sold(3);
    const { location_zones } = (await app.get("/inventory/locations")).body.data[0];
    const { zone_id, temperature_zone } = location_zones[0];
    const small = { zone_id, temperature_zone, bins: [{ code: "SMALL", capacity: 2 }] };
    await app.must("PATCH", `/inventory/locations/${main}`, { location_zones: [small] });
    await act("receive");
    expect(await refused("inspect", { items: [found(sku, 3, { bin: "SMALL" })] })).toEqual([409, "bin_full"]);
    expect(await levels(sku)).toEqual({ on_hand: 3, available: 0, returns: 3 });
    await act("inspect", { items: [found(sku, 2, { bin: "SMALL" }), found(sku, 1)] });
    expect(await levels(sku)).toEqual({ on_hand: 3, available: 2, returns: 1 });
  });
});

describe("guards", () => {
  test("units received at the same moment are added once", async () => {
    const { sku, act } = await sold(5);
    const [all, few] = [{}, { items: [{ sku, quantity: 2 }] }];
    const tries = await Promise.all(
      [all, few, all, few, all].map((body) =>
        act
          .bind(null, "receive", body)()
          .catch(() => null),
      ),
    );
    expect(tries.filter((one) => one !== null).length).toBeGreaterThan(2);
    expect(await levels(sku)).toEqual({ on_hand: 5, available: 0, returns: 5 });
  });

  test("of inspections at the same moment one moves the units", async () => {
    const { sku, id } = await sold(4);
    await app.create(`/returns/${id}/receive`);
    const ways = [{ bin: "A-01" }, { disposition: "quarantine" }, { disposition: "dispose" }, {}];
    const answers = await Promise.all(
      ways.map((fields) => app.post(`/returns/${id}/inspect`, { items: [found(sku, 4, fields)] })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const { on_hand, available, returns = 0, quarantined = 0 } = await levels(sku);
    expect(on_hand).toBe((available ?? 0) + returns + quarantined);
    expect([0, 4]).toContain(on_hand as number);
  });

  test("returns of several orders share a bin and a lot, and each inspection takes its own units", async () => {
    const product = await shop.product({ units: 6 });
    const returns = [];
    for (const quantity of [1, 2, 3]) {
      const order = await shop.order([[product, quantity]], { warehouse_id: main });
      await shop.act(order.id, "ship");
      returns.push({ quantity, ...(await coming(order.id)) });
    }
    await Promise.all(returns.map(({ act }) => act("receive")));
    expect(await levels(product.sku)).toEqual({ on_hand: 6, available: 0, returns: 6 });
    await Promise.all(
      returns.map(({ act, quantity }) => act("inspect", { items: [found(product.sku, quantity, { bin: "A-01" })] })),
    );
    expect(await levels(product.sku)).toEqual({ on_hand: 6, available: 6 });
  });
});
