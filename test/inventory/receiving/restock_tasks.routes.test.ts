import { beforeEach, describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
beforeEach(() => shop.app.takeEvents());

const putBack = (body: object) => shop.app.post("/inventory/putbacks", body);

/** An order of these units that was picked and then cancelled. */
async function cancelled(product: { id: string }, quantity: number) {
  const made = await shop.order([[product, quantity]]);
  await shop.act(made.id, "pick");
  expect((await shop.cancel(made.id)).status).toBe(200);
  await shop.app.takeEvents();
  return made;
}

describe("works", () => {
  test("units of a cancelled order are for sale again once they are restocked", async () => {
    const product = await shop.product({ units: 5 });
    const made = await cancelled(product, 3);
    expect(await shop.stockOf(product.sku)).toMatchObject({ available: 2, unavailable: { putback: 3 } });
    const { status, body } = await putBack({ order_id: made.id, sku: product.sku, quantity: 2, bin: "A-01" });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      order_id: made.id,
      sku: product.sku,
      quantity: 2,
      lot_number: null,
      location: "whs_1001",
      from_bin: "PUTBACK",
      bin: "A-01",
      was_picked: false,
      remaining: 1,
      put_back_by: "key_1003",
    });
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    expect(await shop.stockOf(product.sku)).toMatchObject({ available: 4, unavailable: { putback: 1 }, on_hand: 5 });
    const [movement] = (await shop.app.get(`/inventory/movements?sku=${product.sku}`)).body.data;
    expect(movement).toMatchObject({
      id: body.data.movement_id,
      type: "transfer",
      reason: "put_back",
      from_location: "PUTBACK",
      to_location: "A-01",
      reference: { type: "order", id: made.id },
    });
  });

  test("the order may be given by number, and backorders get the units", async () => {
    const product = await shop.product({ units: 3 });
    const made = await cancelled(product, 3);
    const waiting = await shop.order([[product, 2]]);
    expect(waiting.allocation.backordered_units).toBe(2);
    const back = { order_id: made.order_number, sku: product.sku, quantity: 3, bin: "A-01" };
    expect((await putBack(back)).body.data).toMatchObject({ order_id: made.id, remaining: 0 });
    expect((await shop.get(waiting.id)).allocation.backordered_units).toBe(0);
    expect(await shop.stockOf(product.sku)).toMatchObject({ available: 1, reserved: 2 });
  });

  test("units of several lots are separate tasks", async () => {
    const product = await shop.product();
    for (const lot_number of ["P1", "P2"]) await shop.app.stock(product.sku, 2, { lot_number });
    const made = await cancelled(product, 3);
    const back = { order_id: made.id, sku: product.sku, quantity: 1, bin: "A-01" };
    const refused = await putBack(back);
    expect([refused.status, refused.body.error.code]).toEqual([422, "ambiguous_stock"]);
    expect(refused.body.error.candidates).toEqual([
      { location: "whs_1001", lot_number: "P2", quantity: 1 },
      { location: "whs_1001", lot_number: "P1", quantity: 2 },
    ]);
    expect((await putBack({ ...back, lot_number: "P2" })).body.data).toMatchObject({ lot_number: "P2", remaining: 0 });
    expect((await putBack({ ...back, quantity: 2 })).body.data).toMatchObject({ lot_number: "P1", remaining: 0 });
    expect(await shop.stockOf(product.sku)).toMatchObject({ available: 4, unavailable: { putback: 0 } });
  });
});

describe("refuses", () => {
  test("more units than are waiting, and finished tasks", async () => {
    const product = await shop.product({ units: 5 });
    const made = await cancelled(product, 2);
    const other = await cancelled(product, 2);
    const back = { order_id: made.id, sku: product.sku, quantity: 3, bin: "A-01" };
    const refused = await putBack(back);
    expect([refused.status, refused.body.error.code]).toEqual([409, "insufficient_inventory"]);
    expect(refused.body.error.shortages).toEqual([{ sku: product.sku, requested: 3, available: 2 }]);
    await putBack({ ...back, quantity: 2 });
    expect((await putBack({ ...back, quantity: 1 })).status).toBe(409);
    // One unit of the other order is written off where it waits.
    const lost = { adjustment: -1, reason: "lost", bin: "PUTBACK" };
    expect((await shop.app.patch(`/inventory/${product.sku}`, lost)).status).toBe(200);
    await shop.app.takeEvents();
    expect((await putBack({ ...back, order_id: other.id, quantity: 2 })).status).toBe(409);
    expect(await shop.takeTypes()).toEqual([]);
    expect((await putBack({ ...back, order_id: other.id, quantity: 1 })).status).toBe(201);
  });

  test("an unknown order, SKU or kind of bin", async () => {
    const product = await shop.product({ units: 5 });
    const made = await cancelled(product, 2);
    const back = { order_id: made.id, sku: product.sku, quantity: 1, bin: "A-01" };
    const told = async (body: object) => {
      const answer = await putBack(body);
      return [answer.status, ...answer.body.error.details.map(({ field }: { field: string }) => field)];
    };
    expect(await told({ ...back, order_id: "N-404" })).toEqual([404, "order_id"]);
    expect(await told({ ...back, sku: "NONE" })).toEqual([404, "sku"]);
    expect(await told({ ...back, bin: "PUTBACK" })).toEqual([422, "bin"]);
    expect(await told({ ...back, bin: "STAGING-1" })).toEqual([422, "bin"]);
    expect(await told({ ...back, quantity: 0 })).toEqual([422, "quantity"]);
    expect(await shop.takeTypes()).toEqual([]);
  });
});
