import { beforeEach, describe, expect, test } from "bun:test";
import { systemActor } from "../../../src/core/actor.ts";
import { engine } from "../../../src/core/config.ts";
import { minute_ms } from "../../../src/core/time.ts";
import { adjustStock } from "../../../src/inventory/counts/adjust_stock.ts";

import { openShop, type Shop } from "../../build/shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});

const main = "whs_1001";
const add = (sku: string, quantity: number, fields: object = {}) =>
  shop.app.post("/inventory", { sku, quantity, location: main, ...fields });
const explain = (sku: string, query = "") => shop.app.read(`/inventory/${sku}/explain${query}`);
const sum = (type: string, reason: string, movements: number, units: number) => ({ type, reason, movements, units });

/** Oats in two bins and a lot: a partly picked order, a backordered one, a client's reservation, damaged units. */
async function aBusyDay() {
  const oats = await shop.product({ sku: "OATS" });
  await add("OATS", 10, { bin: "S-1" });
  await add("OATS", 4, { bin: "S-2", lot_number: "L1", expiration_date: "2026-02-01" });
  await shop.app.patch("/inventory/OATS", { adjustment: -2, reason: "damaged", bin: "S-1" });
  const picked = await shop.order([[oats, 5]]);
  await shop.act(picked.id, "pick", { items: [{ sku: "OATS", quantity: 4 }] });
  const made = await shop.app.post("/inventory/reserve", { order_id: "N-99", items: [{ sku: "OATS", quantity: 2 }] });
  await add("OATS", 3, { bin: "RETURNS" });
  const waits = await shop.order([[oats, 9]], { priority: 2 });
  await shop.app.takeEvents();
  return { picked, booked: made.body.data.reservation_id as string, waits };
}

describe("works", () => {
  test("every part of a number has its cause", async () => {
    const { picked, booked, waits } = await aBusyDay();
    const told = await explain("OATS");
    const level = (await shop.app.get("/inventory/OATS")).body.data;
    expect(told).toMatchObject({ sku: "OATS", as_of: null, opening: 0, on_hand: level.on_hand, available: 0 });
    expect(told.movements).toEqual([
      sum("receipt", "received", 3, 17),
      sum("adjustment", "damaged", 1, -2),
      sum("transfer", "picked", 1, 0),
    ]);
    const received = (units: number) => sum("receipt", "received", 1, units);
    const place = (bin: string, kind: string, lot_number: string | null, on_hand: number, movements: object[]) => {
      return { warehouse_id: main, bin, kind, lot_number, opening: 0, on_hand, movements };
    };
    expect(told.places).toEqual([
      place("RETURNS", "returns", null, 3, [received(3)]),
      place("S-1", "storage", null, 8, [received(10), sum("adjustment", "damaged", 1, -2)]),
      place(`STAGING-${picked.id}`, "staging", "L1", 4, [sum("transfer", "picked", 1, 4)]),
    ]);
    expect(told.reserved).toEqual({
      units: level.reserved,
      picked: 4,
      reservations: [
        claim(picked, { units: 5, picked: 4 }),
        {
          reservation_id: booked,
          order_id: null,
          order_number: "N-99",
          status: "reserved",
          expires_at: "2026-01-03T03:04:05.000Z",
          units: 2,
          picked: 0,
        },
        claim(waits, { units: 5, picked: 0, status: "reserved" }),
      ],
      has_more: false,
    });
    const unavailable = { cause: "returns", warehouse_id: main, bin: "RETURNS", lot_number: null, units: 3 };
    expect(told.unavailable).toEqual([unavailable]);
    expect(told.backordered).toEqual({
      units: 4,
      reservations: [
        {
          reservation_id: expect.any(String),
          order_id: waits.id,
          order_number: waits.order_number,
          units: 4,
          priority: 2,
          paused: false,
          created_at: "2026-01-02T03:04:05.000Z",
        },
      ],
      has_more: false,
    });
    expect(await shop.app.takeEvents()).toEqual([]);
  });

  test("with as_of, the ledger is replayed up to that time", async () => {
    await shop.product({ sku: "SALT" });
    const moments: [at: number, on_hand: number][] = [[shop.app.clocks.live.now() - 1, 0]];
    const now = () => shop.app.clocks.live.now();
    let on_hand = 0;
    for (const [adjustment, bin] of [
      [6, "S-1"],
      [5, "S-2"],
      [-6, "S-1"],
      [2, "S-2"],
      [-3, "S-2"],
    ] as const) {
      const answer =
        adjustment > 0
          ? await add("SALT", adjustment, { bin })
          : await shop.app.patch("/inventory/SALT", { adjustment, reason: "lost", bin });
      expect(answer.status).toBeLessThan(300);
      on_hand += adjustment;
      moments.push([now(), on_hand]);
      shop.app.clocks.live.advance(minute_ms);
    }
    for (const [at, units] of moments) {
      const as_of = new Date(at).toISOString();
      const told = await explain("SALT", `?as_of=${as_of}`);
      expect([told.as_of, told.on_hand]).toEqual([as_of, units]);
      expect([told.available, told.reserved, told.unavailable, told.backordered]).toEqual([null, null, null, null]);
      const lay = told.places.reduce((sum: number, place: { on_hand: number }) => sum + place.on_hand, 0);
      expect(lay).toBe(units);
    }
    const [, , both, one] = moments;
    const bins = async (at: number | undefined) =>
      (await explain("SALT", `?as_of=${new Date(at ?? 0).toISOString()}`)).places.map(
        ({ bin }: { bin: string }) => bin,
      );
    expect(await bins(both?.[0])).toEqual(["S-1", "S-2"]);
    expect(await bins(one?.[0])).toEqual(["S-2"]);
  });

  test("a movement that waited for another does not precede it", async () => {
    await shop.product({ sku: "RYE" });
    const { live } = shop.app.service.stores;
    const { live: clock } = shop.app.clocks;
    const before = clock.now();
    const [begun, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lose = async (isEarly: boolean) =>
      live.write(async (tx) => {
        begun.resolve();
        if (isEarly) await arrived.promise;
        await adjustStock(tx, "RYE", { adjustment: -5, reason: "lost" }, systemActor("test"));
      });
    // Only PostgreSQL runs two transactions at once: the one that begins first moves its units last.
    const early = engine === "postgres" ? lose(true) : null;
    if (early !== null) await begun.promise;
    clock.advance(minute_ms);
    await add("RYE", 5);
    arrived.resolve();
    await (early ?? lose(false));
    const [lost] = (await shop.app.get("/inventory/movements?sku=RYE")).body.data;
    const at = (ms: number) => `?as_of=${new Date(ms).toISOString()}`;
    expect(Date.parse(lost.created_at) < clock.now()).toBe(engine === "postgres");
    expect(await explain("RYE", at(before))).toMatchObject({ on_hand: 0, movements: [], places: [] });
    const both = [sum("receipt", "received", 1, 5), sum("adjustment", "lost", 1, -5)];
    expect(await explain("RYE", at(clock.now()))).toMatchObject({ on_hand: 0, movements: both, places: [] });
  });

  test("ended stock and reservations are not listed", async () => {
    const rice = await shop.product({ sku: "RICE" });
    expect(await explain("RICE")).toMatchObject({ movements: [], on_hand: 0, places: [], available: 0 });
    await add("RICE", 2);
    const order = await shop.order([[rice, 2]]);
    await shop.act(order.id, "ship");
    const told = await explain("RICE");
    expect(told.movements).toEqual([
      sum("receipt", "received", 1, 2),
      sum("transfer", "picked", 1, 0),
      sum("sale", "shipped", 1, -2),
    ]);
    expect([told.on_hand, told.places, told.reserved.reservations]).toEqual([0, [], []]);
  });

  test("units in transit are shown with their receipts and transfers", async () => {
    const { address } = (await shop.app.get("/inventory/locations")).body.data[0];
    const zone = { zone_id: "AMBIENT", temperature_zone: "ambient", bins: [{ code: "W-01" }] };
    const opened = await shop.app.post("/inventory/locations", { name: "West", address, location_zones: [zone] });
    const west = opened.body.data.warehouse_id;
    await shop.product({ sku: "CORN", units: 10 });
    const items = [{ sku: "CORN", quantity: 6 }];
    const move = { from_location: main, to_location: west, items };
    const { id: transfer_id } = (await shop.app.post("/inventory/transfers", move)).body.data;
    await shop.app.post(`/inventory/transfers/${transfer_id}/ship`);
    await shop.app.post(`/inventory/transfers/${transfer_id}/receive`, { items: [{ sku: "CORN", quantity: 2 }] });
    const delivery = { reference: "PO-1", location: west, expected_at: "2026-01-09", items: [...items, ...items] };
    const { id: receipt_id } = (await shop.app.post("/inventory/receipts", delivery)).body.data;
    await shop.app.post(`/inventory/receipts/${receipt_id}/items`, { items: [{ sku: "CORN", quantity: 5 }] });
    const told = await explain("CORN");
    expect(told.incoming).toEqual({
      units: 11,
      receipts: [{ receipt_id, reference: "PO-1", location: west, expected_at: "2026-01-09T05:00:00.000Z", units: 7 }],
      transfers: [
        {
          transfer_id,
          reference: null,
          from_location: main,
          to_location: west,
          shipped_at: "2026-01-02T03:04:05.000Z",
          units: 4,
        },
      ],
      has_more: false,
    });
    expect(told.movements).toContainEqual(sum("transfer", "transferred", 2, -4));
    await shop.app.post(`/inventory/receipts/${receipt_id}/close`);
    await shop.app.post(`/inventory/transfers/${transfer_id}/receive`);
    expect((await explain("CORN")).incoming).toEqual({ units: 0, receipts: [], transfers: [], has_more: false });
    expect((await explain("CORN", "?as_of=2026-01-02T00:00:00Z")).incoming).toBe(null);
  });

  test("an expired lot and an expired reservation are shown as such at once", async () => {
    await shop.product({ sku: "MILK" });
    await add("MILK", 3, { lot_number: "L1", expiration_date: "2026-01-01" });
    await add("MILK", 2, { lot_number: "L2", expiration_date: "2026-02-01" });
    const expires_at = "2026-01-02T05:00:00Z";
    await shop.app.post("/inventory/reserve", { order_id: "N-98", items: [{ sku: "MILK", quantity: 4 }], expires_at });
    // Midnight in New York.
    shop.app.clocks.live.advance(Date.parse(expires_at) - shop.app.clocks.live.now());
    const told = await explain("MILK");
    expect(told.reserved.reservations).toMatchObject([{ order_number: "N-98", status: "expired", units: 4 }]);
    await shop.app.runJobs();
    const after = await explain("MILK");
    expect(after.unavailable).toMatchObject([{ cause: "expired", lot_number: "L1", units: 3 }]);
    expect([after.available, after.reserved.reservations]).toEqual([2, []]);
  });

  test("of very many holders and backorders, the first hundred are listed", async () => {
    const tea = await shop.product({ sku: "TEA", units: 101 });
    const orders = Array.from({ length: 101 }, () => shop.draft([[tea, 2]], { warehouse_id: main }));
    for (const draft of orders) await shop.app.post("/orders", draft);
    const { reserved, backordered } = await explain("TEA");
    expect([reserved.units, reserved.reservations.length, reserved.has_more]).toEqual([101, 51, false]);
    expect([backordered.units, backordered.reservations.length, backordered.has_more]).toEqual([101, 51, false]);
    for (const draft of orders) await shop.app.post("/orders", { ...draft, order_number: `${draft.order_number}-b` });
    await add("TEA", 202);
    const many = await explain("TEA");
    expect([many.reserved.units, many.reserved.reservations.length, many.reserved.has_more]).toEqual([303, 100, true]);
    expect([many.backordered.units, many.backordered.has_more]).toEqual([101, false]);
  }, 30_000);
});

function claim(
  order: { id: string; order_number: string },
  counts: { units: number; picked: number; status?: string },
) {
  const { id: order_id, order_number } = order;
  return {
    reservation_id: expect.any(String),
    order_id,
    order_number,
    status: "committed",
    expires_at: null,
    ...counts,
  };
}

describe("refuses", () => {
  test("unknown SKUs, and invalid or future times", async () => {
    await shop.product({ sku: "RYE", units: 1 });
    expect((await shop.app.get("/inventory/NONE/explain")).body.error.code).toBe("resource_missing");
    for (const as_of of ["yesterday", "2026-02-30", "2026-01-02T03:04:05.001Z"]) {
      const { status, body } = await shop.app.get(`/inventory/RYE/explain?as_of=${as_of}`);
      expect([status, body.error.details[0].field]).toEqual([422, "as_of"]);
    }
  });
});
