import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Position } from "../../../src/kit/page.ts";
import { listOrders, type OrderSort, orderPosition } from "../../../src/orders/list/store.ts";
import { start } from "../../harness.ts";
import { openShop, type Shop } from "../shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  const tea = await shop.product(0);
  for (let n = 0; n < 12; n += 1) {
    shop.app.clocks.live.advance(1000);
    await shop.order([[tea, 1]], { priority: n % 3 });
  }
  // The oldest change last: what was changed lately is not what is new.
  for (const id of ["ord_1007", "ord_1002", "ord_1004"]) {
    shop.app.clocks.live.advance(1000);
    await shop.act(id, "hold", { reason: "payment" });
  }
});
afterAll(() => shop.close());

/** The ids of all pages of two, each found by the cursor of the one before. */
async function walked(updated_after: number, sort: OrderSort, few: number): Promise<number[]> {
  const ids: number[] = [];
  for (let after: Position | null = null; ; ) {
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
  for (const few of [100, 0]) expect(await walked(start + 9000, sort, few)).toEqual([...ids]);
});
