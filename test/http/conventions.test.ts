import { describe, expect, test } from "bun:test";
import { openApp } from "../build/service.ts";

const app = await openApp();

const product = (fields: Record<string, unknown> = {}) => ({ sku: crypto.randomUUID(), name: "Tea", ...fields });

/** The invalid fields of a refused product, each as `field: code: message`. */
async function problems(body: unknown): Promise<string[]> {
  const answer = await app.post("/products", body);
  expect(answer.status).toBe(422);
  const details = answer.body.error.details as { field: string; code: string; message: string }[];
  return details.map(({ field, code, message }) => `${field}: ${code}: ${message}`);
}

describe("works", () => {
  test("every response carries a request id: the request's own if it is a plain word", async () => {
    for (const path of ["/health", "/products", "/nope"]) {
      const own = await app.call("GET", path, undefined, { headers: { "x-request-id": "trace-1.a_B" } });
      expect(own.headers.get("x-request-id")).toBe("trace-1.a_B");
      const odd = await app.call("GET", path, undefined, { headers: { "x-request-id": "two words" } });
      expect(odd.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    }
  });

  test("accepts text in any language, escaped surrogate pairs, and a backslash before a u", async () => {
    const name = String.raw`{"sku":"emoji","name":"\ud83c\udf75 \\ud800 čaj"}`;
    expect((await app.call("POST", "/products", name)).body.data.name).toBe("🍵 \\ud800 čaj");
  });

  test("a refusal under /api/v1 names the canonical URL too", async () => {
    const request = new Request("http://packhouse.test/api/v1/products/prd_7", {
      headers: { authorization: `Bearer ${app.keys.live.read}` },
    });
    const answer = await app.app.handle(request);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("link")).toBe('</v1/products/prd_7>; rel="canonical"');
  });
});

describe("refuses", () => {
  test.each([
    ["text that is no JSON", "{", "malformed_request", 400],
    ["JSON nested too deep", `${"[".repeat(33)}${"]".repeat(33)}`, "malformed_request", 400],
    ["the first half of a pair of surrogates", String.raw`{"sku":"\ud800","name":"Tea"}`, "malformed_request", 400],
    ["the second half", String.raw`{"sku":"\uDC00","name":"Tea"}`, "malformed_request", 400],
    ["half a pair in the name of a field", String.raw`{"a\ud800":1}`, "malformed_request", 400],
    ["half a pair after a backslash", String.raw`{"sku":"\\\ud800","name":"Tea"}`, "malformed_request", 400],
    ["a body above a MiB", JSON.stringify({ sku: "x".repeat(1 << 20) }), "payload_too_large", 413],
  ])("%s", async (_, body, code, status) => {
    const answer = await app.call("POST", "/products", body);
    expect(answer.status).toBe(status);
    expect(answer.body.error.code).toBe(code);
    expect(await app.takeEvents()).toEqual([]);
  });

  test("a body without a JSON content type", async () => {
    const answer = await app.call("POST", "/products", "{}", { headers: { "content-type": "text/plain" } });
    expect([answer.status, answer.body.error.code]).toEqual([415, "unsupported_media_type"]);
  });

  test("a compressed body", async () => {
    const send = (coding: string) =>
      app.call("POST", "/products", { sku: "PACKED", name: "Packed" }, { headers: { "content-encoding": coding } });
    const { status, body } = await send("gzip");
    expect([status, body.error.code]).toEqual([415, "unsupported_media_type"]);
    expect(body.error.message).toBe("Send the body uncompressed, without Content-Encoding.");
    expect((await send("identity")).status).toBe(201);
  });

  test("a path that does not decode to printable text", async () => {
    const paths = ["/orders/%E0%A4%A", "/inventory/%E0%A4%A", "/products/%", "/tracking/%00", "/inventory/a%0Ab"];
    for (const path of paths) {
      const answer = await app.get(path);
      expect([answer.status, answer.body.error.code]).toEqual([404, "route_not_found"]);
    }
  });

  test("a forged cursor of any form", async () => {
    for (const cursor of ["abc", "abc.def", `abc.${"x".repeat(22)}`, `abc.${"é".repeat(22)}`, "."]) {
      const answer = await app.get(`/products?cursor=${encodeURIComponent(cursor)}`);
      expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_cursor"]);
    }
  });

  test.each<[unknown, string]>([
    [[], ": wrong_type: must be an object"],
    [product({ name: 7 }), "name: wrong_type: must be a string"],
    [product({ name: "a\nb" }), "name: invalid_format: must not contain control characters"],
    [product({ reorder_point: "7" }), "reorder_point: wrong_type: must be an integer"],
    [product({ weight: -1, weight_unit: "lb" }), "weight: too_small: must be greater than 0"],
    [product({ weight: "1" }), "weight: wrong_type: must be a number"],
    [product({ weight: 1, weight_unit: "stone" }), "weight_unit: invalid_choice: must be one of: lb, oz, kg, g"],
    [
      product({ price: "1.234" }),
      "price: invalid_value: must be an amount with at most two decimals for USD (got 1.234)",
    ],
    [
      product({ customs: { hs: 1 } }),
      "customs.hs: unknown_field: is not a field of this request (did you mean hs_code?)",
    ],
    [
      product({ metadata: { sizes: ["a", "a\u0007"] } }),
      "metadata.sizes[1]: invalid_value: must not contain control characters other than line breaks and tabs",
    ],
    [
      product({ metadata: { box: { note: "x".repeat(501) } } }),
      "metadata.box.note: invalid_value: must have at most 500 characters",
    ],
    [product({ metadata: [1] }), "metadata: invalid_value: must be an object"],
    [
      product({ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`n${at}`, 1])) }),
      "metadata: invalid_value: must have at most 50 names",
    ],
    [
      product({ metadata: { list: Array.from({ length: 100 }, () => "é".repeat(400)) } }),
      "metadata: invalid_value: must have at most 32768 bytes as JSON",
    ],
    ...["a\u0007", "k".repeat(41), ""].map((key): [unknown, string] => [
      product({ metadata: { [key]: 1 } }),
      `metadata.${key}: invalid_value: must have a name of 1 to 40 printable characters`,
    ]),
    [product({ metadata: { note: "two\nlines" }, name: 7 }), "name: wrong_type: must be a string"],
  ])("%j, with a message that says what to do", async (body, problem) => {
    expect(await problems(body)).toEqual([problem]);
  });

  test("all invalid fields at once, including those in a nullable object", async () => {
    const dimensions = { length: -1, width: "2", height: 3 };
    expect(await problems({ name: "", dimensions, color: "red" })).toEqual([
      "sku: required: is required",
      "color: unknown_field: is not a field of this request",
      "name: too_short: must not be empty",
      "dimensions.unit: required: is required",
      "dimensions.length: too_small: must be greater than 0",
      "dimensions.width: wrong_type: must be a number",
    ]);
  });

  test("a date that does not exist", async () => {
    for (const day of ["2026-02-30", "2026-13-01", "2026-01-01T25:00:00Z", "yesterday"]) {
      const answer = await app.get(`/orders?created_after=${day}`);
      expect([answer.status, answer.body.error.details[0].field]).toEqual([422, "created_after"]);
    }
    expect((await app.get("/orders?created_after=2028-02-29")).status).toBe(200);
  });

  test.each([
    ['{"a":1,"a":1}', ["a"]],
    ['{"a":1,"\\u0061":2}', ["a"]],
    ['{"sku":"A","name":"B","metadata":{"x":1,"y":{"z":[]},"x":2}}', ["metadata.x"]],
    [
      '{"components":[{"sku":"A"},{"sku":"B","quantity":1,"sku":"C"}],"sku":"A","sku":"B"}',
      ["components[1].sku", "sku"],
    ],
    ['{"__proto__":1,"__proto__":2,"a":"{\\"b\\":1,\\"b\\":1}"}', ["__proto__"]],
  ])("duplicate fields in one object: %s", async (text, fields) => {
    const { status, body } = await app.call("POST", "/products", text);
    const said = body.error.details.map(({ field, code }: { field: string; code: string }) => `${field}: ${code}`);
    expect([status, said]).toEqual([422, fields.map((field) => `${field}: repeated`)]);
  });

  test("duplicate query parameters, and those named like object members", async () => {
    for (const [query, problem] of [
      ["page=1&page=2", "page: repeated"],
      ["__proto__=1", "__proto__: unknown_field"],
      ["constructor=1", "constructor: unknown_field"],
    ]) {
      const { status, body } = await app.get(`/products?${query}`);
      const [{ field, code }] = body.error.details;
      expect([status, `${field}: ${code}`]).toEqual([422, problem as string]);
    }
  });

  test("at most a hundred problems of many, so that a refusal is not much longer than its request", async () => {
    const names = Array.from({ length: 2000 }, (_, at) => at.toString(36));
    const query = names.map((name) => `${name}&${name}`).join("&");
    const text = `{${names.map((name) => `"${name}":1,"${name}":2`).join()}}`;
    for (const answer of [await app.get(`/health?${query}`), await app.call("POST", "/products", text)]) {
      const { status, body } = answer;
      expect([status, body.error.details.length]).toEqual([422, 100]);
      expect(body.error.message).toBe("0 occurs more than once (and 1999 more problems).");
    }
  });

  test("a SKU with invisible characters", async () => {
    for (const sign of "\u00a0\u00ad\u200b\u200d\u202e\u2066\ufe0f\ufeff\u3000\u0085\u2028") {
      expect(await problems(product({ sku: `A${sign}B` }))).toEqual([
        "sku: invalid_format: must not contain invisible characters, nor begin or end with a space",
      ]);
    }
    expect((await app.post("/products", product({ sku: "Käse – 茶 #1/2 (L)" }))).status).toBe(201);
  });

  test("a number that cannot be stored exactly", async () => {
    const text = (number: string) =>
      `{"sku":"${crypto.randomUUID()}","name":"Tea","metadata":{"of":[1,{"n":${number}}]}}`;
    const lost = [
      "9007199254740993",
      "-9007199254740993",
      "1e400",
      "1e-400",
      "0.12345678901234567890",
      "1.0000000000000001",
    ];
    for (const number of lost) {
      const { status, body } = await app.call("POST", "/products", text(number));
      expect([number, status, body.error.details[0]?.field]).toEqual([number, 422, "metadata.of[1].n"]);
    }
    for (const number of [
      "9007199254740991",
      "9007199254740992",
      "1e21",
      "-0.5",
      "0.1000",
      "1.5E+3",
      "123456789.123456",
    ]) {
      const { body } = await app.call("POST", "/products", text(number));
      expect([number, body.data?.metadata.of[1].n]).toEqual([number, Number(number)]);
      const kept = await app.get(`/products/${body.data.id}`);
      expect(kept.body.data.metadata.of[1].n).toBe(Number(number));
    }
  });

  test("a time outside the years 1000 to 9999", async () => {
    for (const moment of ["0000-01-01", "0999-12-31", "9999-12-31T23:59:59-01:00"]) {
      expect((await app.get(`/orders?created_after=${encodeURIComponent(moment)}`)).status).toBe(422);
    }
    for (const moment of ["1000-01-01", "9999-12-31", "9999-12-31T23:59:59Z"]) {
      expect((await app.get(`/orders?created_before=${moment}`)).status).toBe(200);
    }
  });
});
