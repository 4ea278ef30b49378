import { beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { lots as lotTable } from "../../../db/schema/inventory.ts";
import { systemActor } from "../../../src/core/actor.ts";
import { readId } from "../../../src/core/ids.ts";
import { day_ms } from "../../../src/core/time.ts";
import { unreachableStates } from "../../../src/core/transitions.ts";
import { lotActions, lotStatuses, lotTransitions } from "../../../src/inventory/inventory.transitions.ts";
import { verifyInventory } from "../../../src/inventory/inventory_audit.sql.ts";
import { handOver } from "../../../src/orders/fulfillment/carrier_scans.ts";

import { openShop } from "../../build/shop.ts";

const shop = await openShop();
beforeEach(() => shop.app.takeEvents());

let number = 0;
const inDays = (days: number) => new Date(shop.app.clocks.live.now() + days * day_ms).toISOString();

/** A product with these units by lot: `L1`, `L2`, … */
async function goods(...units: number[]) {
  const sku = `LOT-${++number}`;
  const product = await shop.app.product(sku, { lot_tracking: true });
  for (const [at, quantity] of units.entries()) {
    const lot = { lot_number: `L${at + 1}`, expiration_date: inDays(100 + at) };
    await shop.app.stock(sku, quantity, lot);
  }
  const lots: string[] = (await shop.app.get(`/inventory/${sku}`)).body.data.lots.map(({ id }: { id: string }) => id);
  await shop.app.takeEvents();
  return { id: product.id as string, sku, lots };
}

const setStatus = (lot: string | undefined, status: string, fields: object = {}) =>
  shop.app.post(`/inventory/lots/${lot}/status`, { status, reason: "Checked.", ...fields });

describe("works", () => {
  test("a quarantined lot loses its reservations to other stock, or they are backordered", async () => {
    const { id, sku, lots } = await goods(5, 3);
    const made = await shop.order([[{ id }, 5]]);
    await shop.app.takeEvents();
    const { status, body } = await setStatus(lots[0], "quarantined", { notes: "Dented." });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id: lots[0],
      lot_number: "L1",
      sku,
      status: "quarantined",
      quantity: 5,
      reserved: 0,
      locations: [{ warehouse_id: "whs_1001", location: "A-01", kind: "storage", quantity: 5, reserved: 0 }],
      allowed_statuses: ["available", "on_hold", "recalled", "damaged"],
      changes: [
        {
          from_status: "available",
          to_status: "quarantined",
          reason: "Checked.",
          notes: "Dented.",
          actor: { type: "api_key", id: "key_1003" },
        },
      ],
      backordered_orders: [{ order_id: made.id, order_number: made.order_number, quantity: 2 }],
    });
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    expect(await shop.stockOf(sku)).toMatchObject({
      available: 0,
      reserved: 3,
      backordered: 2,
      unavailable: { quarantined: 5 },
    });
    const { backordered_orders: _, ...detail } = body.data;
    expect((await shop.app.get(`/inventory/lots/${lots[0]}`)).body.data).toEqual(detail);
    // When it is released, its units go to backorders.
    expect((await setStatus(lots[0], "available")).body.data).toMatchObject({ status: "available", reserved: 2 });
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    expect(await shop.stockOf(sku)).toMatchObject({ available: 3, reserved: 5, backordered: 0 });
  });

  test("setting the current status changes nothing", async () => {
    const { lots } = await goods(5);
    const { body } = await setStatus(lots[0], "available");
    expect(body.data).toMatchObject({ status: "available", changes: [], backordered_orders: [] });
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("low stock is reported when a lot is quarantined", async () => {
    const { sku, lots } = await goods(5, 2);
    await shop.app.patch(`/products/${(await shop.app.get(`/products?sku=${sku}`)).body.data[0].id}`, {
      reorder_point: 3,
    });
    await setStatus(lots[0], "damaged");
    expect(await shop.takeTypes()).toEqual(["inventory.updated", "inventory.low_stock"]);
    expect((await shop.stockOf(sku)).unavailable).toMatchObject({ damaged: 5 });
  });

  test("a lot expires automatically, with a history row, and can still be recalled", async () => {
    const { sku, lots } = await goods();
    expect(lots).toEqual([]);
    await shop.app.stock(sku, 2, { lot_number: "OLD", expiration_date: inDays(1) });
    const [{ id }] = (await shop.stockOf(sku)).lots;
    shop.app.clocks.live.advance(2 * day_ms);
    expect((await shop.app.get(`/inventory/lots/${id}`)).body.data).toMatchObject({ status: "expired", changes: [] });
    await shop.app.runJobs();
    const { body } = await shop.app.get(`/inventory/lots/${id}`);
    expect(body.data.changes).toMatchObject([{ to_status: "expired", actor: { id: "inventory.expire_lots" } }]);
    expect(body.data.allowed_statuses).toEqual(["quarantined", "recalled", "damaged"]);
    expect((await setStatus(id, "quarantined")).status).toBe(200);
    const refused = await setStatus(id, "available");
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, "status"]);
    expect((await setStatus(id, "recalled")).body.data.status).toBe("recalled");
  });

  test("every order that got units of a lot is traced, with its customer and parcels", async () => {
    const { id, lots } = await goods(9);
    const first = await shop.order([[{ id }, 2]]);
    await shop.act(first.id, "pick");
    await shop.act(first.id, "ship", { carrier: "ups", tracking_number: "1Z-1" });
    shop.app.clocks.live.advance(1000);
    const second = await shop.order([[{ id }, 3]]);
    await shop.act(second.id, "ship");
    await shop.order([[{ id }, 1]]);
    const { body } = await shop.app.get(`/inventory/lots/${lots[0]}/trace`);
    expect(body.data).toMatchObject([
      { order_id: second.id, quantity: 3, confirmed_quantity: 0, assumed_quantity: 3, status: "shipped" },
      {
        order_id: first.id,
        order_number: first.order_number,
        customer: { id: shop.customer.id, email: "jane@example.com", name: "Jane Doe" },
        quantity: 2,
        confirmed_quantity: 2,
        assumed_quantity: 0,
        shipments: [{ status: "shipped", carrier: "ups", tracking_number: "1Z1" }],
      },
    ]);
    expect(body.meta.pagination.total).toBe(2);
    const { next_cursor } = (await shop.app.get(`/inventory/lots/${lots[0]}/trace?limit=1`)).body.meta.pagination;
    const rest = await shop.app.get(`/inventory/lots/${lots[0]}/trace?limit=1&cursor=${next_cursor}`);
    expect(rest.body.data).toEqual([body.data[1]]);
    const since = body.data[0].first_shipped_at;
    for (const [name, made] of [
      ["created_after", second],
      ["created_before", first],
    ] as const) {
      const { data, meta } = (await shop.app.get(`/inventory/lots/${lots[0]}/trace?${name}=${since}`)).body;
      expect([name, meta.pagination.total, data.map((row: { order_id: string }) => row.order_id)]).toEqual([
        name,
        1,
        [made.id],
      ]);
      const file = (await shop.app.get(`/inventory/lots/${lots[0]}/trace/export.csv?${name}=${since}`)).body as string;
      const lines = file.trim().split("\r\n").slice(1);
      expect(lines.map((line) => line.startsWith(`${made.order_number},`))).toEqual([true]);
    }
  });
});

describe("recalls", () => {
  test("an order with picked units of a recalled lot is held until the recall is withdrawn", async () => {
    const { id, sku, lots } = await goods(5);
    const made = await shop.order([[{ id }, 2]]);
    const other = await shop.order([[{ id }, 1]]);
    await shop.act(made.id, "pick");
    await shop.app.takeEvents();
    const recalled = await setStatus(lots[0], "recalled");
    expect(recalled.body.data).toMatchObject({
      picked: 2,
      allowed_statuses: ["available"],
      backordered_orders: [{ order_id: other.id, quantity: 1 }],
    });
    // Even before any job has run, the units cannot ship.
    const refused = await shop.app.post(`/orders/${made.id}/ship`);
    expect([refused.status, refused.body.error.code]).toEqual([409, "lot_not_pickable"]);
    await shop.app.runJobs();
    expect(await shop.get(made.id)).toMatchObject({
      status: "on_hold",
      held_from: "processing",
      holds: [
        { reason: "recalled_lot", note: `Units of recalled lots are picked for it: L1 of ${sku}.`, lifted_by: "cause" },
      ],
    });
    expect(await shop.get(other.id)).toMatchObject({ status: "pending", allocation: { backordered_units: 1 } });
    const { revision } = await shop.get(made.id);
    await shop.app.runJobs();
    expect(await shop.act(made.id, "release")).toMatchObject({ status: "on_hold", still_on_hold: true, revision });
    await setStatus(lots[0], "available");
    await shop.app.runJobs();
    expect(await shop.get(made.id)).toMatchObject({ status: "processing", holds: [] });
    expect(await shop.get(other.id)).toMatchObject({ allocation: { backordered_units: 0 } });
    expect((await shop.history(made.id)).slice(-2)).toEqual([
      "hold: processing > on_hold",
      "release: on_hold > processing",
    ]);
    expect(await shop.takeTypes()).toEqual(["inventory.updated", "inventory.updated"]);
    expect((await shop.act(made.id, "ship")).status).toBe("shipped");
  });

  test("a parcel that a carrier took anyway ends the hold, and is traced", async () => {
    const { id, lots } = await goods(5);
    const made = await shop.order([[{ id }, 2]]);
    await shop.act(made.id, "pack", { packages: [{ items: [{ line_id: made.line_items[0].id, quantity: 2 }] }] });
    await setStatus(lots[0], "recalled");
    await shop.app.runJobs();
    const { holds, shipments } = await shop.get(made.id);
    expect(holds).toMatchObject([{ reason: "recalled_lot" }]);
    const shipment_id = readId("shipment", shipments[0].id) ?? 0;
    const live = shop.app.service.stores.live;
    await live.write((tx) => handOver(tx, shipment_id, systemActor("carrier"), { by_carrier: true }));
    await shop.app.runJobs();
    expect(await shop.get(made.id)).toMatchObject({ status: "shipped", holds: [] });
    expect((await shop.app.get(`/inventory/lots/${lots[0]}/trace`)).body.data).toMatchObject([
      { order_id: made.id, quantity: 2, confirmed_quantity: 0, assumed_quantity: 2 },
    ]);
  });

  test("a cancelled order's parcel that a carrier has is traced as assumed", async () => {
    const { id, lots } = await goods(5);
    const made = await shop.order([[{ id }, 2]]);
    await shop.act(made.id, "pack", { packages: [{ items: [{ line_id: made.line_items[0].id, quantity: 2 }] }] });
    const [{ id: shipment }] = (await shop.get(made.id)).shipments;
    await shop.cancel(made.id);
    await shop.app.service.stores.live.write((tx) =>
      handOver(tx, readId("shipment", shipment) ?? 0, systemActor("carrier"), { by_carrier: true }),
    );
    const { body } = await shop.app.get(`/inventory/lots/${lots[0]}/trace`);
    expect(body.data).toMatchObject([{ order_id: made.id, confirmed_quantity: 0, assumed_quantity: 2 }]);
  });

  test("picked units of a recalled lot are restocked, and the order continues with others", async () => {
    const { id, sku, lots } = await goods(2, 2);
    const made = await shop.order([[{ id }, 3]]);
    await shop.act(made.id, "pick");
    await setStatus(lots[0], "recalled");
    await shop.app.runJobs();
    await shop.app.takeEvents();
    const back = { order_id: made.id, sku, bin: "QUARANTINE" };
    const answer = await shop.app.post("/inventory/putbacks", { ...back, quantity: 2 });
    expect([answer.status, answer.body.data]).toMatchObject([
      201,
      { lot_number: "L1", was_picked: true, remaining: 0 },
    ]);
    expect(await shop.takeTypes()).toEqual(["inventory.updated"]);
    await shop.app.runJobs();
    const order = await shop.get(made.id);
    expect(order).toMatchObject({ status: "processing", holds: [], allocation: { backordered_units: 1 } });
    expect(order.line_items[0]).toMatchObject({ quantity_picked: 1, quantity_reserved: 2 });
    expect((await shop.history(made.id)).slice(-4)).toEqual([
      "hold: processing > on_hold",
      "put_back: on_hold > on_hold",
      "release: on_hold > processing",
      "backorder_filled: processing > processing",
    ]);
    // Good units stay picked.
    expect((await shop.app.post("/inventory/putbacks", { ...back, quantity: 1 })).status).toBe(409);
    await shop.app.stock(sku, 1, { lot_number: "L3" });
    expect(await shop.act(made.id, "ship")).toMatchObject({ status: "shipped" });
    expect((await shop.app.get(`/inventory/lots/${lots[0]}/trace`)).body.data).toEqual([]);
  });

  test("packed units of a recalled lot are not restocked one by one", async () => {
    const { id, sku, lots } = await goods(5);
    const made = await shop.order([[{ id }, 3]]);
    await shop.act(made.id, "pick");
    const line_id = made.line_items[0].id;
    await shop.act(made.id, "pack", { packages: [{ items: [{ line_id, quantity: 2 }] }] });
    await setStatus(lots[0], "recalled");
    const back = { order_id: made.id, sku, bin: "A-01" };
    const refused = await shop.app.post("/inventory/putbacks", { ...back, quantity: 2 });
    expect([refused.status, refused.body.error.shortages]).toEqual([409, [{ sku, requested: 2, available: 1 }]]);
    expect((await shop.app.post("/inventory/putbacks", { ...back, quantity: 1 })).status).toBe(201);
    await shop.app.runJobs();
    expect(await shop.get(made.id)).toMatchObject({ status: "on_hold", line_items: [{ quantity_picked: 2 }] });
  });

  test("a cancelled order is no longer on hold, and its picked units stay recalled", async () => {
    const { id, sku, lots } = await goods(5);
    const held = await shop.order([[{ id }, 2]]);
    await shop.act(held.id, "pick");
    await setStatus(lots[0], "recalled");
    await shop.app.runJobs();
    expect((await shop.cancel(held.id)).body.data).toMatchObject({ status: "cancelled", holds: [] });
    await shop.app.runJobs();
    expect(await shop.get(held.id)).toMatchObject({ status: "cancelled", holds: [] });
    // Picked units wait to be restocked, and are for sale only after the recall is withdrawn.
    const back = { order_id: held.id, sku, quantity: 2, bin: "A-01" };
    expect((await shop.app.post("/inventory/putbacks", back)).status).toBe(201);
    expect(await shop.stockOf(sku)).toMatchObject({ available: 0, unavailable: { quarantined: 5 } });
    await setStatus(lots[0], "available");
    expect(await shop.stockOf(sku)).toMatchObject({ available: 5 });
  });
});

describe("refuses", () => {
  test("an unknown lot, and an invalid status", async () => {
    const { lots } = await goods(1);
    for (const path of ["/inventory/lots/lot_9", "/inventory/lots/lot_9/trace"]) {
      expect((await shop.app.get(path)).status).toBe(404);
    }
    expect((await setStatus("lot_9", "recalled")).status).toBe(404);
    const wrong = await shop.app.post(`/inventory/lots/${lots[0]}/status`, { status: "expired" });
    const fields = wrong.body.error.details.map(({ field }: { field: string }) => field);
    expect([wrong.status, fields.sort()]).toEqual([422, ["reason", "status"]]);
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("a transition that the table does not have", async () => {
    const { lots } = await goods(1);
    await setStatus(lots[0], "recalled");
    await shop.app.takeEvents();
    const { status, body } = await setStatus(lots[0], "damaged");
    expect([status, body.error.code]).toEqual([409, "invalid_state_transition"]);
    expect(body.error).toMatchObject({
      message: "A lot that is recalled cannot become damaged.",
      from: "recalled",
      action: "damage",
      allowed_actions: ["release"],
      allowed_statuses: ["available"],
    });
    expect(await shop.takeTypes()).toEqual([]);
  });
});

describe("guards", () => {
  test("every status is reachable, and each action leads to its status", () => {
    expect(unreachableStates(lotTransitions, lotStatuses, "available")).toEqual([]);
    for (const [status, action] of Object.entries(lotActions)) expect(lotTransitions[action].to).toBe(status as never);
  });

  test("verify finds a status that no change explains", async () => {
    const { lots } = await goods(1);
    const live = shop.app.service.stores.live;
    const lot_id = Number(lots[0]?.slice("lot_".length));
    const set = (status: "damaged" | "available") =>
      live.write(async (tx) => {
        await tx.sql.update(lotTable).set({ status }).where(eq(lotTable.id, lot_id));
      });
    await set("damaged");
    expect(await live.read(verifyInventory)).toMatchObject([{ subject: `lot ${lot_id}`, expected: 1, actual: 0 }]);
    await set("available");
  });
});
