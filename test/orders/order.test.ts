import { describe, expect, test } from "bun:test";
import { fulfillmentStatus, type OrderLine } from "../../src/orders/order.ts";
import { subtotalOf } from "../../src/orders/order_lines.ts";

describe("the progress of an order's units", () => {
  const line = (counts: Partial<OrderLine>): OrderLine => ({
    components: null,
    id: 1,
    product_id: 1,
    sku: "A",
    name: "a",
    quantity: 10,
    unit_price_cents: 1,
    discount_cents: 0,
    quantity_packed: 0,
    quantity_shipped: 0,
    quantity_delivered: 0,
    quantity_returned: 0,
    quantity_cancelled: 0,
    wanted: 0,
    reserved: 0,
    picked: 0,
    ...counts,
  });
  const packed = { quantity_packed: 10 };
  const shipped = { ...packed, quantity_shipped: 10 };
  const delivered = { ...shipped, quantity_delivered: 10 };
  test.each([
    ["nothing", [line({}), line({})], "unfulfilled"],
    ["one packed", [line({}), line({ quantity_packed: 1 })], "partially_fulfilled"],
    ["all packed", [line(packed), line(packed)], "fulfilled"],
    ["one line shipped", [line(shipped), line(packed)], "partially_shipped"],
    ["all shipped", [line(shipped), line(shipped)], "shipped"],
    ["one line delivered", [line(shipped), line(delivered)], "partially_delivered"],
    ["all delivered", [line(delivered), line(delivered)], "delivered"],
    ["all that is not cancelled", [line(delivered), line({ quantity_cancelled: 10 })], "delivered"],
    ["all cancelled", [line({ quantity_cancelled: 10 })], "unfulfilled"],
  ])("%s", (_, lines, status) => {
    expect(fulfillmentStatus(lines)).toBe(status as ReturnType<typeof fulfillmentStatus>);
  });
});

test("a subtotal is exact in cents, or refused", () => {
  expect(
    subtotalOf([
      { quantity: 3, unit_price_cents: 1999, discount_cents: 0 },
      { quantity: 1_000_000, unit_price_cents: 1, discount_cents: 0 },
    ]),
  ).toBe(1_005_997);
  const dear = { quantity: 1_000_000, unit_price_cents: 900_000_000_000, discount_cents: 0 };
  expect(() => subtotalOf([dear])).toThrow("line_items");
});
