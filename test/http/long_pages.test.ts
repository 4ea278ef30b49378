// Pages of records that may be long are read and sent in slices. A numbered page is complete; a page by cursor may end
// early.
import { expect, test } from "bun:test";
import type { Call } from "../../src/http/call.ts";
import { PageWriter } from "../../src/http/long_pages.ts";
import { openShop } from "../build/shop.ts";

const long_orders = 14;
const page_bytes_max = 2_000_000;

const shop = await openShop();
const skus = Array.from({ length: 500 }, (_, at) => `CUP-${at}`);
const file = ["sku,name", ...skus.map((sku) => `${sku},A cup of stoneware glazed twice ${sku}`)].join("\n");
const made = await shop.app.call("POST", "/products/import", file, { headers: { "content-type": "text/csv" } });
expect(made.body.data).toMatchObject({ created: 500 });
const ids: string[] = [];
for (let page = 1; page <= 5; page += 1) {
  const { body } = await shop.app.get(`/products?limit=100&page=${page}`);
  ids.push(...body.data.map(({ id }: { id: string }) => id));
}
const lines = ids.map((id) => [{ id }, 1] as const);
for (let at = 0; at < long_orders; at += 1) {
  shop.app.clocks.live.advance(1000);
  await shop.order(lines, { allow_backorder: true });
  // Short orders between the long ones.
  await shop.order(lines.slice(0, 2), { allow_backorder: true });
}

const idsOf = (body: { data: readonly { id: string }[] }) => body.data.map(({ id }) => id);

/** Every order on its own, newest first. */
async function each() {
  const found: { id: string }[] = [];
  for (let page = 1; page <= 2 * long_orders; page += 1) {
    found.push(...(await shop.app.get(`/orders?limit=1&page=${page}`)).body.data);
  }
  return found;
}

test("a numbered page is complete, however long, and shows each order as on a page of one", async () => {
  const { status, headers, body } = await shop.app.get("/orders?limit=100");
  expect([status, headers.get("content-type"), headers.get("x-request-id")]).toEqual([
    200,
    "application/json",
    body.meta.request_id,
  ]);
  expect(JSON.stringify(body).length).toBeGreaterThan(page_bytes_max);
  expect(body.data).toEqual(await each());
  expect(body.meta.pagination).toEqual({
    page: 1,
    limit: 100,
    total: 2 * long_orders,
    total_pages: 1,
    next_cursor: null,
    has_more: false,
  });
}, 60_000);

test("a page by cursor ends before it becomes too large, and the next page continues there", async () => {
  const first = (await shop.app.get("/orders?limit=1")).body;
  const ids = idsOf(first);
  const sizes: number[] = [];
  for (let { pagination } = first.meta; pagination.has_more; ) {
    const { body } = await shop.app.get(`/orders?limit=100&cursor=${pagination.next_cursor}`);
    expect(body.data.length).toBeGreaterThan(0);
    ids.push(...idsOf(body));
    sizes.push(JSON.stringify(body.data).length);
    ({ pagination } = body.meta);
    expect(pagination).toMatchObject({ limit: 100, has_more: pagination.next_cursor !== null });
    expect(Object.keys(pagination).sort()).toEqual(["has_more", "limit", "next_cursor"]);
  }
  expect(ids).toEqual(idsOf({ data: await each() }));
  expect(sizes.length).toBe(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(page_bytes_max);
  // It ends because the next slice does not fit, and not much earlier.
  expect(sizes[0]).toBeGreaterThan(page_bytes_max / 2);
}, 60_000);

test("an order that moves in the list while a page is read appears once, in its new state", async () => {
  const before = idsOf((await shop.app.get("/orders?sort=-updated_at&limit=100")).body);
  const last = before.at(-1) ?? "";
  const headers = { authorization: `Bearer ${shop.app.keys.live.full}` };
  const response = await shop.app.app.handle(
    new Request("http://packhouse.test/v1/orders?sort=-updated_at&limit=100", { headers }),
  );
  const reader = response.body?.getReader();
  const read = await reader?.read();
  let text = new TextDecoder().decode(read?.value);
  shop.app.clocks.live.advance(1000);
  await shop.app.patch(`/orders/${last}`, { priority: 7 });
  for (let more = await reader?.read(); more?.done === false; more = await reader?.read()) {
    text += new TextDecoder().decode(more.value);
  }
  const body = JSON.parse(text);
  expect(idsOf(body)).toEqual(before);
  expect(body.data.at(-1)).toMatchObject({ id: last, priority: 7 });
}, 60_000);

/** A page of records with these `sizes`, though each was estimated at 100 bytes. */
async function written(sizes: readonly number[], bytes_max: number) {
  const parts = sizes.map((size, id) => ({ position: [id, id] as const, bytes: 100, row: "x".repeat(size) }));
  const store = { read: (work: (db: null) => unknown) => work(null) };
  const call = { store, request: new Request("http://packhouse.test") } as unknown as Call;
  const paged = (data: readonly unknown[], next: unknown) => ({ data, next });
  const page = { parts, next: null, paged, again: undefined, views: (rows: readonly string[]) => rows };
  const writer = new PageWriter(call, page, bytes_max);
  let text = "";
  while (await writer.write()) text += writer.take();
  const body = JSON.parse(text) as { data: readonly string[]; next: unknown };
  return { lengths: body.data.map(({ length }) => length), next: body.next };
}

test("records that are larger than estimated still respect the limit, except a single one", async () => {
  const all = [3000, 500, 500, 9000, 10];
  expect(await written(all, Number.POSITIVE_INFINITY)).toEqual({ lengths: all, next: null });
  expect(await written(all, 2000)).toEqual({ lengths: [3000], next: [0, 0] });
  expect(await written([500, 500, 500], 1200)).toEqual({ lengths: [500, 500], next: [1, 1] });
  expect(await written([500, 500], 1200)).toEqual({ lengths: [500, 500], next: null });
  expect(await written([], 1200)).toEqual({ lengths: [], next: null });
});
