// Nothing can be created for a closed merchant: by any caller, in any way, even at the same time.
import { describe, expect, test } from "bun:test";
import { orders as orderRows } from "../../db/schema/orders.ts";
import { systemActor } from "../../src/core/actor.ts";
import { engine } from "../../src/core/config.ts";
import { createCustomer } from "../../src/customers/customers.ts";
import { addStock } from "../../src/inventory/receiving/receive_units.ts";
import { createOrder } from "../../src/orders/lifecycle/create_order.ts";
import { createProduct } from "../../src/products/products.ts";
import type { Tx } from "../../src/storage/database.ts";
import { openApp } from "../build/service.ts";
import { portland } from "../build/shop.ts";
import { connectShopify, shopifyOrder } from "../platforms/stores.ts";

const someone = systemActor("test");

/** A merchant with a product whose SKU is unique, and a customer for orders. */
async function merchantOf(code: string) {
  const { id } = await app.must("POST", "/merchants", { code, name: code });
  const sku = `${code}-TEA`;
  await app.must("POST", "/products", { sku, name: "Tea", merchant_id: code });
  const email = `${code.toLowerCase()}@example.com`;
  const buyer = { email, first_name: "Jane", shipping_addresses: [portland], merchant_id: code };
  const customer = await app.must("POST", "/customers", buyer);
  const draft = (order_number: string) => ({
    order_number,
    customer_id: customer.id as string,
    shipping_address_id: customer.shipping_addresses[0].id as string,
    line_items: [{ sku, quantity: 1, unit_price: "3.00" }],
  });
  return { id: Number(id.slice(4)), code, sku, customer, draft };
}

/** The scope of a merchant's own key. */
const owned = (id: number) => app.service.stores.live.scoped({ visible: id, owner: id });

/** Runs work in a transaction that stays open until `finish` is called. Returns after the work is done. */
async function leftOpen<Done>(id: number, work: (tx: Tx) => Promise<Done>) {
  const [done, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const outcome = owned(id)
    .write(async (tx) => {
      const made = await work(tx);
      // PostgreSQL has executed what was sent before once another query returns.
      await tx.sql.select({ id: orderRows.id }).from(orderRows).limit(1);
      done.resolve();
      await gate.promise;
      return made;
    })
    .catch((error: unknown) => error);
  await Promise.race([done.promise, outcome]);
  return { outcome, finish: gate.resolve };
}

const app = await openApp();
// With a second merchant, the operator has to name the merchant.
await merchantOf("ACME");

describe("refuses", () => {
  test("every record that the operator's key would create for a closed merchant without naming it", async () => {
    const { code, sku, customer, draft } = await merchantOf("BOLT");
    const receipt = await app.must("POST", "/inventory/receipts", {
      items: [{ sku, quantity: 9 }],
      location: "whs_1001",
    });
    await app.must("POST", "/inventory", { sku, quantity: 2, location: "whs_1001" });
    const gone = await app.must("POST", "/orders", draft("B-0"));
    await app.must("POST", `/orders/${gone.id}/ship`);
    const coming = await app.must("POST", "/returns", { order_id: gone.id, reason: "customer_remorse" });
    await app.must("PATCH", `/inventory/${sku}`, { adjustment: -1, reason: "lost" });
    await app.must("POST", `/merchants/${code}/close`);
    const [made, stock] = ["no new records can be created", "no units of it can come into stock"];
    const asked: [string, string, unknown, string][] = [
      ["POST", "/orders", draft("B-1"), made],
      ["POST", "/inventory", { sku, quantity: 1, location: "whs_1001" }, stock],
      ["PATCH", `/inventory/${sku}`, { adjustment: 1, reason: "found", location: "whs_1001" }, stock],
      ["POST", "/inventory/receipts", { items: [{ sku, quantity: 9 }], location: "whs_1001" }, made],
      ["POST", `/inventory/receipts/${receipt.id}/items`, { items: [{ sku, quantity: 3 }] }, stock],
      ["POST", `/customers/${customer.id}/addresses`, { ...portland, address_line1: "14 Elm St" }, made],
      [
        "PATCH",
        `/customers/${customer.id}`,
        { shipping_addresses: [{ ...portland, address_line1: "16 Elm St" }] },
        made,
      ],
      ["POST", "/returns", { order_id: gone.id, reason: "customer_remorse" }, made],
      ["POST", `/returns/${coming.id}/receive`, {}, stock],
    ];
    const refused = [];
    for (const [method, path, body] of asked) {
      const answer = await app.call(method, path, body);
      const { code: why, message } = answer.body.error ?? {};
      refused.push([method, path, answer.status, why, message]);
    }
    expect(refused).toEqual(
      asked.map(([method, path, _, what]) => [
        method,
        path,
        409,
        "merchant_closed",
        `The merchant BOLT is closed: ${what}.`,
      ]),
    );
    const { body } = await app.post("/orders/bulk", { orders: [draft("B-2"), draft("B-3")] });
    const codes = body.data.results.map((one: { status: number; error?: { code: string } }) => one.error?.code);
    expect([body.data.created, ...codes]).toEqual([0, "merchant_closed", "merchant_closed"]);
    expect(await app.must("GET", `/orders?merchant=${code}`)).toMatchObject([{ id: gone.id }]);
    expect(await app.must("GET", `/inventory?merchant=${code}`)).toMatchObject([{ on_hand: 0 }]);
    // Open work can still be ended.
    await app.must("POST", `/inventory/receipts/${receipt.id}/cancel`);
    await app.must("POST", `/returns/${coming.id}/cancel`);
  });

  test("a count that finds units of a closed merchant, and names the line", async () => {
    const [other, { code, sku }] = [await merchantOf("GALE"), await merchantOf("HAZE")];
    const open = async () => (await app.must("POST", "/inventory/counts", { location: "whs_1001" })).id;
    const line = (name: string, quantity: number) => ({ sku: name, bin: "C-1", quantity });
    const [late, posted] = [await open(), await open()];
    for (const one of ["C-1", "C-2"]) await app.must("POST", "/inventory", { sku: other.sku, quantity: 1, bin: one });
    await app.must("POST", `/inventory/counts/${late}/items`, { items: [line(sku, 2)] });
    await app.must("POST", `/inventory/counts/${late}/review`);
    await app.must("POST", `/merchants/${code}/close`);
    const found = await app.post(`/inventory/counts/${posted}/items`, { items: [line(other.sku, 3), line(sku, 1)] });
    const way = "Record the expected quantity of these lines, then review and post the count again";
    const why = "merchant HAZE is closed and cannot receive stock";
    expect([found.status, found.body.error]).toMatchObject([
      409,
      {
        code: "merchant_closed",
        message: `items[1].quantity must be 0: ${why}.`,
        details: [{ field: "items[1].quantity" }],
      },
    ]);
    const refused = await app.post(`/inventory/counts/${late}/post`);
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      {
        code: "merchant_closed",
        message: `${sku} in C-1: ${why}. ${way}.`,
        merchant: "HAZE",
        items: [{ sku, bin: "C-1", expected_quantity: 0, counted_quantity: 2 }],
      },
    ]);
    for (const [count, lines] of [
      [late, [line(sku, 0)]],
      [posted, [line(other.sku, 3), line(sku, 0)]],
    ] as const) {
      await app.must("POST", `/inventory/counts/${count}/items`, { items: lines });
      await app.must("POST", `/inventory/counts/${count}/review`);
      expect((await app.must("POST", `/inventory/counts/${count}/post`)).status).toBe("posted");
    }
    expect(await app.must("GET", `/inventory?merchant=${other.code}`)).toMatchObject([{ on_hand: 4 }]);
  });

  test("work admitted before a merchant was closed and done afterwards", async () => {
    const { id, code, sku, draft } = await merchantOf("DAWN");
    await app.must("POST", `/merchants/${code}/close`);
    const late = [
      owned(id).write((tx) => createOrder(tx, draft("D-1"), someone)),
      owned(id).write((tx) => addStock(tx, { sku, quantity: 4, location: "whs_1001" }, someone)),
      owned(id).write((tx) => createCustomer(tx, { email: "late@example.com" })),
      owned(id).write((tx) => createProduct(tx, { sku: "LATE", name: "Late" })),
    ];
    const codes = late.map((asked) => asked.catch((error: { code: string }) => error.code));
    expect(await Promise.all(codes)).toEqual(codes.map(() => "merchant_closed"));
  });

  test("to create an order from a closed merchant's store", async () => {
    const { code } = await merchantOf("CORK");
    const shop = await connectShopify(app, { merchant_id: code });
    await app.must("POST", `/merchants/${code}/close`);
    expect((await shop.tell(shopifyOrder(5001))).status).toBe(200);
    await app.runJobs();
    expect(await app.must("GET", `/orders?merchant=${code}`)).toEqual([]);
    expect(await app.must("GET", `/customers?merchant=${code}`)).toHaveLength(1);
    expect(await app.must("GET", `/platforms/${shop.id}/imports`)).toMatchObject([
      {
        status: "ignored",
        reason: { code: "merchant_closed", message: "The merchant CORK is closed: no new records can be created." },
      },
    ]);
  });
});

// SQLite has one writer, so its transactions run one after another.
describe.skipIf(engine === "sqlite")("concurrently", () => {
  test("an order that is being created prevents closing its merchant", async () => {
    const { id, draft } = await merchantOf("DUSK");
    const order = await leftOpen(id, (tx) => createOrder(tx, draft("D-1"), someone));
    const closing = app.post("/merchants/DUSK/close");
    expect(await Promise.race([closing, Bun.sleep(500).then(() => "waits")])).toBe("waits");
    order.finish();
    expect(await order.outcome).toMatchObject({ status: "pending" });
    expect((await closing).body.error).toMatchObject({ code: "merchant_not_empty", open_orders: 1 });
  });

  test("so do bulk orders and incoming units", async () => {
    const { id, sku, draft } = await merchantOf("EAST");
    const key = await app.must("POST", "/keys", { name: "east", permission: "full", merchant_id: "EAST" });
    const bulk = app.call("POST", "/orders/bulk", { orders: [draft("E-1"), draft("E-2")] }, { key: key.key });
    expect((await bulk).body.data.created).toBe(2);
    for (const { id: order } of await app.must("GET", "/orders?merchant=EAST"))
      await app.must("DELETE", `/orders/${order}`);
    const stock = await leftOpen(id, (tx) => addStock(tx, { sku, quantity: 4, location: "whs_1001" }, someone));
    const closing = app.post("/merchants/EAST/close");
    expect(await Promise.race([closing, Bun.sleep(500).then(() => "waits")])).toBe("waits");
    stock.finish();
    await stock.outcome;
    expect((await closing).body.error).toMatchObject({ code: "merchant_not_empty", units: 4 });
  });

  test("a request during the closing waits and is refused", async () => {
    const { id, sku, draft } = await merchantOf("FERN");
    const { lockMerchantAlone, saveMerchant } = await import("../../src/merchants/merchants.sql.ts");
    const closing = await leftOpen(id, async (tx) => {
      const merchant = await lockMerchantAlone(tx, "FERN");
      return saveMerchant(tx, { ...merchant, status: "closed", closed_at: tx.now });
    });
    const late = [
      owned(id).write((tx) => createOrder(tx, draft("F-1"), someone)),
      owned(id).write((tx) => addStock(tx, { sku, quantity: 4, location: "whs_1001", bin: "F-1" }, someone)),
    ].map((asked) => asked.catch((error: { code: string }) => error.code));
    expect(await Promise.race([...late, Bun.sleep(500).then(() => "waits")])).toBe("waits");
    closing.finish();
    expect(await Promise.all(late)).toEqual(["merchant_closed", "merchant_closed"]);
  });
});
