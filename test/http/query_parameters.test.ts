import { expect, test } from "bun:test";
import { openApp } from "../build/service.ts";

const app = await openApp();
for (const sku of ["A,B", "B", "[1]", '{"a":1}', "a b"]) await app.product(sku);

test.each([
  ["A,B", ["A,B"]],
  ["A%2CB", ["A,B"]],
  ["[1]", ["[1]"]],
  ["%7B%22a%22%3A1%7D", ['{"a":1}']],
  ["a+b", ["a b"]],
])("the parameter %s is decoded correctly", async (written, skus) => {
  const { body } = await app.get(`/products?sku=${written}`);
  expect(body.data.map(({ sku }: { sku: string }) => sku)).toEqual(skus);
});

test("a duplicate parameter is refused by name, since one of its values would be lost", async () => {
  const { status, body } = await app.get("/products?sku=A&limit=3&sku=B&limit=3");
  expect([status, body.error.code]).toEqual([422, "validation_failed"]);
  expect(body.error.details).toMatchObject([
    { field: "sku", code: "repeated", message: "occurs more than once" },
    { field: "limit", code: "repeated" },
  ]);
});
