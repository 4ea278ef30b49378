// Retention set by the operator: each round goes through all records once, including data added later.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq, inArray, isNull } from "drizzle-orm";
import { customers } from "../../db/schema/customers.ts";
import { orders } from "../../db/schema/orders.ts";
import { invitations } from "../../db/schema/people.ts";
import { retention_settings } from "../../db/schema/privacy.ts";
import { return_items } from "../../db/schema/returns.ts";
import { readId } from "../../src/core/ids.ts";
import { day_ms } from "../../src/core/time.ts";
import { deleteOldInvitations, eraseIdleCustomers, eraseOldOrders } from "../../src/privacy/privacy.jobs.ts";
import { deleteExpiredOrders } from "../../src/privacy/retention.ts";

import { openShop } from "../build/shop.ts";

setDefaultTimeout(60_000);

// The old orders are copied in the database, without history or events.
const shop = await openShop({ verified: false });
const goods = await shop.product({ units: 100 });

const store = () => shop.app.service.stores.live;
const post = (path: string, body: unknown = {}) => shop.app.post(path, body);
const set = async (change: object) => expect((await shop.app.patch("/settings/retention", change)).status).toBe(200);
const later = (days: number) => shop.app.clocks.live.advance(days * day_ms);

describe("closed orders", () => {
  const days = 30;
  const many = 1200;
  const due = 45;

  async function fill(id: string) {
    await store().write(async (tx) => {
      const [row] = await tx.sql
        .select()
        .from(orders)
        .where(eq(orders.id, readId("order", id) ?? 0));
      const { id: _, ...fields } = row as NonNullable<typeof row>;
      for (let from = 0; from < many; from += 100) {
        const rows = Array.from({ length: 100 }, (_unused, at) => {
          return { ...fields, order_number: `W-${from + at}`, updated_at: fields.updated_at + from + at };
        });
        await tx.sql.insert(orders).values(rows);
      }
    });
  }

  const told = () =>
    store().read((db) => db.sql.select().from(retention_settings).where(eq(retention_settings.kind, "closed_orders")));
  const unswept = () => store().read((db) => db.sql.$count(orders, eq(orders.customer_name, "Jane Doe")));

  test("a round goes through swept orders once, each batch after the previous one", async () => {
    const order = await shop.order([[goods, 1]]);
    await shop.cancel(order.id);
    await fill(order.id);
    await set({ closed_orders: days });
    later(days + 1);
    await eraseOldOrders(store(), shop.app.service);
    expect(await unswept()).toBe(0);

    // Some of them contain personal data again.
    await store().write(async (tx) => {
      const rows = await tx.sql.select({ id: orders.id }).from(orders).limit(due);
      const ids = rows.map(({ id }) => id);
      await tx.sql
        .update(orders)
        .set({ customer_name: "Jane Doe", order_notes: "ring" })
        .where(inArray(orders.id, ids));
    });
    const places: string[] = [];
    for (let more = true; more; ) {
      more = await store().write((tx) => deleteExpiredOrders(tx, days));
      const [row] = await told();
      if (more) places.push(`${row?.round_at} ${row?.round_id}`);
      expect([more, row?.round_at === null]).toEqual([more, !more]);
    }
    expect(await unswept()).toBe(0);
    expect(new Set(places).size).toBe(places.length);
    expect(places).toEqual(places.toSorted((one, other) => (one < other ? -1 : 1)));
    // A batch changes up to 20 orders or skips up to 500.
    expect(places.length).toBeLessThanOrEqual(Math.ceil(due / 20) + Math.ceil(many / 500));
  });

  test("data added to a swept order is erased after its retention as well", async () => {
    const order = await shop.order([[goods, 1]]);
    for (const act of ["process", "ship", "deliver"]) await shop.act(order.id, act);
    later(days + 1);
    await eraseOldOrders(store(), shop.app.service);
    expect((await shop.get(order.id)).shipping_address.name).toBe("Erased");
    const items = [{ sku: goods.sku, quantity: 1, notes: "Latenote" }];
    const back = (await post("/returns", { order_id: order.id, reason: "other", items })).body.data;
    await post(`/returns/${back.id}/receive`);
    await post(`/returns/${back.id}/inspect`, { items: [{ sku: goods.sku, quantity: 1, condition: "opened" }] });
    const notes = () => store().read(async (db) => (await db.sql.select().from(return_items))[0]?.notes);
    later(days - 1);
    await eraseOldOrders(store(), shop.app.service);
    expect(await notes()).toBe("Latenote");
    later(2);
    await eraseOldOrders(store(), shop.app.service);
    expect(await notes()).toBeNull();
  });
});

describe("idle customers", () => {
  const made = async (email: string) => (await post("/customers", { email, first_name: email })).body.id as string;
  const known = () =>
    store().read(async (db) => {
      const rows = await db.sql.select().from(customers).where(isNull(customers.erased_at));
      return rows.map(({ email }) => email).sort();
    });

  test("only those without an order that names them are erased, and only if retention is set", async () => {
    await set({ closed_orders: null, idle_customers: null });
    const address = { address_line1: "9 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
    const buyer = (await post("/customers", { email: "buyer@example.com", shipping_addresses: [address] })).body;
    const order = await shop.order([[goods, 1]], {
      customer_id: buyer.id,
      shipping_address_id: buyer.shipping_addresses[0].id,
    });
    await shop.cancel(order.id);
    await made("never@example.com");
    const changed = await made("changed@example.com");
    later(90);
    await shop.app.patch(`/customers/${changed}`, { phone: "1" });
    await eraseIdleCustomers(store(), shop.app.service);
    expect(await known()).toContain("never@example.com");
    await set({ idle_customers: 60 });
    await eraseIdleCustomers(store(), shop.app.service);
    expect(await known()).toEqual(["buyer@example.com", "changed@example.com"]);
    // Once its orders no longer name the customer, it is erased as well.
    await set({ closed_orders: 30 });
    await eraseOldOrders(store(), shop.app.service);
    await eraseIdleCustomers(store(), shop.app.service);
    expect(await known()).toEqual(["changed@example.com"]);
    const shown = (await shop.app.get(`/customers/${buyer.id}`)).body;
    expect(shown).toMatchObject({ shipping_addresses: [], erased_at: expect.any(String) });
  });
});

describe("invitations", () => {
  test("ended ones are deleted after their retention; one that can be accepted stays", async () => {
    const invite = async (email: string) => {
      const asked = await post("/invitations", { email, role: "viewer" });
      expect([asked.status, asked.body.error]).toEqual([201, undefined]);
      return asked.body.data.invitation?.id ?? asked.body.data.id;
    };
    const left = () => store().read(async (db) => (await db.sql.select().from(invitations)).map(({ email }) => email));
    await invite("expired@example.com");
    const revoked = await invite("revoked@example.com");
    expect((await post(`/invitations/${revoked}/revoke`)).status).toBe(200);
    later(10);
    await set({ invitations: 7 });
    await deleteOldInvitations(store(), shop.app.service);
    expect(await left()).toEqual(["expired@example.com"]);
    later(8);
    await invite("open@example.com");
    await deleteOldInvitations(store(), shop.app.service);
    expect(await left()).toEqual(["open@example.com"]);
  });
});
