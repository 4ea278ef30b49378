import { describe, expect, test } from "bun:test";
import { settleSuspended } from "../../src/orders/orders.jobs.ts";
import { openApp } from "../build/service.ts";
import { portland } from "../build/shop.ts";

const acme = { headers: { "packhouse-merchant": "ACME" } };
const main = { headers: { "packhouse-merchant": "MAIN" } };

// Stock of two merchants is not mixed in one bin.
const bin_of = (owned: typeof acme) => `A-${owned.headers["packhouse-merchant"]}`;

const app = await openApp();
await app.post("/merchants", { code: "ACME", name: "Acme" });
for (const owned of [acme, main]) {
  await app.must("POST", "/products", { sku: "TEA", name: "Tea" }, owned);
  await app.must("POST", "/inventory", { sku: "TEA", quantity: 50, location: "whs_1001", bin: bin_of(owned) }, owned);
}

let number = 0;

/** An order of a merchant for some units of tea. */
async function order(owned: typeof acme, quantity = 2) {
  number += 1;
  const email = `jane${number}@example.com`;
  const who = await app.must(
    "POST",
    "/customers",
    { email, first_name: "Jane", shipping_addresses: [portland] },
    owned,
  );
  const line_items = [{ sku: "TEA", quantity, unit_price: "3.00" }];
  const draft = { order_number: `S-${number}`, customer_id: who.id, shipping_address_id: who.shipping_addresses[0].id };
  return app.must("POST", "/orders", { ...draft, line_items }, owned);
}

const shown = async (id: string) => (await app.get(`/orders/${id}`)).body.data;
const reasons = async (id: string) => (await shown(id)).holds.map(({ reason }: { reason: string }) => reason);
const told = async () =>
  (await app.takeEvents())
    .filter(({ type }) => type.startsWith("order."))
    .map(({ type, data }) => [type, data["status"]]);

describe("works", () => {
  test("pending and processing orders are held while their merchant is suspended, and no others", async () => {
    const [waiting, begun, packed, gone] = [await order(acme), await order(acme), await order(acme), await order(acme)];
    const other = await order(main);
    await app.must("POST", `/orders/${begun.id}/pick`);
    await app.must("POST", `/orders/${packed.id}/pack`);
    await app.must("POST", `/orders/${gone.id}/ship`);
    await told();
    await app.must("POST", "/merchants/ACME/suspend");
    await app.runJobs();
    for (const { id } of [waiting, begun, packed]) {
      expect(await shown(id)).toMatchObject({
        status: "on_hold",
        holds: [{ reason: "merchant_suspended", lifted_by: "cause", hold_until: null }],
      });
    }
    expect([(await shown(gone.id)).status, (await shown(other.id)).status]).toEqual(["shipped", "pending"]);
    for (const [id, act] of [
      [waiting.id, "process"],
      [begun.id, "pack"],
      [packed.id, "ship"],
    ]) {
      const { status, body } = await app.post(`/orders/${id}/${act}`);
      expect([act, status, body.error.code, body.error.from]).toEqual([
        act,
        409,
        "invalid_state_transition",
        "on_hold",
      ]);
    }
    // Only reactivating the merchant lifts this hold.
    expect((await app.post(`/orders/${waiting.id}/release`)).body.data.still_on_hold).toBe(true);
    await app.must("POST", "/merchants/ACME/reactivate");
    await app.runJobs();
    expect(await Promise.all([waiting, begun, packed].map(async ({ id }) => (await shown(id)).status))).toEqual([
      "pending",
      "processing",
      "fulfilled",
    ]);
    await app.must("POST", `/orders/${packed.id}/ship`);
    expect(await told()).toEqual([["order.shipped", "shipped"]]);
    await app.call("DELETE", `/orders/${waiting.id}`);
    await app.call("DELETE", `/orders/${begun.id}`);
  });

  test("new orders are accepted and reserve stock, also when more arrives", async () => {
    await app.must("POST", "/merchants/ACME/suspend");
    // So does one that adopts an earlier reservation.
    await app.must(
      "POST",
      "/inventory/reserve",
      { order_id: `S-${number + 1}`, items: [{ sku: "TEA", quantity: 1 }] },
      acme,
    );
    const adopting = await order(acme, 1);
    expect(adopting).toMatchObject({ status: "on_hold", holds: [{ reason: "merchant_suspended" }] });
    await app.call("DELETE", `/orders/${adopting.id}`);
    await told();
    const made = await order(acme, 60);
    expect(made).toMatchObject({ status: "on_hold", holds: [{ reason: "merchant_suspended" }] });
    expect(made.line_items[0].quantity_reserved).toBeGreaterThan(0);
    expect(await told()).toEqual([["order.created", "on_hold"]]);
    await app.must("POST", "/inventory", { sku: "TEA", quantity: 60, location: "whs_1001" }, acme);
    await app.runJobs();
    expect((await shown(made.id)).line_items[0]).toMatchObject({ quantity_reserved: 60, quantity_backordered: 0 });
    // A manual hold stays when the merchant is reactivated.
    await app.must("POST", `/orders/${made.id}/hold`, { reason: "payment" });
    await app.must("POST", "/merchants/ACME/reactivate");
    await app.runJobs();
    expect(await reasons(made.id)).toEqual(["payment"]);
    await app.call("DELETE", `/orders/${made.id}`);
  });

  test("orders that an earlier round missed are held later", async () => {
    const made = [];
    for (let count = 0; count < 3; count += 1) made.push(await order(acme));
    await app.must("POST", "/merchants/ACME/suspend");
    app.clocks.live.advance(2 * 3_600_000);
    // The job after a change covers the last hour only; the hourly job covers the rest.
    await app.runJobs();
    expect(await reasons(made[0].id)).toEqual([]);
    const { live } = app.service.stores;
    await settleSuspended(live, app.service);
    for (const { id } of made) expect(await reasons(id)).toEqual(["merchant_suspended"]);
    await app.must("POST", "/merchants/ACME/reactivate");
    await app.runJobs();
    for (const { id } of made) {
      expect(await reasons(id)).toEqual([]);
      await app.call("DELETE", `/orders/${id}`);
    }
  });

  test("nothing is sent to picking from the time of the suspension, even before orders are held", async () => {
    await app.must("PATCH", "/inventory/locations/whs_1001", {
      address: { ...portland, name: "House", phone: "5035550100" },
    });
    const [waiting, packed, labelled, left] = [
      await order(acme),
      await order(acme),
      await order(acme),
      await order(acme),
    ];
    const other = await order(main);
    await app.must("POST", `/orders/${packed.id}/pack`);
    const label = { carrier: "local", service: "standard", package: { weight: "1" } };
    const bought = await app.must("POST", "/shipping/labels", { order_id: labelled.id, ...label });
    await app.must("POST", `/orders/${left.id}/ship`);
    await app.must("POST", "/merchants/ACME/suspend");
    const asked: [string, string, unknown?][] = [
      ["POST", `/orders/${waiting.id}/process`, {}],
      ["POST", `/orders/${waiting.id}/pick`, {}],
      ["POST", `/orders/${waiting.id}/pack`, {}],
      ["POST", `/orders/${packed.id}/ship`, {}],
      ["POST", `/orders/${labelled.id}/ship`, {}],
      ["POST", `/orders/${waiting.id}/split`, { items: [{ sku: "TEA", quantity: 1 }] }],
      ["POST", "/shipping/labels", { order_id: waiting.id, ...label }],
      ["GET", `/orders/${waiting.id}/pick_list`],
    ];
    for (const [method, path, body] of asked) {
      const { status, body: answer } = await app.call(method, path, body);
      const { code, from, message = "" } = answer.error ?? {};
      expect([method, path, status, code, from]).toEqual([method, path, 409, "invalid_state_transition", "on_hold"]);
      expect(message).toContain("on hold (merchant_suspended)");
    }
    for (const action of ["process", "buy_label"]) {
      const input = action === "process" ? {} : label;
      const order_ids = [waiting.id, other.id];
      const { results } = await app.must("POST", "/orders/actions", { action, order_ids, input });
      expect(results.map(({ ok }: { ok: boolean }) => ok)).toEqual([false, true]);
    }
    const listed = await app.must("GET", "/orders?merchant=ACME&limit=4");
    expect(listed.every((one: { allowed_actions: string[] }) => !one.allowed_actions.includes("ship"))).toBe(true);
    expect((await shown(waiting.id)).allowed_actions).toEqual(["hold", "cancel", "cancel_items"]);
    // Parcels that a carrier has count as shipped, and are delivered.
    await app.must("POST", `/tracking/${bought.tracking_number}/events`, { status: "in_transit" });
    expect(await shown(labelled.id)).toMatchObject({
      status: "on_hold",
      held_from: "shipped",
      holds: [{ reason: "carrier_discrepancy" }],
    });
    await app.must("POST", `/orders/${left.id}/deliver`);
    // Once it is reactivated, everything continues at once.
    await app.must("POST", "/merchants/ACME/reactivate");
    await app.must("POST", `/orders/${packed.id}/ship`);
    await app.must("POST", `/orders/${waiting.id}/ship`);
    await app.runJobs();
  });

  test("orders in test data are held as well", async () => {
    const key = app.keys.test.full;
    const owned = { key, ...acme };
    await app.must("POST", "/products", { sku: "TEA", name: "Tea" }, owned);
    await app.must("POST", "/inventory", { sku: "TEA", quantity: 5 }, owned);
    const made = await order(owned);
    await app.must("POST", "/merchants/ACME/suspend");
    await app.runJobs();
    const { body } = await app.call("GET", `/orders/${made.id}`, undefined, { key });
    expect(body.data.holds).toMatchObject([{ reason: "merchant_suspended" }]);
    const left = await app.post("/merchants/ACME/close");
    expect(left.body.error).toMatchObject({ code: "merchant_not_empty", mode: "live" });
    await app.must("POST", "/merchants/ACME/reactivate");
  });
});

describe("refuses", () => {
  test("to close a merchant with an open order", async () => {
    await app.must("POST", "/merchants", { code: "BOLT", name: "Bolt" });
    const owned = { headers: { "packhouse-merchant": "BOLT" } };
    await app.must("POST", "/products", { sku: "TEA", name: "Tea" }, owned);
    const made = await order(owned);
    const { body } = await app.post("/merchants/BOLT/close");
    expect(body.error).toMatchObject({ code: "merchant_not_empty", mode: "live", open_orders: 1, units: 0 });
    expect(body.error.message).toBe("BOLT still has 1 open order. Ship, cancel or remove them first.");
    await app.call("DELETE", `/orders/${made.id}`);
    await app.must("POST", "/merchants/BOLT/close");
  });
});
