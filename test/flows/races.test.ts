// Two PostgreSQL transactions in the one order that can do harm: the first has done its work and is about to commit,
// the second has already read and waits for its lock, so what it read is out of date.

import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import { systemActor } from "../../src/core/actor.ts";
import { iso } from "../../src/core/clock.ts";
import { engine } from "../../src/core/config.ts";
import { hour_ms } from "../../src/core/time.ts";
import { createCustomer } from "../../src/customers/customers.ts";
import { adjustStock } from "../../src/inventory/counts/adjust_stock.ts";
import { expireLots } from "../../src/inventory/inventory.jobs.ts";
import { correctLot } from "../../src/inventory/stock/change_lot.ts";
import type { Tx } from "../../src/storage/database.ts";
import { claimDeliveries } from "../../src/webhooks/deliveries/claim_deliveries.ts";
import { deleteOldWebhookData, fanOut, redeliver } from "../../src/webhooks/deliveries/deliveries.ts";
import { start } from "../build/service.ts";
import { openShop, type Shop } from "../build/shop.ts";

const actor = systemActor("test");

setDefaultTimeout(30_000);

describe.if(engine === "postgres")("a transaction that waited for a lock reads again", () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop();
  });

  /**
   * Runs `first`, starts `second`, commits the first once the second waits for it or has ended. Returns the second's
   * result.
   */
  async function meet<T>(first: (tx: Tx) => Promise<unknown>, second: () => Promise<T>): Promise<T> {
    const store = shop.app.service.stores.live.scoped({ visible: null, owner: 1 });
    const done = Promise.withResolvers<number>();
    const go = Promise.withResolvers<void>();
    const holder = store.write(async (tx) => {
      await first(tx);
      const [row] = await tx.sql.select({ pid: sql<number>`pg_backend_pid()` }).from(sql`(select 1) as one`);
      done.resolve(row?.pid ?? 0);
      await go.promise;
    });
    const pid = await Promise.race([done.promise, holder.then(() => 0)]);
    let ended = false;
    const waiter = second().finally(() => {
      ended = true;
    });
    const waits = async () => {
      const rows = await store.read((db) =>
        db.sql.select({ pid: sql<number>`pid` }).from(sql`pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`),
      );
      return rows.length > 0;
    };
    while (!ended && !(await waits())) await Bun.sleep(10);
    go.resolve();
    await holder;
    return waiter;
  }

  test("a payload is not deleted while its delivery is queued again", async () => {
    const { app } = shop;
    const store = app.service.stores.live;
    const url = "https://one.example/hook";
    const { id } = (await app.post("/webhooks", { url, events: ["inventory.updated"] })).body.data;
    await shop.product({ units: 3 });
    await store.write((tx) => fanOut(tx));
    await app.patch(`/webhooks/${id}`, { active: false });
    await app.patch(`/webhooks/${id}`, { active: true });
    const [delivery] = (await app.get(`/webhooks/${id}/deliveries`)).body.data;
    expect(delivery.status).toBe("skipped");
    app.clocks.live.advance(40 * 24 * hour_ms);
    const retention = { event_payloads: 30, delivery_log: 30, webhook_responses: 7 };
    const queued = await meet(
      (tx) => redeliver(tx, id, delivery.id),
      () => store.write((tx) => deleteOldWebhookData(tx, retention, 100)),
    );
    expect(queued).toBe(false);
    const room = { busy: new Map(), limitOf: () => 8, aheadOf: () => 0, last_id: 0, wasLate: () => false };
    const { claims } = await store.write((tx) => claimDeliveries(tx, room));
    expect(claims.map(({ body }) => JSON.parse(body || "null")?.type)).toEqual(["inventory.updated"]);
  });

  test("a lot whose expiry is corrected just as it expires stays available", async () => {
    const product = await shop.product();
    const expiration_date = iso(start + hour_ms);
    await shop.app.stock(product.sku, 5, { lot_number: "L1", expiration_date });
    const [{ id }] = (await shop.app.get(`/inventory/${product.sku}`)).body.data.lots;
    shop.app.clocks.live.advance(2 * hour_ms);
    const corrected = { expiration_date: iso(start + 100 * hour_ms) };
    await meet(
      (tx) => correctLot(tx, id, corrected, actor),
      () => expireLots(shop.app.service.stores.live),
    );
    expect((await shop.app.get(`/inventory/lots/${id}`)).body.data).toMatchObject({ status: "available" });
    expect(await shop.available(product.sku)).toBe(5);
  });

  test("the other units of a parcel ship if one is written off as the carrier scans it", async () => {
    const product = await shop.product({ units: 3 });
    const { id } = await shop.order([[product, 3]]);
    const label = await shop.app.post("/shipping/labels", {
      order_id: id,
      carrier: "local",
      service: "standard",
      package: { weight: 3, weight_unit: "lbs" },
    });
    expect(label.status).toBe(201);
    const { tracking_number } = label.body.data;
    const lost = { adjustment: -1, reason: "damaged", allow_shortfall: true } as const;
    const scan = await meet(
      (tx) => adjustStock(tx, product.sku, lost, actor),
      () => shop.app.post(`/tracking/${tracking_number}/events`, { status: "picked_up" }),
    );
    expect(scan.status).toBe(201);
    const order = await shop.get(id);
    expect(order.line_items).toMatchObject([{ quantity_shipped: 2, quantity_backordered: 1 }]);
    expect(order.holds).toMatchObject([{ reason: "carrier_discrepancy" }]);
  });

  test("the other units of an order are picked if one is written off at the same time", async () => {
    const product = await shop.product({ units: 3 });
    const { id } = await shop.order([[product, 3]]);
    const lost = { adjustment: -1, reason: "damaged", allow_shortfall: true } as const;
    const picked = await meet(
      (tx) => adjustStock(tx, product.sku, lost, actor),
      () => shop.app.post(`/orders/${id}/pick`, { partial: true }),
    );
    expect([picked.status, picked.body.error]).toEqual([200, undefined]);
    expect((await shop.get(id)).line_items).toMatchObject([{ quantity_picked: 2, quantity_backordered: 1 }]);
  });

  test("a one-order file is imported while another request creates the same customer", async () => {
    const product = await shop.product({ units: 3 });
    const email = "new@example.com";
    const address = { address_line1: "9 Pier", city: "Portland", state: "ME", postal_code: "04101", country: "US" };
    const file = [
      "order_number,customer_email,address_line1,city,state,postal_code,country,sku,quantity,unit_price",
      `F-1,${email},9 Pier,Portland,ME,04101,US,${product.sku},1,2.00`,
    ].join("\n");
    const taken = await meet(
      (tx) => createCustomer(tx, { email, shipping_addresses: [address] }),
      () => shop.app.call("POST", "/orders/import", file, { headers: { "content-type": "text/csv" } }),
    );
    expect(taken.body.data).toMatchObject({ created: 1, failed: 0 });
  });
});
