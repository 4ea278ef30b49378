// The list of everything that needs a person: each kind appears with its cause, and leaves when the cause is gone.
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { packing_sessions, print_jobs, printers } from "../../../db/schema/floor.ts";
import { order_holds } from "../../../db/schema/orders.ts";
import { platform_reports } from "../../../db/schema/platform_reports.ts";
import { platform_listings } from "../../../db/schema/platform_stock.ts";
import { platform_connections, platform_imports } from "../../../db/schema/platforms.ts";
import { subscriptions } from "../../../db/schema/webhooks.ts";
import { iso } from "../../../src/core/clock.ts";
import { Fault } from "../../../src/core/faults.ts";
import { readId } from "../../../src/core/ids.ts";
import { day_ms, minute_ms } from "../../../src/core/time.ts";
import type { Answered } from "../../build/service.ts";
import { openShop, shopOn } from "../../build/shop.ts";
import { openSeller } from "../../shipping/labels/seller.ts";

type Row = Answered["body"];

const shop = await openShop();
const { app } = shop;
const { live } = app.service.stores;
const stock = await shop.product({ sku: "TEA", units: 500 });

const times = { created_at: 1, updated_at: 1 };
const actor = { actor_type: "user", actor_id: "usr_1", actor_name: "Pat" } as const;
const hold_row = { reserve_inventory: true, created_at: 2 };
const session_row = {
  ...times,
  ...actor,
  closed_at: 3,
  merchant_id: 1,
  warehouse_id: 1001,
  status: "closed" as const,
  units: [],
  device: "A",
  revision: 1,
};
const printer_row = {
  ...times,
  warehouse_id: 1001,
  name: "P",
  kind: "zpl_tcp" as const,
  host: "127.0.0.1",
  port: 9100,
  media: "4x6" as const,
  revision: 1,
};
const print_row = { ...times, ...actor, merchant_id: 1, kind: "label" as const, attempts: 3 };

/** Connects a shop. */
async function connect(): Promise<number> {
  const store = { platform: "woocommerce", key: "live_1", name: "Shop", store_id: "1", api_url: "https://shop.test" };
  const row = { ...store, ...times, merchant_id: 1, order_prefix: "", status: "active", revision: 1 } as const;
  const [made] = await live.write((tx) =>
    tx.sql
      .insert(platform_connections)
      .values(row as never)
      .returning({ id: platform_connections.id }),
  );
  return made?.id ?? 0;
}

/** All exceptions, read in small pages. */
async function exceptions(query = "", key?: string): Promise<Row[]> {
  const found: Row[] = [];
  for (let cursor = ""; ; ) {
    const path = `/exceptions?limit=3${query}${cursor}`;
    const { status, body } = await app.call("GET", path, undefined, key === undefined ? {} : { key });
    expect([status, body.error]).toEqual([200, undefined]);
    found.push(...body.data);
    const { next_cursor, has_more } = body.meta.pagination;
    if (!has_more) return found;
    cursor = `&cursor=${next_cursor}`;
  }
}
const kinds = async (query = "") => (await exceptions(query)).map(({ kind, name }) => `${kind} ${name}`);
const shown = async (kind: string) =>
  (await exceptions(`&kind=${kind}`)).map(({ cause, action, api_path, dashboard_path }) => ({
    ...{ cause, action, api_path, dashboard_path },
  }));
const counted = async () => {
  const { total, kinds: all } = (await app.get("/exceptions/counts")).body.data;
  expect(total).toBe(all.reduce((sum: number, { count }: Row) => sum + count, 0));
  return Object.fromEntries(all.filter(({ count }: Row) => count > 0).map(({ kind, count }: Row) => [kind, count]));
};

describe("an exception", () => {
  test("is each hold that a person has to resolve", async () => {
    const first = await shop.order([[stock, 1]]);
    const second = await shop.order([[stock, 1]]);
    await shop.act(first.id, "hold", { reason: "payment" });
    await shop.act(second.id, "hold", { reason: "fraud", hold_until: iso(app.clocks.live.now() + day_ms) });
    await live.write((tx) =>
      tx.sql.insert(order_holds).values([
        { ...hold_row, order_id: readId("order", second.id) ?? 0, reason: "short_pick" },
        { ...hold_row, order_id: readId("order", second.id) ?? 0, reason: "carrier_discrepancy" },
        { ...hold_row, order_id: readId("order", second.id) ?? 0, reason: "merchant_suspended" },
      ]),
    );
    const names = [`hold ${first.order_number}`, `short_pick ${second.order_number}`];
    expect((await kinds()).sort()).toEqual([`carrier_discrepancy ${second.order_number}`, ...names].sort());
    const path = `/orders/${first.id}`;
    expect(await shown("hold")).toEqual([
      {
        cause: "It is on hold until it is paid.",
        action: "Check the payment, then release or cancel the order.",
        api_path: `/v1${path}`,
        dashboard_path: `/dashboard${path}`,
      },
    ]);
    await shop.act(first.id, "release");
    await live.write((tx) => tx.sql.delete(order_holds).where(eq(order_holds.created_at, hold_row.created_at)));
    expect(await kinds()).toEqual([]);
  });

  test("is each group of units to put back", async () => {
    const order = await shop.order([[stock, 2]]);
    await shop.act(order.id, "pick");
    await shop.cancel(order.id);
    expect(await kinds()).toEqual(["putback TEA"]);
    const [{ cause, api_path, order_id }] = (await exceptions()) as [Row];
    const path = `/v1/inventory/putbacks?order_id=${order.id}`;
    expect([cause, api_path, order_id]).toEqual(["2 units in PUTBACK are not on sale.", path, order.id]);
    expect((await app.get(api_path.slice(3))).body.data).toHaveLength(1);
    await app.post("/inventory/putbacks", { order_id: order.id, sku: "TEA", quantity: 2, bin: "B-1" });
    expect(await kinds()).toEqual([]);
  });

  test("is a failed label, or the parcel whose packing could not buy one", async () => {
    const order = await shop.order([[stock, 1]]);
    const { fake, openUp } = await openSeller(app);
    fake.buy = async () => {
      throw new Fault("carrier_refused", "The balance is too low.");
    };
    const parcel = { package: { weight: 2, weight_unit: "lb" } };
    const label = { order_id: order.id, carrier: "swift", service: "ground", ...parcel };
    await app.post("/shipping/labels", label);
    expect(await shown("failed_label")).toMatchObject([{ cause: expect.stringContaining("balance is too low") }]);
    const shipment_id = readId("shipment", (await shop.get(order.id)).shipments[0].id);
    const order_id = readId("order", order.id) ?? 0;
    await live.write((tx) =>
      tx.sql.insert(packing_sessions).values({ ...session_row, order_id, shipment_id, label_error: "No offer." }),
    );
    expect(await shown("failed_label")).toMatchObject([{ cause: "No offer.", api_path: `/v1/orders/${order.id}` }]);
    await live.write((tx) => tx.sql.update(packing_sessions).set({ label_error: null }));
    openUp();
    expect((await app.post("/shipping/labels", label)).status).toBe(201);
    expect(await kinds()).toEqual([]);
  });

  test("is a failed print of an open order, until it is printed again", async () => {
    const order = await shop.order([[stock, 1]]);
    const order_id = readId("order", order.id) ?? 0;
    const job = { ...print_row, order_id, error: "The printer is off." };
    await live.write(async (tx) => {
      const [printer] = await tx.sql.insert(printers).values(printer_row).returning({ id: printers.id });
      await tx.sql.insert(print_jobs).values({ ...job, printer_id: printer?.id ?? 0, status: "failed" });
    });
    expect(await shown("failed_print")).toMatchObject([{ cause: "The printer is off." }]);
    await live.write(async (tx) => {
      const [printer] = await tx.sql.select().from(printers);
      await tx.sql.insert(print_jobs).values({ ...job, printer_id: printer?.id ?? 0, status: "sent" });
    });
    expect(await kinds()).toEqual([]);
  });

  test("is a failed import, report or stock push of a connected shop", async () => {
    const order = await shop.order([[stock, 1]]);
    await shop.act(order.id, "ship");
    const order_id = readId("order", order.id) ?? 0;
    const shipment_id = readId("shipment", (await shop.get(order.id)).shipments[0].id) ?? 0;
    const connection_id = await connect();
    const own = { connection_id, status: "failed", attempts: 3, error_code: "platform_error", ...times } as const;
    const error_message = "The shop refused it.";
    await live.write(async (tx) => {
      const imported = {
        ...own,
        merchant_id: 1,
        external_id: "77",
        order_id: 900,
        revision: 1,
        lines: [],
        give_up_at: 1,
      };
      await tx.sql.insert(platform_imports).values({ ...imported, error_message });
      const report = { ...own, order_id, shipment_id, lines: [], give_up_at: 1 };
      await tx.sql.insert(platform_reports).values({ ...report, error_message });
      const listing = {
        external_id: "9",
        location_id: "",
        sku: "TEA",
        name: "Tea",
        is_paused: false,
        revision: 1,
        reading: 1,
      };
      await tx.sql.insert(platform_listings).values({ ...own, ...listing, error_message });
    });
    const found = ["failed_import 77", `failed_report ${order.order_number}`, "failed_stock_push TEA"];
    expect(await kinds()).toEqual(found);
    for (const { cause, api_path } of await exceptions()) {
      expect([cause, (await app.get(api_path.slice(3))).body.data]).toMatchObject([error_message, [{}]]);
    }
    expect(await exceptions("&warehouse_id=whs_1001")).toHaveLength(0);
    await live.write((tx) => tx.sql.update(platform_connections).set({ deleted_at: 1 }));
    expect(await kinds()).toEqual([]);
  });

  test("is a failing webhook", async () => {
    const { id } = await app.create("/webhooks", { url: "https://example.com/hook", events: ["order.created"] });
    const set = (status: "failing" | "active") =>
      live.write((tx) => tx.sql.update(subscriptions).set({ status, failing_since: 1 }));
    await set("failing");
    expect(await shown("failing_webhook")).toMatchObject([
      { api_path: `/v1/webhooks/${id}`, dashboard_path: `/dashboard/settings/webhooks/${id}` },
    ]);
    await set("active");
    expect(await kinds()).toEqual([]);
  });

  test("is a lot near its expiry with stock, a received return, and a count in review", async () => {
    const now = app.clocks.live.now();
    const milk_bin = "M-1";
    await app.product("MILK", { lot_tracking: true, expiration_tracking: true });
    for (const [lot_number, days] of [
      ["SOON", 20],
      ["LATER", 60],
    ] as const) {
      await app.stock("MILK", 3, { lot_number, bin: milk_bin, expiration_date: iso(now + days * day_ms) });
    }
    expect(await kinds()).toEqual(["expiring_lot MILK · SOON"]);
    expect(await exceptions("&warehouse_id=whs_1001")).toHaveLength(1);
    expect(await exceptions("&warehouse_id=whs_9")).toHaveLength(0);
    const gone = { adjustment: -3, reason: "damaged", lot_number: "SOON", location: "whs_1001", bin: milk_bin };
    expect((await app.patch("/inventory/MILK", gone)).body.error).toBeUndefined();
    const order = await shop.order([[stock, 1]]);
    await shop.act(order.id, "ship");
    const back = await app.create("/returns", {
      order_id: order.id,
      reason: "defective",
      items: [{ sku: "TEA", quantity: 1 }],
    });
    await app.create(`/returns/${back.id}/receive`, { items: [{ sku: "TEA", quantity: 1 }] });
    const count = await app.create("/inventory/counts", { skus: ["TEA"], notes: "Aisle 4" });
    for (const { sku, bin } of count.items) {
      await app.create(`/inventory/counts/${count.id}/items`, { items: [{ sku, bin, quantity: 1 }] });
    }
    await app.create(`/inventory/counts/${count.id}/review`);
    const found = await kinds();
    expect(found.sort()).toEqual(["count_review Aisle 4", `return_inspection ${order.order_number}`]);
    await app.create(`/inventory/counts/${count.id}/cancel`);
    await app.create(`/returns/${back.id}/inspect`, {
      items: [{ sku: "TEA", quantity: 1, condition: "damaged", disposition: "dispose" }],
    });
    expect(await kinds()).toEqual([]);
  });
});

describe("the list", () => {
  test("has each exception once in both orders, also those of one moment, and as many as are counted", async () => {
    const held: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const order = await shop.order([[stock, 1]]);
      if (n % 4 === 0) app.clocks.live.advance(10 * minute_ms);
      await shop.act(order.id, "hold", { reason: "payment" });
      await shop.act(order.id, "hold", { reason: "fraud" });
      held.push(order.id);
    }
    const order_id = readId("order", held[0] ?? "") ?? 0;
    const created_at = app.clocks.live.now();
    await live.write((tx) =>
      tx.sql.insert(order_holds).values({ ...hold_row, order_id, reason: "short_pick", created_at }),
    );
    const oldest = await exceptions();
    const newest = await exceptions("&sort=-since");
    expect(oldest.map(({ id }) => id).sort()).toEqual([...new Set(oldest.map(({ id }) => id))].sort());
    expect(oldest.length).toBe(25);
    expect(newest.map(({ id }) => id)).toEqual(oldest.map(({ id }) => id).reverse());
    const times_of = oldest.map(({ since }) => since);
    expect(times_of).toEqual([...times_of].sort());
    expect(await counted()).toEqual({ hold: 24, short_pick: 1 });
    const { pagination } = (await app.get("/exceptions?limit=10&page=2")).body.meta;
    expect([pagination.total, pagination.total_pages]).toEqual([25, 3]);
    expect((await app.get("/exceptions?limit=10&page=3")).body.data).toEqual(oldest.slice(20));
    expect(await exceptions("&min_age_minutes=15")).toEqual(oldest.slice(0, 8));
    expect((await exceptions("&kind=short_pick,failed_label")).map(({ kind }) => kind)).toEqual(["short_pick"]);
  });

  test("shows merchants their own, and each caller only the kinds that they may see", async () => {
    const bolt = await app.merchant("BOLT");
    const own = await shopOn(app, { merchant: "BOLT" });
    const goods = await own.product({ sku: "BOLT-1" });
    const order = await own.order([[goods, 1]]);
    await app.create(`/orders/${order.id}/hold`, { reason: "fraud" }, own.by);
    expect((await exceptions("", bolt.key)).map(({ name }) => name)).toEqual([order.order_number]);
    expect((await exceptions("&merchant=BOLT")).map(({ name }) => name)).toEqual([order.order_number]);
    const kindsOf = async (key: string) =>
      (await app.call("GET", "/exceptions/counts", undefined, { key })).body.data.kinds.map(({ kind }: Row) => kind);
    const hidden = ["putback", "failed_print", "count_review"];
    expect((await kindsOf(bolt.key)).filter((kind: string) => hidden.includes(kind))).toEqual([]);
    expect(await kindsOf(app.keys.live.read)).not.toContain("failed_import");
    expect(await kindsOf(app.keys.live.full)).toContain("failed_import");
  });
});
