// Both strategies of the order search find the same: by candidates, and by scanning the list in stretches.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { order_lines, orders } from "../../db/schema/orders.ts";
import type { PagePosition, PageWindow } from "../../src/core/schema.ts";
import {
  type OrderSearchResult,
  type OrderSort,
  orderPosition,
  type SearchBounds,
  searchOrders,
} from "../../src/orders/search/order_list.sql.ts";
import { readSearch, type Search } from "../../src/orders/search/order_search.sql.ts";
import { makeRecords, type Found as Order, type Records } from "./records.ts";
import { isFound, searches } from "./search_model.ts";

let records: Records;
const created = new Map<string, number>();
const age = (a: Order, b: Order) => (created.get(a.id) ?? 0) - (created.get(b.id) ?? 0);
beforeAll(async () => {
  records = await makeRecords(7);
  // Orders imported late from elsewhere: their ids do not reflect their age.
  const at = sql`${orders.created_at} - ${orders.id} * 7919 % 1000000007 * 60000`;
  await records.app.service.stores.live.write(async (tx) => {
    await tx.sql.update(orders).set({ created_at: at });
    // Each line stores when its order was created.
    const ordered_at = sql`(select ${orders.created_at} from ${orders} where ${orders.id} = ${order_lines.order_id})`;
    await tx.sql.update(order_lines).set({ ordered_at });
  });
  const { body } = await records.app.get("/orders?limit=100");
  for (const { id, created_at } of body.data) created.set(id, Date.parse(created_at));
}, 60_000);
afterAll(() => records.app.close());

/** Everything that a search finds, page by page. */
async function found(search: Search, sort: OrderSort, bounds: SearchBounds) {
  const ids: number[] = [];
  let after: PagePosition | null = null;
  for (let page = 0; page < 200; page += 1) {
    const window: PageWindow = { limit: 6, offset: 0, after };
    const answer: OrderSearchResult = await records.app.service.stores.live.read((db) =>
      searchOrders(db, { search }, window, sort, bounds),
    );
    const last = answer.rows[4];
    ids.push(...answer.rows.slice(0, 5).map(({ id }) => id));
    if (answer.rows.length > 5 && last !== undefined) after = orderPosition(last, sort);
    else if (answer.total === null && answer.end !== null) after = answer.end;
    else return ids;
  }
  throw new Error("the search goes on for ever");
}

/** A third of the searches, a different third for each sort. */
const some = (all: readonly string[], sort: OrderSort) =>
  [...new Set(all)].filter((_, at) => at % 3 === ["created_at", "-created_at", "priority"].indexOf(sort));

const number = (order: Order) => Number(order.id.split("_")[1]);

test.each([
  ["the newest first", "-created_at", (a: Order, b: Order) => age(b, a)],
  ["the oldest first", "created_at", age],
  ["the most urgent first", "priority", (a: Order, b: Order) => b.priority - a.priority || number(a) - number(b)],
] as const)(
  "%s",
  async (_, sort, order) => {
    const sizes = new Set<number>();
    for (const q of some(searches(records.orders), sort)) {
      const search = readSearch(q);
      if (search === null) throw new Error("a search without a word");
      const expected = records.orders
        .filter((one) => isFound(one, q, records.customers))
        .sort(order)
        .map(number);
      sizes.add(expected.length);
      expect({ q, ids: await found(search, sort, { candidates: 10_000, walk: 10_000 }) }).toEqual({ q, ids: expected });
      expect({ q, ids: await found(search, sort, { candidates: -1, walk: 7 }) }).toEqual({ q, ids: expected });
      expect({ q, ids: await found(search, sort, { candidates: 5, walk: 11 }) }).toEqual({ q, ids: expected });
    }
    expect(sizes.size).toBeGreaterThan(5);
  },
  120_000,
);
