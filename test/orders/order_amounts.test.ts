// Amounts of lines, orders and refunds: for any sequence of cancels, shipments and returns, the parts add up.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openShop } from "../build/shop.ts";

const shop = await openShop();

const cents = (amount: number) => Math.round(amount * 100);

/** The cost of some units of a line, rounded half up. */
const share = (total: number, units: number, all: number) =>
  Number((2n * BigInt(total) * BigInt(units) + BigInt(all)) / (2n * BigInt(all)));

const placed = (line_items: readonly object[], fields: object = {}) =>
  shop.app.post("/orders", shop.draft([], { line_items, ...fields }));

describe("works", () => {
  test.each([
    ["a price alone", { unit_price: "3.50" }, [3.5, 0, 10.5]],
    ["a discount", { unit_price: "14.00", discount_amount: "6.3" }, [14, 6.3, 35.7]],
    ["a total", { unit_price: "3.34", line_total: "10.00" }, [3.34, 0.02, 10]],
    ["a total alone, of the least price that covers it", { line_total: 10 }, [3.34, 0.02, 10]],
    ["a total alone that a price makes", { line_total: "9.99" }, [3.33, 0, 9.99]],
    ["all that agree", { unit_price: 5, discount_amount: 15, line_total: 0 }, [5, 15, 0]],
  ])("%s", async (_, told, [unit_price, discount_amount, line_total]) => {
    const { sku } = await shop.product({ units: 3 });
    const { status, body } = await placed([{ sku, quantity: 3, ...told }]);
    expect(status).toBe(201);
    const line = { unit_price, discount_amount, line_total };
    expect(body.data).toMatchObject({ subtotal: line_total, line_items: [line] });
    expect((await shop.app.takeEvents()).find(({ type }) => type === "order.created")?.data).toMatchObject({
      subtotal: line_total,
      line_items: [line],
    });
    // The response of a GET can be sent back and changes nothing.
    const again = await shop.app.patch(`/orders/${body.data.id}`, body.data);
    expect([again.status, again.body.data.revision]).toEqual([200, 1]);
  });

  test.each([
    ["a price", { quantity: 1_000_000, unit_price: "20000.01" }, 20_000_010_000],
    ["a total", { quantity: 1, line_total: "1000000000000" }, 1_000_000_000_000],
    ["a discount", { quantity: 1000, unit_price: "999999999.99", discount_amount: "500000000000.01" }, 499999999989.99],
  ])("%s with the highest amount of a line, which can be sent back", async (_, told, line_total) => {
    const { sku } = await shop.product();
    const { status, body } = await placed([{ sku, ...told }]);
    expect([status, body.data.line_items[0].line_total]).toEqual([201, line_total]);
    const again = await shop.app.patch(`/orders/${body.data.id}`, body.data);
    expect([again.status, again.body.data.revision]).toEqual([200, 1]);
    const file = (await shop.app.get(`/orders/export.csv?order_number=${body.data.order_number}`)).body;
    const taken = await shop.app.call("POST", "/orders/import", file, { headers: { "content-type": "text/csv" } });
    expect(taken.body.data).toMatchObject({ unchanged: 1, failed: 0 });
  });

  test("other amounts on the same lines make a different order", async () => {
    const { sku } = await shop.product({ units: 4 });
    const { id } = (await placed([{ sku, quantity: 4, unit_price: 2 }])).body.data;
    const patched = await shop.app.patch(`/orders/${id}`, { line_items: [{ sku, quantity: 4, line_total: "7.99" }] });
    expect(patched.body.data).toMatchObject({ revision: 2, subtotal: 7.99, line_items: [{ discount_amount: 0.01 }] });
    const bulk = await shop.app.create("/orders/bulk", {
      orders: [shop.draft([], { line_items: [{ sku, quantity: 3, line_total: "0.01" }] })],
    });
    expect(bulk.results[0].data).toMatchObject({ subtotal: 0.01, line_items: [{ discount_amount: 0.02 }] });
  });

  test("a CSV file contains discounts and totals, and exports them again", async () => {
    const { sku } = await shop.product({ units: 9 });
    const head = "order_number,customer_email,sku,quantity,unit_price,discount_amount,line_total";
    const file = [head, `M-1,jane@example.com,${sku},3,,,10.00`, `M-1,,${sku},2,5.00,0.01,`].join("\n");
    const imports = async (text: string) =>
      (await shop.app.call("POST", "/orders/import", text, { headers: { "content-type": "text/csv" } })).body.data;
    expect(await imports(file)).toMatchObject({ created: 1, failed: 0 });
    const told = await shop.app.get("/orders/export.csv?order_number=M-1");
    const [names = "", ...rows] = told.body.trim().split("\r\n");
    const columns = ["unit_price", "discount_amount", "line_total"].map((name) => names.split(",").indexOf(name));
    expect(rows.map((row: string) => columns.map((at) => row.split(",")[at]))).toEqual([
      ["3.34", "0.02", "10"],
      ["5", "0.01", "9.99"],
    ]);
    expect(await imports(told.body)).toMatchObject({ unchanged: 1, failed: 0 });
    expect(await imports(file.replace("10.00", "10.01"))).toMatchObject({ failed: 1, errors: [{ line: 2 }] });
    const without = [head, `M-2,jane@example.com,${sku},3,,,`].join("\n");
    expect(await imports(without)).toMatchObject({ errors: [{ line: 2, field: "unit_price" }] });
  });

  test("a packing slip with prices shows the amount of each parcel, and they add up", async () => {
    const { sku } = await shop.product({ units: 3 });
    const { id } = (await placed([{ sku, quantity: 3, line_total: "1.00" }])).body.data;
    const one = { items: [{ sku, quantity: 1 }] };
    const { shipments } = await shop.act(id, "pack", { packages: [one, one, one] });
    const slip = async (query: string) =>
      (await shop.app.get(`/orders/${id}/packing_slip?format=json&prices=true${query}`)).body.data.items[0];
    const parts = [];
    for (const parcel of shipments) parts.push((await slip(`&shipment_id=${parcel.id}`)).amount);
    expect(parts).toEqual([0.33, 0.34, 0.33]);
    expect(await slip("")).toMatchObject({ unit_price: 0.34, discount_amount: 0.02, line_total: 1, amount: 1 });
  });

  test("a cancelled order costs nothing everywhere, however it was cancelled", async () => {
    const { sku } = await shop.product({ units: 9 });
    const email = "nothing@example.com";
    const address = { address_line1: "1 Elm St", city: "Salem", state: "OR", postal_code: "97301", country: "US" };
    const customer = (await shop.app.post("/customers", { email, shipping_addresses: [address] })).body;
    const fields = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
    const order = async () =>
      (await placed([{ sku, quantity: 3, line_total: 10 }], { ...fields, shipping_amount: 5 })).body.data;
    const [whole, units, held] = [await order(), await order(), await order()];
    await shop.act(held.id, "hold");
    await shop.app.takeEvents();
    for (const { id } of [whole, held]) await shop.cancel(id);
    for (const left of [6.67, 3.33, 0]) {
      const less = await shop.act(units.id, "cancel_items", { items: [{ sku, quantity: 1 }] });
      expect(less.subtotal).toBe(left);
    }
    const cancelled = (await shop.app.takeEvents()).filter(({ type }) => type === "order.cancelled");
    expect(cancelled.map(({ data }) => data["subtotal"])).toEqual([0, 0, 0]);
    const listed = (await shop.app.get(`/orders?customer_id=${customer.id}`)).body.data;
    expect(listed.map(({ subtotal }: { subtotal: number }) => subtotal)).toEqual([0, 0, 0]);
    for (const { id } of [whole, units, held]) {
      expect(await shop.get(id)).toMatchObject({ status: "cancelled", subtotal: 0, line_items: [{ line_total: 10 }] });
    }
    const { order_history } = (await shop.app.get(`/customers/${customer.id}`)).body;
    expect(order_history.map(({ total }: { total: number }) => total)).toEqual([0, 0, 0]);
  });

  test("refunds follow the order of inspections, whichever return was first", async () => {
    const { sku } = await shop.product({ units: 3 });
    const { id } = (await placed([{ sku, quantity: 3, line_total: "0.10" }])).body.data;
    await shop.act(id, "ship");
    const one = [{ sku, quantity: 1, condition: "damaged" }];
    const returns: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      returns.push((await shop.app.create("/returns", { order_id: id, reason: "defective", items: one })).id);
    }
    const paid = [];
    for (const back of returns.reverse()) {
      await shop.app.create(`/returns/${back}/receive`);
      await shop.app.create(`/returns/${back}/inspect`, { items: one });
      paid.push((await shop.app.create(`/returns/${back}/refund`)).amount);
    }
    expect(paid).toEqual([0.03, 0.04, 0.03]);
  });

  test("units of a cancelled order that a carrier took keep their amount", async () => {
    const { sku } = await shop.product({ units: 3 });
    const { id } = (await placed([{ sku, quantity: 3, line_total: 10 }])).body.data;
    await shop.act(id, "pack");
    const parcel = { carrier: "local", service: "standard", package: { weight: 1, weight_unit: "lb" } };
    const { tracking_number } = await shop.app.create("/shipping/labels", { order_id: id, ...parcel });
    await shop.cancel(id);
    expect((await shop.get(id)).subtotal).toBe(0);
    await shop.app.post(`/tracking/${tracking_number}/events`, { status: "picked_up" });
    expect(await shop.get(id)).toMatchObject({
      status: "on_hold",
      subtotal: 10,
      line_items: [{ quantity_shipped: 3 }],
    });
  });

  test("lines with the same product are added up before stock is checked", async () => {
    const { sku } = await shop.product({ units: 5 });
    const lines = [
      { sku, quantity: 3, unit_price: 1 },
      { sku, quantity: 3, line_total: 1 },
    ];
    const { status, body } = await placed(lines, { allow_backorder: false });
    expect([status, body.error.code]).toEqual([409, "insufficient_inventory"]);
    expect(body.error.shortages).toEqual([expect.objectContaining({ sku, requested: 6, available: 5 })]);
    expect((await placed(lines.slice(0, 1), { allow_backorder: false })).status).toBe(201);
  });
});

/** The story of an order with one line: the units of each act, and the order of its returns. */
const story = fc.record({
  quantity: fc.integer({ min: 3, max: 9 }),
  total: fc.oneof(fc.nat(30), fc.nat(9_999)),
  acts: fc.array(fc.tuple(fc.constantFrom("cancel", "ship", "return", "return"), fc.integer({ min: 1, max: 2 })), {
    maxLength: 6,
  }),
  shuffle: fc.array(fc.nat(), { minLength: 9, maxLength: 9 }),
  in_two: fc.boolean(),
});

test("every sequence of cancels, parcels, returns and refunds adds up to the cent", async () => {
  const told = fc.sample(story, { numRuns: 15, seed: 42 });
  for (const one of told) await play(one);
}, 60_000);

type Story = typeof story extends fc.Arbitrary<infer Told> ? Told : never;

async function play({ quantity, total, acts, shuffle, in_two }: Story): Promise<void> {
  const { sku } = await shop.product({ units: quantity });
  const { id } = (await placed([{ sku, quantity, line_total: (total / 100).toFixed(2) }])).body.data;
  const units = { cancelled: 0, shipped: 0, returned: 0 };
  const returns: string[] = [];
  const open = () => quantity - units.cancelled - units.shipped;
  const end = [["ship", quantity] as const, ...Array(quantity).fill(["return", 1] as const)];
  for (const [act, wish] of [...acts, ...end]) {
    const items = (count: number) => [{ sku, quantity: count }];
    const count = Math.min(wish, act === "return" ? units.shipped - units.returned : open());
    if (count <= 0) continue;
    if (act === "cancel") {
      await shop.act(id, "cancel_items", { items: items(count) });
      units.cancelled += count;
    } else if (act === "ship") {
      await shop.act(id, "pack", { packages: [{ items: items(count) }] });
      await shop.act(id, "ship");
      units.shipped += count;
    } else {
      returns.push((await shop.app.create("/returns", { order_id: id, reason: "defective", items: items(count) })).id);
      units.returned += count;
    }
    expect(cents((await shop.get(id)).subtotal)).toBe(share(total, quantity - units.cancelled, quantity));
  }
  const inTurn = (of: readonly string[], from: number) =>
    of.toSorted((a, b) => (shuffle[from + of.indexOf(a)] ?? 0) - (shuffle[from + of.indexOf(b)] ?? 0));
  let refunded = 0;
  const inspected: string[] = [];
  for (const one of inTurn(returns, 0)) {
    const { items } = await shop.app.create(`/returns/${one}/receive`);
    const found = items.map(({ quantity }: { quantity: number }) => ({ sku, quantity, condition: "damaged" }));
    await shop.app.create(`/returns/${one}/inspect`, { items: found });
    inspected.push(one);
    // Some are paid at once, others after later ones were inspected.
    if ((shuffle[returns.indexOf(one)] ?? 0) % 2 === 0) refunded += await refund(one, in_two);
  }
  const unpaid = async (one: string) => (await shop.app.get(`/returns/${one}`)).body.data.refunds.length === 0;
  for (const one of inTurn(inspected, 2)) if (await unpaid(one)) refunded += await refund(one, in_two);
  expect(refunded).toBe(share(total, units.returned, quantity));
  expect(refunded).toBeLessThanOrEqual(cents((await shop.get(id)).subtotal));
}

/** Refunds the full amount of a return, in one or two refunds. Returns the cents. */
async function refund(id: string, in_two: boolean): Promise<number> {
  const path = `/returns/${id}/refund`;
  const first = in_two ? await shop.app.post(path, { amount: "0.01" }) : null;
  const rest = await shop.app.post(path, {});
  const paid = [first, rest].flatMap((answer) => (answer?.status === 201 ? [cents(answer.body.data.amount)] : []));
  expect(paid.every((amount) => amount >= 0)).toBe(true);
  const more = await shop.app.post(path, { amount: "0.01" });
  expect([more.status, more.body.error.code]).toEqual([422, "refund_exceeds_amount"]);
  return paid.reduce((sum, amount) => sum + amount, 0);
}

describe("refuses", () => {
  test.each([
    ["no money at all", {}, "unit_price", "required"],
    ["a discount without its price", { line_total: 3, discount_amount: 1 }, "unit_price", "required"],
    ["a discount of more than the price", { unit_price: 1, discount_amount: "3.01" }, "discount_amount", "too_large"],
    ["a total of more than the price", { unit_price: "3.33", line_total: 10 }, "line_total", "too_large"],
    ["a total beside another discount", { unit_price: 4, discount_amount: 2, line_total: 9 }, "line_total", "conflict"],
    ["more than can be counted", { unit_price: 9_999_999_999, quantity: 1_000_000 }, "unit_price", "too_large"],
    ["a total of more than a line may cost", { line_total: "1000000000000.01" }, "line_total", "too_large"],
    ["half a cent", { line_total: "1.005" }, "line_total", "invalid_format"],
    ["a negative discount", { unit_price: 1, discount_amount: -1 }, "discount_amount", "invalid_format"],
  ])("%s", async (_, told, field, code) => {
    const { sku } = await shop.product({ units: 1 });
    const good = { sku, quantity: 1, unit_price: 1 };
    const { status, body } = await placed([good, { sku, quantity: 3, ...told }]);
    expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    expect(body.error.details[0]).toMatchObject({ field: `line_items[1].${field}` });
    if (code !== "invalid_format") expect(body.error.details[0].code).toBe(code);
  });
});
