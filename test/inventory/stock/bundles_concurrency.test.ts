// Two components of a bundle change concurrently, in transactions that do not see each other. On SQLite transactions
// run one after another.

import { expect, test } from "bun:test";
import { engine } from "../../../src/core/config.ts";
import { wireId } from "../../../src/core/ids.ts";
import { adjustStock } from "../../../src/inventory/counts/adjust_stock.ts";
import { emitSetsChange } from "../../../src/inventory/reservations/locked_stock.ts";
import { updateProduct } from "../../../src/products/products.ts";
import { clerk, openStock } from "../../build/stock.ts";
import { listEventsAfter } from "../../events/stored_events.ts";

test.skipIf(engine === "sqlite")("the last event of a bundle reflects both components", async () => {
  const shop = await openStock();
  const components = ["LID", "JAR"].map((sku) => ({ sku, quantity: 1 }));
  for (const { sku } of components) await shop.product(sku);
  await shop.product("POT", { type: "bundle", components });
  const ended = Promise.withResolvers<void>();
  const come = (sku: string, location: number, wait: () => Promise<void>) =>
    shop.write(async (tx) => {
      await adjustStock(tx, sku, { adjustment: 5, reason: "found", location }, clerk);
      // After all events are emitted, and before they are on disk.
      tx.atEnd("test.wait", wait);
    });
  const lids = come("LID", shop.main, async () => {
    ended.resolve();
    await Bun.sleep(300);
  });
  await ended.promise;
  await Promise.all([lids, come("JAR", shop.west, async () => {})]);
  const events = (await shop.store.read((db) => listEventsAfter(db, 0))).map(({ body }) => JSON.parse(body));
  const told = events.filter(({ data }) => data.sku === "POT").map(({ type, data }) => [type, data.available]);
  expect(told).toEqual([["inventory.updated", 5]]);
  expect(await shop.differences()).toEqual([]);
});

test.skipIf(engine === "sqlite")(
  "a bundle whose components are replaced while they change is emitted with its final state",
  async () => {
    const shop = await openStock();
    for (const sku of ["LID", "JAR"]) await shop.product(sku);
    const madeOf = (sku: string) => ({ components: [{ sku, quantity: 1 }] });
    await shop.product("POT", { type: "bundle", ...madeOf("JAR") });
    await shop.add("JAR", 2);
    await shop.takeEvents();
    const ended = Promise.withResolvers<void>();
    const lids = shop.write(async (tx) => {
      await adjustStock(tx, "LID", { adjustment: 5, reason: "found", location: shop.main }, clerk);
      tx.atEnd("test.wait", async () => {
        ended.resolve();
        await Bun.sleep(300);
      });
    });
    await ended.promise;
    const pot = wireId("product", shop.product_id("POT"));
    await Promise.all([lids, shop.write((tx) => updateProduct(tx, pot, madeOf("LID"), emitSetsChange))]);
    const events = (await shop.store.read((db) => listEventsAfter(db, 0))).map(({ body }) => JSON.parse(body).data);
    expect(events.filter(({ sku }) => sku === "POT").at(-1)?.available).toBe(5);
  },
);
