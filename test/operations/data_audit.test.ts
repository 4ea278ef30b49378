// Amounts rounded by an upgrade, and unknown currencies, as the operator sees them.
import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { rounded_amounts } from "../../db/schema/amounts.ts";
import { products } from "../../db/schema/products.ts";
import { listRounded, listUnknownCurrencies } from "../../src/operations/data_audit.sql.ts";
import { openShop } from "../build/shop.ts";

const shop = await openShop();
const store = shop.app.service.stores.live;

test("rounded amounts are listed with their old and new values, in order", async () => {
  const rows = [
    { noun: "product", record_id: 1001, field: "price", currency: "JPY", hundredths: 123_455, minor_units: 1235 },
    { noun: "order", record_id: 1002, field: "subtotal", currency: "KWD", hundredths: 667, minor_units: 6671 },
    { noun: "past", record_id: 3, field: "cost", currency: "JPY", hundredths: 50, minor_units: 1 },
  ];
  await store.write((tx) => tx.sql.insert(rounded_amounts).values(rows));
  expect(await store.read(listRounded)).toEqual([
    { record: "prd_1001", field: "price", before: "1234.55", after: "1235", currency: "JPY" },
    { record: "ord_1002", field: "subtotal", before: "6.67", after: "6.671", currency: "KWD" },
    { record: "past 3", field: "cost", before: "0.50", after: "1", currency: "JPY" },
  ]);
});

test("amounts in an unknown currency stay unchanged, and are listed", async () => {
  const { id } = await shop.product({ sku: "OLD" });
  await store.write((tx) => tx.sql.update(products).set({ currency: "ZZZ" }).where(eq(products.sku, "OLD")));
  const { price, currency } = (await shop.app.get(`/products/${id}`)).body.data;
  expect([price, currency]).toEqual([10, "ZZZ"]);
  expect(await store.read(listUnknownCurrencies)).toEqual([{ records: "products", currency: "ZZZ", count: 1 }]);
});
