import { describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

/** The ship date of an order, which its GET and the list must agree on. */
async function dayOf({ id, order_number }: { id: string; order_number: string }): Promise<string | null> {
  const { estimated_ship_date } = await shop.get(id);
  const [listed] = (await shop.app.get(`/orders?order_number=${order_number}`)).body.data;
  expect(listed.estimated_ship_date).toBe(estimated_ship_date);
  return estimated_ship_date;
}

describe("estimated_ship_date", () => {
  test("is the same for single and bulk creation, and follows the calendar", async () => {
    const goods = await shop.product({ units: 10 });
    const order = await shop.order([[goods, 1]]);
    expect(order.estimated_ship_date).toBe("2026-01-02");
    const bulk = await shop.app.post("/orders/bulk", { orders: [shop.draft([[goods, 1]]), shop.draft([[goods, 1]])] });
    const days = bulk.body.data.results.map(({ data }: { data: { estimated_ship_date: string } }) => {
      return data.estimated_ship_date;
    });
    expect(days).toEqual(["2026-01-02", "2026-01-02"]);
    await shop.app.patch("/inventory/locations/whs_1001", { holidays: ["2026-01-02"], working_days: ["fri", "sat"] });
    expect(await dayOf(order)).toBe("2026-01-03");
    await shop.app.patch("/inventory/locations/whs_1001", {
      holidays: [],
      cutoff_time: "22:30",
      working_days: ["thu"],
    });
    expect(await dayOf(order)).toBe("2026-01-01");
  });

  test("is that of the warehouse with the units, and the last of several", async () => {
    const address = { address_line1: "1 Dock Road", city: "Leeds", postal_code: "LS1 1UR", country: "GB" };
    const created = await shop.app.post("/inventory/locations", {
      name: "Leeds",
      address,
      timezone: "Europe/London",
      working_days: ["mon"],
      location_zones: [{ zone_id: "AMBIENT", temperature_zone: "ambient", bins: [{ code: "L-1" }] }],
    });
    const leeds = created.body.data.warehouse_id;
    await shop.app.patch("/inventory/locations/whs_1001", { cutoff_time: "23:00", working_days: ["thu", "fri"] });
    const here = await shop.product({ units: 5 });
    const there = await shop.product();
    await shop.app.stock(there.sku, 5, { location: leeds });
    expect(await dayOf(await shop.order([[here, 1]]))).toBe("2026-01-01");
    const far = await shop.order([[there, 1]]);
    expect(far.estimated_ship_date).toBe("2026-01-05");
    expect(await dayOf(far)).toBe("2026-01-05");
    const both = await shop.order([
      [here, 1],
      [there, 1],
    ]);
    expect(both.estimated_ship_date).toBe("2026-01-05");
    const bulk = await shop.app.post("/orders/bulk", { orders: [shop.draft([[there, 1]]), shop.draft([[here, 1]])] });
    const results: { data: { id: string; order_number: string; estimated_ship_date: string } }[] =
      bulk.body.data.results;
    expect(results.map(({ data }) => data.estimated_ship_date)).toEqual(["2026-01-05", "2026-01-01"]);
    for (const { data } of results) expect(await dayOf(data)).toBe(data.estimated_ship_date);
  });

  test("is null while units are backordered or a hold has no end, and the actual day after shipping", async () => {
    const goods = await shop.product({ units: 1 });
    const short = await shop.order([[goods, 2]]);
    expect(short.estimated_ship_date).toBeNull();
    await shop.app.stock(goods.sku, 5, { location: "whs_1001" });
    expect(await dayOf(short)).toBe("2026-01-01");
    await shop.act(short.id, "hold", { reason: "payment" });
    expect(await dayOf(short)).toBeNull();
    await shop.act(short.id, "hold", { reason: "payment", hold_until: "2026-01-05T15:00:00Z" });
    expect(await dayOf(short)).toBe("2026-01-08");
    await shop.act(short.id, "release");
    await shop.act(short.id, "ship");
    expect(await dayOf(short)).toBe("2026-01-01");
  });
});
