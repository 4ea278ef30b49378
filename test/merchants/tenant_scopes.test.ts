// Counts, lists and searches with several merchants. Each merchant sees its own records, the operator sees all, and
// the operator's filter by merchant shows exactly what that merchant sees.

import { beforeAll, describe, expect, test } from "bun:test";
import { iso } from "../../src/core/clock.ts";
import { readId } from "../../src/core/ids.ts";
import { day_ms } from "../../src/core/time.ts";
import { type Answered, openApp } from "../build/service.ts";
import { portland } from "../build/shop.ts";
import { signedInAs } from "../identity/people.ts";

/** The number of times that each merchant does everything, with the same names as the others. */
const times = { MAIN: 1, ACME: 2, BOLT: 3 } as const;
type Code = keyof typeof times;
const codes: readonly Code[] = ["MAIN", "ACME", "BOLT"];

const keys = new Map<Code, string>();
const app = await openApp();
beforeAll(async () => {
  for (const code of ["ACME", "BOLT"]) await app.post("/merchants", { code, name: code });
  for (const code of codes) {
    const { key } = await sent(code, "POST", "/keys", { name: "till", permission: "full", merchant_id: code });
    keys.set(code, key);
    await play(code);
  }
  await app.runJobs();
}, 60_000);

async function sent(code: Code, method: string, path: string, body: object = {}) {
  const { status, body: answer } = await app.call(method, path, body, { headers: { "packhouse-merchant": code } });
  expect([method, path, answer.error]).toEqual([method, path, undefined]);
  expect([method, path, status < 300]).toEqual([method, path, true]);
  return answer.data ?? answer;
}

/** The activity of a merchant: everything several times, one of each kind still open, and one shipped. */
async function play(code: Code): Promise<void> {
  const count = times[code];
  const now = app.clocks.live.now();
  const place = { location: "whs_1001", bin: `${code}-1` };
  const who = { email: "jane@example.com", first_name: "Jane", last_name: "Doe", shipping_addresses: [portland] };
  const customer = await sent(code, "POST", "/customers", who);
  const barcodes = [{ type: "ean", value: "4006381333931" }];
  await sent(code, "POST", "/products", { sku: "TEA", name: "Green tea", barcodes });
  await sent(code, "POST", "/products", { sku: "RARE", name: "Rare tea" });
  await sent(code, "POST", "/products", { sku: "LOW", name: "Low tea", reorder_point: 5 });
  await sent(code, "POST", "/products", { sku: "MILK", name: "Milk", lot_tracking: true, expiration_tracking: true });
  await sent(code, "POST", "/inventory", { sku: "TEA", quantity: 100 * count, ...place });
  await sent(code, "POST", "/inventory", { sku: "LOW", quantity: 1, ...place });
  for (let at = 1; at <= count; at++) {
    const order = (sku: string, number: string) =>
      sent(code, "POST", "/orders", {
        order_number: `${number}-${at}`,
        customer_id: customer.id,
        shipping_address_id: customer.shipping_addresses[0].id,
        line_items: [{ sku, quantity: 2, unit_price: "3.00" }],
      });
    const [held, left, cancelled] = [await order("TEA", "H"), await order("TEA", "L"), await order("TEA", "C")];
    await order("RARE", "S");
    await sent(code, "POST", `/orders/${held.id}/hold`, { reason: "payment" });
    const parcel = { weight: 2, weight_unit: "lb" };
    await sent(code, "POST", "/shipping/labels", {
      order_id: left.id,
      carrier: "local",
      service: "standard",
      package: parcel,
    });
    await sent(code, "POST", `/orders/${left.id}/ship`);
    await sent(code, "POST", `/orders/${cancelled.id}/pick`);
    await sent(code, "DELETE", `/orders/${cancelled.id}`);
    const lot = { sku: "MILK", quantity: 3, lot_number: `LOT-${at}`, expiration_date: iso(now + 10 * day_ms) };
    await sent(code, "POST", "/inventory", { ...lot, ...place });
    const items = [{ sku: "TEA", quantity: 10 }];
    const expected_at = iso(now - day_ms);
    await sent(code, "POST", "/inventory/receipts", {
      reference: `PO-${at}`,
      location: "whs_1001",
      expected_at,
      items,
    });
  }
}

/** A response without its request-specific parts. */
const plain = ({ status, body }: Answered) => {
  if (typeof body === "string") return [status, body];
  const { meta: { timestamp: _at, requestId: _id, request_id: _own, ...meta } = {}, ...rest } = body;
  // Bins are visible to the operator only.
  const shown = JSON.stringify(rest, (name, value) => (name === "location" ? undefined : value));
  return [status, { ...JSON.parse(shown), meta }];
};
const by = (code: Code, path: string) => app.call("GET", path, undefined, { key: keys.get(code) ?? "" });
const narrowed = (code: Code, path: string) => app.get(`${path}${path.includes("?") ? "&" : "?"}merchant=${code}`);

const lists = [
  "/orders?limit=100",
  "/orders?status=on_hold",
  "/orders?hold_reason=payment",
  "/orders?short=true",
  "/orders?short=false",
  "/orders?sku=TEA",
  "/orders?q=jane",
  "/orders?q=H-1",
  "/orders?carrier=local",
  "/orders?q=jane&sort=created_at&limit=1",
  "/orders/counts",
  "/products",
  "/customers?q=jane",
  "/inventory?limit=100",
  "/inventory/lots",
  "/inventory/receipts",
  "/shipments",
  "/returns?arrived=false",
  "/tracking",
  "/events?limit=100",
  "/events?delivered=true&limit=100",
  "/reports/orders",
  "/reports/on_time",
  "/reports/sales",
  "/reports/stock_ageing",
  "/reports/stock_turns",
  "/reports/fill_rate",
  "/reports/sales/export.csv",
  "/orders/export.csv",
  "/shipments/export.csv",
];

/** Lists that are still empty. */
const empty = ["/returns?arrived=false", "/reports/on_time"];

describe("works", () => {
  test.each(lists)("%s: a merchant sees what the operator sees of it, and nothing of others", async (path) => {
    const seen: unknown[] = [];
    for (const code of codes) {
      const own = plain(await by(code, path));
      expect(own[0]).toBe(200);
      expect(own).toEqual(plain(await narrowed(code, path)));
      seen.push(JSON.stringify(own));
    }
    expect(new Set(seen).size).toBe(empty.includes(path) ? 1 : codes.length);
  });

  test.each([
    ["/orders", 4],
    ["/orders?hold_reason=payment", 1],
    ["/orders?short=true", 1],
    ["/orders?sku=TEA", 3],
    ["/orders?q=jane", 4],
    ["/inventory/receipts", 1],
    ["/shipments", 1],
    ["/shipping/labels", 1],
  ])("%s has %i for each time, and the sum of all for the operator", async (path, each) => {
    const total = ({ body }: Answered) => body.meta.pagination?.total ?? body.pagination?.total ?? body.meta.total;
    for (const code of codes) expect([code, total(await by(code, path))]).toEqual([code, each * times[code]]);
    expect(total(await app.get(path))).toBe(each * 6);
  });

  test("the overview counts a merchant's open tasks, as far as they are its own", async () => {
    const counts = ({ body }: Answered) => {
      const { waiting, departures, receipts_late, expiring_lots, low_stock } = body.data;
      return {
        waiting: Object.fromEntries(waiting.map(({ kind, count }: { kind: string; count: number }) => [kind, count])),
        departures: departures.reduce((sum: number, { orders }: { orders: number }) => sum + orders, 0),
        others: [receipts_late.count, expiring_lots.count, low_stock.count],
      };
    };
    const of = (count: number, merchants: number, putback: object) => ({
      waiting: { hold: count, backorder: count, ...putback },
      departures: count,
      others: [count, count, merchants],
    });
    for (const code of codes) {
      const count = times[code];
      // Restocking is the operator's task.
      expect([code, counts(await by(code, "/overview"))]).toEqual([code, of(count, 1, {})]);
      const { putback, ...waiting } = counts(await narrowed(code, "/overview")).waiting;
      expect([code, waiting, putback > 0]).toEqual([code, { hold: count, backorder: count }, true]);
    }
    expect(counts(await app.get("/overview"))).toEqual(of(6, 3, { putback: expect.any(Number) }));
  });

  test("the overview shows the merchant of each record", async () => {
    for (const code of codes) {
      const merchant_id = (await app.get(`/merchants/${code}`)).body.data.id;
      const { waiting, receipts_late, expiring_lots, low_stock } = (await narrowed(code, "/overview")).body.data;
      const topics = [...waiting, receipts_late, expiring_lots, low_stock];
      const kinds = ["hold", "backorder", "putback", "receipt_late", "expiring_lot", "low_stock"];
      expect(topics.map(({ kind }) => kind)).toEqual(kinds);
      for (const { kind, samples } of topics) {
        expect([kind, new Set(samples.map((one: { merchant_id: string }) => one.merchant_id))]).toEqual([
          kind,
          new Set([merchant_id]),
        ]);
      }
    }
    const { low_stock } = (await app.get("/overview")).body.data;
    expect(new Set(low_stock.samples.map((one: { merchant_id: string }) => one.merchant_id)).size).toBe(codes.length);
  });

  test.each(["sales", "stock_ageing", "stock_turns"])("rows of the report %s show a SKU's merchant", async (name) => {
    const { rows } = (await app.get(`/reports/${name}`)).body.data;
    const owners = rows.filter(({ sku }: { sku: string }) => sku === "TEA");
    const ids = await Promise.all(codes.map(async (code) => (await app.get(`/merchants/${code}`)).body.data.id));
    expect(owners.map(({ merchant_id }: { merchant_id: string }) => merchant_id).sort()).toEqual(ids.sort());
  });

  test("a new merchant sees its first steps, whatever others have done", async () => {
    await app.post("/merchants", { code: "NEW", name: "New" });
    const { first_steps, waiting, departures } = (await app.get("/overview?merchant=NEW")).body.data;
    const none = {
      warehouse: true,
      carrier: false,
      product: false,
      stock: false,
      order: false,
      shipped_order: false,
      used_key: false,
    };
    expect([first_steps, waiting]).toEqual([none, []]);
    expect(departures.every(({ orders, shipped }: { orders: number; shipped: number }) => orders + shipped === 0)).toBe(
      true,
    );
  });

  test.each(["TEA", "H-1", "jane@example.com", "Jane", "4006381333931", "PO-1", "LOT-1"])(
    "a search for %s finds a merchant's own, and all for the house",
    async (q) => {
      const ids = async (answer: Promise<Answered>) =>
        (await answer).body.data.results.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`).sort();
      const path = `/search?q=${encodeURIComponent(q)}&limit=20`;
      const found: string[][] = [];
      for (const code of codes) {
        const own = await ids(by(code, path));
        expect(own.length).toBeGreaterThan(0);
        expect(own).toEqual(await ids(narrowed(code, path)));
        found.push(own);
      }
      const all = await ids(app.get(path));
      expect(found.flat()).toEqual(expect.arrayContaining(all));
      // A search returns a few results of each type.
      expect(all.length).toBeGreaterThanOrEqual(Math.min(found.flat().length, 20));
    },
  );

  test("only the operator finds bins and counts", async () => {
    await sent("MAIN", "POST", "/inventory/counts", { skus: ["TEA"], notes: "Aisle 4" });
    const types = async (answer: Promise<Answered>) =>
      (await answer).body.data.results.map(({ type }: { type: string }) => type);
    const [bin] = (await app.get("/inventory/bins?limit=1")).body.data;
    expect(await types(app.get(`/search?q=${bin.bin ?? bin.code}`))).toContain("bin");
    expect(await types(by("MAIN", `/search?q=${bin.bin ?? bin.code}`))).toEqual([]);
    expect(await types(app.get("/search?q=Aisle"))).toContain("count");
    expect(await types(by("MAIN", "/search?q=Aisle"))).toEqual([]);
  });
});

describe("operator-only data", () => {
  test("a merchant sees what it is charged for labels, not the operator's cost", async () => {
    const [shown] = (await by("ACME", "/shipping/labels")).body.data;
    const [known] = (await narrowed("ACME", "/shipping/labels")).body.data;
    expect([shown.carrier_cost, shown.breakdown, shown.cost]).toEqual([null, null, known.cost]);
    expect(known.carrier_cost).toBeGreaterThan(0);
    const { body } = await by("ACME", `/shipping/labels/${shown.label_id}`);
    expect([body.data.carrier_cost, body.data.breakdown]).toEqual([null, null]);
    const column = (csv: string) => {
      const [head = "", ...rows] = csv.trim().split("\r\n");
      const at = head.split(",").indexOf("carrier_cost");
      return rows.map((row) => row.split(",")[at]);
    };
    expect(column((await by("ACME", "/shipping/labels/export.csv")).body)).toEqual(["", ""]);
    expect(column((await narrowed("ACME", "/shipping/labels/export.csv")).body)).not.toContain("");
  });

  test("acts of the operator's users and keys are shown as done by the warehouse", async () => {
    const [held] = (await by("ACME", "/orders?q=H-1")).body.data;
    await app.call("POST", `/orders/${held.id}/release`, {}, { key: keyOf("ACME") });
    const names = async (answer: Promise<Answered>) =>
      (await answer).body.data.map(({ actor }: { actor: { name: string } }) => actor.name);
    const path = `/orders/${held.id}/history`;
    expect(new Set(await names(by("ACME", path)))).toEqual(new Set(["The warehouse", "till"]));
    expect(new Set(await names(app.get(path)))).toEqual(new Set(["full", "till"]));
    const ids = async (answer: Promise<Answered>) =>
      new Set((await answer).body.data.map(({ actor }: { actor: { id: string } }) => actor.id));
    expect([...(await ids(by("ACME", "/inventory/movements")))]).toEqual(["warehouse"]);
    expect((await by("ACME", "/inventory/movements/export.csv")).body).not.toContain("key_");
  });

  test("lists cannot be filtered by the operator's users and keys", async () => {
    const actors = new Set(
      (await app.get("/inventory/movements")).body.data.map(({ actor }: { actor: { id: string } }) => actor.id),
    );
    expect(actors.size).toBeGreaterThan(0);
    for (const actor of actors) {
      expect((await narrowed("ACME", `/inventory/movements?actor=${actor}`)).body.data).not.toEqual([]);
      const { data, meta } = (await by("ACME", `/inventory/movements?actor=${actor}`)).body;
      expect([data, meta.pagination.total]).toEqual([[], 0]);
      const file = (await by("ACME", `/inventory/movements/export.csv?actor=${actor}`)).body as string;
      expect(file.trim().split("\r\n")).toHaveLength(1);
    }
  });

  test("a merchant's own users are named in both environments", async () => {
    const merchant_id = (await app.get("/merchants/ACME")).body.data.id;
    const member = await signedInAs(app.service, "office", "Ada Acme", readId("merchant", merchant_id));
    const staff = await signedInAs(app.service, "manager", "Stan Staff");
    for (const mode of ["live", "test"] as const) {
      const ask = async (headers: Record<string, string>, method: string, path: string, body?: object) => {
        const sent = { headers: { "packhouse-mode": mode, ...headers }, key: null };
        const { status, body: answer } = await app.call(method, path, body, sent);
        expect([path, status < 300, answer.error]).toEqual([path, true, undefined]);
        return answer.data ?? answer;
      };
      const as_house = { ...staff.headers, "packhouse-merchant": "ACME" };
      const email = "ada@example.com";
      const buyer = await ask(member.headers, "POST", "/customers", { email, shipping_addresses: [portland] });
      await ask(member.headers, "POST", "/products", { sku: "NAMED", name: "Named" });
      const { id } = await ask(member.headers, "POST", "/orders", {
        order_number: "NAMED-1",
        customer_id: buyer.id,
        shipping_address_id: buyer.shipping_addresses[0].id,
        line_items: [{ sku: "NAMED", quantity: 1, unit_price: "1.00" }],
      });
      await ask(as_house, "POST", `/orders/${id}/hold`, { reason: "payment" });
      const path = `/orders/${id}/history`;
      const kept = { name: `till ${mode}`, permission: "read", merchant_id: "ACME" };
      const { key } = (await app.call("POST", "/keys", kept, { key: app.keys[mode].full })).body.data;
      const named = (rows: { actor: { name: string } }[]) => rows.map(({ actor }) => actor.name);
      const by_key = (await app.call("GET", path, undefined, { key })).body.data;
      // Neither is the caller.
      expect([mode, named(by_key)]).toEqual([mode, ["Ada Acme", "The warehouse"]]);
      expect([mode, named(await ask(as_house, "GET", path))]).toEqual([mode, ["Ada Acme", "Stan Staff"]]);
    }
  });
});

const keyOf = (code: Code) => keys.get(code) ?? "";
