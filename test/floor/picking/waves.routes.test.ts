import { describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { codeOf, shopOn } from "../../build/shop.ts";

const app = await openApp();
const shop = await shopOn(app);
const skus = ["PLUM", "PEAR", "FIG", "DATE"];
const bins = ["A-01-01", "A-01-02", "A-02-01", "B-01-01", "B-02-01"];
const [{ warehouse_id, location_zones }] = (await app.get("/inventory/locations")).body.data;
const zone = location_zones[0].zone_id;
await app.patch(`/inventory/locations/${warehouse_id}`, {
  location_zones: [{ zone_id: zone, bins: bins.map((code, at) => ({ code, pick_order: 10 + at })) }],
});
for (const sku of skus) await shop.product({ sku });
const stock = (sku: string, quantity: number, bin: string) => app.stock(sku, quantity, { bin, location: warehouse_id });
await stock("PLUM", 6, "A-01-01");
await stock("PLUM", 20, "B-02-01");
await stock("PEAR", 20, "A-01-02");
await stock("FIG", 6, "A-02-01");
await stock("DATE", 30, "B-01-01");
await app.create("/totes/bulk", { prefix: "T-", first: 1, count: 12 });
const device = "scanner-1";

interface Share {
  readonly order_id: string;
  readonly quantity: number;
  readonly totes: string[];
}
interface Stop {
  readonly bin: string;
  readonly sku: string;
  readonly quantity: number;
  readonly orders: Share[];
}

const orders: string[] = [];
for (let at = 0; at < 8; at++) {
  const lines = [[skus[at % 4] as string, 2] as const, [skus[(at + 1) % 4] as string, 1] as const];
  orders.push((await shop.order(lines)).id);
}

test("without orders, nothing can be planned, and the refusal says why", async () => {
  const empty = await openApp();
  const why = async (filters: object) => (await empty.post("/waves", { mode: "cluster", filters })).body.error.message;
  expect(await why({})).toBe(`No order can be picked in ${warehouse_id}. There are no open orders.`);
  expect(await why({ tags: ["gift"] })).toEndWith("No order matches the filters.");
});

describe("a cluster wave of 8 orders", () => {
  let wave = "";

  test("is planned with a dry run, which shows why others wait", async () => {
    const held = await shop.order([["DATE", 1]]);
    await shop.act(held.id, "hold", { reason: "manual" });
    const short = await shop.order([["FIG", 100]], { allow_backorder: true });
    await app.takeEvents();
    const plan = await app.post("/waves?dry_run=true", { mode: "cluster", limits: { orders: 7 } });
    expect([plan.status, plan.body.meta.dry_run]).toEqual([200, true]);
    expect(plan.body.data).toMatchObject({ orders: 7, units: 21, order_ids: orders.slice(0, 7) });
    const waiting = Object.fromEntries(
      plan.body.data.waiting.map(({ reason, orders, examples }: { reason: string; orders: number; examples: [] }) => [
        reason,
        [orders, examples.map(({ order_id }) => order_id)],
      ]),
    );
    expect(waiting).toEqual({ on_hold: [1, [held.id]], limit: [2, [orders[7], short.id]] });
    expect((await app.get("/waves")).body.data).toEqual([]);
    const { status, body } = await app.post("/waves", { mode: "cluster" });
    expect(status).toBe(201);
    wave = body.data.id;
    expect(body.data).toMatchObject({ status: "planned", progress: { orders: 8, units: 24, units_left: 24 } });
    expect(body.data.orders.map(({ order_id }: Share) => order_id)).toEqual(orders);
    expect(codeOf(await app.post("/waves", { mode: "cluster" }))).toBe("nothing_to_pick");
    expect(codeOf(await app.post(`/waves/${wave}/picks`, { bin: "A-01-01", sku: "PLUM", quantity: 1 }))).toBe(
      "wave_closed",
    );
    await app.create(`/waves/${wave}/release`);
    expect(await app.takeEvents()).toEqual([]);
  });

  test("is the next task, with its walk", async () => {
    const { task } = await app.create("/work/next", { device });
    expect(task).toMatchObject({ id: `pick_${wave}`, kind: "pick", units: 24, orders: 8, claim: { device } });
    expect(task.walk.stops.map(({ bin }: Stop) => bin)).toEqual(["A-01-01", "A-01-02", "A-02-01", "B-01-01"]);
  });

  test("refuses wrong scans, and changes nothing", async () => {
    for (const [at, order_id] of orders.entries()) {
      const tote = `T-${String(at + 1).padStart(2, "0")}`;
      expect(await app.create(`/waves/${wave}/totes`, { tote })).toMatchObject({
        order_id,
        tote,
        orders_without_tote: 7 - at,
      });
    }
    const good = { bin: "A-01-01", sku: "PLUM", quantity: 2, tote: "T-01" };
    const refused = async (change: object) => {
      const { body } = await app.post(`/waves/${wave}/picks`, { ...good, ...change });
      return body.error.code;
    };
    const before = await app.create("/work/next", { device });
    expect(await refused({ bin: "A-02-01" })).toBe("wrong_bin");
    expect(await refused({ bin: "NO-BIN" })).toBe("wrong_bin");
    expect(await refused({ sku: "NOTHING" })).toBe("wrong_item");
    expect(await refused({ quantity: 3 })).toBe("surplus_item");
    expect(await refused({ tote: "T-02" })).toBe("wrong_tote");
    expect(await refused({ tote: "T-12" })).toBe("wrong_tote");
    expect(await refused({ tote: undefined })).toBe("validation_failed");
    expect(await refused({ lot_number: "L-1" })).toBe("wrong_lot");
    expect(codeOf(await app.post(`/waves/${wave}/totes`, { tote: "T-01", order_id: orders[3] }))).toBe("tote_in_use");
    expect(await app.takeEvents()).toEqual([]);
    expect(await app.create("/work/next", { device })).toEqual(before);
  });

  test("is picked along its walk by two people, with two short picks", async () => {
    const { key } = await app.create("/keys", { name: "Mia", permission: "full" });
    const picked_by = new Map<string, number>();
    let stop: Stop | undefined = (await app.get(`/waves/${wave}/walk`)).body.data.stops[0];
    let shorts = 0;
    while (stop !== undefined && stop !== null) {
      const { bin, sku, orders: shares } = stop;
      const [share] = shares;
      const picked = { bin, sku, quantity: share?.quantity ?? 0, tote: share?.totes[0] };
      const isShort = shorts < 2 && (sku === "FIG" || (sku === "PLUM" && shorts === 0));
      if (isShort) shorts += 1;
      const name = sku === "DATE" || picked_by.has("Mia") ? "Mia" : "full";
      if (name === "Mia" && !picked_by.has(name)) await app.create(`/work/pick_${wave}/take_over`, { device }, { key });
      if (!isShort) picked_by.set(name, (picked_by.get(name) ?? 0) + picked.quantity);
      const pick = isShort ? { ...picked, short: true, reason: "not_found" } : picked;
      stop = (await app.create(`/waves/${wave}/picks`, pick, name === "Mia" ? { key } : {})).next;
    }
    const { status, orders: shown, progress, picked_by: pickers } = (await app.get(`/waves/${wave}`)).body.data;
    expect([status, progress]).toEqual([
      "picked",
      { orders: 8, orders_left: 0, units: 24, units_left: 0, units_waiting: 1, stops_left: 0 },
    ]);
    const held = shown.filter(({ status }: { status: string }) => status === "on_hold");
    expect(held).toMatchObject([{ units_left: 0, units_waiting: 1 }]);
    expect(shown.filter(({ units_waiting }: { units_waiting: number }) => units_waiting > 0)).toEqual(held);
    // The unit that is missing was of FIG, and PLUM was picked elsewhere.
    expect([...picked_by.keys()].toSorted()).toEqual(["Mia", "full"]);
    expect(pickers.map(({ name, units }: { name: string; units: number }) => [name, units])).toEqual([...picked_by]);
    expect([...picked_by.values()].reduce((sum, units) => sum + units, 0)).toBe(23);
    const [tote] = (await app.get("/totes?set_aside=true")).body.data;
    expect(tote.order_id).toBe(held[0].order_id);
    expect(await app.stockOf("FIG")).toMatchObject({ available: 0, unavailable: { count_pending: 1 } });
    await app.expectVerified();
  });

  test("keeps the bin from new orders until it is counted", async () => {
    const [count] = (await app.get("/inventory/counts")).body.data;
    expect(count).toMatchObject({ status: "open", bins: ["A-02-01"], skus: ["FIG"] });
    const [item] = (await app.get("/inventory/items?sku=FIG&bin=A-02-01")).body.data;
    expect(item).toMatchObject({ quantity: 1, reserved: 0, available: 0, cause: "count_pending" });
    const counted = { items: [{ sku: "FIG", bin: "A-02-01", quantity: item.quantity }] };
    await app.create(`/inventory/counts/${count.id}/items`, counted);
    await app.create(`/inventory/counts/${count.id}/review`);
    await app.takeEvents();
    await app.create(`/inventory/counts/${count.id}/post`);
    expect(await app.stockOf("FIG")).toMatchObject({ available: 0, reserved: 6, unavailable: { count_pending: 0 } });
    // The unit was there. The order that was short of it gets it, so there is something to pick again.
    await app.runJobs();
    const shown = (await app.get(`/waves/${wave}`)).body.data;
    expect(shown.orders.filter(({ status }: { status: string }) => status === "on_hold")).toEqual([]);
    const { tasks } = (await app.get("/work?kinds=pick")).body.data;
    expect(tasks).toMatchObject([{ id: `pick_${wave}`, units: 1, orders: 1 }]);
    const { stops } = (await app.get(`/waves/${wave}/walk`)).body.data;
    expect(stops).toMatchObject([{ bin: "A-02-01", sku: "FIG", quantity: 1 }]);
    await app.expectVerified();
  });

  test("is packed, which frees its totes and closes it", async () => {
    const { tasks } = (await app.get("/work?kinds=pack")).body.data;
    expect(tasks).toHaveLength(7);
    for (const { order_id } of tasks) await shop.act(order_id, "pack");
    await app.runJobs();
    expect((await app.get("/totes?taken=true")).body.data).toHaveLength(1);
    const [last] = (await app.get("/totes?taken=true")).body.data;
    expect((await app.get(`/waves/${wave}`)).body.data.progress).toMatchObject({ units_left: 1, units_waiting: 0 });
    await shop.cancel(last.order_id);
    await app.runJobs();
    const closed = (await app.get(`/waves/${wave}`)).body.data;
    expect(closed).toMatchObject({ status: "closed", progress: { units: 21, units_left: 0, units_waiting: 0 } });
    // Its picked unit waits in the tote.
    expect((await app.get("/totes?taken=true")).body.data).toHaveLength(1);
    const { task } = await app.create("/work/next", { device });
    expect(task).toMatchObject({ kind: "put_back", order_id: last.order_id, totes: [last.code] });
    for (const { sku, quantity, order_id, suggested_bin } of task.put_backs)
      await app.create("/inventory/putbacks", { order_id, sku, quantity, bin: suggested_bin });
    await app.runJobs();
    expect((await app.get("/totes?taken=true")).body.data).toEqual([]);
    expect((await app.create("/work/next", { device })).task).toBeNull();
    await app.expectVerified();
  });

  test("gives units back that were picked into a tote, by their order alone", async () => {
    const { id: order_id } = await shop.order([["DATE", 2]]);
    const { id } = await app.create("/waves", { mode: "cluster", filters: { order_ids: [order_id] } });
    await app.create(`/waves/${id}/release`);
    const item = { sku: "DATE", quantity: 2 };
    await app.create(`/waves/${id}/picks`, { ...item, bin: "B-01-01", tote: "T-10", order_id });
    const back = await app.create(`/waves/${id}/unpick`, { ...item, order_id, reason: "wrong_quantity" });
    expect(back).toMatchObject({ status: "picking", returned: [{ order_id, ...item }], next: { bin: "B-01-01" } });
    await app.expectVerified();
  });

  test("takes a SKU that two merchants have as that of the order", async () => {
    const barcodes = [{ value: "4006381333931", type: "ean" }];
    const order_ids: string[] = [];
    for (const [merchant, bin] of [
      ["NORTH", "C-01-01"],
      ["SOUTH", "C-02-01"],
    ] as const) {
      await app.merchant(merchant);
      const one = await shopOn(app, { merchant });
      const { sku } = await one.product({ sku: "KIWI", barcodes });
      await app.create("/inventory", { sku, quantity: 2, bin, location: warehouse_id }, one.by);
      order_ids.push((await one.order([[sku, 1]])).id);
    }
    const { id } = await app.create("/waves", { mode: "batch", filters: { order_ids } });
    await app.create(`/waves/${id}/release`);
    for (const bin of ["C-01-01", "C-02-01"]) {
      await app.create(`/waves/${id}/picks`, { bin, sku: "KIWI", quantity: 1 });
    }
    for (const [at, item] of [{ sku: "KIWI" }, { code: "4006381333931" }].entries()) {
      const back = { ...item, order_id: order_ids[at], quantity: 1, reason: "wrong_quantity" };
      expect((await app.create(`/waves/${id}/unpick`, back)).returned).toMatchObject([{ order_id: order_ids[at] }]);
    }
    await app.expectVerified();
  });
});
