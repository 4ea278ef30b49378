// Repeated requests for a waiting erasure: the same erasure, a shorter wait, or a cancellation.

import { describe, expect, test } from "bun:test";
import { day_ms } from "../../src/core/time.ts";

import { openShop } from "../build/shop.ts";

const shop = await openShop();
const goods = await shop.product({ units: 100 });

const post = (path: string, body: unknown = {}) => shop.app.post(path, body);
const read = async (id: string) => (await shop.app.get(`/erasures/${id}`)).body.data;
const remove = (id: string) => shop.app.call("DELETE", `/erasures/${id}`);

/** A customer with a pending order. */
async function buyer(email: string) {
  const address = { address_line1: "9 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const customer = (await post("/customers", { email, shipping_addresses: [address] })).body;
  const to = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
  const order = await shop.order([[goods, 1]], to);
  return { id: customer.id as string, order_id: order.id as string };
}

describe("works", () => {
  test("a repeated request can shorten the wait but not extend it, by id and by address", async () => {
    const { id, order_id } = await buyer("soon@example.com");
    const first = (await post("/erasures", { email: "SOON@example.com", after_days: 364 })).body.data;
    const longer = (await post(`/customers/${id}/erasure`, { after_days: 365 })).body.data;
    expect(longer).toMatchObject({ id: first.id, after_days: 364 });
    // An order is open: a request without `after_days` changes nothing.
    expect((await post(`/customers/${id}/erasure`)).body.data).toMatchObject({ id: first.id, after_days: 364 });
    const sooner = (await post("/erasures", { email: "soon@example.com", after_days: 14 })).body.data;
    expect(sooner).toMatchObject({ id: first.id, after_days: 14, customers: [id] });
    await shop.cancel(order_id);
    await shop.app.runJobs();
    expect((await read(first.id)).status).toBe("waiting");
    // No order is open any more.
    expect((await post(`/customers/${id}/erasure`)).body.data).toMatchObject({ id: first.id, after_days: 0 });
    await shop.app.runJobs();
    expect((await read(first.id)).status).toBe("done");
  });

  test("two requests for an address are one erasure, of the customer who has the address when it runs", async () => {
    const email = "twice@example.com";
    const first = (await post("/erasures", { email })).body.data;
    expect((await post("/erasures", { email: "Twice@example.com" })).body.data.id).toBe(first.id);
    const made = (await post("/customers", { email })).body;
    expect((await post("/erasures", { email })).body.data).toMatchObject({ id: first.id, customers: [made.id] });
    await shop.app.runJobs();
    expect((await shop.app.get(`/customers/${made.id}`)).body.erased_at).not.toBeNull();
    // The erasure is done and no longer linked to the address, so the next request is a new one.
    expect((await post("/erasures", { email })).body.data.id).not.toBe(first.id);
    await shop.app.runJobs();
  });

  test("a waiting erasure can be cancelled, which the audit log records", async () => {
    const { id, order_id } = await buyer("kept@example.com");
    const begun = (await post(`/customers/${id}/erasure`, { after_days: 30 })).body.data;
    await shop.app.runJobs();
    const { status, body } = await remove(begun.id);
    expect([status, body.data]).toEqual([200, { id: begun.id, cancelled: true }]);
    await shop.cancel(order_id);
    shop.app.clocks.live.advance(40 * day_ms);
    await shop.app.runJobs();
    expect((await shop.app.get(`/customers/${id}`)).body.erased_at).toBeNull();
    expect((await remove(begun.id)).body.error.code).toBe("resource_missing");
    const acts = (await shop.app.get("/audit?action=cancelErasure")).body.data;
    expect(acts.map(({ targets }: { targets: string[] }) => targets)).toEqual([[begun.id]]);
  });
});

describe("refuses", () => {
  test("to cancel a finished or unknown erasure", async () => {
    const { id, order_id } = await buyer("done@example.com");
    await shop.cancel(order_id);
    const begun = (await post(`/customers/${id}/erasure`)).body.data;
    await shop.app.runJobs();
    const refused = await remove(begun.id);
    expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state_transition"]);
    expect((await remove("era_999")).body.error.code).toBe("resource_missing");
  });
});
