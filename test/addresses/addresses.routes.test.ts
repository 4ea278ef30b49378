import { describe, expect, test } from "bun:test";
import { addresses } from "../../db/schema/customers.ts";
import { openShop, portland } from "../build/shop.ts";

const shop = await openShop();

const wrong = { ...portland, state: "ME" };
const verified = {
  status: "verified",
  method: "offline",
  errors: [],
  warnings: [],
  suggestion: null,
  po_box: false,
  residential: null,
  checked_at: "2026-01-02T03:04:05.000Z",
};

let number = 0;

const customer = (...shipping_addresses: object[]) =>
  shop.app.create("/customers", { email: `a-${++number}@example.com`, shipping_addresses });

/** A pending order to a customer's first address. */
async function orderTo({ id, shipping_addresses: [address] }: Awaited<ReturnType<typeof customer>>) {
  const goods = await shop.product({ units: 10 });
  return shop.order([[goods, 1]], { customer_id: id, shipping_address_id: address.id });
}

const accept = (id: string) => shop.app.post(`/orders/${id}/accept_suggestion`);

describe("works", () => {
  test("one address or a hundred are checked in order, and nothing is stored", async () => {
    const one = await shop.app.post("/addresses/verify", { address: portland });
    expect(one.body.data).toEqual({
      ...verified,
      is_verified: true,
      messages: [],
      note: expect.stringContaining("cannot confirm streets"),
    });
    const asked = Array.from({ length: 100 }, (_, at) => (at % 3 === 0 ? wrong : portland));
    const many = await shop.app.post("/addresses/verify", { addresses: asked });
    const statuses = many.body.data.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(asked.map((address) => (address === wrong ? "error" : "verified")));
    expect(many.body.data[0].suggestion).toEqual({ ...portland, address_line2: null });
    const nothing = await shop.app.post("/addresses/verify", { address: {} });
    const missing = nothing.body.data.errors.map(({ field }: { field: string }) => field);
    expect(missing).toEqual(["address_line1", "city", "country"]);
    // The address in a customer's GET can be sent unchanged.
    const [stored] = (await customer(portland)).shipping_addresses;
    expect((await shop.app.post("/addresses/verify", { address: stored })).status).toBe(200);
    expect(await shop.told()).toEqual([]);
  });

  test("a customer's address is checked when it is stored or moves, and never refused for a suspicion", async () => {
    const { id, shipping_addresses } = await customer(portland, wrong, { ...portland, city: "Salem" });
    const statuses = (all: { is_verified: boolean; verification: { status: string } }[]) =>
      all.map(({ is_verified, verification }) => [is_verified, verification.status]);
    expect(statuses(shipping_addresses)).toEqual([
      [true, "verified"],
      [false, "error"],
      [false, "warning"],
    ]);
    const path = `/customers/${id}/addresses/${shipping_addresses[0].id}`;
    const change = async (body: object) => statuses([(await shop.app.patch(path, body)).body])[0];
    expect(await change({ city: "Salem" })).toEqual([false, "warning"]);
    expect(await change({ city: "Portland" })).toEqual([true, "verified"]);
    const added = await shop.app.post(`/customers/${id}/addresses`, wrong);
    expect(statuses([added.body])).toEqual([[false, "error"]]);
  });

  test("another recipient at the same address keeps the check", async () => {
    const { id, shipping_addresses } = await customer(portland);
    const [before] = shipping_addresses;
    shop.app.clocks.live.advance(60_000);
    const path = `/customers/${id}/addresses/${before.id}`;
    const renamed = (await shop.app.patch(path, { name: "Goods in" })).body;
    expect(renamed).toEqual({ ...before, name: "Goods in" });
    const moved = (await shop.app.patch(path, { address_line2: "Gate 2" })).body;
    expect(moved.verification.checked_at).not.toBe(before.verification.checked_at);
  });

  test("a suggestion is accepted with one call, which emits nothing", async () => {
    const { id, shipping_addresses } = await customer(wrong);
    const path = `/customers/${id}/addresses/${shipping_addresses[0].id}`;
    await shop.told();
    const answer = await shop.app.post(`${path}/accept_suggestion`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ ...portland, is_verified: true, verification: { status: "verified" } });
    const again = await shop.app.post(`${path}/accept_suggestion`);
    expect([again.status, again.body.error.code]).toEqual([409, "no_suggestion"]);
    expect(await shop.told()).toEqual([]);
  });

  test("an order has the check of its address and can take the suggestion; its customer's address stays", async () => {
    const buyer = await customer(wrong);
    const order = await orderTo(buyer);
    expect(order.status).toBe("pending");
    expect(order.shipping_address).toMatchObject({ ...wrong, is_verified: false, verification: { status: "error" } });
    await shop.told();
    const accepted = (await accept(order.id)).body.data;
    expect(accepted.shipping_address).toMatchObject({
      ...portland,
      is_verified: true,
      verification: { status: "verified" },
    });
    expect(accepted.revision).toBe(order.revision + 1);
    expect(await shop.get(order.id)).toEqual(accepted);
    expect(await shop.told()).toEqual([]);
    const history = (await shop.app.get(`/orders/${order.id}/history`)).body.data.at(-1);
    expect(history).toMatchObject({ event: "update", note: "shipping_address" });
    expect((await shop.app.get(`/customers/${buyer.id}`)).body.shipping_addresses).toEqual(buyer.shipping_addresses);
    // The response of a GET can be sent back.
    const { id: _, fulfillment_status: __, ...same } = accepted;
    expect((await shop.app.patch(`/orders/${order.id}`, { ...same, line_items: undefined })).status).toBe(200);
  });

  test("another address of the customer brings its own check", async () => {
    const buyer = await customer(wrong, portland);
    const order = await orderTo(buyer);
    const changed = await shop.app.patch(`/orders/${order.id}`, {
      shipping_address_id: buyer.shipping_addresses[1].id,
    });
    expect(changed.body.data.shipping_address).toMatchObject({
      is_verified: true,
      verification: { status: "verified" },
    });
  });

  test("an address stored before checks existed shows none, and is checked for a new order", async () => {
    const buyer = await customer(wrong);
    const { live } = shop.app.service.stores;
    await live.write(async (tx) => {
      await tx.sql.update(addresses).set({ verification: null, is_verified: false });
    });
    const [old] = (await shop.app.get(`/customers/${buyer.id}`)).body.shipping_addresses;
    expect([old.is_verified, old.verification]).toEqual([false, null]);
    expect((await orderTo(buyer)).shipping_address.verification.status).toBe("error");
    const { results } = (
      await shop.app.post("/orders/bulk", {
        orders: [shop.draft([], { customer_id: buyer.id, shipping_address_id: old.id })].map((draft) => ({
          ...draft,
          line_items: [{ sku: "SKU-1", quantity: 1, unit_price: "1.00" }],
        })),
      })
    ).body.data;
    expect(results[0].data.shipping_address.verification.status).toBe("error");
    const path = `/customers/${buyer.id}/addresses/${old.id}`;
    expect((await shop.app.patch(path, { name: "Jane" })).body.verification.status).toBe("error");
  });
});

describe("refuses", () => {
  test.each([
    ["nothing", {}, "address"],
    ["both", { address: portland, addresses: [portland] }, "addresses"],
    ["none", { addresses: [] }, "addresses"],
    ["too many", { addresses: Array.from({ length: 101 }, () => portland) }, "addresses"],
    ["an unknown field", { address: { ...portland, zip: "97201" } }, "address.zip"],
  ])("to check %s", async (_, body, field) => {
    const answer = await shop.app.post("/addresses/verify", body);
    expect([answer.status, answer.body.error.code]).toEqual([422, "validation_failed"]);
    expect(answer.body.error.details.map((problem: { field: string }) => problem.field)).toContain(field);
  });

  test("to move an order without a suggestion, with a label, or that is packed", async () => {
    const code = async (id: string) => (await accept(id)).body.error.code;
    expect(await code((await orderTo(await customer(portland))).id)).toBe("no_suggestion");
    const labelled = await orderTo(await customer({ ...wrong, name: "Jane Doe" }));
    const parcel = { carrier: "local", service: "standard", package: { weight: 1, weight_unit: "lb" } };
    const label = await shop.app.post("/shipping/labels", { order_id: labelled.id, ...parcel });
    expect(label.status).toBe(201);
    expect(await code(labelled.id)).toBe("invalid_state_transition");
    const packed = await orderTo(await customer(wrong));
    await shop.act(packed.id, "pack");
    await shop.told();
    expect(await code(packed.id)).toBe("invalid_state_transition");
    expect(await shop.told()).toEqual([]);
  });
});
