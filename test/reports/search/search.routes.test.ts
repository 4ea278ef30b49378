// Compares the search across all records with a model. Queries are drawn from the records: whole, cut and varied.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { orders } from "../../../db/schema/orders.ts";
import { engine } from "../../../src/core/config.ts";
import type { Permission } from "../../../src/http/auth/permissions.ts";
import { hitsFor } from "../../../src/reports/search/search.routes.ts";
import { ssccOf } from "../../../src/shipping/labels/sscc.ts";
import { openShop } from "../../build/shop.ts";
import { type Found, makeRecords, type Records } from "../../lists/records.ts";
import { searches } from "../../lists/search_model.ts";
import { expectedHits, type Fit, type Floor } from "./model.ts";

const seed = Number(process.env["SEARCH_SEED"] ?? 20_260_301);
const runs = engine === "postgres" ? 200 : 400;

let records: Records;
let floor: Floor;
beforeAll(async () => {
  records = await makeRecords(seed);
  floor = await makeFloor(records);
}, 90_000);
afterAll(() => records.app.close());

async function makeFloor({ app, products, warehouses }: Records): Promise<Floor> {
  const made = async (path: string, body: unknown): Promise<Found> => {
    const answer = await app.post(path, body);
    expect([path, answer.status, answer.body.error]).toEqual([path, 201, undefined]);
    return answer.body.data;
  };
  const { sku } = products.find(({ status }) => status === "active");
  const [from, to] = warehouses;
  for (const [reference, supplier] of [
    ["PO-100%", "Harbour Tea"],
    ["PO_1001", null],
    [null, "Ödön & Sons"],
    ["po-1001", "50% off"],
  ]) {
    const items = { items: [{ sku, quantity: 1 }] };
    await made("/inventory/receipts", { reference, supplier, location: from, ...items });
    const way = { from_location: from, to_location: to, items: [{ sku, quantity: 1 }] };
    await made("/inventory/transfers", { reference: reference ?? supplier, ...way });
    await made("/inventory/counts", { location: from, notes: supplier, skus: [sku] });
  }
  const all = async (path: string): Promise<Found[]> => (await app.get(`${path}?limit=100`)).body.data;
  const receipts = await all("/inventory/receipts");
  const transfers = await all("/inventory/transfers");
  const counts = await all("/inventory/counts");
  const lots = await all("/inventory/lots");
  const places: Found[] = (await app.get("/inventory/locations")).body.data;
  const bins = places.flatMap(({ warehouse_id, location_zones }) =>
    location_zones.flatMap((zone: Found) =>
      zone.bins.map(({ code }: Found) => ({ code, key: `${code} ${warehouse_id}` })),
    ),
  );
  return { lots, bins, receipts, transfers, counts };
}

/** Typed queries: existing texts, whole or cut, in any case, with surrounding blanks. */
function typed(): string[] {
  const { products, customers, parcels, labels, returns } = records;
  const texts = [
    ...searches(records.orders),
    ...products.flatMap(({ sku, name, id }) => [sku, name, id]),
    ...customers.flatMap(({ id, email, company }) => [id, email, company ?? "B"]),
    ...[...parcels, ...labels].flatMap(({ tracking_number, id, label_id }) => [
      tracking_number ?? "1Z",
      id ?? label_id,
    ]),
    ...returns.flatMap(({ id, return_shipping }) => [id, return_shipping.tracking_number ?? id]),
    ...Object.values(floor).flatMap((all: Found[]) =>
      all.flatMap((one) => [one.reference, one.supplier, one.notes, one.lot_number, one.code, one.id]),
    ),
  ].filter((text) => typeof text === "string" && text.trim() !== "");
  return [...new Set(texts)];
}

const disguises: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => `  ${text} `,
  (text) => text.slice(0, Math.ceil(text.length / 2)),
  (text) => text.slice(0, 1),
  (text) => text.slice(1, 4),
  (text) => text.replace(/.{3}/g, "$& "),
];

const rank: readonly Fit[] = ["exact", "prefix", "part"];

describe("works", () => {
  test("finds the same as a model, best matches first, up to the limit per type", async () => {
    const texts = typed();
    const found = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 20 }), async (text, disguise, limit) => {
        const q = disguises[disguise % disguises.length]?.(texts[text % texts.length] ?? "") ?? "";
        if (q.trim() === "") return;
        const { body } = await records.app.get(`/search?${new URLSearchParams({ q, limit: String(limit) })}`);
        const { results, more } = body.data;
        const expected = expectedHits(q, records, floor);
        const fitting = Object.values(expected).reduce((sum, hits) => sum + Math.min(hits.size, limit), 0);
        const isCut = fitting > 60;
        for (const [type, hits] of Object.entries(expected)) {
          const own: Found[] = results.filter((hit: Found) => hit.type === type);
          const whose = ["bin", "count"].includes(type) ? null : "mer_1";
          expect(own.every((hit) => hit.merchant_id === whose)).toBe(true);
          const keyed = own.map((hit) => [type === "bin" ? `${hit.id} ${hit.parent.id}` : hit.id, hit.match]);
          for (const [id, match] of keyed)
            expect({ q, type, id, match }).toEqual({ q, type, id, match: hits.get(id) as Fit });
          if (isCut) continue;
          const best = [...hits.values()].sort((a, b) => rank.indexOf(a) - rank.indexOf(b)).slice(0, limit);
          expect({ q, type, limit, fits: keyed.map(([, match]) => match) }).toEqual({ q, type, limit, fits: best });
          expect({ q, type, more: more.includes(type) }).toEqual({ q, type, more: hits.size > limit });
          for (const fit of best) found.add(`${type} ${fit}`);
        }
        const order = results.map((hit: Found) => rank.indexOf(hit.match));
        expect(order).toEqual([...order].sort((a: number, b: number) => a - b));
        expect(results.length).toBe(Math.min(fitting, 60));
      }),
      { seed, numRuns: runs },
    );
    // The queries were realistic: each type was found, exactly and otherwise.
    expect([...found].length).toBeGreaterThan(15);
  }, 120_000);
});

const shop = await openShop();

describe("scanned codes", () => {
  const exact = async (q: string) =>
    (await shop.app.get(`/search?${new URLSearchParams({ q })}`)).body.data.results
      .filter((hit: Found) => hit.match === "exact")
      .map((hit: Found) => `${hit.type} ${hit.id}`);

  test("a GTIN finds one product, with or without leading zeros, raw or in a GS1 symbol", async () => {
    const made = await shop.app.post("/products", {
      sku: "GREEN-1",
      name: "Green tea",
      barcodes: [{ value: "036000291452", type: "upc" }],
    });
    expect(made.status).toBe(201);
    const product = `product ${made.body.data.id}`;
    const scans = ["036000291452", "0036000291452", "00036000291452", "(01)00036000291452", "]C10100036000291452"];
    for (const scan of [...scans, "010003600029145210L-7", "green-1", "GREEN TEA"]) {
      expect([scan, await exact(scan)]).toEqual([scan, [product]]);
    }
    expect(await exact("036000291453")).toEqual([]);
  });

  test("a tracking number finds one parcel instead of its label, in groups or as an SSCC with its 00", async () => {
    const goods = await shop.product({ units: 9 });
    const sscc = ssccOf("9521234", 41) ?? "";
    const { id } = await shop.order([[goods, 1]]);
    const { shipments } = await shop.act(id, "ship", { tracking_number: sscc });
    const parcel = [`parcel ${shipments[0].id}`];
    for (const scan of [sscc, `00${sscc}`, `(00)${sscc}`, `]C100${sscc}`, sscc.replace(/.{4}/g, "$& ")]) {
      expect([scan, await exact(scan)]).toEqual([scan, parcel]);
    }
    const other = await shop.order([[goods, 1]]);
    const bought = { order_id: other.id, carrier: "local", service: "express", package: { weight: 1 } };
    const label = (await shop.app.post("/shipping/labels", bought)).body.data;
    expect(await exact(label.tracking_number)).toEqual([`parcel ${label.shipment_id}`]);
    expect(await exact(label.label_id.toUpperCase())).toEqual([`label ${label.label_id}`]);
    await shop.app.post(`/shipping/labels/${label.label_id}/void`);
    expect(await exact(label.tracking_number)).toHaveLength(1);
  });

  test("a phone number finds one customer in any notation, and nobody else", async () => {
    const made = await shop.app.post("/customers", { email: "ring@example.com", phone: "+49 (0)30 / 123-45.67" });
    const customer = `customer ${made.body.id}`;
    expect(await exact("+49 030 1234567")).toEqual([customer]);
    const found = async (q: string) =>
      (await shop.app.get(`/search?types=customer&${new URLSearchParams({ q })}`)).body.data.results.map(
        (hit: Found) => hit.id,
      );
    for (const q of ["030 1234567", "0049 030 1234567", "49030", "30-123-4567"]) {
      expect([q, await found(q)]).toEqual([q, [made.body.id]]);
    }
    for (const q of ["031 1234567", "1234568", "490", "3456"]) expect([q, await found(q)]).toEqual([q, []]);
  });

  test("an order is found by its external number", async () => {
    const { id } = await shop.order([[await shop.product({ units: 1 }), 1]]);
    await shop.app.service.stores.live.write((tx) =>
      tx.sql
        .update(orders)
        .set({ source_external_id: "GID-5001_a" })
        .where(eq(orders.id, Number(id.slice(4)))),
    );
    expect(await exact("gid-5001_A")).toEqual([`order ${id}`]);
    const { results } = (await shop.app.get("/search?q=gid-5001")).body.data;
    expect(results.map((hit: Found) => [hit.id, hit.match])).toEqual([[id, "prefix"]]);
    expect((await shop.app.get("/search?q=gid-5001%25")).body.data.results).toEqual([]);
  });

  test("records without permission are not found", async () => {
    const goods = await shop.product({ sku: "SECRET-1", units: 1 });
    await shop.order([[goods, 1]], { order_number: "SECRET-2" });
    const types = async (query: string) =>
      (await shop.app.get(`/search?q=secret&${query}`)).body.data.results.map((hit: Found) => hit.type);
    expect(await types("")).toEqual(["order", "product", "order"].slice(0, 2));
    expect(await types("types=product,bin")).toEqual(["product"]);
    const asked = (...words: Permission[]) =>
      shop.app.service.stores.live.read((db) =>
        hitsFor(
          db,
          { granted: { permissions: new Set(words), by: "role", name: "some" }, merchant_id: null },
          { q: "secret" },
        ),
      );
    expect((await asked("catalog.read")).results.map(({ type }) => type)).toEqual(["product"]);
    expect((await asked("orders.read", "stock.read")).results.map(({ type }) => type)).toEqual(["order"]);
    expect((await asked("metrics.read")).results).toEqual([]);
  });
});

describe("refuses", () => {
  test.each(["", "q=", `q=${"x".repeat(201)}`, "q=a&types=dog", "q=a&limit=21", "q=a%00", "q=a&page=2"])(
    "%s",
    async (query) => {
      const { status, body } = await records.app.get(`/search?${query}`);
      expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    },
  );

  test("no query of blanks, which finds nothing", async () => {
    expect((await records.app.get("/search?q=%20%20")).body.data).toEqual({ results: [], more: [] });
  });
});
