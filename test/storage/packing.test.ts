// Long texts are stored compressed, with a dictionary that must never change.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { pack, unpack } from "../../db/packing/packing.ts";

/** A text that is compressed with this dictionary. */
const textOf = (name: string) => {
  const text =
    name === "label" ? '{"title":"Label 1","operations":[{"op":"fill"}]}' : `{"id":"e","type":"${name}.new"}`;
  return text.repeat(12);
};

test("any text survives packing and unpacking", () => {
  const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.json(), fc.string({ unit: "binary", minLength: 900 }));
  const begun = fc.constantFrom("", "\u0000", "\u0001", "\u0001\u0001", "é");
  fc.assert(
    fc.property(begun, text, fc.nat(40), (start, some, times) => {
      const whole = start + some.repeat(times).toWellFormed();
      expect(unpack(pack(whole))).toBe(whole);
    }),
  );
});

test.each([
  ["order", "d0434cf52dfbbd47f0ddc891339ba770888b05501509a08df9f3bb85b7aa540a", "AYMmc1D9jdJ4yUstVxqVpCwQAA=="],
  ["inventory", "7821994461248aae9371eb917391e90c28743ed4aa0a8dfb45285b9c091deda0", "AoMlE2xpJC+1XGlUQaUevcIBAA=="],
  ["shipment", "66c7f1127663a8eedb32f0e0e787343ab954aa8219e31e59d44ca0740a39c04f", "A4MldVDCQUvneanlSqPykKyaSqvwAQA="],
  ["label", "a0d78175cf6dc34d508655e940339211294b3aee0044efe677b73bdb05bf1d0e", "BENv/xoq4WnXjqpXGA0fSKoFZ6fa2FoA"],
])("data packed with the %s dictionary stays readable", async (name, hash, packed) => {
  const file = Bun.file(new URL(`../../db/packing/dictionaries/${name}.txt`, import.meta.url));
  expect(new Bun.CryptoHasher("sha256").update(await file.bytes()).digest("hex")).toBe(hash);
  expect(unpack(Buffer.from(packed, "base64"))).toBe(textOf(name));
});

test("packing shrinks an event to a quarter of its size", () => {
  const lines = ["TEA-250", "OAT-1", "RYE-77"].map((sku, n) => ({
    id: `lin_${1001 + n}`,
    product_id: `prd_${1001 + n}`,
    sku,
    name: `Goods ${n}`,
    quantity: n + 1,
    unit_price: 4.5,
    quantity_reserved: 0,
    quantity_backordered: 0,
    quantity_picked: n + 1,
    quantity_packed: n + 1,
    quantity_shipped: n + 1,
    quantity_delivered: 0,
    quantity_returned: 0,
    quantity_cancelled: 0,
  }));
  const order = { object: "order", id: "ord_1042", order_number: "A-1", status: "shipped", line_items: lines };
  const text = JSON.stringify({ id: `evt_${"0f".repeat(16)}`, type: "order.shipped", data: order });
  expect(text.length).toBeGreaterThan(800);
  expect(pack(text).length).toBeLessThan(text.length / 4);
});
