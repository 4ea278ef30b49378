// The upgrade of amounts that were kept in hundredths whatever their currency: what it rescales, rounds and lists.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type SQL, sql } from "drizzle-orm";
import { engine } from "../../src/config.ts";
import { migrations } from "../../src/database/migration_sql.ts";
import type { Store } from "../../src/database/store.ts";
import { listRounded, listUnknownCurrencies } from "../../src/operations/amounts/store.ts";
import { verifyStore } from "../../src/verification.ts";
import { openShop, type Shop } from "../orders/shop.ts";
import { connectShopify, shopifyOrder } from "../platforms/stores.ts";

interface Running {
  execute(query: SQL): Promise<unknown>;
  run(query: SQL): Promise<unknown>;
}

let shop: Shop;
let store: Store;
beforeAll(async () => {
  shop = await openShop();
  store = shop.app.service.stores.live;
}, 60_000);
afterAll(() => shop.close());

async function run(...statements: string[]): Promise<void> {
  await store.write(async (tx) => {
    const running = tx.sql as unknown as Running;
    for (const text of statements) await running[engine === "postgres" ? "execute" : "run"](sql.raw(text));
  });
}

/** What the migration does to rows that are there. */
const rescaling = migrations[engine]
  .filter(({ name }) => name.endsWith("currency_decimals"))
  .flatMap(({ statements }) => statements)
  .filter((text) => /^\s*(insert|update)\b/i.test(text));

async function sent(path: string, body: object = {}) {
  const answer = await shop.app.post(path, body);
  expect([path, answer.body.error, answer.status < 300]).toEqual([path, undefined, true]);
  return answer.body.data ?? answer.body;
}

interface Made {
  readonly product: string;
  readonly order: string;
  readonly back: string;
  readonly label: string;
}

/** A product, its receipt, an order with a label, and its return and refund, in a currency. */
async function makeAll(currency: string, price: string): Promise<Made> {
  const sku = `SKU-${currency}`;
  const product = await sent("/products", { sku, name: sku, price, currency });
  await sent("/inventory", { sku, quantity: 9, location: "whs_1001", unit_cost: price });
  const line_items = [{ product_id: product.id, quantity: 3, unit_price: price }];
  const order = await sent("/orders", shop.draft([[product, 3]], { currency, line_items, shipping_amount: price }));
  const parcel = { carrier: "local", service: "standard", package: { weight: 2, weight_unit: "lbs" } };
  const { label_id } = await sent("/shipping/labels", { order_id: order.id, ...parcel });
  await shop.act(order.id, "ship");
  const back = await sent("/returns", { order_id: order.id, reason: "not_as_described", refund_amount: price });
  await sent(`/returns/${back.id}/receive`);
  await sent(`/returns/${back.id}/inspect`, { items: [{ sku, quantity: 3, condition: "unopened" }] });
  await sent(`/returns/${back.id}/refund`);
  return { product: product.id, order: order.id, back: back.id, label: label_id };
}

/** Makes of amounts in minor units what the version before has kept: hundredths, of yen with a fraction too. */
async function asBefore(JPY: Made, KWD: Made): Promise<void> {
  const number = (id: string) => String(id).replace(/^\D+/, "");
  const old = (table: string, columns: string, id: string) => `update ${table} set ${columns} where id = ${number(id)}`;
  const back = (one: Made) => `where return_id = ${number(one.back)}`;
  const parts = (items: number, shipping = 0) =>
    `'{"items_cents":${items},"shipping_cents":${shipping},"restocking_fee_cents":0}'`;
  const text = engine === "postgres" ? "payload::text" : "payload";
  const fewer = ["3500", "4000", "7000"].reduce(
    (told, cents) => `replace(${told}, '${cents}', '${cents.slice(0, 3)}')`,
    text,
  );
  const hundredths = engine === "postgres" ? `${fewer}::json` : fewer;
  const lines = `'[{"code":"base","amount_cents":995},{"code":"fuel","amount_cents":5}]'`;
  await run(
    "update movements set unit_cost_currency = null",
    old("products", "price_cents = 123455", JPY.product),
    old("products", "price_cents = 1235", KWD.product),
    "update movements set unit_cost_cents = 123400 where unit_cost_cents = 1234 and " +
      `product_id = ${number(JPY.product)}`,
    `update movements set unit_cost_cents = 1235 where unit_cost_cents = 12345`,
    // 3 × 0.33 yen, less nothing; and shipping of a hundred and a half.
    `update order_lines set unit_price_cents = 33 where order_id = ${number(JPY.order)}`,
    `update order_lines set unit_price_cents = 1235, discount_cents = 1 where order_id = ${number(KWD.order)}`,
    old("orders", "subtotal_cents = 99, shipping_amount_cents = 10050", JPY.order),
    old("orders", "subtotal_cents = 3704, shipping_amount_cents = 125", KWD.order),
    old("returns", "refund_amount_cents = 100", JPY.back),
    old("returns", "refund_amount_cents = 1235", KWD.back),
    `update refunds set amount_cents = 100, breakdown = ${parts(50, 50)} ${back(JPY)}`,
    `update refunds set amount_cents = 1235, breakdown = ${parts(1235)} ${back(KWD)}`,
    old("labels", `currency = 'JPY', cost_cents = 1000, carrier_cost_cents = 855, breakdown = ${lines}`, JPY.label),
    old("labels", `currency = 'KWD', cost_cents = 1000, carrier_cost_cents = 800, breakdown = ${lines}`, KWD.label),
    `update platform_imports set payload = ${hundredths}`,
  );
}

const shown = async (path: string) => (await shop.app.get(path)).body.data;

async function checkGoods({ JPY, KWD, USD }: Record<"JPY" | "KWD" | "USD", Made>): Promise<void> {
  const price = async (one: Made) => (await shown(`/products/${one.product}`)).price;
  expect([await price(JPY), await price(KWD), await price(USD)]).toEqual([1235, 12.35, 12.34]);
  const cost = async (sku: string) => (await shown(`/inventory/movements?sku=${sku}`)).at(-1);
  expect(await cost("SKU-JPY")).toMatchObject({ unit_cost: 1234, currency: "JPY" });
  expect(await cost("SKU-KWD")).toMatchObject({ unit_cost: 12.35, currency: "KWD" });
  expect(await cost("SKU-USD")).toMatchObject({ unit_cost: 12.34, currency: "USD" });
  const yen = await shop.get(JPY.order);
  expect([yen.subtotal, yen.shipping_amount]).toEqual([1, 101]);
  expect(yen.line_items).toMatchObject([{ unit_price: 1, discount_amount: 2, line_total: 1 }]);
  const dinars = await shop.get(KWD.order);
  expect([dinars.subtotal, dinars.shipping_amount]).toEqual([37.04, 1.25]);
  expect(dinars.line_items).toMatchObject([{ unit_price: 12.35, discount_amount: 0.01, line_total: 37.04 }]);
  const refund = (one: Made) => shown(`/returns/${one.back}`);
  expect(await refund(JPY)).toMatchObject({ refund_amount: 1, refunds: [{ amount: 2, breakdown: { items: 1 } }] });
  expect(await refund(KWD)).toMatchObject({ refund_amount: 12.35, refunds: [{ amount: 12.35 }] });
  const label = (one: Made) => shown(`/shipping/labels/${one.label}`);
  expect(await label(JPY)).toMatchObject({
    ...{ cost: 10, carrier_cost: 9 },
    breakdown: [
      { code: "base", amount_cents: 10 },
      { code: "fuel", amount_cents: 0 },
    ],
  });
  expect((await label(KWD)).breakdown).toEqual([
    { code: "base", amount_cents: 9950 },
    { code: "fuel", amount_cents: 50 },
  ]);
}

test("amounts read as before; those that their currency cannot express are rounded half up and listed", async () => {
  const made = {
    USD: await makeAll("USD", "12.34"),
    JPY: await makeAll("JPY", "1234"),
    KWD: await makeAll("KWD", "12.345"),
  };
  const { JPY, USD } = made;
  const connected = await connectShopify(shop.app);
  await connected.tell(shopifyOrder(8001, { currency: "KWD" }));
  expect((await connected.imports())[0].status).toBe("queued");
  await asBefore(JPY, made.KWD);
  const usd = await shop.get(USD.order);
  await run(...rescaling);
  expect(await shop.get(USD.order)).toEqual(usd);
  await checkGoods(made);
  await shop.app.runJobs();
  const [imported] = await connected.imports();
  expect((await shop.get(imported.order_id)).subtotal).toBe(7);

  const [line] = (await shop.get(JPY.order)).line_items;
  const [refund] = (await shown(`/returns/${JPY.back}`)).refunds;
  expect(await store.read(listRounded)).toEqual(
    [
      [JPY.product, "price", "1234.55", "1235"],
      [line.id, "unit_price", "0.33", "1"],
      [line.id, "discount_amount", "0.00", "2"],
      [line.id, "line_total", "0.99", "1"],
      [JPY.order, "subtotal", "0.99", "1"],
      [JPY.order, "shipping_amount", "100.50", "101"],
      [refund.refund_id, "amount", "1.00", "2"],
      [refund.refund_id, "breakdown.items", "0.50", "1"],
      [refund.refund_id, "breakdown.shipping", "0.50", "1"],
      [JPY.label, "carrier_cost", "8.55", "9"],
    ].map(([record, field, before, after]) => ({ record, field, before, after, currency: "JPY" })) as never,
  );
  const [notice] = (await shop.app.get("/notices")).body.data;
  expect([notice.kind, notice.message]).toEqual([
    "amounts_rounded",
    "10 amounts had too many decimals for their currency and were rounded half up. " +
      "Run `packhouse verify` to see each amount before and after.",
  ]);
  expect(await store.read(verifyStore)).toEqual([]);
}, 60_000);

test("totals that change with their parts are listed, whole or not", async () => {
  const goods = [await shop.product(9), await shop.product(9)];
  const [first] = goods as [(typeof goods)[number]];
  const lines = (quantity: number, some: typeof goods, unit_price: number) => ({
    line_items: some.map(({ id }) => ({ product_id: id, quantity, unit_price })),
  });
  const yen = await sent("/orders", shop.draft([], { currency: "JPY", ...lines(1, goods, 1) }));
  const dinars = await sent("/orders", shop.draft([], { currency: "KWD", ...lines(3, [first], 4) }));
  await shop.act(dinars.id, "cancel_items", { items: [{ sku: first.sku, quantity: 1 }] });
  const number = (id: string) => id.replace(/^\D+/, "");
  const prices = "set unit_price_cents";
  await run(
    `update order_lines ${prices} = 50 where order_id = ${number(yen.id)}`,
    `update orders set subtotal_cents = 100 where id = ${number(yen.id)}`,
    // 10.00 for three, of which one is cancelled.
    `update order_lines ${prices} = 334, discount_cents = 2 where order_id = ${number(dinars.id)}`,
    `update orders set subtotal_cents = 667 where id = ${number(dinars.id)}`,
    "delete from rounded_amounts",
    ...rescaling,
  );
  expect([(await shop.get(yen.id)).subtotal, (await shop.get(dinars.id)).subtotal]).toEqual([2, 6.667]);
  const listed = (await store.read(listRounded)).filter(({ record }) => [yen.id, dinars.id].includes(record));
  expect(listed).toEqual([
    { record: yen.id, field: "subtotal", before: "1.00", after: "2", currency: "JPY" },
    { record: dinars.id, field: "subtotal", before: "6.67", after: "6.667", currency: "KWD" },
  ]);
}, 60_000);

test("amounts in a currency that is none stay as they are, and are listed", async () => {
  const { id } = await shop.product(0, "OLD");
  await run("update products set currency = 'ZZZ' where sku = 'OLD'");
  const { price, currency } = (await shop.app.get(`/products/${id}`)).body.data;
  expect([price, currency]).toEqual([10, "ZZZ"]);
  expect(await store.read(listUnknownCurrencies)).toEqual([{ records: "products", currency: "ZZZ", count: 1 }]);
});
