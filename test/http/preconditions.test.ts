import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openShop, type Shop } from "../orders/shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
}, 60_000);
afterAll(() => shop.close());

const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  shop.app.call(method, path, body, { headers });

describe("works", () => {
  test("what has a version carries it as its ETag, on every way it is answered", async () => {
    const goods = await shop.product(5);
    const made = await shop.app.post("/orders", shop.draft([[goods, 1]]));
    expect(made.headers.get("etag")).toBe('"1"');
    const { id } = made.body.data;
    expect((await shop.app.get(`/orders/${id}`)).headers.get("etag")).toBe('"1"');
    expect((await shop.app.patch(`/orders/${id}`, { priority: 3 })).headers.get("etag")).toBe('"2"');
    expect((await shop.app.post(`/orders/${id}/process`)).headers.get("etag")).toBe('"3"');
    expect((await shop.cancel(id)).headers.get("etag")).toBe('"4"');
    expect((await shop.app.get(`/products/${goods.id}`)).headers.get("etag")).toBe('"1"');
    expect((await shop.app.get("/orders")).headers.get("etag")).toBe(null);
  });

  test.each(['"1"', '"7", "1"', '"7" ,W/"1",  "1"', "*"])("If-Match: %s lets version 1 go on", async (tag) => {
    const { id } = await shop.order([[await shop.product(5), 1]]);
    const answer = await send("PATCH", `/orders/${id}`, { "if-match": tag }, { priority: 3 });
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"2"']);
  });

  test.each(['"1"', 'W/"1"', '"0", "1"', "*"])("If-None-Match: %s knows version 1 already", async (tag) => {
    const { id } = await shop.order([[await shop.product(5), 1]]);
    const answer = await send("GET", `/orders/${id}`, { "if-none-match": tag });
    expect([answer.status, answer.body, answer.headers.get("etag")]).toEqual([304, "", '"1"']);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("a repeated request gets its first answer, ETag and all, although its If-Match is stale by then", async () => {
    const { id } = await shop.order([[await shop.product(5), 1]]);
    const headers = { "if-match": '"1"', "idempotency-key": `once-${id}` };
    const first = await send("POST", `/orders/${id}/hold`, headers, { reason: "fraud" });
    const again = await send("POST", `/orders/${id}/hold`, headers, { reason: "fraud" });
    expect([first.status, again.status, again.headers.get("etag")]).toEqual([200, 200, '"2"']);
    expect(again.body).toEqual(first.body);
  });
});

/** A resource of each other kind that has a version: where it is read, and what changes it. */
const kinds: Record<string, () => Promise<{ path: string; change: [method: string, path: string, body: unknown] }>> = {
  product: async () => {
    const path = `/products/${(await shop.product(1)).id}`;
    return { path, change: ["PATCH", path, { name: "Another" }] };
  },
  "stock of a SKU": async () => {
    const path = `/inventory/${(await shop.product(9)).sku}`;
    return { path, change: ["PATCH", path, { adjustment: -1, reason: "damaged" }] };
  },
  return: async () => {
    const { id } = await shop.order([[await shop.product(5), 1]]);
    await shop.app.post(`/orders/${id}/ship`);
    const path = `/returns/${(await shop.app.post("/returns", { order_id: id, reason: "defective" })).body.data.id}`;
    return { path, change: ["POST", `${path}/receive`, {}] };
  },
  receipt: async () => {
    const lines = [{ sku: (await shop.product(1)).sku, quantity: 1 }];
    const path = `/inventory/receipts/${(await shop.app.post("/inventory/receipts", { lines })).body.data.id}`;
    return { path, change: ["POST", `${path}/close`, {}] };
  },
  count: async () => {
    const skus = [(await shop.product(1)).sku];
    const path = `/inventory/counts/${(await shop.app.post("/inventory/counts", { skus })).body.data.id}`;
    return { path, change: ["POST", `${path}/cancel`, {}] };
  },
  transfer: async () => {
    const { sku } = await shop.product(3);
    const [{ warehouse_id: from_location, ...same }] = (await shop.app.get("/inventory/locations")).body.data;
    const other = { ...same, name: "Other" };
    const { data } = (await shop.app.post("/inventory/locations", other)).body;
    const body = { from_location, to_location: data.warehouse_id, items: [{ sku, quantity: 1 }] };
    const path = `/inventory/transfers/${(await shop.app.post("/inventory/transfers", body)).body.data.id}`;
    return { path, change: ["POST", `${path}/ship`, {}] };
  },
};

describe.each(Object.entries(kinds))("a %s", (_, make) => {
  test("is known by its tag, changes once by it, and not again", async () => {
    const { path, change } = await make();
    const first = await shop.app.get(path);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect((await send("GET", path, { "if-none-match": etag })).status).toBe(304);
    const [method, at, body] = change;
    const weak = await send(method, at, { "if-match": `W/${etag}` }, body);
    expect([weak.status, weak.headers.get("etag")]).toEqual([412, etag]);
    expect((await shop.app.get(path)).body.data).toEqual(first.body.data);
    expect((await send(method, at, { "if-match": `"other", ${etag}` }, body)).status).toBeLessThan(300);
    await shop.app.takeEvents();
    const stale = await send(method, at, { "if-match": etag }, body);
    expect([stale.status, stale.body.error.code]).toEqual([412, "precondition_failed"]);
    expect(stale.headers.get("etag")).toBe((await shop.app.get(path)).headers.get("etag"));
    expect(await shop.app.takeEvents()).toEqual([]);
    expect((await send("GET", path, { "if-none-match": etag })).status).toBe(200);
    expect((await send(method, at, { "if-match": "7" }, body)).status).toBe(400);
  });
});

describe("refuses", () => {
  test("a condition where what changes has no version, and nothing happens", async () => {
    const body = { sku: crypto.randomUUID(), name: "Tea" };
    const answer = await send("POST", "/products", { "if-match": "*" }, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, "malformed_header"]);
    expect((await shop.app.get(`/products?sku=${body.sku}`)).body.data).toEqual([]);
  });

  test.each([
    ["PATCH", "", { priority: 3 }],
    ["DELETE", "", undefined],
    ["POST", "/hold", {}],
    ["POST", "/release", {}],
    ["POST", "/process", {}],
    ["POST", "/pick", {}],
    ["POST", "/pack", {}],
    ["POST", "/ship", {}],
    ["POST", "/deliver", {}],
    ["POST", "/cancel_items", { items: [{ line_id: 1, quantity: 1 }] }],
  ])("%s /orders/:id%s when the order has moved on, and nothing happens", async (method, action, body) => {
    const { id } = await shop.order([[await shop.product(5), 1]]);
    const before = (await shop.app.patch(`/orders/${id}`, { priority: 3 })).body.data;
    await shop.app.takeEvents();
    const stale = await send(method, `/orders/${id}${action}`, { "if-match": '"1"' }, body);
    expect([stale.status, stale.body.error.code, stale.body.error.etag, stale.headers.get("etag")]).toEqual([
      412,
      "precondition_failed",
      '"2"',
      '"2"',
    ]);
    expect(await shop.app.takeEvents()).toEqual([]);
    expect(await shop.get(id)).toEqual(before);
  });

  test("a weak tag, even of the version it is", async () => {
    const { id } = await shop.order([[await shop.product(5), 1]]);
    expect((await send("PATCH", `/orders/${id}`, { "if-match": 'W/"1"' }, { priority: 3 })).status).toBe(412);
  });

  test.each(["1", '"1', '"1" "2"', "", '"1",', 'w/"1"'])("If-Match: %s, which is no list of tags", async (tag) => {
    const { id } = await shop.order([[await shop.product(5), 1]]);
    const answer = await send("PATCH", `/orders/${id}`, { "if-match": tag }, { priority: 3 });
    expect([answer.status, answer.body.error.code]).toEqual([400, "malformed_header"]);
    const read = await send("GET", `/orders/${id}`, { "if-none-match": tag });
    expect(read.status).toBe(400);
  });

  test("an order that is not there, whatever its tag", async () => {
    expect((await send("PATCH", "/orders/ord_9", { "if-match": "*" }, { priority: 3 })).status).toBe(404);
  });

  test("a stale tag is kept for no repetition", async () => {
    const { id } = await shop.order([[await shop.product(5), 1]]);
    const key = { "idempotency-key": `twice-${id}` };
    const body = { priority: 3 };
    expect((await send("PATCH", `/orders/${id}`, { ...key, "if-match": '"9"' }, body)).status).toBe(412);
    expect((await send("PATCH", `/orders/${id}`, { ...key, "if-match": '"1"' }, body)).status).toBe(200);
  });
});

describe("guards", () => {
  test("of two clients that saw the same version, one changes the order", async () => {
    const { id } = await shop.order([[await shop.product(5), 1]]);
    const answers = await Promise.all(
      [1, 2].map((priority) => send("PATCH", `/orders/${id}`, { "if-match": '"1"' }, { priority })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});
