// How SQLite finds the orders of each filter: by indexes, never by reading all of them.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { engine } from "../../../src/core/config.ts";
import {
  countMatching,
  isSearched,
  listOrders,
  type OrderFilter,
  searchOrders,
} from "../../../src/orders/search/order_list.sql.ts";
import { start } from "../../build/service.ts";
import { openShop } from "../../build/shop.ts";

const { prepare } = Database.prototype;
let recorded: { query: string; plan: string[] }[] | null = null;
Database.prototype.prepare = function (this: Database, query: string, ...rest: never[]) {
  if (recorded !== null && /^(?:select|with)/i.test(query)) {
    const rows = prepare.call(this, `explain query plan ${query}`).all() as { detail: string }[];
    recorded.push({ query, plan: rows.map(({ detail }) => detail) });
  }
  return prepare.call(this, query, ...rest);
} as typeof prepare;
afterAll(() => {
  Database.prototype.prepare = prepare;
});

const day_ms = 86_400_000;
const flags = ["one_unit", "printed", "labeled", "short", "late"] as const;
const filters: readonly OrderFilter[] = [
  ...flags.flatMap((name) => [{ [name]: true }, { [name]: false }]),
  { labeled: true, printed: false },
  ...[{ carrier: ["local"] }, { service: ["ground"] }, { tag: ["rush"] }, { sku: "TEA" }],
  { hold_reason: ["fraud"] },
  { ship_by_after: start, ship_by_before: start + day_ms },
  ...[{ ship_by_after: start }, { ship_by_before: start }, { shipped_after: start - day_ms }],
];
const statuses = [undefined, ["pending"], ["pending", "processing", "fulfilled"]] as const;

// These indexes have few rows. A list may also walk the orders in its order, up to a limit.
const small = /USING (?:COVERING )?INDEX (?:labels_unprinted|reservation_lines_waiting)$/;
const walked = /^SCAN orders USING (?:COVERING )?INDEX/;

/** The steps of a query that read a whole table. */
function wholeReads({ query, plan }: { query: string; plan: readonly string[] }): string[] {
  const isLimited = query.includes(" limit ?");
  const subqueries = plan.flatMap((line) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)$/.exec(line)?.[1] ?? []);
  return plan.filter((line) => {
    const name = /^SCAN (\w+)/.exec(line)?.[1] ?? "";
    if (!tables.has(name) || small.test(line) || subqueries.some((one) => line === `SCAN ${one}`)) return false;
    return !(isLimited && walked.test(line));
  });
}
const tables = new Set([
  "orders",
  "order_lines",
  "order_holds",
  "order_tags",
  "shipments",
  "labels",
  "reservations",
  "reservation_lines",
]);

test.skipIf(engine !== "sqlite")("no filter of the list reads all orders, nor does its count", async () => {
  const shop = await openShop();
  const tea = await shop.product({ sku: "TEA", units: 5 });
  await shop.order([[tea, 1]], { tags: ["rush"] });
  const { live } = shop.app.service.stores;
  const window = { limit: 50, offset: 0, after: null };
  recorded = [];
  for (const some of statuses) {
    for (const one of filters) {
      const filter = { ...one, statuses: some };
      await live.read((db) => countMatching(db, filter));
      if (!isSearched(filter)) await live.read((db) => listOrders(db, filter, window, "created_at"));
      // Whether its orders are few or many.
      for (const candidates of [100, 0])
        if (isSearched(filter))
          await live.read((db) => searchOrders(db, filter, window, "-created_at", { candidates, walk: 10 }));
    }
  }
  const found = recorded.flatMap((one) => wholeReads(one).map((line) => ({ line, query: one.query })));
  expect(recorded.length).toBeGreaterThan(filters.length * statuses.length);
  expect(found).toEqual([]);
});
