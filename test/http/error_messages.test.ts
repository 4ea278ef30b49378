// The message of an error alone says what to do about it.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { operationsOf } from "../../src/server/openapi/description.ts";
import { openApp } from "../build/service.ts";
import { signedInAs } from "../identity/people.ts";
import { tries } from "../volume.ts";

const app = await openApp();

const tea = { sku: "TEA", name: "Tea" };
const order = { order_number: "A", customer_id: 1, shipping_address_id: 1 };
const line = { product_id: 1, quantity: 1, unit_price: 1 };

type Case = readonly [method: string, path: string, body: unknown, message: string];
const cases: readonly Case[] = [
  ["POST", "/products", { ...tea, price: -5 }, "price must not be negative."],
  ["POST", "/products", { ...tea, price: "-0.01" }, "price must not be negative."],
  [
    "POST",
    "/products",
    { ...tea, price: "1,5" },
    "price must be an amount with at most the decimals of its currency, such as 12.50.",
  ],
  [
    "POST",
    "/products",
    { ...tea, reorder_pont: 1 },
    "reorder_pont is not a field of this request (did you mean reorder_point?).",
  ],
  [
    "POST",
    "/products",
    { ...tea, reorderPoint: 1 },
    "reorderPoint is not a field of this request (did you mean reorder_point?).",
  ],
  ["POST", "/products", { ...tea, bananas: 1 }, "bananas is not a field of this request."],
  [
    "POST",
    "/products",
    { ...tea, temperature_zone: "frosen" },
    "temperature_zone must be one of: ambient, refrigerated, frozen (did you mean frozen?).",
  ],
  ["POST", "/products", { ...tea, barcodes: {}, name: 7 }, "name must be a string (and 1 more problem)."],
  ["POST", "/products", {}, "sku is required (and 1 more problem)."],
  ["POST", "/products", [], "The body must be an object."],
  ["POST", "/products", { ...tea, ["x".repeat(300)]: 1 }, `${"x".repeat(100)}… is not a field of this request.`],
  [
    "POST",
    "/orders",
    { ...order, line_items: [{ ...line, quantity: 0 }] },
    "line_items[0].quantity must be at least 1.",
  ],
  ["POST", "/orders", { ...order, items: [line] }, "line_items is required (and 1 more problem)."],
  ["POST", "/orders", { ...order, line_items: [] }, "line_items must have at least 1 item."],
  ["GET", "/products?limit=101", undefined, "limit must be at most 100."],
  ["GET", "/orders?staus=shipped", undefined, "staus is not a parameter of this request (did you mean status?)."],
  [
    "GET",
    "/orders?status=shiped",
    undefined,
    "status must be one of: pending, processing, fulfilled, shipped, delivered, cancelled, on_hold" +
      ' (got "shiped") (did you mean shipped?).',
  ],
  [
    "POST",
    "/products",
    '{\n  "sku": "A"\n  "name": 1\n}',
    "The body is not valid JSON at line 3, column 3: expected a comma.",
  ],
  ["POST", "/products", "{'sku': 1}", "The body is not valid JSON at line 1, column 2: unknown word."],
  ["POST", "/products", '{"sku": "A', "The body is not valid JSON at line 1, column 9: missing closing quote."],
  ["POST", "/products", "[".repeat(100_000), "The body is not valid JSON."],
  ["GET", "/oders", undefined, "The path /oders does not exist (did you mean /orders?)."],
  [
    "GET",
    "/order/ord_1/histroy",
    undefined,
    "The path /order/ord_1/histroy does not exist (did you mean /orders/ord_1/history?).",
  ],
  ["GET", "/products/", undefined, "The path /products/ does not exist (did you mean /products?)."],
  ["GET", "/bananas", undefined, "The path /bananas does not exist."],
];

test.each(cases)("%s %s %j", async (method, path, body, message) => {
  const answer = await app.call(method, path, body);
  expect(answer.body.error.message).toBe(message);
});

test("a JSON syntax error is located by line and column, wherever it is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.nat(), async (json, at) => {
      // A character that is invalid in JSON, on a line of its own, breaks any document.
      const lines = JSON.stringify(JSON.parse(json), null, 2).split("\n");
      const row = at % lines.length;
      lines.splice(row, 0, "#");
      const { status, body } = await app.call("POST", "/products", lines.join("\n"));
      expect([status, body.error.code, body.error.line, body.error.column]).toEqual([
        400,
        "malformed_request",
        row + 1,
        1,
      ]);
    }),
    tries(200),
  );
});

describe("a path outside the API", () => {
  test.each([
    ["/products", "Path not found. API paths start with /v1 (did you mean /v1/products?)."],
    ["/v2/orders/7", "Path not found. API paths start with /v1 (did you mean /v1/orders/7?)."],
    ["/bananas", "Path not found. API paths start with /v1."],
  ])("%s", async (path, message) => {
    const headers = { authorization: `Bearer ${app.keys.live.full}` };
    const answer = await app.app.handle(new Request(`http://packhouse.test${path}`, { headers }));
    expect(await answer.json()).toMatchObject({ error: { message } });
  });
});

describe("a key in an unsupported place", () => {
  const key = "ph_live_0000000000000000000000000000002jKTnv";
  const send = "Send your API key as Authorization: Bearer ph_….";
  test.each<[Record<string, string>, string, string]>([
    [{}, "", send],
    [{ "X-Api-Key": key }, "", `The API key was sent in the header X-Api-Key, which is not supported. ${send}`],
    [{ authorization: key }, "", `"Bearer" is missing before the API key. ${send}`],
    [{ authorization: "Bearer" }, "", `Missing API key after "Bearer". ${send}`],
    [{ authorization: `Basic ${btoa(`${key}:`)}` }, "", `Basic authentication is not accepted. ${send}`],
    [{ authorization: `Token ${key}` }, "", `The Authorization header must start with "Bearer". ${send}`],
    [{ authorization: `Bearer ${key} ${key}` }, "", `There is more than one word after "Bearer". ${send}`],
    [
      {},
      `?api_key=${key}`,
      `The API key was sent in the URL parameter api_key, where logs may store it: rotate this key. ${send}`,
    ],
  ])("%j %s", async (headers, query, message) => {
    const { status, body } = await app.call("GET", `/products${query}`, undefined, { key: null, headers });
    expect([status, body.error.code, body.error.message]).toEqual([401, "authentication_required", message]);
    expect(JSON.stringify(body)).not.toContain(key);
  });
});

describe("every route of the API", () => {
  const routes = () => operationsOf(app.app.routes).filter(({ need, versioned }) => versioned && need !== "none");
  const path = (template: string) => template.replace(/\{\w+\}/g, "1");

  test("refuses unknown parameters, except on routes that platforms call", async () => {
    const refused: string[] = [];
    const others: string[] = [];
    const { headers } = await signedInAs(app.service, "owner");
    for (const { method, path: template, id, need } of routes()) {
      const body = method === "get" || method === "delete" ? undefined : {};
      const who = need === "user" ? { headers } : {};
      const answer = await app.call(method.toUpperCase(), `${path(template)}?unheard_of=1`, body, who);
      const problems: { field: string; code: string }[] = answer.body.error?.details ?? [];
      const told = problems.some(({ field, code }) => field === "unheard_of" && code === "unknown_field");
      (told ? refused : others).push(id);
    }
    expect(others).toEqual(["bigcommerceOrder"]);
    expect(refused.length).toBeGreaterThan(90);
  });

  test("limits a page of a list to 100", async () => {
    const lists = routes().filter(({ query }) => query !== null && "cursor" in query.properties);
    expect(lists.length).toBeGreaterThan(15);
    for (const { id, path: template } of lists) {
      const { status, body } = await app.get(`${path(template)}?limit=101`);
      expect([id, status, body.error.message]).toEqual([id, 422, "limit must be at most 100."]);
      expect([id, (await app.get(`${path(template)}?limit=100`)).status]).not.toEqual([id, 422]);
    }
  });
});

describe("metadata", () => {
  const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.stringMatching(/^[\w äß€]{0,20}$/));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("tree"), { maxLength: 3 }), tie("pairs")),
    pairs: fc.dictionary(fc.stringMatching(/^[\w é]{1,12}$/), tie("tree"), { maxKeys: 3 }),
  }));
  const pairs = fc.dictionary(fc.stringMatching(/^[\w é]{1,12}$/), tree, { maxKeys: 4 });

  test("is returned as it was sent, including nested values", async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(pairs, fc.double({ noNaN: true, noDefaultInfinity: true }), async (nested, n) => {
        const metadata = { ...nested, n: n === 0 ? 0 : n };
        const made = await app.post("/products", { sku: `M-${++number}`, name: "Tea", metadata });
        expect([made.status, made.body.error]).toEqual([201, undefined]);
        const kept = await app.get(`/products/${made.body.data.id}`);
        expect(JSON.stringify(sorted(kept.body.data.metadata))).toBe(JSON.stringify(sorted(metadata)));
      }),
      tries(100),
    );
  });
});

/** A value with sorted object keys, since their order need not be preserved. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

test("spelling variants of a weight unit are accepted and normalized", async () => {
  for (const [at, unit] of ["lb", "lbs", "LBS", "pounds"].entries()) {
    const made = await app.post("/products", { sku: `U-${at}`, name: "Tea", weight: 2, weight_unit: unit });
    expect([made.status, made.body.data?.weight_unit]).toEqual([201, "lb"]);
    const changed = await app.patch(`/products/${made.body.data.id}`, { weight_unit: unit });
    expect(changed.body.data.revision).toBe(made.body.data.revision);
    const rates = await app.post("/shipping/rates", {
      from_zip: "90001",
      to_zip: "10001",
      weight: 1,
      weight_unit: unit,
    });
    expect(rates.status).toBe(200);
  }
  const file = "sku,name,weight,weight_unit\nU-9,Tea,2,lbs\n";
  const report = await app.call("POST", "/products/import", file, { headers: { "content-type": "text/csv" } });
  expect(report.body.data).toMatchObject({ created: 1, failed: 0 });
  const again = await app.call("POST", "/products/import", file, { headers: { "content-type": "text/csv" } });
  expect(again.body.data).toMatchObject({ unchanged: 1, failed: 0 });
});
