// A client reserves for an existing order. The order already has its units reserved, so nothing is reserved
// twice.
import { beforeEach, describe, expect, test } from "bun:test";
import { openShop, type Shop } from "../../build/shop.ts";

let shop: Shop;
let goods: { id: string; sku: string };
beforeEach(async () => {
  shop = await openShop();
  goods = await shop.product({ units: 10 });
});

const reserve = (order_id: string | number, quantity: number, sku = goods.sku) =>
  shop.app.post("/inventory/reserve", { order_id, items: [{ sku, quantity }] });
const level = async () => (await shop.app.get(`/inventory/${goods.sku}`)).body.data;

describe("works", () => {
  test("returns the order's own reservation, for any form of its name and any number of calls", async () => {
    const { id, order_number } = await shop.order([
      [goods, 3],
      [goods, 1],
    ]);
    await shop.app.takeEvents();
    for (const name of [order_number, id, Number(id.slice("ord_".length))]) {
      const { status, body } = await reserve(name, 4);
      expect([status, body.data]).toMatchObject([201, { order_id: id, status: "reserved", expires_at: null }]);
      expect(body.data.items).toMatchObject([
        { sku: goods.sku, quantity: 3 },
        { sku: goods.sku, quantity: 1 },
      ]);
    }
    expect(await level()).toMatchObject({ available: 6, reserved: 4 });
    expect(await shop.app.takeEvents()).toEqual([]);
    expect((await shop.app.get("/inventory/reservations")).body.meta.pagination.total).toBe(1);
  });

  test("it stays the order's: releasing it is refused, and cancelling the order frees its units once", async () => {
    const { id, order_number } = await shop.order([[goods, 4]]);
    const { reservation_id } = (await reserve(order_number, 2)).body.data;
    const released = await shop.app.post("/inventory/release", { reservation_id });
    expect([released.status, released.body.error.code]).toEqual([409, "reservation_committed"]);
    await shop.cancel(id);
    expect(await level()).toMatchObject({ available: 10, reserved: 0 });
  });

  test("an order number that is not another order's id identifies the order", async () => {
    await shop.order([[goods, 4]], { order_number: "77" });
    expect((await reserve("77", 4)).body.data.order_id).toBe("ord_1001");
  });

  test.each(["WEB-9", "1001", "ord_web", "ORD_1001"])("%s may be the number of a future order", async (number) => {
    expect((await reserve(number, 4)).body.data).toMatchObject({ order_id: number, expires_at: expect.any(String) });
    const { allocation } = await shop.order([[goods, 10]], { order_number: number });
    expect(allocation).toEqual({ complete: true, backordered_units: 0 });
    expect(await level()).toMatchObject({ available: 0, reserved: 10 });
    // It is found by that name from now on.
    if (number !== "1001") expect((await reserve(number, 10)).body.data.order_id).toBe("ord_1001");
  });
});

describe("refuses", () => {
  test("an id without an order yet, so that the future order loses nothing", async () => {
    await shop.app.takeEvents();
    for (const name of ["ord_1001", 1001, "ord_0", 77]) {
      const { status, body } = await reserve(name, 4);
      expect([status, body.error.code]).toEqual([404, "resource_missing"]);
      expect(body.error.details).toMatchObject([{ field: "order_id", code: "resource_missing" }]);
    }
    expect(await shop.app.takeEvents()).toEqual([]);
    const { id, allocation } = await shop.order([[goods, 8]]);
    expect([id, allocation]).toEqual(["ord_1001", { complete: true, backordered_units: 0 }]);
  });

  const refused = async (answer: ReturnType<typeof reserve>) => {
    const { status, body } = await answer;
    const { code, shortages, order_id, reservation_id } = body.error;
    return [status, code, shortages ?? order_id ?? null, reservation_id ?? null];
  };

  test("more than the order wants, or other products, and names the existing reservation", async () => {
    const other = await shop.product({ units: 5 });
    const { id, order_number } = await shop.order([[goods, 4]]);
    await shop.app.takeEvents();
    const said = [409, "reservation_committed", id, "rsv_1001"];
    expect(await refused(reserve(order_number, 5))).toEqual(said);
    expect(await refused(reserve(order_number, 1, other.sku))).toEqual(said);
    expect(await level()).toMatchObject({ available: 6, reserved: 4 });
    expect(await shop.app.takeEvents()).toEqual([]);
  });

  test("units that the order itself waits for", async () => {
    const { order_number } = await shop.order([[goods, 12]]);
    const short = { sku: goods.sku, requested: 11, available: 10, by_warehouse: [] };
    expect(await refused(reserve(order_number, 11))).toEqual([409, "insufficient_inventory", [short], null]);
    expect((await reserve(order_number, 10)).status).toBe(201);
  });

  test("an ended order", async () => {
    const { id, order_number } = await shop.order([[goods, 4]]);
    await shop.cancel(id);
    expect(await refused(reserve(order_number, 1))).toEqual([409, "reservation_closed", id, null]);
    const gone = await shop.order([[goods, 2]]);
    await shop.act(gone.id, "ship");
    expect(await refused(reserve(gone.id, 2))).toEqual([409, "reservation_closed", gone.id, null]);
  });

  test("a text that is the number of one order and the id of another", async () => {
    await shop.order([[goods, 1]]);
    await shop.order([[goods, 1]], { order_number: "1001" });
    expect(await refused(reserve("1001", 1))).toEqual([409, "ambiguous_identifier", null, null]);
    expect((await reserve("ord_1001", 1)).body.data.order_id).toBe("ord_1001");
  });
});
