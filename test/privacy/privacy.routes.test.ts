// Requests about people: exported, refused or postponed while orders are open, and idempotent.

import { describe, expect, test } from "bun:test";
import { label_documents } from "../../db/schema/shipments.ts";
import { readId } from "../../src/core/ids.ts";
import { day_ms } from "../../src/core/time.ts";
import { deleteOldDocuments, eraseOldOrders } from "../../src/privacy/privacy.jobs.ts";

import { openShop } from "../build/shop.ts";

const shop = await openShop();

const post = (path: string, body: unknown = {}) => shop.app.post(path, body);
const state = async (id: string) => (await shop.app.get(`/erasures/${id}`)).body.data.status;

describe("works", () => {
  test("an export contains all data of the person, and none about staff", async () => {
    const goods = await shop.product({ units: 5 });
    const order = await shop.order([[goods, 1]], { order_notes: "ring twice" });
    const { status, body } = await post(`/customers/${shop.customer.id}/disclosure`);
    expect(status).toBe(200);
    const kinds = body.data.records.map(({ records }: { records: string }) => records);
    expect(kinds).toEqual(expect.arrayContaining(["customers", "addresses", "orders", "order_lines", "events"]));
    expect(JSON.stringify(body)).toContain("ring twice");
    expect(JSON.stringify(body)).not.toContain("key_");
    const same = (await post("/disclosures", { email: "JANE@example.com" })).body.data;
    expect(same.about).toEqual({ customers: [shop.customer.id], email: "JANE@example.com" });
    await shop.cancel(order.id);
  });

  test("an erasure waits until `after_days` after the last open order has ended", async () => {
    const goods = await shop.product({ units: 5 });
    const email = "waits@example.com";
    const address = { address_line1: "9 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
    const customer = (await post("/customers", { email, shipping_addresses: [address] })).body;
    const whose = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
    const order = await shop.order([[goods, 1]], whose);
    const refused = await post(`/customers/${customer.id}/erasure`);
    expect([refused.status, refused.body.error.code]).toEqual([409, "orders_open"]);
    expect(refused.body.error.orders).toEqual([order.order_number]);
    const begun = (await post("/erasures", { email, after_days: 14 })).body.data;
    await shop.app.runJobs();
    expect(await state(begun.id)).toBe("waiting");
    for (const act of ["process", "ship", "deliver"]) await shop.act(order.id, act);
    shop.app.clocks.live.advance(13 * day_ms);
    await shop.app.runJobs();
    expect(await state(begun.id)).toBe("waiting");
    shop.app.clocks.live.advance(2 * day_ms);
    await shop.app.runJobs();
    expect(await state(begun.id)).toBe("done");
    expect((await shop.get(order.id)).customer.email).toBe("erased@erased.invalid");
    // A repeated request returns the same erasure, and the customer can no longer be changed.
    expect((await post(`/customers/${customer.id}/erasure`)).body.data.id).toBe(begun.id);
    const change = await shop.app.patch(`/customers/${customer.id}`, { phone: "1" });
    expect([change.status, change.body.error.code]).toEqual([409, "customer_erased"]);
    // The address is free for a new customer.
    expect((await post("/customers", { email })).status).toBe(201);
  });

  test("erasures are listed, all of them or those of one customer", async () => {
    const made = async (email: string) => (await post("/customers", { email })).body.id as string;
    const [one, other, kept] = [await made("one@example.com"), await made("other@example.com"), await made("k@e.com")];
    const first = (await post(`/customers/${one}/erasure`)).body.data.id;
    const second = (await post(`/customers/${other}/erasure`)).body.data.id;
    await shop.app.runJobs();
    const listed = async (query: string) => {
      const { body } = await shop.app.get(`/erasures${query}`);
      return { ids: body.data.map(({ id }: { id: string }) => id), total: body.meta.pagination.total };
    };
    expect((await listed("?limit=2")).ids).toEqual([second, first]);
    expect(await listed(`?customer_id=${one}`)).toEqual({ ids: [first], total: 1 });
    expect(await listed(`?customer_id=${other}&limit=1&page=1`)).toEqual({ ids: [second], total: 1 });
    expect(await listed(`?customer_id=${other}&limit=1&page=2`)).toEqual({ ids: [], total: 1 });
    expect(await listed(`?customer_id=${kept}`)).toEqual({ ids: [], total: 0 });
    expect(await listed("?customer_id=cus_999999")).toEqual({ ids: [], total: 0 });
  });

  test("ended orders are erased after the configured retention", async () => {
    const goods = await shop.product({ units: 5 });
    const order = await shop.order([[goods, 1]]);
    await shop.cancel(order.id);
    expect((await shop.app.patch("/settings/retention", { closed_orders: 30 })).status).toBe(200);
    shop.app.clocks.live.advance(29 * day_ms);
    await eraseOldOrders(shop.app.service.stores.live, shop.app.service);
    expect((await shop.get(order.id)).shipping_address.name).not.toBe("Erased");
    shop.app.clocks.live.advance(2 * day_ms);
    await eraseOldOrders(shop.app.service.stores.live, shop.app.service);
    expect((await shop.get(order.id)).shipping_address.name).toBe("Erased");
  });

  test("carriers' documents are deleted after their retention, once they are no longer needed", async () => {
    const { live } = shop.app.service.stores;
    const goods = await shop.product({ units: 5 });
    const order = await shop.order([[goods, 1]]);
    await shop.act(order.id, "process");
    const own = { carrier: "local", service: "standard", package: { weight: 2, weight_unit: "lb" } };
    const label = (await post("/shipping/labels", { order_id: order.id, ...own })).body.data;
    const label_id = readId("label", label.label_id) ?? 0;
    const paper = { label_id, position: 0, kind: "label", content_type: "application/pdf", bytes: new Uint8Array(9) };
    await live.write((tx) => tx.sql.insert(label_documents).values(paper as never));
    const papers = () => live.read((db) => db.sql.$count(label_documents));
    expect((await shop.app.patch("/settings/retention", { label_documents: 30 })).status).toBe(200);
    for (const act of [null, "ship"]) {
      if (act !== null) await shop.act(order.id, act);
      expect(await papers()).toBe(1);
      shop.app.clocks.live.advance(31 * day_ms);
      await deleteOldDocuments(live, shop.app.service);
    }
    expect(await papers()).toBe(0);
  });
});

describe("refuses", () => {
  test("retention times that are too short or too long, each by name", async () => {
    const { status, body } = await shop.app.patch("/settings/retention", { event_payloads: 1, stored_responses: 2 });
    expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    expect(body.error.details.map(({ field }: { field: string }) => field)).toEqual([
      "event_payloads",
      "stored_responses",
    ]);
  });
});
