import { describe, expect, test } from "bun:test";
import { openApp } from "../build/service.ts";

const app = await openApp();

const milk = { sku: "MILK-1L", name: "Whole milk, 1 l", price: "1.95", temperature_zone: "refrigerated" };

describe("works", () => {
  test("a product is created, read, changed and found", async () => {
    const created = await app.post("/products", { ...milk, barcodes: [{ value: "4006381333931", type: "gtin" }] });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({ sku: "MILK-1L", price: 1.95, revision: 1, status: "active" });
    const { id } = created.body.data;
    expect((await app.get(`/products/${id}`)).body.data).toEqual(created.body.data);
    expect((await app.get(`/products/${id.slice(4)}`)).body.data.id).toBe(id);
    // The response of a GET can be sent back.
    const changed = await app.patch(`/products/${id}`, { ...created.body.data, name: "Milk" });
    expect(changed.body.data).toMatchObject({ name: "Milk", revision: 2, barcodes: created.body.data.barcodes });
    for (const query of ["sku=MILK-1L", "barcode=4006381333931", "q=ilk", "status=active"]) {
      expect((await app.get(`/products?${query}`)).body.data.map((found: { id: string }) => found.id)).toContain(id);
    }
    expect((await app.get("/products?q=nothing")).body.data).toEqual([]);
  });

  test("packs are stored with their barcodes, found and replaced", async () => {
    const dimensions = { length: 40, width: 30, height: 20, unit: "cm" };
    const box = { level: "case", quantity: 6, barcode: "14006381333938", dimensions, weight: 2.5, weight_unit: "lbs" };
    const unit = { value: "5901234123457", type: "ean" };
    const fields = { sku: "PACKED", name: "Packed", barcodes: [unit] };
    const created = await app.post("/products", { ...fields, packs: [box, { level: "pallet", quantity: 480 }] });
    const bare = { barcode: null, dimensions: null, weight: null, weight_unit: null };
    const packs = [
      { ...box, weight_unit: "lb" },
      { level: "pallet", quantity: 480, ...bare },
    ];
    expect([created.status, created.body.data.packs]).toEqual([201, packs]);
    const { id } = created.body.data;
    expect((await app.patch(`/products/${id}`, created.body.data)).body.data).toEqual(created.body.data);
    const found = async (barcode: string) => (await app.get(`/products?barcode=${barcode}`)).body.data;
    expect(await found(box.barcode)).toEqual([created.body.data]);
    // A code moves from the unit to a pack.
    const inner = { level: "inner", quantity: 2, barcode: unit.value };
    const changed = await app.patch(`/products/${id}`, { barcodes: [], packs: [inner] });
    expect(changed.body.data).toMatchObject({ barcodes: [], packs: [{ ...bare, ...inner }], revision: 2 });
    expect(await found(box.barcode)).toEqual([]);
    expect((await app.patch(`/products/${id}`, { name: "Renamed" })).body.data.packs).toEqual(changed.body.data.packs);
  });

  test("an update without a difference keeps revision and updated_at", async () => {
    const fields = { sku: "SAME", name: "Same", weight: 1, weight_unit: "lb", metadata: { b: 1, a: "x" } };
    const { data } = (await app.post("/products", fields)).body;
    app.clocks.live.advance(1500);
    for (const same of [{}, data, { name: "Same" }, { metadata: { a: "x", b: 1 } }]) {
      expect((await app.patch(`/products/${data.id}`, same)).body.data).toEqual(data);
    }
    expect((await app.patch(`/products/${data.id}`, { metadata: {} })).body.data.revision).toBe(2);
  });

  test("concurrent changes are all stored", async () => {
    const { body } = await app.post("/products", { sku: "SHARED", name: "shared" });
    const changes = [{ name: "new" }, { reorder_point: 7 }, { description: "text" }, { price: "2.00" }];
    await Promise.all(changes.map((change) => app.patch(`/products/${body.data.id}`, change)));
    const changed = { name: "new", reorder_point: 7, description: "text", price: 2, revision: 5 };
    expect((await app.get(`/products/${body.data.id}`)).body.data).toMatchObject(changed);
  });
});

describe("refuses", () => {
  test.each([
    ["a code of another product", [{ barcode: "4006381333931" }], "packs[0].barcode duplicate"],
    ["the unit's own code", [{ barcode: "5901234123464" }], "packs[0].barcode duplicate"],
    ["the unit's own code with a zero", [{ barcode: "05901234123464" }], "packs[0].barcode duplicate"],
    ["one code twice", [{ barcode: "C" }, { quantity: 8, barcode: "C" }], "packs[1].barcode duplicate"],
    ["a wrong check digit", [{ barcode: "14006381333939" }], "packs[0].barcode invalid_check_digit"],
    ["the same pack twice", [{}, {}], "packs[1] duplicate"],
    ["a weight without a unit", [{ weight: 2 }], "packs[0].weight_unit required"],
    ["one unit", [{ quantity: 1 }], "packs[0].quantity too_small"],
    ["half units", [{ quantity: 2.5 }], "packs[0].quantity wrong_type"],
    ["an unknown level", [{ level: "box" }], "packs[0].level invalid_choice"],
  ])("packs with %s", async (_name, packs, problem) => {
    const barcodes = [{ value: "5901234123464", type: "other" }];
    const sent = packs.map((pack) => ({ level: "case", quantity: 6, ...pack }));
    const { status, body } = await app.post("/products", { sku: "ODD", name: "Odd", barcodes, packs: sent });
    const [{ field, code }] = body.error.details;
    expect([status, `${field} ${code}`]).toEqual([422, problem]);
  });

  test("a unit's code that a pack has, and packs of a bundle", async () => {
    const packs = [{ level: "case", quantity: 6, barcode: "PACK-CODE" }];
    await app.post("/products", { sku: "OWNER", name: "Owner", packs });
    const taken = await app.post("/products", {
      ...{ sku: "THIEF", name: "Thief", barcodes: [{ value: "PACK-CODE", type: "other" }] },
    });
    expect(taken.body.error.details).toMatchObject([{ field: "barcodes[0].value", code: "duplicate" }]);
    const bundle = {
      type: "bundle",
      components: [{ sku: "OWNER", quantity: 1 }],
      packs: [{ ...packs[0], barcode: null }],
    };
    const { body } = await app.post("/products", { sku: "SET", name: "Set", ...bundle });
    expect(body.error.details).toMatchObject([{ field: "packs" }]);
  });

  test.each([
    ["barcode", { barcodes: ["1", "2", "1"].map((value) => ({ value, type: "other" })) }, "barcodes[2].value"],
    [
      "component",
      { type: "bundle", components: ["B", "C", "B"].map((sku) => ({ sku, quantity: 1 })) },
      "components[2].sku",
    ],
  ])("a duplicate %s, and names it", async (_name, fields, field) => {
    const { status, body } = await app.post("/products", { sku: "TWICE", name: "Twice", ...fields });
    expect([status, body.error.details]).toEqual([422, [expect.objectContaining({ field, code: "duplicate" })]]);
  });

  test.each([
    ["no SKU", { name: "x" }],
    ["a price with three decimals", { ...milk, sku: "X2", price: 1.955 }],
    ["a number as text", { ...milk, sku: "X3", reorder_point: "5" }],
    ["a wrong check digit", { ...milk, sku: "X4", barcodes: [{ value: "4006381333932", type: "gtin" }] }],
    ["a blank name", { ...milk, sku: "X6", name: " " }],
    ["goods from no country", { ...milk, sku: "X7", customs: { country_of_origin: "ZZ" } }],
    ["a reserved word", { ...milk, sku: "locations" }],
    ["a SKU of a space", { ...milk, sku: " " }],
    ["a SKU with a space after it", { ...milk, sku: "X5 " }],
    ["a SKU that paths cannot name", { ...milk, sku: ".." }],
  ])("%s", async (_name, body) => {
    const answer = await app.post("/products", body);
    expect([answer.status, answer.body.error.code]).toEqual([422, "validation_failed"]);
  });

  test("reports every bad field at once", async () => {
    const { body } = await app.post("/products", { sku: "", price: -1, dimensions: { length: 0 }, colour: 1 });
    expect(body.error.details.map((problem: { field: string }) => problem.field).sort()).toEqual([
      "colour",
      "dimensions.height",
      "dimensions.length",
      "dimensions.unit",
      "dimensions.width",
      "name",
      "price",
      "sku",
    ]);
  });

  test("a SKU in use, and names the product", async () => {
    const first = await app.post("/products", { sku: "TWICE", name: "first" });
    const second = await app.post("/products", { sku: "TWICE", name: "second" });
    expect([second.status, second.body.error.code]).toEqual([409, "duplicate_sku"]);
    expect(second.body.error.existing_id).toBe(first.body.data.id);
  });

  test("all but one of equal SKUs or barcodes created concurrently", async () => {
    const at_once = (body: (n: number) => object) =>
      Promise.all(Array.from({ length: 8 }, (_, n) => app.post("/products", body(n))));
    const skus = await at_once(() => ({ sku: "RACE", name: "one" }));
    const made = skus.filter(({ status }) => status === 201).map(({ body }) => body.data.id);
    const refused = skus.filter(({ status }) => status === 409).map(({ body }) => body.error.existing_id);
    expect([made.length, refused]).toEqual([1, Array(7).fill(made[0])]);
    const barcodes = [{ value: "RACE-1", type: "other" }];
    const taken = await at_once((n) => ({ sku: `RACE-${n}`, name: "one", barcodes }));
    expect(taken.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
    const problem = taken.find(({ status }) => status === 422)?.body.error.details[0];
    expect(problem).toMatchObject({ field: "barcodes[0].value", code: "duplicate" });
  });

  test("unknown products, and unsupported methods", async () => {
    expect((await app.get("/products/prd_1")).body.error.code).toBe("resource_missing");
    expect((await app.get("/products/ord_1001")).status).toBe(404);
    const answer = await app.call("DELETE", "/products");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST, HEAD, OPTIONS"]);
    expect((await app.get("/nowhere")).body.error.code).toBe("route_not_found");
  });
});

describe("guards", () => {
  test("each permission level may do what it allows", async () => {
    const read = { key: app.keys.live.read };
    expect((await app.call("GET", "/products", undefined, read)).status).toBe(200);
    const refused = await app.call("POST", "/products", milk, read);
    expect([refused.status, refused.body.error]).toMatchObject([403, { required: "read_write", granted: "read" }]);
    expect((await app.call("GET", "/products", undefined, { key: null })).status).toBe(401);
    expect((await app.call("GET", "/products", undefined, { key: `${app.keys.live.read}x` })).status).toBe(401);
  });
});
