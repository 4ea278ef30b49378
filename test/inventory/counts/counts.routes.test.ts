import { beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { count_lines } from "../../../db/schema/counts.ts";
import { unreachableStates } from "../../../src/core/transitions.ts";
import { countStatuses, countTransitions } from "../../../src/inventory/inventory.transitions.ts";
import { verifyInventory } from "../../../src/inventory/inventory_audit.sql.ts";
import { openShop, outcomeOf } from "../../build/shop.ts";

const shop = await openShop();
beforeEach(() => shop.app.takeEvents());

const act = (id: string, action: string, body: object = {}) => shop.app.post(`/inventory/counts/${id}/${action}`, body);

const opened = (input: object) => shop.app.create("/inventory/counts", input);

/** Sends a step and returns the count after it. */
async function done(id: string, action: string, body: object = {}) {
  const answer = await act(id, action, body);
  expect([action, answer.status, answer.body.error]).toEqual([action, 200, undefined]);
  return answer.body.data;
}

describe("works", () => {
  test("bins are counted, reviewed with the value of differences, and posted", async () => {
    const tea = await shop.product();
    const mug = await shop.product();
    await shop.app.stock(tea.sku, 10, { bin: "K-1", unit_cost: "2.50" });
    await shop.app.stock(mug.sku, 4, { bin: "K-2" });
    await shop.app.takeEvents();
    const count = await opened({ location: "whs_1001", bins: ["K-2", "K-1", "K-1"], notes: "Monday" });
    expect(count.id).toMatch(/^cnt_\d+$/);
    expect(count).toMatchObject({
      status: "open",
      location: "whs_1001",
      bins: ["K-2", "K-1"],
      skus: null,
      blind: false,
      items_total: 2,
      items_counted: 0,
      allowed_actions: ["record", "review", "cancel"],
      opened_by: "key_1003",
      items: [
        { sku: tea.sku, bin: "K-1", lot_number: null, expected_quantity: 10, counted_quantity: null, difference: null },
        { sku: mug.sku, bin: "K-2", expected_quantity: 4 },
      ],
    });
    const lines = [
      { sku: tea.sku, bin: "K-1", quantity: 8 },
      { sku: mug.sku, bin: "K-2", quantity: 5 },
    ];
    const counted = await done(count.id, "items", { items: lines });
    expect(counted).toMatchObject({ status: "open", items_counted: 2, revision: 2 });
    const reviewed = await done(count.id, "review");
    expect(reviewed).toMatchObject({
      status: "review",
      allowed_actions: ["record", "post", "cancel"],
      items: [
        { difference: -2, unit_value: 2.5, unit_value_from: "cost", value: -5, counted_by: "key_1003" },
        { difference: 1, unit_value: 10, unit_value_from: "price", value: 10 },
      ],
      summary: { items_different: 2, units_over: 1, units_short: 2, value_over: 10, value_short: 5, value_net: 5 },
    });
    expect(await shop.takeTypes()).toEqual([]);
    expect(await shop.stockOf(tea.sku)).toMatchObject({ on_hand: 10 });
    const posted = await done(count.id, "post");
    expect(posted).toMatchObject({
      status: "posted",
      posted_by: "key_1003",
      backordered_orders: [],
      allowed_actions: [],
    });
    expect(await shop.takeTypes()).toEqual(["inventory.updated", "inventory.updated"]);
    expect(await shop.stockOf(tea.sku)).toMatchObject({ on_hand: 8, available: 8 });
    expect(await shop.stockOf(mug.sku)).toMatchObject({ on_hand: 5, available: 5 });
    const [movement] = (await shop.app.get(`/inventory/movements?sku=${tea.sku}`)).body.data;
    expect(movement).toMatchObject({
      id: posted.items[0].movement_id,
      type: "adjustment",
      quantity: 2,
      reason: "stock_count",
      notes: "Monday",
      balance_after: 8,
      to_location: "write_off",
      reference: { type: "count", id: count.id },
    });
    const { backordered_orders: _, ...kept } = posted;
    expect((await shop.app.get(`/inventory/counts/${count.id}`)).body.data).toEqual(kept);
  });

  test("a blind count hides the expected units until its review", async () => {
    const product = await shop.product({ units: 7 });
    const count = await opened({ skus: [product.sku], blind: true });
    const hidden = { expected_quantity: null, difference: null, unit_value: null, value: null };
    expect([count.summary, count.items[0]]).toEqual([null, expect.objectContaining(hidden)]);
    const counted = await done(count.id, "items", { items: [{ sku: product.sku, bin: "A-01", quantity: 6 }] });
    expect(counted.items).toMatchObject([{ ...hidden, counted_quantity: 6 }]);
    const reviewed = await done(count.id, "review");
    expect(reviewed.items).toMatchObject([{ expected_quantity: 7, difference: -1, value: -10 }]);
    // Counting again makes it blind again.
    const again = await done(count.id, "items", { items: [{ sku: product.sku, bin: "A-01", quantity: 7 }] });
    expect(again).toMatchObject({ status: "open", reviewed_at: null, summary: null, items: [hidden] });
    await done(count.id, "review");
    await shop.app.takeEvents();
    expect((await done(count.id, "post")).summary).toMatchObject({ items_different: 0, value_net: 0 });
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("unexpected units and lots are added, and fill backorders", async () => {
    const product = await shop.product();
    for (const lot_number of ["C1", "C2"]) await shop.app.stock(product.sku, 1, { lot_number, bin: "F-1" });
    await shop.app.patch(`/inventory/${product.sku}`, { adjustment: -1, reason: "lost", bin: "F-1", lot_number: "C2" });
    const order = await shop.order([[product, 4]]);
    const count = await opened({ skus: [product.sku] });
    expect(count.items).toMatchObject([{ lot_number: "C1", expected_quantity: 1 }]);
    const lines = [
      { sku: product.sku, bin: "F-1", quantity: 1 },
      { sku: product.sku, bin: "F-1", lot_number: "C2", quantity: 2 },
      { sku: product.sku, bin: "A-01", quantity: 3 },
    ];
    await done(count.id, "items", { items: lines });
    await done(count.id, "review");
    await shop.app.takeEvents();
    const posted = await done(count.id, "post");
    expect(posted.items.map((line: { movement_id: string | null }) => line.movement_id !== null)).toEqual([
      false,
      true,
      true,
    ]);
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    expect(await shop.stockOf(product.sku)).toMatchObject({ on_hand: 6, reserved: 4, available: 2 });
    expect((await shop.get(order.id)).allocation).toMatchObject({ complete: true });
  });

  test("uncounted lines stay unchanged, and picked units are never counted", async () => {
    const product = await shop.product({ units: 5 });
    await shop.app.stock(product.sku, 3, { bin: "U-1" });
    const order = await shop.order([[product, 2]]);
    await shop.act(order.id, "pick");
    const count = await opened({ skus: [product.sku] });
    expect(count.items.map(({ bin }: { bin: string }) => bin)).toEqual(["A-01", "U-1"]);
    const total = count.items[0].expected_quantity + count.items[1].expected_quantity;
    expect(total).toBe(6);
    await done(count.id, "items", { items: [{ sku: product.sku, bin: "U-1", quantity: 0 }] });
    await done(count.id, "review");
    const posted = await done(count.id, "post");
    expect(posted).toMatchObject({ items_total: 2, items_counted: 1, summary: { items_different: 1 } });
    expect((await shop.stockOf(product.sku)).on_hand).toBe(8 - posted.items[1].expected_quantity);
  });

  test("without bins and SKUs, the whole warehouse is counted, and the newest count listed first", async () => {
    const everything = await opened({});
    expect(everything.items_total).toBeGreaterThan(3);
    await done(everything.id, "cancel");
    const [newest] = (await shop.app.get("/inventory/counts?limit=1")).body.data;
    expect(newest).toMatchObject({ id: everything.id, status: "cancelled", items_total: everything.items_total });
    expect(newest.cancelled_at).not.toBeNull();
  });
});

describe("refuses", () => {
  test("to post lines whose stock has moved since they were counted, until they are counted again", async () => {
    const product = await shop.product({ units: 5 });
    const count = await opened({ skus: [product.sku] });
    const line = { sku: product.sku, bin: "A-01" };
    // Movements before the count do not matter.
    await shop.app.patch(`/inventory/${product.sku}`, { adjustment: 1, reason: "found" });
    await done(count.id, "items", { items: [{ ...line, quantity: 4 }] });
    await done(count.id, "review");
    await shop.app.patch(`/inventory/${product.sku}`, { adjustment: 2, reason: "found" });
    await shop.app.takeEvents();
    const refused = await act(count.id, "post");
    expect(outcomeOf(refused)).toEqual([409, "quantity_conflict"]);
    const conflict = { ...line, lot_number: null, expected_quantity: 6, current_quantity: 8 };
    expect(refused.body.error.items).toEqual([conflict]);
    expect(await shop.takeTypes()).toEqual([]);
    await done(count.id, "items", { items: [{ ...line, quantity: 7 }] });
    await done(count.id, "review");
    expect((await done(count.id, "post")).items).toMatchObject([{ expected_quantity: 8, difference: -1 }]);
    expect((await shop.stockOf(product.sku)).on_hand).toBe(7);
  });

  test("to take reserved units unless shortfalls are allowed", async () => {
    const product = await shop.product({ units: 5 });
    const first = await shop.order([[product, 3]]);
    const second = await shop.order([[product, 2]]);
    const count = await opened({ skus: [product.sku] });
    await done(count.id, "items", { items: [{ sku: product.sku, bin: "A-01", quantity: 2 }] });
    await done(count.id, "review");
    await shop.app.takeEvents();
    const refused = await act(count.id, "post");
    expect(outcomeOf(refused)).toEqual([409, "would_break_reservations"]);
    const orders = [
      { order_id: second.id, order_number: second.order_number, quantity: 2 },
      { order_id: first.id, order_number: first.order_number, quantity: 1 },
    ];
    expect(refused.body.error.orders).toEqual(orders);
    expect(await shop.takeTypes()).toEqual([]);
    expect((await shop.get(first.id)).allocation.complete).toBe(true);
    expect((await done(count.id, "post", { allow_shortfall: true })).backordered_orders).toEqual(orders);
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    expect(await shop.stockOf(product.sku)).toMatchObject({ on_hand: 2, reserved: 2, backordered: 3 });
  });

  test("reservations move to other bins before orders are backordered", async () => {
    const product = await shop.product({ units: 3 });
    await shop.app.stock(product.sku, 3, { bin: "V-1" });
    await shop.order([[product, 4]]);
    const count = await opened({ skus: [product.sku] });
    const lines = [
      { sku: product.sku, bin: "A-01", quantity: 0 },
      { sku: product.sku, bin: "V-1", quantity: 4 },
    ];
    await done(count.id, "items", { items: lines });
    await done(count.id, "review");
    expect((await done(count.id, "post")).backordered_orders).toEqual([]);
    expect(await shop.stockOf(product.sku)).toMatchObject({ on_hand: 4, reserved: 4, backordered: 0 });
  });

  test("steps that the status does not allow", async () => {
    const product = await shop.product({ units: 5 });
    const line = { sku: product.sku, bin: "A-01", quantity: 5 };
    const count = await opened({ skus: [product.sku] });
    expect(outcomeOf(await act(count.id, "post"))).toEqual([409, "invalid_state_transition"]);
    const empty = await act(count.id, "review");
    expect(outcomeOf(empty)).toEqual([409, "invalid_state_transition"]);
    expect(empty.body.error).toMatchObject({ from: "open", action: "review" });
    await done(count.id, "cancel");
    for (const [action, body] of [
      ["items", { items: [line] }],
      ["review", {}],
      ["post", {}],
      ["cancel", {}],
    ] as const) {
      expect([action, ...outcomeOf(await act(count.id, action, body))]).toEqual([
        action,
        409,
        "invalid_state_transition",
      ]);
    }
    for (const action of ["review", "post", "cancel"]) expect((await act("cnt_9", action)).status).toBe(404);
    expect((await shop.app.get("/inventory/counts/cnt_9")).status).toBe(404);
    await shop.app.takeEvents();
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("unknown records, and places that are not part of the count", async () => {
    const product = await shop.product({ units: 5 });
    const other = await shop.product({ units: 5 });
    const told = ({ status, body }: { status: number; body: { error: { details: { field: string }[] } } }) => [
      status,
      ...body.error.details.map(({ field }) => field),
    ];
    const unknown = await shop.app.get("/inventory/counts/cnt_9");
    expect([unknown.status, unknown.body.error.message]).toEqual([404, "No such cycle count: cnt_9."]);
    const open = (input: object) => shop.app.post("/inventory/counts", input);
    expect(told(await open({ skus: [product.sku, "NONE", "NIL"] }))).toEqual([404, "skus[1]", "skus[2]"]);
    expect(told(await open({ bins: ["NOWHERE"] }))).toEqual([404, "bins[0]"]);
    expect(told(await open({ bins: ["A-01"], skus: [product.sku] }))).toEqual([422, "skus"]);
    expect(told(await open({ location: "whs_9" }))).toEqual([404, "location"]);
    const count = await opened({ skus: [product.sku] });
    const line = { sku: product.sku, bin: "A-01", quantity: 5 };
    const record = (...lines: object[]) => act(count.id, "items", { items: lines });
    expect(told(await record(line, { ...line, sku: "NONE" }))).toEqual([404, "items[1].sku"]);
    expect(told(await record({ ...line, bin: "NOWHERE" }))).toEqual([404, "items[0].bin"]);
    expect(told(await record({ ...line, sku: other.sku }))).toEqual([422, "items[0].sku"]);
    expect(told(await record({ ...line, lot_number: "NONE" }))).toEqual([422, "items[0].lot_number"]);
    expect(told(await record(line, line))).toEqual([422, "items[1]"]);
    expect(told(await record({ ...line, quantity: -1 }))).toEqual([422, "items[0].quantity"]);
    const bins = await opened({ bins: ["A-01"] });
    const elsewhere = { items: [{ ...line, bin: "RETURNS" }] };
    expect(told(await act(bins.id, "items", elsewhere))).toEqual([422, "items[0].bin"]);
    expect((await shop.app.get(`/inventory/counts/${count.id}`)).body.data).toEqual(count);
  });

  test("to guess the counted lot", async () => {
    const product = await shop.product();
    for (const lot_number of ["G1", "G2"]) await shop.app.stock(product.sku, 1, { lot_number, bin: "G-1" });
    const count = await opened({ skus: [product.sku], blind: true });
    const refused = await act(count.id, "items", { items: [{ sku: product.sku, bin: "G-1", quantity: 1 }] });
    expect(outcomeOf(refused)).toEqual([422, "ambiguous_stock"]);
    expect(refused.body.error.candidates).toEqual([
      { bin: "G-1", lot_number: "G1" },
      { bin: "G-1", lot_number: "G2" },
    ]);
    const sku = "COUNT-LOTS";
    await shop.app.product(sku, { lot_tracking: true });
    const tracked = await opened({ skus: [sku] });
    const found = await act(tracked.id, "items", { items: [{ sku, bin: "A-01", quantity: 1 }] });
    expect(found.body.error.details).toMatchObject([{ field: "items[0].lot_number", code: "required" }]);
  });
});

describe("guards", () => {
  test("every status is reachable", () => {
    expect(unreachableStates(countTransitions, countStatuses, "open")).toEqual([]);
  });

  test("verify finds a posted line with a different movement", async () => {
    const product = await shop.product({ units: 5 });
    const count = await opened({ skus: [product.sku] });
    await done(count.id, "items", { items: [{ sku: product.sku, bin: "A-01", quantity: 3 }] });
    await done(count.id, "review");
    await done(count.id, "post");
    const live = shop.app.service.stores.live;
    const count_id = Number(count.id.slice("cnt_".length));
    const set = (counted: number) =>
      live.write(async (tx) => {
        await tx.sql.update(count_lines).set({ counted }).where(eq(count_lines.count_id, count_id));
      });
    await set(4);
    expect(await live.read(verifyInventory)).toMatchObject([{ expected: -1, actual: -2 }]);
    await set(3);
  });
});
