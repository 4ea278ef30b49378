import { describe, expect, test } from "bun:test";
import { describeApi } from "../../src/cli/openapi.ts";
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

describe("several values, separated by commas,", () => {
  test.each([
    ["/orders?status=pending,shiped", "status", "shiped"],
    ["/orders?customer_id=cus_1,prd_2", "customer_id", "prd_2"],
    ["/events?type=order.created,,order.shipped", "type", ""],
    ["/requests?status=4xx,40", "status", "40"],
    ["/inventory/movements?type=sale,gift", "type", "gift"],
  ])("%s is refused, and names the wrong value", async (path, field, value) => {
    const { status, body } = await app.get(path);
    expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    expect(body.error.details).toEqual([
      { field, pointer: expect.anything(), code: expect.any(String), message: expect.stringContaining(`"${value}"`) },
    ]);
  });

  test("may have spaces between them, and repeat", async () => {
    for (const status of ["active,inactive", "active,%20inactive", "inactive,active,active"]) {
      expect((await app.get(`/products?status=${status}`)).body.data).toHaveLength(5);
    }
    expect((await app.get("/products?status=inactive")).body.data).toEqual([]);
  });

  test("are an array in the document, so that clients are typed", async () => {
    const { paths } = JSON.parse(describeApi(""));
    const parameters = paths["/products"].get.parameters;
    const one = parameters.find(({ name }: { name: string }) => name === "status");
    expect(one).toMatchObject({ style: "form", explode: false, schema: { type: "array", items: { type: "string" } } });
    expect(one.schema.items.enum).toEqual(["active", "inactive"]);
  });
});
