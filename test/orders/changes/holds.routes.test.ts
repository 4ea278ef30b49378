import { describe, expect, test } from "bun:test";
import { systemActor } from "../../../src/core/actor.ts";
import { readId } from "../../../src/core/ids.ts";
import { hour_ms } from "../../../src/core/time.ts";
import { placeHold } from "../../../src/orders/changes/holds.ts";
import { noteAllAllocationChanges, releaseHolds } from "../../../src/orders/orders.jobs.ts";
import { lockOrder } from "../../../src/orders/orders.sql.ts";

import { openShop } from "../../build/shop.ts";

const shop = await openShop();

const later = (hours: number) => new Date(shop.app.clocks.live.now() + hours * hour_ms).toISOString();

describe("works", () => {
  test("an order is held and continues where it was", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await shop.act(made.id, "process");
    await shop.told();
    const held = await shop.act(made.id, "hold", { reason: "payment", note: "Card declined." });
    expect(held).toMatchObject({
      status: "on_hold",
      held_from: "processing",
      holds: [{ reason: "payment", note: "Card declined.", hold_until: null, lifted_by: "release" }],
      line_items: [{ quantity_reserved: 2 }],
      allowed_actions: ["hold", "release", "cancel", "cancel_items"],
      revision: 3,
    });
    expect(await shop.get(made.id)).toEqual(held);
    const released = await shop.act(made.id, "release");
    expect(released).toMatchObject({ status: "processing", held_from: null, holds: [], still_on_hold: false });
    expect(await shop.told()).toEqual([]);
    expect((await shop.history(made.id)).slice(2)).toEqual([
      "hold: processing > on_hold",
      "release: on_hold > processing",
    ]);
  });

  test("an order can have holds for several reasons; the same reason replaces note and date", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await shop.act(made.id, "hold", { reason: "fraud", note: "one" });
    await shop.act(made.id, "hold", { reason: "address" });
    const held = await shop.act(made.id, "hold", { reason: "fraud", note: "two", hold_until: later(1) });
    expect(held.holds).toMatchObject([
      { reason: "fraud", note: "two", hold_until: later(1) },
      { reason: "address", note: null },
    ]);
    const [fraud, address] = held.holds;
    const first = await shop.act(made.id, "release", { hold_id: fraud.id });
    expect([first.status, first.still_on_hold, first.holds]).toEqual(["on_hold", true, [address]]);
    // Releasing a lifted hold again has no effect.
    expect((await shop.act(made.id, "release", { hold_id: fraud.id })).revision).toBe(first.revision);
    expect((await shop.act(made.id, "release", { hold_id: address.id })).status).toBe("pending");
  });

  test("a hold that is sent twice holds once, with one history row", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    const hold = { reason: "payment", note: "Card declined.", hold_until: later(2), reserve_inventory: false };
    const held = await shop.act(made.id, "hold", hold);
    expect(await shop.act(made.id, "hold", hold)).toEqual(held);
    expect(await shop.history(made.id)).toEqual(["create: - > pending", "hold: pending > on_hold"]);
    const kept = await shop.act(made.id, "hold", { ...hold, hold_until: null });
    expect(kept).toMatchObject({ revision: held.revision + 1, holds: [{ hold_until: null }] });
  });

  test("stock is released on request, and reserved again on release", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 4]]);
    const held = await shop.act(made.id, "hold", { reserve_inventory: false });
    expect(held.line_items).toMatchObject([{ quantity_reserved: 0, quantity_backordered: 4 }]);
    expect(await shop.available(goods.sku)).toBe(5);
    const other = await shop.order([[goods, 3]]);
    expect(other.allocation.complete).toBe(true);
    const released = await shop.act(made.id, "release");
    expect(released.line_items).toMatchObject([{ quantity_reserved: 2, quantity_backordered: 2 }]);
    expect({ ...(await shop.get(made.id)), still_on_hold: false }).toEqual(released);
  });

  test("stock reserved by a release or another hold is in the same event, so that the revision stays", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 4]]);
    await shop.act(made.id, "hold", { reserve_inventory: false });
    const kept = await shop.act(made.id, "hold", { reserve_inventory: true });
    await shop.act(made.id, "hold", { reserve_inventory: false });
    const released = await shop.act(made.id, "release");
    expect([kept.revision, released.revision]).toEqual([4, 7]);
    expect(await noteAllAllocationChanges(shop.app.service.stores.live, shop.app.service)).toBeNull();
    expect((await shop.get(made.id)).revision).toBe(7);
    expect(await shop.history(made.id)).toEqual([
      "create: - > pending",
      "hold: pending > on_hold",
      "hold: on_hold > on_hold",
      "backorder_filled: on_hold > on_hold",
      "hold: on_hold > on_hold",
      "release: on_hold > pending",
      "backorder_filled: pending > pending",
    ]);
  });

  test("a hold that keeps stock reserves it again after one that released it", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.order([[goods, 4]]);
    await shop.act(made.id, "hold", { reason: "payment", reserve_inventory: false });
    const kept = await shop.act(made.id, "hold", { reason: "payment" });
    expect(kept.line_items).toMatchObject([{ quantity_reserved: 4 }]);
    expect(await shop.available(goods.sku)).toBe(1);
  });

  test("releasing without a hold changes nothing", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    expect(await shop.act(made.id, "release")).toEqual({ ...made, still_on_hold: false });
  });

  test("an order on hold can be cancelled, which ends its holds", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await shop.act(made.id, "hold", { hold_until: later(1) });
    const { body } = await shop.cancel(made.id);
    expect(body.data).toMatchObject({ status: "cancelled", holds: [], cancel_reason: "other" });
    const live = shop.app.service.stores.live;
    shop.app.clocks.live.advance(2 * hour_ms);
    expect(await releaseHolds(live, shop.app.service)).toBe(null);
    expect((await shop.get(made.id)).revision).toBe(body.data.revision);
  });

  test("a timer lifts a hold at its time, not before, and leaves the others", async () => {
    const live = shop.app.service.stores.live;
    const goods = await shop.product({ units: 5 });
    const [made, other] = [await shop.order([[goods, 2]]), await shop.order([[goods, 2]])];
    await shop.act(made.id, "hold", { hold_until: later(1) });
    await shop.act(other.id, "hold", { reason: "payment" });
    await shop.act(other.id, "hold", { reason: "fraud", hold_until: later(2) });
    const start = shop.app.clocks.live.now();
    expect(await releaseHolds(live, shop.app.service)).toBe(start + hour_ms);
    expect((await shop.get(made.id)).status).toBe("on_hold");
    shop.app.clocks.live.advance(hour_ms);
    expect(await releaseHolds(live, shop.app.service)).toBe(start + hour_ms);
    expect(await releaseHolds(live, shop.app.service)).toBe(start + 2 * hour_ms);
    expect((await shop.get(made.id)).status).toBe("pending");
    shop.app.clocks.live.advance(hour_ms);
    await releaseHolds(live, shop.app.service);
    expect((await shop.get(other.id)).holds).toMatchObject([{ reason: "payment" }]);
    expect((await shop.app.get(`/orders/${made.id}/history`)).body.data.at(-1)).toMatchObject({
      event: "release",
      actor: { type: "system", id: "orders.release_holds" },
      request_id: null,
    });
  });

  test("a system hold is lifted by its cause, not by a release", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await shop.act(made.id, "hold");
    await shop.app.service.stores.live.write(async (tx) => {
      const order = await lockOrder(tx, readId("order", made.id) ?? 0);
      const hold = { reason: "recalled_lot", note: "Lot 7", hold_until: null, reserve_inventory: true } as const;
      await placeHold(tx, order, { ...hold, created_at: tx.now }, systemActor("test"));
    });
    const released = await shop.act(made.id, "release");
    expect(released).toMatchObject({
      status: "on_hold",
      still_on_hold: true,
      holds: [{ reason: "recalled_lot", note: "Lot 7", lifted_by: "cause" }],
    });
    expect((await shop.act(made.id, "release", { hold_id: released.holds[0].id })).still_on_hold).toBe(true);
  });
});

test("a bad address holds an order until it gets another address", async () => {
  const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
  await shop.app.service.stores.live.write(async (tx) => {
    const hold = { reason: "bad_address", note: "No such street", hold_until: null, reserve_inventory: true } as const;
    await placeHold(tx, await lockOrder(tx, made.id), { ...hold, created_at: tx.now }, systemActor("test"));
  });
  expect(await shop.act(made.id, "release")).toMatchObject({
    status: "on_hold",
    still_on_hold: true,
    holds: [{ reason: "bad_address", note: "No such street", lifted_by: "cause" }],
  });
  const other = { shipping_address_id: shop.customer.shipping_addresses[1].id };
  expect((await shop.app.patch(`/orders/${made.id}`, other)).body.data).toMatchObject({ status: "pending", holds: [] });
  expect((await shop.history(made.id)).slice(-2)).toEqual(["update: on_hold > on_hold", "release: on_hold > pending"]);
});

describe("refuses", () => {
  test.each([
    ["an end that has passed", { hold_until: "2026-01-01" }],
    ["an end that is no date", { hold_until: "tomorrow" }],
    ["a reason that only the system gives", { reason: "recalled_lot" }],
  ])("%s", async (_, body) => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    const answer = await shop.app.post(`/orders/${made.id}/hold`, body);
    expect([answer.status, answer.body.error.code]).toEqual([422, "validation_failed"]);
    expect(await shop.get(made.id)).toEqual(made);
  });

  test("after units have been picked, and lists the possible actions", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await shop.act(made.id, "pick", { items: [{ sku: made.line_items[0].sku, quantity: 1 }] });
    const { status, body } = await shop.app.post(`/orders/${made.id}/hold`);
    expect([status, body.error]).toMatchObject([
      409,
      {
        code: "invalid_state_transition",
        from: "processing",
        action: "hold",
        allowed_actions: ["pick", "pack", "unpick", "ship", "cancel", "cancel_items", "split"],
      },
    ]);
  });

  test("every warehouse step while the order is on hold", async () => {
    const made = await shop.order([[await shop.product({ units: 5 }), 2]]);
    await shop.act(made.id, "hold");
    await shop.told();
    for (const action of ["process", "pick", "pack", "ship", "deliver"]) {
      const { status, body } = await shop.app.post(`/orders/${made.id}/${action}`);
      expect([action, status, body.error]).toMatchObject([
        action,
        409,
        {
          code: "invalid_state_transition",
          from: "on_hold",
          allowed_actions: ["hold", "release", "cancel", "cancel_items"],
        },
      ]);
    }
    expect(await shop.told()).toEqual([]);
  });

  test("a hold of another order", async () => {
    const goods = await shop.product({ units: 5 });
    const [made, other] = [await shop.order([[goods, 1]]), await shop.order([[goods, 1]])];
    const { holds } = await shop.act(other.id, "hold");
    expect((await shop.app.post(`/orders/${made.id}/release`, { hold_id: holds[0].id })).status).toBe(404);
  });
});
