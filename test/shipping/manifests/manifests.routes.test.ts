import { beforeEach, describe, expect, test } from "bun:test";
import { manifest_labels } from "../../../db/schema/manifests.ts";
import { day_ms } from "../../../src/core/time.ts";
import { openApp, type TestApp } from "../../build/service.ts";
import { outcomeOf, type ParcelShop, parcelShopOn } from "../../build/shop.ts";
import { openPages } from "../../documents/open_pdf.ts";

let app: TestApp;
let shop: ParcelShop;
beforeEach(async () => {
  app = await openApp();
  shop = await parcelShopOn(app);
});

const make = (body: object = { carrier: "local" }) => app.post("/shipping/manifests", body);
const listed = ({ body }: { body: { data: { parcels: { label_id: string }[] } } }) =>
  body.data.parcels.map(({ label_id }) => label_id);

/** Buys labels for separate orders. */
async function labels(count: number, fields: object = {}) {
  const bought: { label_id: string; tracking_number: string; order_id: string; shipment_id: string }[] = [];
  for (let n = 0; n < count; n++) bought.push((await shop.label((await shop.order()).id, fields)).body.data);
  await app.takeEvents();
  return bought;
}
const present = <One>(one: One | undefined): One => {
  if (one === undefined) throw new Error("there are fewer labels than the test names");
  return one;
};
const idsOf = (some: readonly { label_id: string }[]) => some.map(({ label_id }) => label_id);

describe("works", () => {
  test("a day's valid labels are manifested once, and later ones on the next manifest", async () => {
    const [first, second, gone] = await labels(3);
    await app.post(`/shipping/labels/${gone?.label_id}/void`);
    const made = await make();
    expect(made.status).toBe(201);
    const { parcels, ...manifest } = made.body.data;
    expect(manifest).toEqual({
      manifest_id: expect.stringMatching(/^man_\d+$/),
      warehouse_id: "whs_1001",
      warehouse_name: "Main warehouse",
      carrier: "local",
      // In New York it is still the evening before.
      date: "2026-01-01",
      label_count: 2,
      created_by: { type: "api_key", id: expect.stringMatching(/^key_/) },
      created_at: "2026-01-02T03:04:05.000Z",
      total_weight_grams: 2 * 1134,
    });
    expect(parcels).toMatchObject([
      {
        label_id: first?.label_id,
        shipment_id: first?.shipment_id,
        order_id: first?.order_id,
        tracking_number: first?.tracking_number,
        service: "standard",
        label_status: "completed",
        order_number: "SO-1",
        weight: 2.5,
        weight_unit: "lb",
        to_address: { name: "Jordan Avery", city: "Beverly Hills", state: "CA", zip: "90210", country: "US" },
      },
      { label_id: second?.label_id },
    ]);
    expect(outcomeOf(await make())).toEqual([409, "nothing_to_manifest"]);
    const later = await labels(1, { service: "express" });
    expect(listed(await make())).toEqual(idsOf(later));
    expect(await app.takeEvents()).toEqual([]);
  });

  test("the document has the barcode of every parcel, and marks labels voided later", async () => {
    const bought = await labels(14);
    const { manifest_id } = (await make()).body.data;
    await app.post(`/shipping/labels/${bought[3]?.label_id}/void`);
    const read = { authorization: `Bearer ${app.keys.live.read}` };
    const path = `http://packhouse.test/v1/shipping/manifests/${manifest_id}/document`;
    const pdf = await app.app.handle(new Request(path, { headers: read }));
    expect([pdf.headers.get("content-type"), pdf.headers.get("content-disposition")]).toEqual([
      "application/pdf",
      `inline; filename="${manifest_id}.pdf"`,
    ]);
    const pages = await openPages(await pdf.bytes());
    const found = (await Promise.all(pages.map((page) => page.scan()))).flat().map(({ text }) => text);
    expect(found.sort()).toEqual([...bought.map(({ tracking_number }) => tracking_number), manifest_id].sort());
    expect(
      pages
        .map(({ text }) => text)
        .join("")
        .match(/VOIDED/g),
    ).toHaveLength(1);
    const html = await app.get(`/shipping/manifests/${manifest_id}/document?format=html`);
    expect(html.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(html.body).toContain("Packhouse Courier");
    const again = (await app.get(`/shipping/manifests/${manifest_id}`)).body.data;
    expect(again.parcels.map((one: Record<string, string>) => one["label_status"] === "voided")).toEqual(
      bought.map((_, at) => at === 3),
    );
    expect(again).toMatchObject({ label_count: 14, total_weight_grams: 13 * 1134 });
  });

  test("labels of the week before are included, but no older ones and none of tomorrow", async () => {
    const old = await labels(1);
    app.clocks.live.advance(8 * day_ms);
    const week = await labels(1);
    app.clocks.live.advance(2 * day_ms);
    const today = await labels(1);
    expect(listed(await make({ carrier: "local", date: "2026-01-10" }))).toEqual(idsOf(week));
    expect(listed(await make())).toEqual(idsOf(today));
    expect(listed(await make({ carrier: "local", date: "2026-01-03" }))).toEqual(idsOf(old));
  });

  test("a delivered parcel is not included unless it is named", async () => {
    const [there, moving] = await labels(2);
    const scan = (label: typeof there, status: string) =>
      app.post(`/tracking/${label?.tracking_number}/events`, { status });
    await scan(there, "delivered");
    await scan(moving, "picked_up");
    expect(listed(await make())).toEqual(idsOf(moving === undefined ? [] : [moving]));
    expect(outcomeOf(await make())).toEqual([409, "nothing_to_manifest"]);
    expect(listed(await make({ label_ids: [there?.label_id] }))).toEqual([there?.label_id ?? ""]);
  });

  test("a parcel shipped on an earlier day is not included, and one shipped today is", async () => {
    const [scanned, shipped, given_up, waiting] = await labels(4);
    const [found, later] = await labels(2);
    await app.post(`/tracking/${scanned?.tracking_number}/events`, { status: "picked_up" });
    await app.post(`/tracking/${given_up?.tracking_number}/events`, { status: "returned" });
    await app.post(`/orders/${shipped?.order_id}/ship`);
    // 23:45 in New York, and 0:15.
    app.clocks.live.advance(Date.parse("2026-01-02T04:45:00Z") - app.clocks.live.now());
    await app.post(`/orders/${found?.order_id}/ship`);
    app.clocks.live.advance(30 * 60_000);
    await app.post(`/orders/${later?.order_id}/ship`);
    const made = await make();
    expect([made.body.data.date, listed(made)]).toEqual(["2026-01-02", idsOf([waiting, later].map(present))]);
    const before = await make({ carrier: "local", date: "2026-01-01" });
    expect(listed(before)).toEqual(idsOf([scanned, shipped, given_up, found].map(present)));
    expect(await app.takeEvents()).not.toEqual([]);
  });

  test("each warehouse has its own", async () => {
    const address = { name: "West", address_line1: "1 Pier", city: "Oakland", state: "CA", postal_code: "94607" };
    const location_zones = [{ zone_id: "FLOOR", temperature_zone: "ambient", bins: [{ code: "W-1" }] }];
    const timezone = "Pacific/Auckland";
    const fields = { name: "West", address: { ...address, country: "US" }, timezone, location_zones };
    const west = (await app.post("/inventory/locations", fields)).body.data.warehouse_id;
    const here = await labels(1);
    const draft = { ...shop.draft(), warehouse_id: west, allow_backorder: true };
    const order = (await app.post("/orders", draft)).body.data;
    const there = [(await shop.label(order.id)).body.data];
    const made = await make({ carrier: "local", warehouse_id: west });
    expect(made.body.data).toMatchObject({ warehouse_name: "West", date: "2026-01-02" });
    expect(listed(made)).toEqual(idsOf(there));
    expect(listed(await make())).toEqual(idsOf(here));
    const filtered = await app.get(`/shipping/manifests?warehouse_id=${west}`);
    expect(filtered.body.data.map((one: Record<string, string>) => one["manifest_id"])).toEqual([
      made.body.data.manifest_id,
    ]);
  });

  test("named labels only, whenever they were bought", async () => {
    const bought = await labels(3);
    app.clocks.live.advance(30 * day_ms);
    const [first, , last] = idsOf(bought);
    const made = await make({ label_ids: [last, first, first] });
    expect([made.status, made.body.data.date, listed(made)]).toEqual([201, "2026-01-31", [first, last]]);
  });
});

describe("shipping a manifest", () => {
  const ship = (id: string, query = "") => app.post(`/shipping/manifests/${id}/ship${query}`, {});
  const outcomes = ({ body }: Awaited<ReturnType<typeof ship>>) =>
    body.data.results.map(
      ({ outcome, error }: { outcome: string; error?: { code: string } }) => error?.code ?? outcome,
    );

  test("ships every parcel, and sent again what was refused before", async () => {
    const bought = await labels(5);
    const [voided, held, scanned] = bought.map(present);
    const { manifest_id } = (await make()).body.data;
    await app.post(`/shipping/labels/${voided?.label_id}/void`);
    await app.post(`/tracking/${scanned?.tracking_number}/events`, { status: "picked_up" });
    await app.post(`/orders/${held?.order_id}/hold`, {});
    await app.takeEvents();
    const expected = ["invalid_state_transition", "invalid_state_transition", "already_shipped", "shipped", "shipped"];
    const dry = await ship(manifest_id, "?dry_run=true");
    expect([outcomes(dry), dry.body.data.dry_run]).toEqual([expected, true]);
    const done = await ship(manifest_id);
    expect(outcomes(done)).toEqual(expected);
    expect(done.body.data).toMatchObject({ manifest_id, dry_run: false, shipped: 2, already_shipped: 1, refused: 2 });
    const types = (await app.takeEvents()).map(({ type }) => type).filter((type) => type === "order.shipped");
    expect(types.length).toBe(2);
    await app.post(`/orders/${held?.order_id}/release`, {});
    const again = await ship(manifest_id);
    expect(outcomes(again)).toEqual(["invalid_state_transition", "shipped", ...new Array(3).fill("already_shipped")]);
    const { parcels } = (await app.get(`/shipping/manifests/${manifest_id}`)).body.data;
    expect(parcels.map((one: { shipment_status: string }) => one.shipment_status)).toEqual([
      "voided",
      ...new Array(4).fill("shipped"),
    ]);
    expect((await ship("man_9")).status).toBe(404);
  });

  test("ships several parcels of one order, once for each key", async () => {
    const order = await shop.order(2);
    const one_unit = { items: [{ sku: "RICE-1KG", quantity: 1 }], additional: true };
    for (const _ of [1, 2]) expect((await shop.label(order.id, one_unit)).status).toBe(201);
    const { manifest_id } = (await make()).body.data;
    const path = `/shipping/manifests/${manifest_id}/ship`;
    const headers = { "idempotency-key": "collected-1" };
    const [first, second] = await Promise.all([1, 2].map(() => app.call("POST", path, {}, { headers })));
    expect(outcomes(present(first))).toEqual(["shipped", "shipped"]);
    expect(present(second).body).toEqual(present(first).body);
    expect((await app.get(`/orders/${order.id}`)).body.data.status).toBe("shipped");
  });
});

describe("refuses", () => {
  test("labels that are manifested, voided, unknown or another carrier's, and names each", async () => {
    const [first, gone, open] = await labels(3);
    await make({ label_ids: [first?.label_id] });
    await app.post(`/shipping/labels/${gone?.label_id}/void`);
    const label_ids = [first?.label_id, gone?.label_id, "lbl_9999", open?.label_id];
    const { status, body } = await make({ label_ids });
    expect([status, body.error.details.map(({ field, code }: Record<string, string>) => [field, code])]).toEqual([
      422,
      [
        ["label_ids[0]", "already_listed"],
        ["label_ids[1]", "voided"],
        ["label_ids[2]", "resource_missing"],
      ],
    ]);
    const other = await make({ carrier: "ups", label_ids: [open?.label_id] });
    expect(other.body.error.details[0].code).toBe("other_carrier");
    expect(listed(await make({ label_ids: [open?.label_id] }))).toEqual([open?.label_id as string]);
  });

  test.each([
    [{}, 422, "validation_failed"],
    [{ carrier: "local", date: "2026-02-30" }, 422, "validation_failed"],
    [{ carrier: "local", warehouse_id: "whs_9" }, 404, "resource_missing"],
    [{ carrier: "ups" }, 409, "nothing_to_manifest"],
    [{ label_ids: [] }, 422, "validation_failed"],
    [{ label_ids: ["lbl_1"] }, 422, "validation_failed"],
  ])("%j", async (body, status, code) => {
    expect(outcomeOf(await make(body))).toEqual([status, code]);
    expect((await app.get("/shipping/manifests")).body.data).toEqual([]);
  });

  test("a label on two manifests, for any writer, also concurrently", async () => {
    const bought = await labels(6);
    const answers = await Promise.all([make(), make(), make({ label_ids: idsOf(bought) })]);
    const [made, ...others] = answers.filter(({ status }) => status === 201);
    expect(others).toEqual([]);
    expect(listed(made as never).sort()).toEqual(idsOf(bought).sort());
    const label_id = Number(bought[0]?.label_id.slice(4));
    const manifest_id = Number(made?.body.data.manifest_id.slice(4));
    const again = app.service.stores.live.write((tx) =>
      tx.sql.insert(manifest_labels).values({ label_id, manifest_id }),
    );
    expect(again).rejects.toThrow();
  });
});
