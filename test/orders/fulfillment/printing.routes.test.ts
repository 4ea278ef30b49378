import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Resvg } from "@resvg/resvg-wasm";
import { png } from "../../../src/documents/render_job.ts";
import { openTestApp, type TestApp } from "../../build/service.ts";
import { scan } from "../../documents/decode.ts";
import { openPages } from "../../documents/open_pdf.ts";

/** A product with its SKU, name, bin, and position on the pick path. */
const goods = [
  ["WIDGET-BL", "Widget, blue — Łódź Ωμέγα Москва", "A-2", 40],
  ["AR-12", "مُحَمَّد العربية", "A-10", 10],
  ["HE-77", "שָׁלוֹם <עולם>", "B-1", 30],
  ["HI-3", "क्षत्रिय हिन्दी", "B-2", 20],
  ["TH/9 x", "น้ำผึ้งแท้", "A-1", 10],
  ["CN-东京", "北京东方有限公司", "C-1", 60],
  ["JP-1", "東京ラーメン 𠮷野家", "C-2", 50],
  ["ROCKET-LAUNCHER-WITH-A-LONG-SKU-0001", "Rocket 👩‍🚀", "D-1", 70],
] as const;
const walk = [
  "TH/9 x",
  "AR-12",
  "HI-3",
  "HE-77",
  "WIDGET-BL",
  "JP-1",
  "CN-东京",
  "ROCKET-LAUNCHER-WITH-A-LONG-SKU-0001",
];
const expiry = "2027-05-01T23:59:59.999Z";
const notes = "Fragile & <b>heavy</b>\nلا تنسى البطاقة";

// The first document opens eight fonts, which takes time under load.
setDefaultTimeout(20_000);

const someFacts = { title: "", date: "2026-01-01", width: 8, height: 8, operations: [] };

let app: TestApp;
let customer: { id: string; shipping_addresses: { id: string }[] };
let count = 0;
beforeAll(async () => {
  // Opens the image renderer.
  await png(someFacts);
  app = await openTestApp();
  const [main] = (await app.get("/inventory/locations")).body.data;
  const bins = goods.map(([, , code, pick_order]) => ({ code, pick_order }));
  const zone = { zone_id: "AMBIENT", temperature_zone: "ambient", bins };
  await app.patch(`/inventory/locations/${main.warehouse_id}`, { location_zones: [zone] });
  for (const [sku, name, bin] of goods) {
    const lots = sku === "AR-12";
    await app.product(sku, { name, lot_tracking: lots, expiration_tracking: lots });
    const lot = lots ? { lot_number: "L-1/2026", expiration_date: expiry } : {};
    await app.stock(sku, 50, { bin, ...lot });
  }
  const address = { address_line1: "450 Canyon Drive", city: "Beverly Hills", state: "CA", postal_code: "90210" };
  const shipping_addresses = [{ ...address, name: "東京 太郎", country: "US" }];
  const created = await app.post("/customers", {
    email: "jordan@example.com",
    first_name: "Jordan",
    last_name: "Avery",
    shipping_addresses,
  });
  customer = created.body;
});
afterAll(() => app.close());

async function order(items: readonly (readonly [sku: string, quantity: number])[], fields: object = {}) {
  const created = await app.post("/orders", {
    order_number: `SO-${++count}`,
    customer_id: customer.id,
    shipping_address_id: customer.shipping_addresses[0]?.id,
    line_items: items.map(([sku, quantity]) => ({ sku, quantity, unit_price: "3.20" })),
    ...fields,
  });
  expect(created.status).toBe(201);
  return created.body.data as { id: string; order_number: string };
}

/** The bytes of a document, since the harness reads responses as text. */
async function paper(path: string, accept?: string) {
  const headers = { authorization: `Bearer ${app.keys.live.read}`, ...(accept === undefined ? {} : { accept }) };
  const response = await app.app.handle(new Request(`http://packhouse.test/v1${path}`, { headers }));
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

const everything = goods.map(([sku], at) => [sku, at + 1] as const);

/** The symbols that a scanner reads on all pages. */
async function scanned(pages: Awaited<ReturnType<typeof openPages>>): Promise<string[]> {
  const found = [];
  for (const page of pages) found.push(...(await page.scan()));
  return found.map(({ text }) => text).sort();
}

describe("works", () => {
  test("a pick list as PDF shows all names along the pick path, and every barcode scans", async () => {
    const { id, order_number } = await order(everything, { order_notes: notes, shipping_method: "UPS Ground" });
    const { response, bytes } = await paper(`/orders/${id}/pick_list`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/pdf");
    expect(response.headers.get("content-disposition")).toBe(`inline; filename="${id}-pick-list.pdf"`);
    const pages = await openPages(bytes);
    const text = pages.map((page) => page.text).join("");
    // Pages are Letter, since the warehouse is in the United States.
    for (const { size } of pages) expect(size).toEqual([612, 792]);
    expect(await scanned(pages)).toEqual([order_number, ...walk, ...goods.map(([, , bin]) => bin)].sort());
    expect(text).not.toContain("\0");
    for (const said of ["Widget, blue — Łódź", "ผึ้งแท้", "東京ラーメン 𠮷野家", "北京东方有限公司", "👩‍🚀"]) {
      expect(text).toContain(said);
    }
    expect(text).toContain("Lot L-1/2026, expires 2027-05-01");
    expect(text).toContain("Fragile & <b>heavy</b>");
    const places = goods.toSorted((a, b) => a[3] - b[3] || (a[2] === "A-1" ? -1 : 1)).map(([, , bin]) => bin);
    const lines = text.split("\n").filter((line) => places.includes(line as never));
    expect(lines).toEqual(places);
    expect(text).toContain(`Page 1 of ${pages.length}`);
  });

  test("a pick list as HTML is printable and safe, and every barcode scans", async () => {
    const { id, order_number } = await order(everything, { order_notes: notes });
    const { response, bytes } = await paper(`/orders/${id}/pick_list`, "text/html,application/xml;q=0.9,*/*;q=0.8");
    const html = new TextDecoder().decode(bytes);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(html).toContain("שָׁלוֹם &lt;עולם&gt;");
    expect(html).toContain("Fragile &amp; &lt;b&gt;heavy&lt;/b&gt;");
    expect(html).not.toMatch(/<script|<link|<img|<b>|src=|href=|url\(|@import|style=/);
    // The policy allows its style only.
    const [, css = ""] = /<style>([\s\S]*)<\/style>/.exec(html) ?? [];
    const digest = new Bun.CryptoHasher("sha256").update(css).digest("base64");
    const policy = response.headers.get("content-security-policy");
    expect(policy).toStartWith(`default-src 'none'; style-src 'sha256-${digest}';`);
    const binOf = (sku: string) => goods.find(([known]) => known === sku)?.[2] ?? "";
    expect(await readPictures(html)).toEqual([order_number, ...walk.flatMap((sku) => [binOf(sku), sku])]);
  });

  test("a wave is one walk, with each stop split by order, and all orders at the end", async () => {
    const first = await order([
      ["WIDGET-BL", 2],
      ["AR-12", 1],
    ]);
    const second = await order([["WIDGET-BL", 3]], { order_notes: "Ring twice" });
    const third = await order([["HI-3", 4]]);
    const path = `/pick_lists?order_ids=${first.id},${second.id}, ${third.id.slice(4)}`;
    const { bytes } = await paper(path);
    const pages = await openPages(bytes);
    const numbers = [first, second, third].map(({ order_number }) => order_number);
    const stopsRead = ["AR-12", "A-10", "HI-3", "B-2", "WIDGET-BL", "A-2"];
    expect(await scanned(pages)).toEqual([...numbers, ...stopsRead].sort());
    const text = pages.map((page) => page.text).join("");
    for (const said of [`2 × ${numbers[0]}`, `3 × ${numbers[1]}`, "10 units at 3 stops", "Ring twice"]) {
      expect(text).toContain(said);
    }
    const json = await app.call("GET", path, undefined, { headers: { accept: "application/json" } });
    const [{ stops, name }] = json.body.data.warehouses;
    expect(name).toBe("Main warehouse");
    const share = ({ id, order_number }: { id: string; order_number: string }, quantity: number) => {
      return { order_id: id, order_number, quantity };
    };
    expect(stops.map(({ sku, quantity, orders }: Record<string, unknown>) => ({ sku, quantity, orders }))).toEqual([
      { sku: "AR-12", quantity: 1, orders: [share(first, 1)] },
      { sku: "HI-3", quantity: 4, orders: [share(third, 4)] },
      { sku: "WIDGET-BL", quantity: 5, orders: [share(first, 2), share(second, 3)] },
    ]);
    expect(stops[0]).toMatchObject({ bin: "A-10", pick_order: 10, lot_number: "L-1/2026", expiration_date: expiry });
    const html = await app.call("GET", `${path}&format=html`);
    expect(html.body).toContain("Ring twice");
  });

  test("picked units are left out, and backordered ones are listed", async () => {
    const { id } = await order([
      ["HE-77", 100],
      ["JP-1", 2],
    ]);
    await app.post(`/orders/${id}/pick`, { items: [{ sku: "JP-1", quantity: 2 }] });
    const { body } = await app.get(`/orders/${id}/pick_list?format=json`);
    const [{ stops }] = body.data.warehouses;
    expect(stops.map(({ sku }: { sku: string }) => sku)).toEqual(["HE-77"]);
    expect(body.data.picked_units).toBe(2);
    expect(body.data.backordered).toEqual([
      expect.objectContaining({ sku: "HE-77", quantity: 100 - stops[0].quantity }),
    ]);
    const [page] = await openPages((await paper(`/orders/${id}/pick_list`)).bytes);
    for (const said of ["Waiting for stock", "2 units"]) expect(page?.text).toContain(said);
    await app.call("DELETE", `/orders/${id}`);
  });

  test("a bundle is picked by its components", async () => {
    await app.product("SET-1", {
      name: "Gift set",
      type: "bundle",
      components: [
        { sku: "WIDGET-BL", quantity: 2 },
        { sku: "JP-1", quantity: 1 },
      ],
    });
    const { id } = await order([["SET-1", 3]]);
    const { body } = await app.get(`/orders/${id}/pick_list?format=json`);
    const stops = body.data.warehouses[0].stops.map(({ sku, quantity }: Record<string, unknown>) => [sku, quantity]);
    expect(stops).toEqual([
      ["WIDGET-BL", 6],
      ["JP-1", 3],
    ]);
    const slip = await openPages((await paper(`/orders/${id}/packing_slip`)).bytes);
    for (const said of ["Gift set", "2 × WIDGET-BL", "1 × JP-1"]) expect(slip[0]?.text).toContain(said);
  });

  test("a packing slip shows ordered, packed and backordered units, without prices and internal notes", async () => {
    const { id, order_number } = await order([["HI-3", 100]], { order_notes: notes });
    await app.post(`/orders/${id}/pack`, { partial: true });
    const pages = await openPages((await paper(`/orders/${id}/packing_slip?paper=a4`)).bytes);
    const text = pages.map((page) => page.text).join("");
    expect(pages[0]?.size).toEqual([595, 842]);
    expect(await scanned(pages)).toEqual(["HI-3", order_number].sort());
    for (const said of [
      "東京 太郎",
      "450 Canyon Drive",
      "Beverly Hills, CA 90210",
      "1200 Depot Street",
      "BACKORDERED",
    ]) {
      expect(text).toContain(said);
    }
    expect(text).not.toMatch(/3\.20|Fragile/);
    const { body } = await app.get(`/orders/${id}/packing_slip?format=json`);
    const [{ quantity_packed, quantity_backordered }] = body.data.items;
    expect(quantity_packed + quantity_backordered).toBe(100);
    expect(quantity_packed).toBeGreaterThan(0);
    const whole = await openPages((await paper(`/orders/${id}/packing_slip?prices=true&notes=true`)).bytes);
    for (const said of ["3.20", "320.00", "Fragile", "AMOUNT USD"]) expect(whole[0]?.text).toContain(said);
    expect(JSON.stringify(body)).not.toMatch(/unit_price|order_notes/);
  });

  test("the packing slip of one parcel shows its contents", async () => {
    const { id } = await order([
      ["TH/9 x", 2],
      ["JP-1", 3],
    ]);
    const packed = await app.post(`/orders/${id}/pack`, {
      packages: [{ items: [{ sku: "TH/9 x", quantity: 2 }] }, { items: [{ sku: "JP-1", quantity: 3 }] }],
    });
    const [first, second] = packed.body.data.shipments;
    await app.post("/shipping/labels", {
      order_id: id,
      carrier: "local",
      service: "standard",
      package: { weight: 1, weight_unit: "lbs" },
    });
    const { bytes, response } = await paper(`/orders/${id}/packing_slip?shipment_id=${second.id}`);
    expect(response.headers.get("content-disposition")).toBe(`inline; filename="${second.id}-packing-slip.pdf"`);
    const [page] = await openPages(bytes);
    expect(page?.text).toContain("PARCEL\n2 of 2\n");
    expect(page?.text).not.toContain(second.id);
    expect(page?.text).toContain("JP-1");
    expect(page?.text).not.toContain("TH/9 x");
    const { body } = await app.get(`/orders/${id}/packing_slip?shipment_id=${first.id}&format=json&prices=true`);
    expect(body.data).toMatchObject({
      shipment_id: first.id,
      items: [{ sku: "TH/9 x", quantity_ordered: 2, quantity_packed: 2, quantity_backordered: 0, unit_price: 3.2 }],
    });
  });

  test("a packing slip shows the warehouse that ships, before and after shipping", async () => {
    const address = { address_line1: "1 Dock Road", city: "Leeds", postal_code: "LS1 1UR", country: "GB" };
    const location_zones = [{ zone_id: "AMBIENT", temperature_zone: "ambient", bins: [{ code: "L-1" }] }];
    const fields = { name: "Leeds", address, location_zones, timezone: "Europe/London" };
    const leeds = (await app.post("/inventory/locations", fields)).body.data.warehouse_id;
    await app.product("TEA");
    await app.stock("TEA", 5, { location: leeds });
    const { id } = await order([["TEA", 1]]);
    for (const step of ["pack", "ship"]) {
      const [page] = await openPages((await paper(`/orders/${id}/packing_slip`)).bytes);
      expect(page?.size).toEqual([595, 842]);
      expect(page?.text).toContain("LS1 1UR");
      expect((await app.post(`/orders/${id}/${step}`)).status).toBe(200);
    }
    const { body } = await app.get(`/orders/${id}/packing_slip?format=json`);
    expect(body.data.ship_from.city).toBe("Leeds");
  });

  test("three hundred lines and long notes take several pages, each with its header and number", async () => {
    const long = Array.from({ length: 300 }, (_, at) => [`BULK-${at}`, 1] as const);
    for (const [sku] of long) await app.product(sku, { name: `Item ${sku} ${"in a long box ".repeat(8)}` });
    for (const [sku] of long) await app.stock(sku, 5, { location: "whs_1001", bin: "A-1" });
    const { id, order_number } = await order(long, { order_notes: "Call before sending. ".repeat(90) });
    const pages = await openPages((await paper(`/orders/${id}/pick_list`)).bytes);
    expect(pages.length).toBeGreaterThan(20);
    for (const [at, { text }] of pages.entries()) {
      expect(text).toContain(`Page ${at + 1} of ${pages.length}`);
      expect(text).toContain("UNITS\n");
      expect(text).toContain(`Pick list ${order_number}`);
    }
    const text = pages.map((page) => page.text).join("");
    expect(text.match(/^BULK-\d+$/gm)).toHaveLength(300);
    expect(text.match(/Call before/g)?.length).toBeGreaterThan(80);
    const last = await pages.at(-1)?.scan();
    expect(last?.length).toBeGreaterThan(0);
    expect(last?.every(({ kind, text: code }) => kind === "]C0" && /^(BULK-\d+|A-1)$/.test(code))).toBe(true);
  });

  test("88 stops with lots and long names take nine pages, and no date, share or word is broken", async () => {
    const skus = Array.from({ length: 88 }, (_, at) => `WAVE-${at}`);
    const name = "Strawberry preserve, unsweetened, 12 jars";
    for (const sku of skus) {
      await app.product(sku, { name, lot_tracking: true, expiration_tracking: true });
      const lot = { lot_number: `L261110-${sku}`, expiration_date: expiry };
      await app.stock(sku, 50, { location: "whs_1001", bin: "C-1", ...lot });
    }
    const orders = [];
    for (const share of [1, 2, 3]) orders.push(await order(skus.map((sku) => [sku, share] as const)));
    const pages = await openPages((await paper(`/pick_lists?order_ids=${orders.map(({ id }) => id)}`)).bytes);
    const lines = pages.flatMap(({ text }) => text.split("\n"));
    expect(pages.length).toBe(9);
    const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
    expect(count(/expires 2027-05-01$/)).toBe(88);
    expect(count(/^1 × SO-\d+, 2 × SO-\d+, 3 × SO-\d+$/)).toBe(88);
    const named = lines.filter((line) => /Straw|unsw|jars/.test(line)).flatMap((line) => line.split(" "));
    expect(new Set(named)).toEqual(new Set(name.split(" ")));
  });

  test("a SKU of fourteen letters is a linear barcode on every document, for simple scanners", async () => {
    const sku = "ESPRESSO-BEANS";
    await app.product(sku);
    await app.stock(sku, 5, { location: "whs_1001", bin: "B-1" });
    const { id } = await order([[sku, 1]]);
    for (const kind of ["pick_list", "packing_slip"]) {
      const [page] = await openPages((await paper(`/orders/${id}/${kind}`)).bytes);
      expect(await page?.scan()).toContainEqual({ kind: "]C0", text: sku });
      const html = (await app.get(`/orders/${id}/${kind}?format=html`)).body;
      expect(html).toMatch(new RegExp(`<svg class="code128" role="img" aria-label="${sku}"`));
      expect(await readPictures(html)).toContain(sku);
    }
  });

  test("a slip shows the carrier and the ship date, and nothing about the warehouse's day", async () => {
    const { id } = await order([["JP-1", 1]], { shipping_method: "By road" });
    const textOf = async () => (await openPages((await paper(`/orders/${id}/packing_slip`)).bytes))[0]?.text ?? "";
    expect(await textOf()).not.toMatch(/CUT-OFF|PACKED|ord_|shp_/);
    expect(await textOf()).toContain("SHIPPING METHOD\nBy road\n");
    const label = { carrier: "local", service: "express", package: { weight: 1, weight_unit: "lbs" } };
    await app.post("/shipping/labels", { order_id: id, ...label });
    expect(await textOf()).toContain("CARRIER\nPackhouse Courier\nexpress\n");
    await app.post(`/orders/${id}/ship`);
    expect(await textOf()).toContain("SHIPPED\n2026-01-01\n");
    expect(await textOf()).not.toContain("CUT-OFF");
  });
});

describe("refuses", () => {
  test("unknown, held, cancelled and shipped orders", async () => {
    const held = await order([["JP-1", 1]]);
    await app.post(`/orders/${held.id}/hold`, { reason: "fraud" });
    const cancelled = await order([["JP-1", 1]]);
    await app.call("DELETE", `/orders/${cancelled.id}`);
    const gone = await order([["JP-1", 1]]);
    await app.post(`/orders/${gone.id}/ship`);
    const good = await order([["JP-1", 1]]);
    for (const { id } of [held, cancelled, gone]) {
      const { status, body } = await app.get(`/orders/${id}/pick_list`);
      expect([status, body.error.code]).toEqual([409, "invalid_state_transition"]);
    }
    expect((await app.get("/orders/ord_77/pick_list")).status).toBe(404);
    const wave = `/pick_lists?order_ids=${[good.id, held.id, cancelled.id, gone.id].join(",")}`;
    const refused = await app.get(wave);
    expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state_transition"]);
    expect(refused.body.error.message).toBe(
      `No pick list created: ${held.id} is on hold (fraud); ${cancelled.id} is cancelled and has nothing to pick; ` +
        `${gone.id} is shipped and has nothing to pick.`,
    );
    const fields = refused.body.error.details.map(({ field, code }: Record<string, string>) => [field, code]);
    expect(fields).toEqual([
      ["order_ids[1]", "on_hold"],
      ["order_ids[2]", "cancelled"],
      ["order_ids[3]", "shipped"],
    ]);
    const unknown = await app.get(`${wave},ord_77,nonsense`);
    expect([unknown.status, unknown.body.error.code]).toEqual([404, "resource_missing"]);
    expect(unknown.body.error.message).toContain("ord_77 is not an order; nonsense is not an order");
    const slip = await app.get(`/orders/${cancelled.id}/packing_slip`);
    expect([slip.status, slip.body.error.code]).toEqual([409, "invalid_state_transition"]);
  });

  test("another order's parcel, and a voided one", async () => {
    const mine = await order([["JP-1", 1]]);
    const other = await order([["JP-1", 1]]);
    const label = { carrier: "local", service: "standard", package: { weight: 1, weight_unit: "lbs" } };
    const bought = await app.post("/shipping/labels", { order_id: other.id, ...label });
    const shipment_id = bought.body.data.shipment_id;
    expect((await app.get(`/orders/${mine.id}/packing_slip?shipment_id=${shipment_id}`)).status).toBe(404);
    expect((await app.get(`/orders/${other.id}/packing_slip?shipment_id=${shipment_id}`)).status).toBe(200);
    await app.post(`/shipping/labels/${bought.body.data.label_id}/void`);
    expect((await app.get(`/orders/${other.id}/packing_slip?shipment_id=${shipment_id}`)).status).toBe(409);
  });

  test.each([
    ["", "order_ids"],
    ["?order_ids=", "order_ids"],
    ["?order_ids=,%20,", "order_ids"],
    [`?order_ids=${Array.from({ length: 201 }, (_, at) => at + 1)}`, "order_ids"],
    ["?order_ids=1&paper=a5", "paper"],
    ["?order_ids=1&format=docx", "format"],
  ])("the wave %s", async (query, field) => {
    const { status, body } = await app.get(`/pick_lists${query}`);
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });
});

/** The symbols that a scanner reads in each image of a page, in order; each has a text alternative. */
async function readPictures(html: string): Promise<string[]> {
  const read: string[] = [];
  for (const [picture, label = ""] of html.matchAll(/<svg [^>]*aria-label="([^"]*)"[^>]*>.*?<\/svg>/g)) {
    const [, box = "", tall = ""] = /viewBox="0 0 (\d+) (\d+)"/.exec(picture) ?? [];
    const [width, height] = [Number(box) + 20, tall === "1" ? 30 : Number(tall) + 20];
    const [, path = ""] = /d="([^"]*)"/.exec(picture) ?? [];
    const place = tall === "1" ? "translate(10 0) scale(1 30)" : "translate(10 10)";
    const paint = `<rect width="100%" height="100%" fill="#fff"/><path transform="${place}" d="${path}"/>`;
    const size = `width="${width * 3}" height="${height * 3}" viewBox="0 0 ${width} ${height}"`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${paint}</svg>`;
    const image = new Resvg(svg).render();
    const [found] = await scan(image.asPng());
    expect(found?.text).toBe(label);
    read.push(found?.text ?? "");
  }
  return read;
}
