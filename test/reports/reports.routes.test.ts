// Compares every report with the records after weeks of random activity. The records are read through their own
// routes, and the figures are computed in a different way.
import { describe, expect, test } from "bun:test";
import { allOf, playHouse, type Records, timezone } from "./operator.ts";

const from = "2026-03-01";
const to = "2026-03-25";
const groupings = ["day", "week", "month"] as const;

const shop = await playHouse(2, 450);
const orders = await allOf(shop, "/orders?sort=created_at");
const movements = (await allOf(shop, "/inventory/movements")).toReversed();
const labels = await allOf(shop, "/shipping/labels");
const now = shop.app.clocks.live.now();

const report = (name: string, query = `from=${from}&to=${to}`) => shop.app.read(`/reports/${name}?${query}`);

/** A time on the clock of a zone: `2026-03-01 14:10`. */
const shown = (at: number | string, zone = timezone) =>
  new Date(at).toLocaleString("sv-SE", { timeZone: zone, hourCycle: "h23" }).slice(0, 16);
const dayAt = (at: number | string, zone?: string) => shown(at, zone).slice(0, 10);
const next = (day: string, by = 1) => new Date(Date.parse(day) + by * 86_400_000).toISOString().slice(0, 10);
const days = () => {
  const all: string[] = [];
  for (let day = from; day <= to; day = next(day)) all.push(day);
  return all;
};
/** The rows of these days: first day, last day and all days in between. */
function rows(grouping: (typeof groupings)[number]) {
  const name = (day: string) => {
    if (grouping === "day") return day;
    if (grouping === "month") return day.slice(0, 7);
    return next(day, -((new Date(day).getUTCDay() + 6) % 7));
  };
  return [...Map.groupBy(days(), name).values()].map((own) => ({ from: own[0] ?? "", to: own.at(-1) ?? "", own }));
}
const within = (day: string) => day >= from && day <= to;
const part = (some: number, all: number) => (all === 0 ? null : Math.round((some / all) * 10_000) / 10_000);
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const cents = (amount: number) => Math.round(amount * 100);

test("the story contains all that is counted", () => {
  const statuses = new Set(orders.map(({ status }) => status));
  expect([...statuses].sort()).toEqual(expect.arrayContaining(["cancelled", "on_hold", "pending", "shipped"]));
  expect(orders.some(({ shipments }) => shipments.length > 1)).toBe(true);
  expect(movements.filter(({ reason }) => reason === "picked").length).toBeGreaterThan(20);
  expect(labels.filter(({ status }) => status === "completed").length).toBeGreaterThan(0);
});

describe.each(groupings)("by %s", (grouping) => {
  const query = `from=${from}&to=${to}&group_by=${grouping}`;

  test("orders", async () => {
    const { rows: found, totals } = await report("orders", query);
    const statuses = Object.keys(totals).filter((name) => name !== "total");
    const counted = (own: readonly string[]) => {
      const some = orders.filter(({ created_at }) => own.includes(dayAt(created_at)));
      const by = statuses.map((name) => [name, some.filter(({ status }) => status === name).length]);
      return { total: some.length, ...Object.fromEntries(by) };
    };
    expect(found).toEqual(rows(grouping).map(({ own, ...row }) => ({ ...row, ...counted(own) })));
    expect(totals).toEqual(counted(days()));
    expect(totals.total).toBeGreaterThan(10);
  });

  test("on_time", async () => {
    const places = (await shop.app.get("/inventory/locations")).body.data;
    /** The day by which an order is due to ship, by walking the calendar. */
    const dueDay = (order: Records[number]) => {
      const place =
        places.find(({ warehouse_id }: Records[number]) => warehouse_id === order.warehouse_id) ?? places[0];
      const [came = "", time = ""] = shown(order.created_at, place.timezone).split(" ");
      const works = (day: string) =>
        place.working_days.includes(["sun", "mon", "tue", "wed", "thu", "fri", "sat"][new Date(day).getUTCDay()]) &&
        !place.holidays.includes(day);
      let day = time < place.cutoff_time ? came : next(came);
      while (!works(day)) day = next(day);
      return { day, zone: place.timezone };
    };
    const warehouseOf = new Map(
      await Promise.all(orders.map(async ({ id }) => [id, await askedWarehouse(id)] as const)),
    );
    const due = orders
      .filter(({ status }) => status !== "cancelled")
      .map((order) => {
        const { day, zone } = dueDay({ ...order, warehouse_id: warehouseOf.get(order.id) });
        const left = order.shipped_at === null ? null : dayAt(order.shipped_at, zone);
        const isOver = dayAt(now, zone) > day;
        return { day, fate: left !== null && left <= day ? "on_time" : left === null && !isOver ? "open" : "late" };
      });
    const counted = (own: readonly string[]) => {
      const some = due.filter(({ day }) => own.includes(day));
      const [on_time = 0, late = 0, open = 0] = ["on_time", "late", "open"].map(
        (fate) => some.filter((one) => one.fate === fate).length,
      );
      return { due: some.length, on_time, late, open, on_time_share: part(on_time, on_time + late) };
    };
    const { rows: found, totals } = await report("on_time", query);
    expect(found).toEqual(rows(grouping).map(({ own, ...row }) => ({ ...row, ...counted(own) })));
    expect(totals).toEqual(counted(days()));
    expect(Math.min(totals.on_time, totals.late)).toBeGreaterThan(0);
  });

  test("units_picked", async () => {
    const picks = movements.filter(({ reason }) => reason === "picked");
    const counted = (own: readonly string[]) => {
      const some = picks.filter(({ created_at }) => own.includes(dayAt(created_at)));
      const active_hours = new Set(some.map(({ created_at }) => shown(created_at).slice(0, 13))).size;
      const units = sum(some.map(({ quantity }) => quantity));
      return {
        units,
        picks: some.length,
        active_hours,
        assumed_units: sum(some.filter(({ confirmed }) => !confirmed).map(({ quantity }) => quantity)),
        units_per_hour: active_hours === 0 ? null : Math.round((units / active_hours) * 10) / 10,
      };
    };
    const { rows: found, totals } = await report("units_picked", query);
    expect(found).toEqual(rows(grouping).map(({ own, ...row }) => ({ ...row, hour: null, ...counted(own) })));
    expect(totals).toEqual(counted(days()));
    const { rows: hours } = await report("units_picked", `from=${from}&to=${to}&group_by=hour`);
    const names = picks
      .map(({ created_at }) => shown(created_at).slice(0, 13))
      .filter((name) => within(name.slice(0, 10)));
    const told = hours.map((row: Records[number]) => `${row.from} ${String(row.hour).padStart(2, "0")}`);
    expect(told).toEqual([...new Set(names)].sort());
    expect(sum(hours.map(({ units }: Records[number]) => units))).toBe(totals.units);
  });

  test("fill_rate", async () => {
    const lines = orders.flatMap((order) => {
      const left = order.shipments.filter(({ shipped_at }: Records[number]) => shipped_at !== null);
      const first = left.map(({ shipped_at }: Records[number]) => dayAt(shipped_at)).sort()[0];
      if (first === undefined) return [];
      const early = left.filter(({ shipped_at }: Records[number]) => dayAt(shipped_at) === first);
      const units = early.flatMap(({ items }: Records[number]) => items);
      return order.line_items
        .map((line: Records[number]) => ({
          order: order.id,
          day: dayAt(order.created_at),
          wanted: line.quantity - line.quantity_cancelled,
          at_first: sum(
            units
              .filter(({ line_id }: Records[number]) => line_id === line.id)
              .map(({ quantity }: Records[number]) => quantity),
          ),
        }))
        .filter(({ wanted }: Records[number]) => wanted > 0);
    });
    const counted = (own: readonly string[]) => {
      const some = lines.filter(({ day }) => own.includes(day));
      const whole = (line: Records[number]) => line.at_first >= line.wanted;
      const byOrder = [...Map.groupBy(some, ({ order }) => order).values()];
      const figures = {
        orders: byOrder.length,
        orders_filled: byOrder.filter((each) => each.every(whole)).length,
        lines: some.length,
        lines_filled: some.filter(whole).length,
        units: sum(some.map(({ wanted }) => wanted)),
        units_at_first: sum(some.map(({ wanted, at_first }) => Math.min(wanted, at_first))),
      };
      return {
        ...figures,
        order_fill_rate: part(figures.orders_filled, figures.orders),
        line_fill_rate: part(figures.lines_filled, figures.lines),
        unit_fill_rate: part(figures.units_at_first, figures.units),
      };
    };
    const { rows: found, totals } = await report("fill_rate", query);
    expect(found).toEqual(rows(grouping).map(({ own, ...row }) => ({ ...row, ...counted(own) })));
    expect(totals).toEqual(counted(days()));
    expect(totals.lines).toBeGreaterThan(totals.lines_filled);
  });

  test("carrier_cost", async () => {
    const counted = (own: readonly string[]) => {
      const some = labels.filter(({ created_at }) => own.includes(dayAt(created_at)));
      const valid = some.filter(({ status }) => status === "completed");
      if (some.length === 0) return [];
      return [
        {
          carrier: "local",
          currency: "USD",
          label_count: valid.length,
          cost: sum(valid.map(({ cost }) => cents(cost))) / 100,
          carrier_cost: sum(valid.map(({ carrier_cost }) => cents(carrier_cost))) / 100,
          voided_count: some.filter(({ status }) => status === "voided").length,
        },
      ];
    };
    const { rows: found, totals } = await report("carrier_cost", query);
    expect(found).toEqual(
      rows(grouping).flatMap(({ own, ...row }) => counted(own).map((cost) => ({ ...row, ...cost }))),
    );
    expect(totals).toEqual(counted(days()));
  });
});

/** The warehouse that an order requests, which only its creation shows. */
async function askedWarehouse(id: string): Promise<string | null> {
  const { orders: table } = await import("../../db/schema/orders.ts");
  const { eq } = await import("drizzle-orm");
  const [row] = await shop.app.service.stores.live.read((db) =>
    db.sql
      .select({ warehouse_id: table.warehouse_id })
      .from(table)
      .where(eq(table.id, Number(id.slice(4)))),
  );
  return row?.warehouse_id ? `whs_${row.warehouse_id}` : null;
}

test("sales", async () => {
  const lines = orders
    .filter(({ created_at }) => within(dayAt(created_at)))
    .flatMap((order) => order.line_items.map((line: Records[number]) => ({ ...line, order: order.id })));
  const expected = [...Map.groupBy(lines, ({ sku }) => sku)].map(([sku, own]) => {
    const kept = (line: Records[number]) => line.quantity - line.quantity_cancelled;
    const total = (name: string) => sum(own.map((line) => line[name]));
    return {
      sku,
      name: `Product ${sku}`,
      currency: "USD",
      orders: new Set(own.filter((line) => kept(line) > 0).map(({ order }) => order)).size,
      units_ordered: total("quantity"),
      units_cancelled: total("quantity_cancelled"),
      units_sold: sum(own.map(kept)),
      units_shipped: total("quantity_shipped"),
      units_returned: total("quantity_returned"),
      revenue: sum(own.map((line) => Math.round((cents(line.line_total) * kept(line)) / line.quantity + 1e-9))) / 100,
      merchant_id: "mer_1",
    };
  });
  const { rows: found, totals, row_count } = await report("sales");
  const bySku = (a: { sku: string }, b: { sku: string }) => (a.sku < b.sku ? -1 : 1);
  expect(found.toSorted(bySku)).toEqual(expected.toSorted(bySku));
  expect(found.map(({ revenue }: Records[number]) => revenue)).toEqual(
    found.map(({ revenue }: Records[number]) => revenue).sort((a: number, b: number) => b - a),
  );
  expect(row_count).toBe(expected.length);
  const revenue = sum(expected.map((one) => cents(one.revenue))) / 100;
  expect(totals).toEqual([{ currency: "USD", units_sold: sum(expected.map((one) => one.units_sold)), revenue }]);
  // An order of whole lines costs what its lines were sold for.
  const subtotal = sum(orders.filter((one) => within(dayAt(one.created_at))).map((one) => cents(one.subtotal))) / 100;
  expect(revenue).toBe(subtotal);
  const [one] = (await report("sales", `from=${from}&to=${to}&limit=1`)).rows;
  expect(one).toEqual(found[0]);
});

test("fill_rate of an order with a line that was added later", async () => {
  const { app, order, act } = shop;
  const lines = async () => (await report("fill_rate", `from=${dayAt(app.clocks.live.now())}`)).totals;
  const [plenty, none] = [await shop.product({ sku: "PLENTY", units: 90 }), await shop.product({ sku: "NONE" })];
  const before = await lines();
  const day = dayAt(app.clocks.live.now());
  const { id } = await order([
    [plenty, 2],
    [none, 5],
  ]);
  await act(id, "ship", { partial: true });
  app.clocks.live.advance(2 * 86_400_000);
  await app.stock("NONE", 5, { location: "whs_1001" });
  await act(id, "ship");
  const { totals } = await report("fill_rate", `from=${day}&to=${day}`);
  const more = Object.fromEntries(Object.entries(totals).map(([name, value]) => [name, Number(value) - before[name]]));
  expect(more).toMatchObject({ orders: 1, orders_filled: 0, lines: 2, lines_filled: 1, units: 7, units_at_first: 2 });
});

test("stock_turns", async () => {
  const outside = new Set(["customer", "write_off", "in_transit"]);
  const skus = [...new Set(movements.map(({ sku }) => sku))];
  const change = (movement: Records[number]) =>
    outside.has(movement.to_location)
      ? -movement.quantity
      : movement.from_location === null || !/^[A-Z]/.test(movement.from_location)
        ? movement.quantity
        : 0;
  const flow = (sku: string) => {
    const own = movements.filter((movement) => movement.sku === sku);
    const upTo = (day: string) => sum(own.filter(({ created_at }) => dayAt(created_at) < day).map(change));
    const shipped = own.filter(
      ({ type, to_location, created_at }) => type === "sale" && to_location === "customer" && within(dayAt(created_at)),
    );
    return {
      units_shipped: sum(shipped.map(({ quantity }) => quantity)),
      opening_units: upTo(from),
      closing_units: upTo(next(to)),
    };
  };
  const { rows: found, totals } = await report("stock_turns");
  const flows = new Map(skus.map((sku) => [sku, flow(sku)]));
  for (const { sku, units_shipped, opening_units, closing_units, average_units, turns } of found) {
    expect([sku, { units_shipped, opening_units, closing_units }]).toEqual([sku, flows.get(sku)]);
    expect(average_units).toBe((opening_units + closing_units) / 2);
    expect(turns).toBe(average_units === 0 ? null : Math.round((units_shipped / average_units) * 100) / 100);
  }
  const all = [...flows.values()];
  expect(totals.units_shipped).toBe(sum(all.map((one) => one.units_shipped)));
  expect(totals.opening_units).toBe(sum(all.map((one) => one.opening_units)));
  expect(totals.units_shipped).toBeGreaterThan(0);
  expect(totals.days_on_hand).toBeGreaterThan(0);
});

test("stock_ageing", async () => {
  const { rows: found, totals } = await report("stock_ageing", "limit=1000");
  const levels = await allOf(shop, "/inventory");
  const onHand = new Map(levels.map(({ sku, on_hand }) => [sku, on_hand]));
  for (const { sku, on_hand } of found) expect([sku, on_hand]).toEqual([sku, onHand.get(sku)]);
  expect(totals.on_hand).toBe(sum([...onHand.values()]));
  for (const row of [...found, totals]) {
    const banded = Object.entries(row).filter(([name]) => name.startsWith("days_"));
    expect(sum(banded.map(([, units]) => units as number))).toBe(row.on_hand);
  }
  // One bin with old units, and one with units of a lot that is older than its arrival.
  const { app } = shop;
  await app.product("OLD", { lot_tracking: true });
  const at = app.clocks.live.now();
  const received_date = new Date(at - 100 * 86_400_000).toISOString();
  await app.stock("OLD", 4, { lot_number: "L-1", received_date, location: "whs_1001" });
  await app.stock("OLD", 1, { lot_number: "L-2", location: "whs_1001" });
  const old = (await report("stock_ageing", "")).rows.find(({ sku }: Records[number]) => sku === "OLD");
  expect(old).toMatchObject({ on_hand: 5, days_0_30: 1, days_91_180: 4, oldest_days: 100, average_days: 80 });
  // The age follows a corrected lot date.
  const [lot] = (await app.get("/inventory/lots?lot_number=L-2")).body.data;
  await app.patch(`/inventory/lots/${lot.id}`, { received_date: new Date(at - 400 * 86_400_000).toISOString() });
  const corrected = (await report("stock_ageing", "")).rows.find(({ sku }: Records[number]) => sku === "OLD");
  expect(corrected).toMatchObject({ days_0_30: 0, days_over_365: 1, oldest_days: 400 });
});

describe("every report", () => {
  const names = ["orders", "on_time", "units_picked", "carrier_cost", "sales", "stock_turns", "fill_rate"];

  test("has the same rows as CSV", async () => {
    for (const name of [...names, "stock_ageing"]) {
      const { rows: found } = await report(name, name === "stock_ageing" ? "limit=1000" : `from=${from}&to=${to}`);
      const file = await shop.app.get(
        `/reports/${name}/export.csv${name === "stock_ageing" ? "" : `?from=${from}&to=${to}`}`,
      );
      const [head = "", ...lines] = String(file.body).trimEnd().split("\r\n");
      expect([name, lines.length]).toEqual([name, found.length]);
      expect(head.split(",").sort()).toEqual(Object.keys(found[0]).sort());
      for (const [at, line] of lines.entries()) {
        const cells = Object.fromEntries(head.split(",").map((column, place) => [column, line.split(",")[place]]));
        for (const [column, value] of Object.entries(found[at])) {
          if (column !== "name")
            expect([name, at, column, cells[column]]).toEqual([name, at, column, String(value ?? "")]);
        }
      }
    }
  });

  test("gives the same figures for a day in any period", async () => {
    for (const name of ["orders", "on_time", "units_picked", "carrier_cost", "fill_rate"]) {
      const { rows: all } = await report(name);
      // The day after a holiday, and the day of the clock change.
      for (const first of ["2026-03-04", "2026-03-08"]) {
        const { rows: some } = await report(name, `from=${first}&to=${to}`);
        expect([name, some]).toEqual([name, all.filter((row: Records[number]) => row.from >= first)]);
      }
    }
  });

  test("refuses invalid days and too many days", async () => {
    for (const name of names) {
      for (const [wrong, field] of [
        ["from=2026-02-30", "from"],
        ["from=2026-03-02&to=2026-03-01", "from"],
        ["from=2025-01-01&to=2026-03-01", "from"],
        ["to=yesterday", "to"],
      ]) {
        for (const path of [`/reports/${name}`, `/reports/${name}/export.csv`]) {
          const { status, body } = await shop.app.get(`${path}?${wrong}`);
          expect([path, wrong, status, body.error.details[0].field]).toEqual([path, wrong, 422, field]);
        }
      }
    }
  });
});
