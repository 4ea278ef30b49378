// A dry run reports exactly what the command then does, and changes nothing.
import { expect, test } from "bun:test";
import { openShop } from "../build/shop.ts";
import { openSeller } from "../shipping/labels/seller.ts";

const shop = await openShop();

const created = /^(?:ord|lin|hld|shp|ret|rfd)_\d+$/;

/** The data of an act as its dry run shows it: with null in place of the ids of records that did not exist before. */
const withoutNew = (data: unknown, before: string) =>
  JSON.parse(
    JSON.stringify(data, (_, value) => {
      const is_new = typeof value === "string" && created.test(value) && !before.includes(`"${value}"`);
      return is_new ? null : value;
    }),
  );

interface Act {
  readonly method?: "POST" | "DELETE" | "PATCH";
  readonly path: string;
  readonly body?: unknown;
}

interface Named {
  readonly type: string;
  readonly id: string | null;
}

const dry = (path: string) => `${path}${path.includes("?") ? "&" : "?"}dry_run=true`;

/** Everything visible of the records that the tests touch. */
async function visible() {
  const paths = ["/orders?limit=100", "/inventory?limit=100", "/returns?limit=100", "/shipping/labels?limit=100"];
  const seen = [];
  for (const path of paths) seen.push((await shop.app.get(path)).body.data);
  return seen;
}

/** Performs a dry run, then the command: the same response and events, and no effect in between. */
async function rehearsedAndDone({ method = "POST", path, body }: Act) {
  await shop.app.takeEvents();
  const before = await visible();
  const rehearsal = await shop.app.call(method, dry(path), method === "DELETE" ? undefined : (body ?? {}));
  expect(await visible()).toEqual(before);
  expect(await shop.app.takeEvents()).toEqual([]);
  const done = await shop.app.call(method, path, method === "DELETE" ? undefined : (body ?? {}));
  const events = await shop.app.takeEvents();
  const told = events.map(({ type }) => type);
  if (done.status >= 300) {
    expect([path, rehearsal.status, rehearsal.body.error.code]).toEqual([path, done.status, done.body.error.code]);
    return { rehearsal, done, told };
  }
  expect([path, rehearsal.status, rehearsal.body.meta?.dry_run]).toEqual([path, 200, true]);
  expect(rehearsal.headers.get("etag")).toBeNull();
  expect(rehearsal.body.data).toEqual(withoutNew(done.body.data, JSON.stringify(before)));
  const named = events.map(({ type, data: { id, sku } }) => ({ type, id: id ?? sku }));
  expect(rehearsal.body.meta.events.map(({ type, id }: Named) => ({ type, id }))).toEqual(
    withoutNew(named, JSON.stringify(before)),
  );
  expect(done.body.meta.dry_run).toBeUndefined();
  return { rehearsal, done, told };
}

test("a dry run of each command on an order reports what the command then does", async () => {
  const goods = await shop.product({ units: 9 });
  const scarce = await shop.product({ units: 1 });
  const draft = shop.draft([
    [goods, 3],
    [scarce, 2],
  ]);
  const { done: made } = await rehearsedAndDone({ path: "/orders", body: draft });
  const path = `/orders/${made.body.data.id}`;
  const acts: Act[] = [
    { path: "/orders", body: draft },
    { path, method: "PATCH", body: { priority: 4, requires_cold_storage: true } },
    { path, method: "PATCH", body: { requires_cold_storage: false } },
    { path: `${path}/hold`, body: { reason: "payment", reserve_inventory: false } },
    { path: `${path}/ship` },
    { path: `${path}/release` },
    { path: `${path}/process` },
    { path: `${path}/pick` },
    { path: `${path}/cancel_items`, body: { items: [{ sku: goods.sku, quantity: 1 }], reason: "customer" } },
    { path: `${path}/pack`, body: { partial: true } },
    { path: `${path}/ship`, body: { partial: true, carrier: "Bike Bob", tracking_number: "BOB-1" } },
    { path: `${path}/deliver` },
    { path, method: "DELETE" },
  ];
  for (const act of acts) await rehearsedAndDone(act);
  const other = await shop.order([[goods, 2]]);
  const { rehearsal } = await rehearsedAndDone({ path: `/orders/${other.id}?reason=fraud`, method: "DELETE" });
  expect(rehearsal.body.meta.events).toEqual([
    {
      type: "order.cancelled",
      object: "order",
      id: other.id,
      changes: { status: { from: "pending", to: "cancelled" } },
    },
    {
      type: "inventory.updated",
      object: "inventory_item",
      id: goods.sku,
      changes: { reserved: { from: 2, to: 0 }, available: { from: 5, to: 7 } },
    },
  ]);
});

test("a dry run of each command that creates records names none of them", async () => {
  const goods = await shop.product({ units: 9 });
  const draft = shop.draft([[goods, 3]]);
  // What clients store is shown as they sent it, even if it looks like an id.
  const metadata = { id: "ord_77", line_id: "lin_77" };
  const noted = await shop.app.call("POST", dry("/orders"), { ...draft, metadata });
  expect(noted.body.data.metadata).toEqual(metadata);
  const { rehearsal, done } = await rehearsedAndDone({ path: "/orders", body: draft });
  const { data, meta } = rehearsal.body;
  expect([data.id, data.line_items[0].id]).toEqual([null, null]);
  expect(meta.events[0]).toMatchObject({ type: "order.created", object: "order", id: null });
  const { id, line_items } = done.body.data;
  const path = `/orders/${id}`;
  const shown = async (act: Act) => (await rehearsedAndDone(act)).rehearsal.body.data;
  const items = [{ line_id: line_items[0].id, quantity: 1 }];
  const { split_off, ...left } = await shown({ path: `${path}/split`, body: { items } });
  expect([left.id, left.line_items[0].id]).toEqual([id, line_items[0].id]);
  expect([split_off.id, split_off.order_number, split_off.line_items[0].id]).toEqual([
    null,
    `${draft.order_number}-2`,
    null,
  ]);
  const lines = [{ sku: goods.sku, quantity: 2, unit_price: "3.00" }];
  const edited = await shown({ path, method: "PATCH", body: { line_items: [...lines, { ...lines[0], quantity: 1 }] } });
  expect(edited.line_items.map((line: { id: string | null }) => line.id)).toEqual([line_items[0].id, null]);
  const first = await shown({ path: `${path}/hold`, body: { reason: "payment" } });
  const both = await shown({ path: `${path}/hold`, body: { reason: "fraud" } });
  const holds = [...first.holds, ...both.holds].map((hold: { id: string | null }) => hold.id !== null);
  expect([first.id, holds]).toEqual([id, [false, true, false]]);
  await shop.act(id, "release");
  const short = { sku: goods.sku, quantity: 3, short: true, reason: "lost" };
  const missed = await shown({ path: `${path}/pick`, body: { items: [short] } });
  expect(missed.holds.every((hold: { id: string | null }) => hold.id === null)).toBe(true);
  const shipped = await shown({ path: `${path}/ship`, body: { partial: true } });
  expect(shipped.shipments[0].id).toBeNull();
});

test("a dry run of each step of a return reports what the step then does", async () => {
  const goods = await shop.product({ units: 5 });
  const order = await shop.order([[goods, 3]]);
  await shop.act(order.id, "ship");
  await shop.act(order.id, "deliver");
  const body = { order_id: order.id, reason: "customer_remorse", items: [{ sku: goods.sku, quantity: 2 }] };
  const { done } = await rehearsedAndDone({ path: "/returns", body });
  const path = `/returns/${done.body.data.id}`;
  const steps: Act[] = [
    { path: `${path}/refund` },
    { path: `${path}/receive` },
    { path: `${path}/inspect`, body: { items: [{ sku: goods.sku, quantity: 2, condition: "unopened" }] } },
    { path: `${path}/refund`, body: { amount: "5.00" } },
    { path: `${path}/close` },
  ];
  for (const step of steps) await rehearsedAndDone(step);
  const { done: second } = await rehearsedAndDone({ path: "/returns", body: { ...body, items: undefined } });
  await rehearsedAndDone({ path: `/returns/${second.body.data.id}/cancel` });
});

test("a dry run calls no carrier about labels, and assumes that they can be voided", async () => {
  const { asked } = await openSeller(shop.app);
  const goods = await shop.product({ units: 5 });
  const order = await shop.order([[goods, 2]]);
  const carriage = { carrier: "swift", service: "ground", package: { weight: 1, weight_unit: "lb" } };
  const bought = await shop.app.post("/shipping/labels", { order_id: order.id, ...carriage });
  expect([bought.status, bought.body.error]).toEqual([201, undefined]);
  const before = await visible();
  const rehearsal = await shop.app.call("DELETE", `/orders/${order.id}?dry_run=true`);
  expect([asked("void"), rehearsal.body.error]).toEqual([0, undefined]);
  expect(await visible()).toEqual(before);
  const { status, shipments } = rehearsal.body.data;
  expect([status, shipments[0].status]).toEqual(["cancelled", "voided"]);
  const done = await shop.app.call("DELETE", `/orders/${order.id}`);
  expect([asked("void"), done.status, done.body.data.shipments[0].status]).toEqual([1, 200, "voided"]);
});

test("a dry run respects If-Match, and its response is replayed for its Idempotency-Key", async () => {
  const goods = await shop.product({ units: 5 });
  const order = await shop.order([[goods, 1]]);
  const path = dry(`/orders/${order.id}/hold`);
  const stale = await shop.app.call("POST", path, {}, { headers: { "if-match": '"9"' } });
  expect(stale.status).toBe(412);
  const headers = { "idempotency-key": "rehearsal-1" };
  const first = await shop.app.call("POST", path, {}, { headers });
  const again = await shop.app.call("POST", path, {}, { headers });
  expect([first.status, again.body]).toEqual([200, first.body]);
  const real = await shop.app.call("POST", `/orders/${order.id}/hold`, {}, { headers });
  expect(real.body.error.code).toBe("idempotency_key_reused");
  expect((await shop.get(order.id)).status).toBe("pending");
});
