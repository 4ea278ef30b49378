import { describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

interface Row {
  event: string;
  from_status: string | null;
  to_status: string;
  reason: string | null;
  note: string | null;
  actor: { type: string; id: string; name: string };
  request_id: string | null;
}
const rows = async (id: string): Promise<Row[]> => (await shop.app.get(`/orders/${id}/history?limit=100`)).body.data;
const told = async (id: string) => (await rows(id)).map(({ event, reason, note }) => [event, reason, note]);
const parcel = { carrier: "local", service: "standard", package: { weight: 1, weight_unit: "lb" } };

async function label(order_id: string, more: object = {}) {
  const { status, body } = await shop.app.post("/shipping/labels", { order_id, ...parcel, ...more });
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data as { label_id: string; tracking_number: string };
}
const scan = (number: string, status: string, more: object = {}) =>
  shop.app.post(`/tracking/${number}/events`, { status, ...more });

describe("works", () => {
  test("every act on an order has a row: event, from, to, reason, actor and request", async () => {
    const tea = await shop.product({ units: 9 });
    const made = await shop.order([[tea, 2]]);
    const { id } = made;
    const address = shop.customer.shipping_addresses[1].id;
    await shop.app.patch(`/orders/${id}`, { priority: 5, shipping_address_id: address, metadata: { a: 1 } });
    await shop.app.patch(`/orders/${id}`, { line_items: [{ sku: tea.sku, quantity: 3, unit_price: "12.50" }] });
    await shop.act(id, "hold", { reason: "fraud", note: "Odd card" });
    await shop.act(id, "hold", { reason: "payment" });
    await shop.act(id, "release", {});
    const first = await label(id);
    await shop.app.post(`/shipping/labels/${first.label_id}/void`);
    const second = await label(id);
    await scan(second.tracking_number, "in_transit");
    await scan(second.tracking_number, "exception", { message: "Wrong address" });
    await scan(second.tracking_number, "delivered");
    const back = (await shop.app.post("/returns", { order_id: id, reason: "defective" })).body.data;
    await shop.app.post(`/returns/${back.id}/receive`);
    const items = [{ sku: tea.sku, quantity: 3, condition: "opened", disposition: "quarantine" }];
    await shop.app.post(`/returns/${back.id}/inspect`, { items });
    await shop.app.post(`/returns/${back.id}/refund`);
    const [one, two] = [first.tracking_number, second.tracking_number];
    const [from, to] = [made.shipping_address_id, address];
    expect(await told(id)).toEqual([
      ["create", null, null],
      ["update", null, `priority: 0 > 5, metadata, shipping_address_id: ${from} > ${to}`],
      ["update", null, "line_items"],
      ["hold", "fraud", "Odd card"],
      ["hold", "payment", null],
      ["release", "fraud, payment", null],
      ["label", null, `${one} local standard`],
      ["void", null, one],
      ["label", null, `${two} local standard`],
      ["process", null, null],
      ["pick", null, "assumed"],
      ["pack", null, null],
      ["ship", null, two],
      ["tracking", null, `${two}: exception. Wrong address`],
      ["deliver", null, two],
      ["return_created", "defective", `${back.id}: 3 of ${tea.sku}`],
      ["return_received", null, back.id],
      ["return_inspected", null, `${back.id}: 3 of ${tea.sku}: quarantine`],
      ["refund", null, `${back.id}: 37.50 USD`],
    ]);
    for (const { actor, request_id } of await rows(id)) {
      expect(actor).toMatchObject({ type: "api_key", id: expect.stringMatching(/^key_/), name: "full" });
      expect(request_id).toMatch(/^req_/);
    }
    const ways = (await rows(id)).map(({ from_status, to_status }) => `${from_status} > ${to_status}`);
    expect([...new Set(ways)]).toEqual([
      "null > pending",
      "pending > pending",
      "pending > on_hold",
      "on_hold > on_hold",
      "on_hold > pending",
      "pending > processing",
      "processing > processing",
      "processing > fulfilled",
      "fulfilled > shipped",
      "shipped > shipped",
      "shipped > delivered",
      "delivered > delivered",
    ]);
  });

  test("the request's own id is stored", async () => {
    const { id } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    await shop.app.call("POST", `/orders/${id}/process`, {}, { headers: { "x-request-id": "walk-7" } });
    expect((await rows(id)).at(-1)).toMatchObject({ event: "process", request_id: "walk-7" });
  });

  test("restocked units, and the cancellation of a return", async () => {
    const tea = await shop.product({ units: 5 });
    const { id } = await shop.order([[tea, 2]]);
    await shop.act(id, "pick");
    await shop.cancel(id, "?reason=customer&note=Too+late");
    const { revision } = await shop.get(id);
    await shop.app.post("/inventory/putbacks", { order_id: id, sku: tea.sku, quantity: 2, bin: "A-01" });
    expect((await told(id)).slice(-2)).toEqual([
      ["cancel", "customer", "Too late"],
      ["put_back", null, `2 of ${tea.sku} to A-01`],
    ]);
    expect((await shop.get(id)).revision).toBe(revision);
    const other = await shop.order([[tea, 1]]);
    await shop.act(other.id, "ship");
    const { body } = await shop.app.post("/returns", { order_id: other.id, reason: "customer_remorse" });
    await shop.app.post(`/returns/${body.data.id}/cancel`);
    expect((await told(other.id)).at(-1)).toEqual(["return_cancelled", null, body.data.id]);
  });

  test("automatic changes of its stock: lost, moved and finally filled", async () => {
    const milk = await shop.product();
    const add = (quantity: number, lot_number: string) =>
      shop.app.post("/inventory", { sku: milk.sku, quantity, location: "whs_1001", lot_number });
    await add(4, "L-1");
    const { id, revision } = await shop.order([[milk, 4]]);
    await add(1, "L-2");
    const lots = (await shop.app.get(`/inventory/lots?sku=${milk.sku}`)).body.data;
    const old = lots.find((lot: { lot_number: string }) => lot.lot_number === "L-1");
    const put = await shop.app.post(`/inventory/lots/${old.id}/status`, {
      status: "quarantined",
      reason: "quality_hold",
    });
    expect([put.status, put.body.error]).toEqual([200, undefined]);
    await add(2, "L-2");
    await shop.app.runJobs();
    expect((await told(id)).slice(1)).toEqual([
      ["backordered", null, `3 of ${milk.sku}`],
      ["reallocated", null, `1 of ${milk.sku}`],
      ["backorder_filled", null, `2 of ${milk.sku}`],
    ]);
    expect((await rows(id)).at(-1)).toMatchObject({
      actor: { type: "system", id: "orders.note_claims" },
      request_id: null,
    });
    expect(await shop.get(id)).toMatchObject({ revision: revision + 3, allocation: { backordered_units: 1 } });
    await shop.app.runJobs();
    expect(await rows(id)).toHaveLength(4);
  });

  test("pages, oldest first", async () => {
    const { id } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    await shop.act(id, "ship");
    const page = async (query: string) => (await shop.app.get(`/orders/${id}/history?limit=2&${query}`)).body;
    const events = (body: { data: Row[] }) => body.data.map(({ event }) => event);
    const first = await page("page=1");
    expect(first.meta.pagination).toMatchObject({ total: 5, total_pages: 3, has_more: true });
    const next = await page(`cursor=${first.meta.pagination.next_cursor}`);
    expect([events(first), events(next), events(await page("page=3"))]).toEqual([
      ["create", "process"],
      ["pick", "pack"],
      ["ship"],
    ]);
  });
});

describe("refuses", () => {
  test("a refused act adds no row", async () => {
    const { id } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    for (const action of ["deliver", "release"]) await shop.app.post(`/orders/${id}/${action}`);
    await shop.app.patch(`/orders/${id}`, { priority: 0 });
    expect(await rows(id)).toHaveLength(1);
  });
});
