// Looks up scanned codes: products, bins, totes, orders and parcels.
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { totes } from "../../../db/schema/floor.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { asFault } from "../../../src/core/faults.ts";
import { readId } from "../../../src/core/ids.ts";
import { checkOf } from "../../../src/core/schema.ts";
import { ScanUnit } from "../../../src/floor/packing/packing.schema.ts";
import { PickInWave } from "../../../src/floor/picking/wave.schema.ts";
import { findScannedProduct } from "../../../src/floor/scanning/find_scanned.ts";
import { openApp } from "../../build/service.ts";
import { parcel, shopOn } from "../../build/shop.ts";

const gs = "\u001d";
const [ean, other_ean] = ["9501101530003", "4006381333931"];

const app = await openApp();
const { id: bolt_id } = await app.create("/merchants", { code: "BOLT", name: "Bolt" });
const acme = await shopOn(app, { merchant: "mer_1" });
const bolt = await shopOn(app, { merchant: "BOLT" });
const { live } = app.service.stores;

const barcodes = (value: string) => ({ barcodes: [{ value, type: "ean" }] });
const tea = await acme.product({ sku: "TEA-1", ...barcodes(ean) });
const other_tea = await bolt.product({ sku: "TEE", ...barcodes(ean) });
const pen = await acme.product({ sku: "PEN", units: 9, ...barcodes(other_ean) });
const milk = await acme.product({ sku: "MILK", lot_tracking: true, expiration_tracking: true });
await app.stock("MILK", 5, { lot_number: "M-7", expiration_date: "2030-05-31", location: "whs_1001" }, acme.by);
const bin = "B-01-07";
await app.stock("TEE", 3, { location: "whs_1001", bin }, bolt.by);

const tote_row = { warehouse_id: 1001, code: "T-5", revision: 1 };
const number = ({ id }: { id: string }, noun: "product" | "merchant" = "product") => readId(noun, id) ?? 0;
type Context = Parameters<typeof findScannedProduct>[2];
/** What a scan in a document means: a SKU, or the code of the refusal. */
const scanned = (code: string, context?: Context) =>
  live
    .read((db) => findScannedProduct(db, code, context))
    .then(
      ({ sku, lot_number, quantity }) => [sku, lot_number, quantity],
      (error) => asFault(error).code,
    );
const lookUp = async (code: string, more = "") => {
  const { status, body } = await app.get(`/floor/lookup?code=${encodeURIComponent(code)}${more}`);
  return status === 200 ? body.data : body.error;
};

describe("the product of a scan", () => {
  test("is found by its barcode in any form, its SKU and its lot", async () => {
    expect(await scanned(other_ean)).toEqual(["PEN", null, 1]);
    expect(await scanned(`0${other_ean}`)).toEqual(["PEN", null, 1]);
    expect(await scanned(`]C102${`0${other_ean}`}3712${gs}10AB`)).toEqual(["PEN", "AB", 12]);
    expect(await scanned("pen")).toEqual(["PEN", null, 1]);
    expect(await scanned("M-7")).toEqual(["MILK", "M-7", 1]);
    expect(await scanned("(10)M-7")).toEqual(["MILK", "M-7", 1]);
  });

  test("is refused if the code is unknown, has a mistake or can be read in several ways", async () => {
    expect(await scanned("9780201379624")).toBe("unknown_barcode");
    expect(await scanned(`(01)0${other_ean}(17)261301`)).toBe("unreadable_barcode");
    expect(await scanned(`010${other_ean}10AB17300101`)).toBe("ambiguous_barcode");
    expect(await scanned(`(01)0${other_ean}(10)AB(17)300101`)).toEqual(["PEN", "AB", 1]);
  });

  test("of two merchants with one barcode is the document's, then the bin's, or it is asked", async () => {
    expect(await scanned(ean)).toBe("ambiguous_barcode");
    expect(await scanned(ean, { merchant_ids: [1] })).toEqual(["TEA-1", null, 1]);
    expect(await scanned(ean, { product_ids: [number(other_tea)] })).toEqual(["TEE", null, 1]);
    const in_bin = await live.read((db) => db.sql.select().from(bins).where(eq(bins.code, bin)));
    expect(await scanned(ean, { bin_id: in_bin[0]?.id ?? 0 })).toEqual(["TEE", null, 1]);
    expect(await scanned(ean, { bin_id: 0 })).toBe("ambiguous_barcode");
  });

  test("is a wrong item if the document does not expect it", async () => {
    expect(await scanned(other_ean, { product_ids: [number(tea)] })).toBe("wrong_item");
    expect(await scanned(other_ean, { merchant_ids: [number({ id: bolt_id }, "merchant")] })).toBe("wrong_item");
  });
});

describe("the look-up of a code", () => {
  test("shows the data of a GS1 code, its product and its lot", async () => {
    const found = await lookUp(`]d2010${other_ean}3103001500`);
    expect(found.elements).toEqual([
      { ai: "01", title: "GTIN", value: `0${other_ean}` },
      { ai: "3103", title: "Net weight (kg)", value: "1.500" },
    ]);
    expect(found).toMatchObject({ type: "gs1", readings: [{ code: `(01)0${other_ean}(3103)001500` }] });
    expect(found.products).toMatchObject([{ id: pen.id, merchant_id: "mer_1", sku: "PEN", lot: null }]);
    const by_lot = await lookUp("M-7");
    expect(by_lot.products).toMatchObject([{ id: milk.id, lot: { lot_number: "M-7", status: "available" } }]);
    const ambiguous = await lookUp(`010${other_ean}10AB17300101`);
    expect([ambiguous.type, ambiguous.readings.length, ambiguous.products.length]).toEqual(["ambiguous", 2, 1]);
  });

  test("takes separators, as the acts of picking and packing do", async () => {
    const code = `]C1020${other_ean}3712${gs}10AB`;
    const [reading] = (await lookUp(code)).readings;
    expect(reading).toMatchObject({ gtin: `0${other_ean}`, quantity: 12, lot_number: "AB" });
    expect(checkOf(ScanUnit)({ code })).toEqual({ code });
    expect(checkOf(PickInWave)({ bin: "A-1", code, quantity: 1 })).toMatchObject({ code });
  });

  test("finds all products with a barcode, or those of one merchant", async () => {
    const skus = ({ products }: { products: { sku: string }[] }) => products.map(({ sku }) => sku);
    expect(skus(await lookUp(ean))).toEqual(["TEA-1", "TEE"]);
    expect(skus(await lookUp(ean, "&merchant=BOLT"))).toEqual(["TEE"]);
  });

  test("finds bins, totes, orders and parcels", async () => {
    expect((await lookUp(bin.toLowerCase())).bins).toEqual([{ code: bin, kind: "storage", warehouse_id: "whs_1001" }]);
    expect((await lookUp(bin, "&warehouse_id=whs_9")).bins).toEqual([]);
    const order = await acme.order([["PEN", 1]], { order_number: "A-77" });
    const order_id = readId("order", order.id) ?? 0;
    const at = { created_at: 1, updated_at: 1 };
    await live.write((tx) => tx.sql.insert(totes).values({ ...tote_row, order_id, assigned_at: 1, ...at }));
    const id = expect.stringMatching(/^tot_/);
    expect((await lookUp("t-5")).totes).toEqual([
      { id, code: "T-5", warehouse_id: "whs_1001", order_id: order.id, order_number: "A-77", wave_id: null },
    ]);
    const shown = { id: order.id, merchant_id: "mer_1", order_number: "A-77", status: "pending" };
    expect((await lookUp("A-77")).orders).toEqual([shown]);
    expect((await lookUp(order.id)).orders).toEqual([shown]);
    const { tracking_number } = await app.create(
      "/shipping/labels",
      { order_id: order.id, carrier: "local", ...parcel },
      acme.by,
    );
    for (const code of [tracking_number, ` ${tracking_number.toLowerCase()}`, `]C0${tracking_number}`]) {
      expect((await lookUp(code)).parcels).toMatchObject([{ order_id: order.id, tracking_number }]);
    }
  });

  test("finds nothing for an unknown code, and refuses what no scanner sends", async () => {
    const found = await lookUp("NOTHING");
    const lists = Object.values(found).filter((value) => Array.isArray(value));
    expect([found.type, lists.flat()]).toEqual(["plain", []]);
    expect((await lookUp(`]C1010${ean.slice(0, -1)}9`)).code).toBe("unreadable_barcode");
    for (const code of ["A\u0000B", "A".repeat(501), ""]) expect((await lookUp(code)).code).toBe("validation_failed");
  });
});
