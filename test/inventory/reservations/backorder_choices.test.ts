import { expect, test } from "bun:test";
import { listBackorderChoices } from "../../../src/inventory/reservations/backorders.sql.ts";
import { saveAvoids } from "../../../src/inventory/reservations/reservations.sql.ts";
import { openShop } from "../../build/shop.ts";

test("backorders differ by suitable stock, including the bins where units were missing before", async () => {
  const shop = await openShop();
  const tea = await shop.product();
  for (const cold of [false, false, false, true]) await shop.order([[tea, 2]], { requires_cold_storage: cold });
  const store = shop.app.service.stores.live;
  const avoids = [{ stock_item_id: 7, on_hand: 3 }];
  await store.write((tx) => saveAvoids(tx, 1002, avoids));
  const place = { priority: 100, created_at: 0, line_id: 0 };
  const choices = await store.read((db) => listBackorderChoices(db, 1001, place));
  const plain = { warehouse_id: null, requires_cold_storage: false, avoids: null };
  expect(choices).toHaveLength(3);
  for (const choice of [plain, { ...plain, requires_cold_storage: true }, { ...plain, avoids }]) {
    expect(choices).toContainEqual(choice);
  }
});
