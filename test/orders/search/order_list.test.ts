import { expect, test } from "bun:test";
import { engine } from "../../../src/core/config.ts";
import type { PagePosition, PageWindow } from "../../../src/core/schema.ts";
import {
  listOrders,
  type OrderSearchResult,
  type OrderSort,
  orderPosition,
  type SearchBounds,
  searchOrders,
} from "../../../src/orders/search/order_list.sql.ts";
import { readSearch } from "../../../src/orders/search/order_search.sql.ts";
import { start } from "../../build/service.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
const tea = await shop.product({ sku: "TEA" });
const cup = await shop.product({ sku: "CUP" });
for (let n = 0; n < 12; n += 1) {
  shop.app.clocks.live.advance(1000);
  await shop.order([[n % 5 === 1 ? cup : tea, 1]], { priority: n % 3 });
}
// The oldest change last: recent changes are not the newest orders.
for (const id of ["ord_1007", "ord_1002", "ord_1004"]) {
  shop.app.clocks.live.advance(1000);
  await shop.act(id, "hold", { reason: "payment" });
}

/** The ids of all pages of two, by cursors. */
async function walked(updated_after: number, sort: OrderSort, few: number): Promise<number[]> {
  const ids: number[] = [];
  for (let after: PagePosition | null = null; ; ) {
    const window = { limit: 2, offset: 0, after };
    const page = await shop.app.service.stores.live.read((db) => listOrders(db, { updated_after }, window, sort, few));
    const last = page.at(-1);
    if (last === undefined) return ids;
    ids.push(...page.map(({ id }) => id));
    after = orderPosition(last, sort);
  }
}

test.each([
  ["created_at", [1002, 1004, 1007, 1010, 1011, 1012]],
  ["-created_at", [1012, 1011, 1010, 1007, 1004, 1002]],
  ["priority", [1012, 1002, 1011, 1004, 1007, 1010]],
] as const)("orders that changed are the same by %s, whether they are few or many", async (sort, ids) => {
  for (const few of [100, 0]) expect(await walked(start + 10_000, sort, few)).toEqual([...ids]);
});

test.skipIf(engine === "postgres")(
  "concurrent requests for the newest orders share a query, until something changes",
  async () => {
    const { live } = shop.app.service.stores;
    const newest = () => live.read((db) => listOrders(db, {}, { limit: 3, offset: 0, after: null }, "-created_at"));
    // On a busy machine too much time may pass between the two.
    for (let shared = false; !shared; ) {
      const [one, other] = await Promise.all([newest(), newest()]);
      shared = one === other;
    }
    const before = await newest();
    await shop.act("ord_1012", "hold", { reason: "payment" });
    expect([before, await newest()].map(([order]) => order?.held)).toEqual([false, true]);
    await shop.act("ord_1012", "release", {});
  },
);

/** The ids of the orders with a SKU, page by page, and the total of the first page. */
async function searched(sku: string, sort: OrderSort, bounds: SearchBounds) {
  const ids: number[] = [];
  const totals = new Set<number | null>();
  for (let after: PagePosition | null = null; ; ) {
    const window: PageWindow = { limit: 2, offset: 0, after };
    const { stores } = shop.app.service;
    const page: OrderSearchResult = await stores.live.read((db) => searchOrders(db, { sku }, window, sort, bounds));
    ids.push(...page.rows.map(({ id }) => id));
    totals.add(page.total);
    const last = page.rows.at(-1);
    if (page.total === null && page.end !== null) after = page.end;
    else if (page.rows.length === 2 && last !== undefined) after = orderPosition(last, sort);
    else return { ids, first_total: [...totals][0] };
  }
}

test.each(["created_at", "-created_at", "updated_at", "-updated_at", "priority"] as const)(
  "a search by %s finds the same with lookups and by reading the list, at any depth",
  async (sort) => {
    for (const [sku, own] of [
      ["TEA", [1001, 1003, 1004, 1005, 1006, 1008, 1009, 1010, 1011]],
      ["CUP", [1002, 1007, 1012]],
    ] as const) {
      const { ids, first_total } = await searched(sku, sort, { candidates: 100, walk: 1 });
      expect(first_total).toBe(own.length);
      expect(ids.toSorted((a, b) => a - b)).toEqual([...own]);
      for (const walk of [3, 5, 100]) {
        expect(await searched(sku, sort, { candidates: 100, walk })).toEqual({ ids, first_total });
        expect(await searched(sku, sort, { candidates: 2, walk })).toEqual({ ids, first_total: null });
      }
    }
  },
);

test("all orders with a product are found by its index in the same way, once and in the right place", async () => {
  const [rice, salt] = [await shop.product({ sku: "RICE" }), await shop.product({ sku: "SALT" })];
  const units = [rice, 1] as const;
  shop.app.clocks.live.advance(1000);
  await shop.order([units, [rice, 2]]);
  const later = await shop.order([[salt, 1]]);
  const file = [
    "order_number,status,customer_email,address_line1,city,state,postal_code,country,sku,quantity,line_total," +
      "created_at,cancelled_at",
    "OLD,cancelled,jane@example.com,12 Elm St,Portland,OR,97201,US,RICE,1,10,2025-03-01,2025-03-02",
  ].join("\n");
  const headers = { "content-type": "text/csv" };
  const key = shop.app.keys.live.full;
  const past = await shop.app.call("POST", "/orders/import?history=true", file, { key, headers });
  expect(past.body.data).toMatchObject({ created: 1, errors: [] });
  shop.app.clocks.live.advance(60_000);
  await shop.order([units]);
  // A line that is added later is indexed under its order's time.
  const change = { line_items: [salt, rice].map(({ id }) => ({ product_id: id, quantity: 1, unit_price: "1.00" })) };
  const changed = await shop.app.patch(`/orders/${later.id}`, change);
  expect([changed.status, changed.body.error]).toEqual([200, undefined]);
  const bounds: SearchBounds = { candidates: 100, walk: 100 };
  for (const sort of ["created_at", "-created_at"] as const) {
    const found = async (filter: object, after: PagePosition | null) =>
      shop.app.service.stores.live.read((db) => searchOrders(db, filter, { limit: 2, offset: 0, after }, sort, bounds));
    const search = readSearch("rice");
    for (let after: PagePosition | null = null; ; ) {
      const pages = [await found({ sku: "RICE" }, after), await found({ search }, after)];
      const expected = await found({ sku: "RICE", created_after: 0 }, after);
      for (const page of pages) expect(page.rows).toEqual(expected.rows);
      if (after === null) expect(pages.map(({ total }) => total)).toEqual([4, 4]);
      const last = expected.rows.at(-1);
      if (last === undefined) break;
      after = orderPosition(last, sort);
    }
  }
});
