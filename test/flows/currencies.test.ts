// Amounts in currencies with zero, two and three decimals, from a product and an order to its refund.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { openShop } from "../build/shop.ts";
import { connectShopify, shopifyLine, shopifyOrder, take } from "../platforms/stores.ts";

setDefaultTimeout(30_000);

const shop = await openShop();

async function refused(path: string, body: object) {
  const { status, body: answer } = await shop.app.post(path, body);
  return [
    status,
    answer.error?.code,
    answer.error?.details?.map(({ field, message }: Wrong) => `${field}: ${message}`),
  ];
}
interface Wrong {
  readonly field: string;
  readonly message: string;
}

const no_decimals = "must be an amount with no decimals for JPY";
const iso = "must be an ISO 4217 code, such as USD";

describe("refused", () => {
  test("more decimals than the currency has, with field and value", async () => {
    const product = { sku: "J", name: "J", currency: "JPY" };
    expect(await refused("/products", { ...product, price: "100.55" })).toEqual([
      422,
      "validation_failed",
      [`price: ${no_decimals} (got 100.55)`],
    ]);
    const rice = await shop.product({ sku: "RICE", units: 5 });
    expect(await refused("/orders", shop.draft([[rice, 1]], { currency: "JPY" }))).toEqual([
      422,
      "validation_failed",
      [`line_items[0].unit_price: ${no_decimals} (got 12.50)`],
    ]);
    const line_items = [{ product_id: rice.id, quantity: 1, unit_price: 5 }];
    const dear = { currency: "JPY", line_items, shipping_amount: 0.5 };
    expect((await refused("/orders", shop.draft([[rice, 1]], dear)))[2]).toEqual([
      `shipping_amount: ${no_decimals} (got 0.5)`,
    ]);
    expect((await refused("/orders", shop.draft([[rice, 1]], { shipping_amount: "4.005" })))[2]).toEqual([
      "shipping_amount: must be an amount with at most two decimals for USD (got 4.005)",
    ]);
    expect(await shop.told()).toEqual([]);
  });

  test.each(["ZZZ", "XAU", "CLF"])("%s, which is not a currency, in every field that takes one", async (currency) => {
    const wrong = [`currency: ${iso} (got "${currency}")`];
    const tea = { sku: `T-${currency}`, name: "T" };
    expect(await refused("/products", { ...tea, currency })).toEqual([422, "validation_failed", wrong]);
    const order = shop.draft([[{ id: "prd_1001" }, 1]], { currency });
    expect(await refused("/orders", order)).toEqual([422, "validation_failed", wrong]);
    const merchant = { code: `M-${currency}`, name: "M", currency };
    expect(await refused("/merchants", merchant)).toEqual([422, "validation_failed", wrong]);
    const card = { service: "slow", name: "Slow", currency, prices: [{ zone: "*", up_to_pounds: 1, price: 1 }] };
    const whole = { ...card, transit_days: [{ zone: "*", days: 1 }] };
    expect(await refused("/shipping/rate_cards", whole)).toEqual([422, "validation_failed", wrong]);
  });
});

test("an order in dinars is exact to the fils, including its refund", async () => {
  const oud = await shop.app.create("/products", { sku: "OUD", name: "Oud", price: "12.345", currency: "KWD" });
  expect([oud.price, oud.currency]).toEqual([12.345, "KWD"]);
  await shop.app.create("/inventory", { sku: "OUD", quantity: 10, location: "whs_1001", unit_cost: "1.005" });
  const [receipt] = (await shop.app.get("/inventory/movements?sku=OUD")).body.data;
  expect([receipt.unit_cost, receipt.currency]).toEqual([1.005, "KWD"]);

  const line_items = [{ product_id: oud.id, quantity: 3, unit_price: "12.345" }];
  const kuwait = { currency: "KWD", line_items, shipping_amount: "1.250" };
  const order = await shop.app.create("/orders", shop.draft([[oud, 3]], kuwait));
  expect(order).toMatchObject({ subtotal: 37.035, shipping_amount: 1.25, currency: "KWD" });
  const split = { line_items: [{ product_id: oud.id, quantity: 3, line_total: "37.000" }], currency: "KWD" };
  const [line] = (await shop.app.create("/orders", shop.draft([[oud, 3]], split))).line_items;
  // The lowest price that covers the total, and the rest as a discount: the total is unchanged.
  expect(line).toMatchObject({ unit_price: 12.334, discount_amount: 0.002, line_total: 37 });

  await shop.act(order.id, "ship");
  const slip = (await shop.app.get(`/orders/${order.id}/packing_slip?format=json&prices=true`)).body.data;
  expect(slip.items[0]).toMatchObject({ unit_price: 12.345, amount: 37.035 });
  const back = await shop.app.create("/returns", {
    order_id: order.id,
    reason: "not_as_described",
    refund_amount: "12.345",
  });
  expect([back.refund_amount, back.currency]).toEqual([12.345, "KWD"]);
  await shop.app.create(`/returns/${back.id}/receive`);
  await shop.app.create(`/returns/${back.id}/inspect`, { items: [{ sku: "OUD", quantity: 3, condition: "unopened" }] });
  expect((await refused(`/returns/${back.id}/refund`, { amount: "37.036" }))[2]).toEqual([
    "amount: must be at most 37.035",
  ]);
  const refund = await shop.app.create(`/returns/${back.id}/refund`);
  expect([refund.amount, refund.currency]).toEqual([12.345, "KWD"]);
  const { totals } = (await shop.app.get("/reports/sales?from=2026-01-01&to=2026-01-02")).body.data;
  expect(totals.find(({ currency }: { currency: string }) => currency === "KWD")).toMatchObject({ revenue: 74.035 });
});

test("a product that changes currency keeps the digits of its price, or is refused", async () => {
  const { id } = await shop.app.create("/products", { sku: "FAN", name: "Fan", price: "1200.00" });
  const changed = async (body: object) => {
    const { body: answer } = await shop.app.call("PATCH", `/products/${id}`, body);
    return answer.error?.details ?? [answer.data.price, answer.data.currency];
  };
  expect(await changed({ currency: "JPY" })).toEqual([1200, "JPY"]);
  expect(await changed({ currency: "KWD", price: "3.755" })).toEqual([3.755, "KWD"]);
  expect(await changed({ currency: "USD" })).toMatchObject([{ field: "price" }]);
});

test("the values of a count are totaled by currency", async () => {
  await shop.app.create("/products", { sku: "YEN", name: "Yen", price: "150", currency: "JPY" });
  for (const sku of ["YEN", "RICE"])
    await shop.app.create("/inventory", { sku, quantity: 4, location: "whs_1001", bin: `C-${sku}` });
  const { id } = await shop.app.create("/inventory/counts", { location: "whs_1001", bins: ["C-YEN", "C-RICE"] });
  for (const sku of ["YEN", "RICE"]) {
    await shop.app.create(`/inventory/counts/${id}/items`, { items: [{ sku, bin: `C-${sku}`, quantity: 2 }] });
  }
  const { summary } = await shop.app.create(`/inventory/counts/${id}/review`);
  expect(summary).toMatchObject({ value_net: null, currency: null });
  expect(summary.values).toEqual([
    { value_over: 0, value_short: 300, value_net: -300, currency: "JPY" },
    { value_over: 0, value_short: 20, value_net: -20, currency: "USD" },
  ]);
  await shop.app.create(`/inventory/counts/${id}/cancel`);
});

describe("orders imported from a shop", () => {
  test.each([
    ["KWD", "12.345", 37.035],
    // A unit price with more decimals than its currency is rounded once, for the whole line.
    ["USD", "13.345", 40.04],
    ["JPY", "1000.50", 3002],
  ])("three of %s %s cost %d", async (currency, price, subtotal) => {
    const connected = await connectShopify(shop.app);
    const line = shopifyLine(1, { sku: "RICE", price, quantity: 3, current_quantity: 3 });
    const order = await take(
      shop.app,
      connected,
      shopifyOrder(7000 + Math.floor(subtotal), { currency, line_items: [line] }),
    );
    expect([order.subtotal, order.currency]).toEqual([subtotal, currency]);
  });

  test("an order in an unknown currency is not imported, and the error is reported", async () => {
    const connected = await connectShopify(shop.app);
    const { body } = await connected.tell(shopifyOrder(7990, { currency: "ZZZ" }));
    await shop.app.runJobs();
    expect((await shop.app.get(`/orders/${body.order_id}`)).status).toBe(404);
  });
});
