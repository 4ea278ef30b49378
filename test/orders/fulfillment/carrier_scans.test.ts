// Carrier scans as labels and tracking apply them: functions called in a transaction.
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { order_lines } from "../../../db/schema/orders.ts";
import type { Actor } from "../../../src/core/actor.ts";
import { readId, wireId } from "../../../src/core/ids.ts";
import { deliverShipment, handOver } from "../../../src/orders/fulfillment/carrier_scans.ts";
import {
  labelShipment,
  openShipment,
  unitsToLabel,
  voidShipment,
} from "../../../src/orders/fulfillment/label_shipment.ts";
import { noteReturned } from "../../../src/orders/fulfillment/order_stock.ts";
import { resolveOrder } from "../../../src/orders/lifecycle/order_lookup.sql.ts";
import { lockOrder } from "../../../src/orders/orders.sql.ts";
import type { Tx } from "../../../src/storage/database.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

const carrier: Actor = { type: "carrier", id: "local", name: "Local courier", request_id: null };
const act = <T>(work: (tx: Tx) => Promise<T>) => shop.app.service.stores.live.write(work);
const idOf = (order: { id: string }) => readId("order", order.id) ?? 0;

let labels = 0;

/** Buys a label for all or some units of an order, and returns the parcel's id. */
async function label(order: { id: string }, units: { order_line_id: number; quantity: number }[] | null = null) {
  const tracking = `T${++labels}`;
  return act(async (tx) => {
    const locked = await lockOrder(tx, idOf(order));
    const parcel = await openShipment(tx, locked, { carrier: "local", service: "ground" }, unitsToLabel(locked, units));
    return (await labelShipment(tx, parcel, { tracking_number: tracking, told_url: null }, carrier)).shipment.id;
  });
}

const scan = (id: number) => act((tx) => handOver(tx, id, carrier, { by_carrier: true }));
const arrive = (id: number) => act((tx) => deliverShipment(tx, id, carrier));

describe("works", () => {
  test("an order needs only a label and the carrier's scans", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await shop.told();
    const parcel = await label(made);
    expect(await shop.get(made.id)).toMatchObject({
      status: "pending",
      revision: 2,
      shipments: [{ id: wireId("shipment", parcel), status: "pending", tracking_number: `T${labels}` }],
    });
    await scan(parcel);
    await scan(parcel);
    const shipped = await shop.get(made.id);
    expect(shipped).toMatchObject({ status: "shipped", holds: [], shipments: [{ status: "shipped" }] });
    const events = (await shop.app.takeEvents()).filter(({ type }) => type.startsWith("order."));
    expect(events.map(({ type }) => type)).toEqual(["order.fulfilled", "order.shipped"]);
    expect(events[0]?.data["shipment"]).toEqual({ tracking_number: `T${labels}`, carrier: "local", service: "ground" });
    await arrive(parcel);
    await arrive(parcel);
    expect(await shop.told()).toEqual(["order.delivered"]);
    expect((await shop.history(made.id)).map((row) => row.split(":")[0])).toEqual([
      "create",
      "label",
      "process",
      "pick",
      "pack",
      "ship",
      "deliver",
    ]);
  });

  test("a parcel delivered without an earlier scan counts as shipped", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await shop.told();
    await arrive(await label(made));
    expect((await shop.get(made.id)).status).toBe("delivered");
    expect(await shop.told()).toEqual(["order.fulfilled", "order.shipped", "order.delivered"]);
  });

  test("with two parcels, shipped and delivered are emitted once, with the last of them", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 3]]);
    const order_line_id = readId("order_line", made.line_items[0].id) ?? 0;
    const first = await label(made, [{ order_line_id, quantity: 1 }]);
    const second = await label(made);
    expect((await shop.get(made.id)).shipments).toMatchObject([
      { items: [{ quantity: 1 }] },
      { items: [{ quantity: 2 }] },
    ]);
    await shop.told();
    await scan(first);
    expect((await shop.get(made.id)).fulfillment_status).toBe("partially_shipped");
    await scan(second);
    expect(await shop.told()).toEqual(["order.fulfilled", "order.shipped"]);
    await arrive(second);
    expect(await shop.get(made.id)).toMatchObject({ status: "shipped", fulfillment_status: "partially_delivered" });
    await arrive(first);
    expect(await shop.told()).toEqual(["order.delivered"]);
  });

  test("a voided parcel frees its units for another", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    const first = await label(made);
    await act((tx) => voidShipment(tx, first, carrier));
    await act((tx) => voidShipment(tx, first, carrier));
    const second = await label(made);
    const shipped = await shop.act(made.id, "ship");
    expect(shipped.shipments).toMatchObject([
      { status: "voided" },
      { id: wireId("shipment", second), status: "shipped" },
    ]);
  });

  test("an order waits for its last carton until it is voided", async () => {
    const made = await shop.order([[await shop.product({ units: 9 }), 3]]);
    const parcel = await label(made);
    const carton = await label(made, []);
    await scan(parcel);
    expect((await shop.get(made.id)).status).toBe("fulfilled");
    await shop.told();
    await act((tx) => voidShipment(tx, carton, carrier));
    expect(await shop.get(made.id)).toMatchObject({ status: "shipped", fulfillment_status: "shipped" });
    expect(await shop.told()).toEqual(["order.shipped"]);
    await arrive(parcel);
    expect(await shop.told()).toEqual(["order.delivered"]);
  });

  test("an order whose parcels are delivered is complete once its last carton is voided", async () => {
    const made = await shop.order([[await shop.product({ units: 9 }), 3]]);
    const parcel = await label(made);
    const carton = await label(made, []);
    await arrive(parcel);
    await shop.told();
    await act((tx) => voidShipment(tx, carton, carrier));
    expect(await shop.get(made.id)).toMatchObject({ status: "delivered", fulfillment_status: "delivered" });
    expect(await shop.told()).toEqual(["order.shipped", "order.delivered"]);
  });

  test("an order is found by id, by number, and by digits last", async () => {
    const goods = await shop.product({ units: 9 });
    const plain = await shop.order([[goods, 1]]);
    const digits = await shop.order([[goods, 1]], { order_number: "70001" });
    const find = (value: string | number) => shop.app.service.stores.live.read((db) => resolveOrder(db, value));
    expect(await find(plain.id)).toBe(idOf(plain));
    expect(await find(idOf(plain))).toBe(idOf(plain));
    expect(await find(String(idOf(plain)))).toBe(idOf(plain));
    expect(await find(plain.order_number)).toBe(idOf(plain));
    expect(await find("70001")).toBe(idOf(digits));
    const twin = await shop.order([[goods, 1]], { order_number: String(idOf(plain)) });
    await expect(find(twin.order_number)).rejects.toMatchObject({ code: "ambiguous_identifier" });
    expect(await find(twin.id)).toBe(idOf(twin));
    for (const none of ["ord_1", "nothing", 1, "1"]) {
      await expect(find(none)).rejects.toMatchObject({
        code: "resource_missing",
        facts: { fields: [{ field: "order_id" }] },
      });
    }
  });

  test("returned units are counted, up to the shipped ones", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 3]]);
    const shipped = await shop.act(made.id, "ship");
    const line = readId("order_line", made.line_items[0].id) ?? 0;
    await act((tx) => noteReturned(tx, line, 2));
    expect(await shop.get(made.id)).toMatchObject({
      line_items: [{ quantity_returned: 2 }],
      revision: shipped.revision + 1,
    });
    await expect(act((tx) => noteReturned(tx, line, 2))).rejects.toMatchObject({ code: "nothing_to_return" });
    // No return has them, which verify would report at the end.
    await act((tx) => tx.sql.update(order_lines).set({ quantity_returned: 0 }).where(eq(order_lines.id, line)));
  });
});

describe("a carrier's report is never refused", () => {
  test("the parcel of an order on hold ships anyway, and the discrepancy is another hold", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    const parcel = await label(made);
    await shop.act(made.id, "hold", { reason: "payment" });
    await scan(parcel);
    const gone = await shop.get(made.id);
    expect(gone).toMatchObject({
      status: "on_hold",
      held_from: "shipped",
      holds: [{ reason: "payment" }, { reason: "carrier_discrepancy", note: expect.stringContaining("it was held") }],
      line_items: [{ quantity_shipped: 2 }],
      allowed_actions: ["deliver", "release"],
    });
    // The discrepancy was the hold itself, so it ends with the hold.
    expect(await shop.act(made.id, "release")).toMatchObject({ status: "shipped", still_on_hold: false, holds: [] });
  });

  test("units that a hold had released are taken again", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 2]]);
    const parcel = await label(made);
    await shop.act(made.id, "hold", { reserve_inventory: false });
    await scan(parcel);
    expect(await shop.get(made.id)).toMatchObject({ held_from: "shipped", line_items: [{ quantity_shipped: 2 }] });
    expect(await shop.available(goods.sku)).toBe(3);
  });

  test("units that the parcel did not take stay free, and the last stock event shows the final state", async () => {
    const goods = await shop.product({ units: 50 });
    const made = await shop.order([[goods, 10]]);
    const parcel = await label(made, [
      { order_line_id: readId("order_line", made.line_items[0].id) ?? 0, quantity: 4 },
    ]);
    await shop.act(made.id, "hold", { reserve_inventory: false });
    await shop.app.takeEvents();
    await scan(parcel);
    expect((await shop.get(made.id)).line_items).toMatchObject([{ quantity_shipped: 4, quantity_reserved: 0 }]);
    const news = (await shop.app.takeEvents()).filter(({ type }) => type === "inventory.updated");
    const { on_hand, reserved, available } = (await shop.app.get(`/inventory/${goods.sku}`)).body.data;
    expect([on_hand, reserved, available]).toEqual([46, 0, 46]);
    expect(news.map(({ data }) => data)).toEqual([expect.objectContaining({ on_hand, reserved, available })]);
  });

  test("of a short order the available units ship, and the others later", async () => {
    const goods = await shop.product({ units: 3 });
    const made = await shop.order([[goods, 5]]);
    await shop.told();
    const parcel = await label(made);
    await scan(parcel);
    await arrive(parcel);
    expect(await shop.get(made.id)).toMatchObject({
      status: "on_hold",
      held_from: "processing",
      line_items: [{ quantity_shipped: 3, quantity_delivered: 3, quantity_backordered: 2 }],
      shipments: [{ status: "delivered", items: [{ quantity: 3 }] }],
      holds: [{ reason: "carrier_discrepancy", note: expect.stringContaining("not in stock") }],
    });
    expect(await shop.told()).toEqual([]);
    expect((await shop.act(made.id, "release")).still_on_hold).toBe(true);
  });

  test("a parcel of units that are not in stock waits, and the order is held", async () => {
    const made = await shop.order([[await shop.product(), 2]]);
    const parcel = await label(made);
    await scan(parcel);
    await arrive(parcel);
    expect(await shop.get(made.id)).toMatchObject({
      held_from: "pending",
      shipments: [{ status: "pending", items: [{ quantity: 2 }] }],
      holds: [{ reason: "carrier_discrepancy", note: expect.stringContaining("none of its units") }],
    });
    expect((await shop.history(made.id)).filter((row) => row.startsWith("hold"))).toHaveLength(1);
  });

  test("a voided parcel of an open order only holds the order", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 2]]);
    const parcel = await label(made);
    await act((tx) => voidShipment(tx, parcel, carrier));
    await shop.app.takeEvents();
    await scan(parcel);
    expect(await shop.get(made.id)).toMatchObject({
      held_from: "pending",
      line_items: [{ quantity_shipped: 0, quantity_reserved: 2 }],
      shipments: [{ status: "voided" }],
      holds: [{ reason: "carrier_discrepancy", note: expect.stringContaining("voided") }],
    });
    expect(await shop.app.takeEvents()).toEqual([]);
  });
});

describe("a carrier has the parcel of a cancelled order", () => {
  const movements = async (sku: string) =>
    (await shop.app.get(`/inventory/movements?sku=${sku}`)).body.data
      .filter(({ type }: { type: string }) => type === "sale")
      .map((row: Record<string, unknown>) => {
        const how = row["confirmed"] ? "seen" : "assumed";
        return `${row["quantity"]} from ${row["from_location"]} to ${row["to_location"]}, ${how}`;
      });
  const types = async () => (await shop.app.takeEvents()).map(({ type }) => type);

  test("its units leave stock, once; the order stays cancelled and is held", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 2]]);
    const parcel = await label(made);
    await shop.cancel(made.id);
    await shop.app.takeEvents();
    await scan(parcel);
    expect(await types()).toEqual(["inventory.updated"]);
    await scan(parcel);
    await arrive(parcel);
    await arrive(parcel);
    expect(await types()).toEqual([]);
    expect(await shop.get(made.id)).toMatchObject({
      status: "on_hold",
      held_from: "cancelled",
      line_items: [
        { quantity: 2, quantity_cancelled: 0, quantity_packed: 2, quantity_shipped: 2, quantity_delivered: 2 },
      ],
      shipments: [{ status: "delivered", items: [{ quantity: 2 }] }],
      holds: [{ reason: "carrier_discrepancy", note: `The carrier has T${labels}, which was voided.` }],
    });
    expect(await shop.available(goods.sku)).toBe(3);
    expect(await movements(goods.sku)).toEqual(["2 from A-01 to customer, assumed"]);
    expect((await shop.history(made.id)).slice(2)).toEqual([
      "cancel: pending > cancelled",
      "ship: cancelled > cancelled",
      "hold: cancelled > on_hold",
      "deliver: on_hold > on_hold",
    ]);
    // Shipped units can be returned, which ends the hold.
    const { id } = (await shop.app.post("/returns", { order_id: made.id, reason: "defective" })).body.data;
    await shop.app.post(`/returns/${id}/receive`);
    const items = [{ sku: goods.sku, quantity: 2, condition: "unopened", disposition: "restock", bin: "A-01" }];
    expect((await shop.app.post(`/returns/${id}/inspect`, { items })).status).toBe(200);
    expect(await shop.get(made.id)).toMatchObject({ status: "cancelled", holds: [] });
    expect(await shop.available(goods.sku)).toBe(5);
  });

  test("picked units ship from the restock bin, the others from the shelf", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 3]]);
    await shop.act(made.id, "pick", { items: [{ sku: goods.sku, quantity: 1 }] });
    const parcel = await label(made);
    const other = await shop.order([[goods, 1]]);
    await shop.act(other.id, "pick");
    for (const { id } of [made, other]) await shop.cancel(id);
    await shop.app.takeEvents();
    await scan(parcel);
    expect(await types()).toEqual(["inventory.updated"]);
    expect(await movements(goods.sku)).toEqual(
      expect.arrayContaining(["1 from PUTBACK to customer, assumed", "2 from A-01 to customer, assumed"]),
    );
    // The other order's unit still waits there.
    const level = (await shop.app.get(`/inventory/${goods.sku}`)).body.data;
    expect([level.on_hand, level.available, level.unavailable.putback]).toEqual([2, 1, 1]);
  });

  test("as many units ship as are not reserved for others", async () => {
    const goods = await shop.product({ units: 3 });
    const made = await shop.order([[goods, 3]]);
    const parcel = await label(made);
    await shop.cancel(made.id);
    await shop.order([[goods, 2]]);
    await shop.app.takeEvents();
    await scan(parcel);
    await scan(parcel);
    expect(await types()).toEqual(["inventory.updated"]);
    expect(await shop.get(made.id)).toMatchObject({
      held_from: "cancelled",
      line_items: [{ quantity_cancelled: 2, quantity_packed: 1, quantity_shipped: 1 }],
      shipments: [{ status: "shipped", items: [{ quantity: 1 }] }],
      holds: [{ note: expect.stringContaining("not all of it was in stock") }],
    });
  });

  test("a parcel without any available units waits", async () => {
    const goods = await shop.product({ units: 2 });
    const made = await shop.order([[goods, 2]]);
    const parcel = await label(made);
    await shop.cancel(made.id);
    const other = await shop.order([[goods, 2]]);
    await shop.app.takeEvents();
    await scan(parcel);
    await scan(parcel);
    expect(await types()).toEqual([]);
    expect(await shop.get(made.id)).toMatchObject({
      held_from: "cancelled",
      line_items: [{ quantity_cancelled: 2, quantity_shipped: 0 }],
      shipments: [{ status: "voided" }],
    });
    await shop.cancel(other.id);
    await arrive(parcel);
    expect(await shop.get(made.id)).toMatchObject({
      line_items: [{ quantity_cancelled: 0, quantity_delivered: 2 }],
      shipments: [{ status: "delivered" }],
    });
  });

  test("an extra carton does not change stock", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 2]]);
    await label(made);
    const carton = await label(made, []);
    await shop.cancel(made.id);
    await shop.app.takeEvents();
    await scan(carton);
    expect(await types()).toEqual([]);
    expect(await shop.get(made.id)).toMatchObject({
      held_from: "cancelled",
      line_items: [{ quantity_cancelled: 2, quantity_shipped: 0 }],
      shipments: [{ status: "voided" }, { status: "shipped" }],
    });
    expect(await shop.available(goods.sku)).toBe(5);
  });
});

describe("refuses", () => {
  test("a parcel of a held or cancelled order, and an empty one", async () => {
    const goods = await shop.product({ units: 5 });
    const [held, cancelled, full] = [
      await shop.order([[goods, 1]]),
      await shop.order([[goods, 1]]),
      await shop.order([[goods, 1]]),
    ];
    await shop.act(held.id, "hold");
    await shop.cancel(cancelled.id);
    await label(full);
    for (const order of [held, cancelled, full]) {
      await expect(label(order)).rejects.toMatchObject({ code: "invalid_state_transition" });
    }
  });

  test("more units than are left of a line", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    const order_line_id = readId("order_line", made.line_items[0].id) ?? 0;
    await expect(label(made, [{ order_line_id, quantity: 3 }])).rejects.toMatchObject({ code: "validation_failed" });
  });

  test("cancelling while an extra carton is out", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await label(made);
    await scan(await label(made, []));
    const { status, body } = await shop.cancel(made.id);
    expect([status, body.error.code]).toEqual([409, "invalid_state_transition"]);
    expect((await shop.get(made.id)).allowed_actions).not.toContain("cancel");
  });

  test("voiding a shipped parcel", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    const parcel = await label(made);
    await scan(parcel);
    await expect(act((tx) => voidShipment(tx, parcel, carrier))).rejects.toMatchObject({ code: "label_not_voidable" });
  });

  test("another tracking number than the label's", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await label(made);
    const { status, body } = await shop.app.post(`/orders/${made.id}/ship`, { tracking_number: "other" });
    expect([status, body.error.details[0].field]).toEqual([422, "tracking_number"]);
    expect((await shop.get(made.id)).status).toBe("pending");
  });

  test("another address or other lines once a label is bought", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 2]]);
    await label(made);
    const changes = [
      { shipping_address_id: shop.customer.shipping_addresses[1].id },
      { line_items: [{ product_id: goods.id, quantity: 1, unit_price: 1 }] },
    ];
    for (const change of changes) {
      const { status, body } = await shop.app.patch(`/orders/${made.id}`, change);
      expect([status, body.error.code]).toEqual([409, "invalid_state_transition"]);
    }
  });
});
