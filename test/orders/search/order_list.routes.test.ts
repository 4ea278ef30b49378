import { describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
const tea = await shop.product({ sku: "TEA-250" });
const cup = await shop.product({ sku: "Cup-1", units: 20 });
for (const [order_number, product] of [
  ["WEB-2026-10423", tea],
  ["WEB-2026-10424", cup],
  ["10423-B", cup],
] as const) {
  await shop.order([[product, 1]], { order_number });
  shop.app.clocks.live.advance(1000);
}
await shop.act("ord_1002", "ship", { tracking_number: "1Z 999 AA1 01 2345 6784" });
await shop.act("ord_1003", "hold", { reason: "address" });

const found = async (query: Record<string, string>) => {
  const { status, body } = await shop.app.get(`/orders?${new URLSearchParams(query)}`);
  return status === 200 ? body.data.map(({ id }: { id: string }) => id) : body.error.code;
};

describe("works", () => {
  test.each([
    ["a whole order number, in any case", "web-2026-10423", ["ord_1001"]],
    ["its beginning", "WEB-2026", ["ord_1002", "ord_1001"]],
    ["the digits at its end, and those that begin another", "10423", ["ord_1003", "ord_1001"]],
    ["an id", "ord_1002", ["ord_1002"]],
    ["an e-mail address", "Jane@Example.com", ["ord_1003", "ord_1002", "ord_1001"]],
    ["a surname and a SKU", "doe tea-250", ["ord_1001"]],
    ["a part of a SKU", "cup", ["ord_1003", "ord_1002"]],
    ["a tracking number without its spaces", "1z999aa10123456784", ["ord_1002"]],
    ["a tracking number in other groups", " 1Z999 AA10123 45-6784 ", ["ord_1002"]],
    ["words that mean different orders", "tea-250 cup-1", []],
    ["the middle of a word", "ane", []],
  ])("a search for %s", async (_, q, ids) => {
    expect(await found({ q })).toEqual(ids);
  });

  test("a customer is found by the old name and the new one", async () => {
    await shop.app.patch(`/customers/${shop.customer.id}`, { last_name: "Doe-Müller" });
    for (const q of ["doe", "müller", "MÜLLER jane"])
      expect(await found({ q, order_number: "10423-B" })).toHaveLength(1);
    await shop.app.patch(`/customers/${shop.customer.id}`, { last_name: "Doe" });
    await shop.app.patch(`/customers/${shop.customer.id}`, { last_name: "Doe-Müller" });
    expect(await found({ q: "müller" })).toHaveLength(3);
  });

  test("a cursor skips nothing when orders are created in between", async () => {
    const first = await shop.app.get("/orders?q=jane&limit=2");
    const product = await shop.product({ units: 1 });
    const later = await shop.order([[product, 1]]);
    const cursor = first.body.meta.pagination.next_cursor;
    expect(await found({ q: "jane", limit: "2", cursor })).toEqual(["ord_1001"]);
    expect((await found({ q: "jane" }))[0]).toBe(later.id);
  });
});

describe("refuses", () => {
  test("a cursor of another search, filter or sort", async () => {
    const { body } = await shop.app.get("/orders?q=jane&limit=1");
    const cursor = body.meta.pagination.next_cursor;
    expect(await found({ cursor, q: "doe" })).toBe("invalid_cursor");
    expect(await found({ cursor })).toBe("invalid_cursor");
    expect(await found({ cursor, q: "jane", status: "shipped" })).toBe("invalid_cursor");
    expect(await found({ cursor, q: "jane", sort: "priority" })).toBe("invalid_cursor");
    expect(await found({ cursor, q: "jane", page: "2" })).toBe("validation_failed");
  });

  test("an empty search, and one that is too long", async () => {
    expect(await found({ q: "" })).toBe("validation_failed");
    expect(await found({ q: "x".repeat(201) })).toBe("validation_failed");
  });
});
