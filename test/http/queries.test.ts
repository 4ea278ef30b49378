import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestApp, type TestApp } from "../harness.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  for (const sku of ["A,B", "B", "[1]", '{"a":1}', "a b"]) await app.post("/products", { sku, name: sku });
});
afterAll(() => app.close());

test.each([
  ["A,B", ["A,B"]],
  ["A%2CB", ["A,B"]],
  ["[1]", ["[1]"]],
  ["%7B%22a%22%3A1%7D", ['{"a":1}']],
  ["a+b", ["a b"]],
  ["A&sku=B", ["B"]],
])("the parameter %s is read as it is written", async (written, skus) => {
  const { body } = await app.get(`/products?sku=${written}`);
  expect(body.data.map(({ sku }: { sku: string }) => sku)).toEqual(skus);
});
