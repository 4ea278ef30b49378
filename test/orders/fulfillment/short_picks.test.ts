// Units that are not found when they are picked.
import { beforeEach, describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
beforeEach(async () => {
  await shop.app.takeEvents();
});

const stock = (sku: string, quantity: number, bin = "A-01") =>
  shop.app.post("/inventory", { sku, quantity, location: "whs_1001", bin });
const short = (id: string, items: object[]) => shop.act(id, "pick", { items, partial: true });
const rows = async (id: string) =>
  (await shop.app.get(`/orders/${id}/history`)).body.data.map(
    ({ event, reason, note }: { event: string; reason: string | null; note: string | null }) => [event, reason, note],
  );

describe("works", () => {
  test("lost units are written off, and other units replace them", async () => {
    const tea = await shop.product({ units: 4 });
    await stock(tea.sku, 5, "B-01");
    const made = await shop.order([[tea, 3]]);
    await shop.app.takeEvents();
    const picked = await short(made.id, [
      { sku: tea.sku, quantity: 1 },
      { sku: tea.sku, quantity: 2, short: true, reason: "lost" },
    ]);
    expect(picked).toMatchObject({
      status: "processing",
      holds: [],
      line_items: [{ quantity_reserved: 3, quantity_picked: 1, quantity_backordered: 0 }],
    });
    const events = await shop.app.takeEvents();
    expect(events.map(({ type }) => type)).toEqual(["inventory.updated"]);
    expect(await shop.stockOf(tea.sku)).toMatchObject({ on_hand: 7, reserved: 3, picked: 1, available: 4 });
    const { body } = await shop.app.get(`/inventory/movements?sku=${tea.sku}&type=adjustment`);
    expect(body.data).toMatchObject([
      { quantity: 2, reason: "lost", to_location: "write_off", reference: { type: "order", id: made.id } },
    ]);
    expect((await rows(made.id)).slice(-2)).toEqual([
      ["pick", null, null],
      ["short_pick", "lost", `2 of ${tea.sku}`],
    ]);
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("units that are only released are planned elsewhere, and never there again for this order", async () => {
    const tea = await shop.product({ units: 4 });
    await stock(tea.sku, 2, "B-01");
    const made = await shop.order([[tea, 3]]);
    const miss = (quantity: number, bin: string) => ({ sku: tea.sku, quantity, bin, short: true, reason: "not_found" });
    // The smaller bin is emptied first.
    const picked = await short(made.id, [miss(2, "B-01")]);
    expect(picked.line_items).toMatchObject([{ quantity_reserved: 3 }]);
    expect(await shop.stockOf(tea.sku)).toMatchObject({ on_hand: 6, reserved: 3, available: 3 });
    const held = await short(made.id, [miss(1, "A-01")]);
    expect(held).toMatchObject({ status: "on_hold", line_items: [{ quantity_reserved: 2, quantity_backordered: 1 }] });
    // Another order may have them, and find out for itself.
    const other = await shop.order([[tea, 4]]);
    expect(other.allocation.complete).toBe(true);
  });

  test("if no other units exist, the order is on hold until there are some", async () => {
    const tea = await shop.product({ units: 3 });
    const made = await shop.order([[tea, 3]]);
    const held = await short(made.id, [
      { sku: tea.sku, quantity: 2 },
      { sku: tea.sku, quantity: 1, short: true, reason: "damaged" },
    ]);
    expect(held).toMatchObject({
      status: "on_hold",
      held_from: "processing",
      allowed_actions: ["unpick", "release", "cancel", "cancel_items"],
      holds: [{ reason: "short_pick", lifted_by: "cause", note: expect.stringContaining(`1 of ${tea.sku}`) }],
      line_items: [{ quantity_reserved: 2, quantity_picked: 2, quantity_backordered: 1 }],
    });
    const release = await shop.act(made.id, "release");
    expect(release).toMatchObject({ still_on_hold: true, revision: held.revision });
    expect((await shop.app.post(`/orders/${made.id}/pack`)).body.error).toMatchObject({
      code: "invalid_state_transition",
      from: "on_hold",
      allowed_actions: ["unpick", "release", "cancel", "cancel_items"],
    });
    await stock(tea.sku, 1);
    // The order gets them at once; a job lifts the hold.
    await shop.app.runJobs();
    expect(await shop.get(made.id)).toMatchObject({
      status: "processing",
      holds: [],
      allocation: { complete: true, backordered_units: 0 },
    });
    expect((await rows(made.id)).slice(-5)).toEqual([
      ["pick", null, null],
      ["short_pick", "damaged", `1 of ${tea.sku}`],
      ["hold", "short_pick", held.holds[0].note],
      ["backorder_filled", null, `1 of ${tea.sku}`],
      ["release", "short_pick", null],
    ]);
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("cancelling the missing units also lifts the hold", async () => {
    const tea = await shop.product({ units: 3 });
    const made = await shop.order([[tea, 3]]);
    await short(made.id, [{ sku: tea.sku, quantity: 1, short: true, reason: "expired" }]);
    const less = await shop.act(made.id, "cancel_items", { items: [{ sku: tea.sku, quantity: 1 }] });
    expect(less).toMatchObject({ status: "processing", holds: [] });
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("replanning takes units again that could not be reached", async () => {
    const tea = await shop.product({ units: 3 });
    const made = await shop.order([[tea, 3]]);
    const held = await short(made.id, [{ sku: tea.sku, quantity: 2, short: true, reason: "unreachable" }]);
    expect(held).toMatchObject({ status: "on_hold", line_items: [{ quantity_backordered: 2 }] });
    expect(await shop.available(tea.sku)).toBe(3 - held.line_items[0].quantity_reserved);
    await shop.app.runJobs();
    expect((await shop.get(made.id)).status).toBe("on_hold");
    expect((await shop.act(made.id, "allocate")).allocation).toEqual({ complete: true, backordered_units: 0 });
    expect(await shop.get(made.id)).toMatchObject({ status: "processing", holds: [] });
    expect((await rows(made.id)).slice(-2)).toEqual([
      ["allocate", null, null],
      ["release", "short_pick", null],
    ]);
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("additional units in the same bin are used like any others", async () => {
    const tea = await shop.product({ units: 3 });
    const made = await shop.order([[tea, 3]]);
    await short(made.id, [{ sku: tea.sku, quantity: 3, short: true, reason: "not_found" }]);
    await stock(tea.sku, 1);
    await shop.app.runJobs();
    expect(await shop.get(made.id)).toMatchObject({ status: "processing", allocation: { complete: true } });
  });

  test.each([
    ["all units", 3, 3],
    ["some units", 2, 2],
    ["none, before others arrive", 0, 1],
  ])("a count of the bin that finds %s lets the order have them", async (_, counted, reserved) => {
    const tea = await shop.product({ units: 3 });
    await stock(tea.sku, 1, "B-01");
    const made = await shop.order([[tea, 4]]);
    const miss = { sku: tea.sku, short: true, reason: "not_found" };
    await short(made.id, [
      { ...miss, quantity: 3, bin: "A-01" },
      { ...miss, quantity: 1, bin: "B-01" },
    ]);
    expect(await shop.get(made.id)).toMatchObject({ status: "on_hold", line_items: [{ quantity_reserved: 0 }] });
    const count = await shop.app.create("/inventory/counts", { bins: ["A-01"] });
    const items = [{ sku: tea.sku, bin: "A-01", quantity: counted }];
    await shop.app.create(`/inventory/counts/${count.id}/items`, { items });
    await shop.app.create(`/inventory/counts/${count.id}/review`);
    await shop.app.create(`/inventory/counts/${count.id}/post`);
    if (counted === 0) await stock(tea.sku, 1);
    await shop.app.runJobs();
    // The other bin was not counted.
    expect((await shop.get(made.id)).line_items).toMatchObject([{ quantity_reserved: reserved }]);
    await stock(tea.sku, 4 - reserved, "C-01");
    await shop.app.runJobs();
    expect(await shop.get(made.id)).toMatchObject({ status: "processing", holds: [], allocation: { complete: true } });
  });

  test("of a bundle, components are short by their own SKUs", async () => {
    const [cup, pot] = [await shop.product({ units: 4 }), await shop.product({ units: 2 })];
    const components = [
      { sku: cup.sku, quantity: 2 },
      { sku: pot.sku, quantity: 1 },
    ];
    const sku = `SET-${cup.sku}`;
    const set = await shop.app.product(sku, { type: "bundle", components });
    const made = await shop.order([[set, 2]]);
    const held = await short(made.id, [{ sku: cup.sku, quantity: 1, short: true, reason: "damaged" }]);
    expect(held).toMatchObject({
      status: "on_hold",
      holds: [{ reason: "short_pick", note: expect.stringContaining(`1 of ${cup.sku}`) }],
      line_items: [{ quantity_reserved: 1, quantity_backordered: 1 }],
    });
    await stock(cup.sku, 1);
    await shop.app.runJobs();
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
  });

  test("a carrier's scan of such an order's parcel is accepted", async () => {
    const tea = await shop.product({ units: 3 });
    const made = await shop.order([[tea, 3]]);
    const parcel = { carrier: "local", service: "standard", package: { weight: 1, weight_unit: "lb" } };
    const label = (await shop.app.post("/shipping/labels", { order_id: made.id, ...parcel })).body.data;
    await short(made.id, [{ sku: tea.sku, quantity: 1, short: true, reason: "lost" }]);
    await shop.app.post(`/tracking/${label.tracking_number}/events`, { status: "in_transit" });
    expect(await shop.get(made.id)).toMatchObject({
      status: "on_hold",
      line_items: [{ quantity_shipped: 2, quantity_backordered: 1 }],
      holds: [{ reason: "short_pick" }, { reason: "carrier_discrepancy" }],
    });
    await stock(tea.sku, 1);
    await shop.app.runJobs();
    expect(await shop.get(made.id)).toMatchObject({ status: "processing", holds: [] });
  });
});

describe("refuses", () => {
  const miss = { quantity: 1, short: true, reason: "lost" };
  test.each([
    ["a short pick without a reason", { quantity: 1, short: true }, 422, "items[0].reason"],
    ["a reason without a short pick", { quantity: 1, reason: "lost" }, 422, "items[0].reason"],
    ["a reason there is not", { ...miss, reason: "eaten" }, 422, "items[0].reason"],
    ["more than are wanted", { ...miss, quantity: 4 }, 422, "items[0].quantity"],
    ["more than are planned in that bin", { ...miss, bin: "B-01" }, 409, undefined],
  ])("%s", async (_, item, status, field) => {
    const tea = await shop.product({ units: 5 });
    const made = await shop.order([[tea, 3]]);
    await shop.app.takeEvents();
    const answer = await shop.app.post(`/orders/${made.id}/pick`, { items: [{ sku: tea.sku, ...item }] });
    expect([answer.status, answer.body.error.details[0]?.field]).toEqual([status, field]);
    expect(await shop.app.takeEvents()).toEqual([]);
    expect(await shop.get(made.id)).toEqual(made);
  });
});

describe("guards", () => {
  test("a written-off unit goes to nobody, and older backorders are filled first", async () => {
    const tea = await shop.product({ units: 2 });
    const first = await shop.order([[tea, 2]]);
    const second = await shop.order([[tea, 1]], { priority: 5 });
    await short(first.id, [{ sku: tea.sku, quantity: 1, short: true, reason: "not_found" }]);
    // Released units go to the waiting order.
    expect((await shop.get(second.id)).allocation).toEqual({ complete: true, backordered_units: 0 });
    expect((await shop.get(first.id)).status).toBe("on_hold");
    await shop.app.runJobs();
    expect((await rows(second.id)).at(-1)).toEqual(["backorder_filled", null, `1 of ${tea.sku}`]);
  });
});
