// Scanned packs count their units, and are recorded where they were handled.
import { beforeEach, describe, expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { codeOf, openShop, refusalOf, type Shop } from "../../build/shop.ts";
import { seed } from "../../volume.ts";
import { packerOf } from "../packing/packing_floor.ts";

const gs = "\u001d";
const [unit_code, inner_code, case_code] = ["4006381333931", "INNER-4", "14006381333938"];
const inner = { level: "inner", quantity: 4, barcode: inner_code };
const box = { level: "case", quantity: 6, barcode: case_code };

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
  await shop.product({
    ...{ sku: "TEA", units: 100, weight: 100, weight_unit: "g" },
    ...{ barcodes: [{ value: unit_code, type: "ean" }], packs: [inner, box] },
  });
}, 30_000);

interface BilledFact {
  readonly quantity: number;
  readonly attributes: { readonly packs?: object[] };
}

/** The quantity and the packs of the facts of a kind that are not reversed, oldest first. */
async function billed(kind: string) {
  const facts: (BilledFact & { id: string; reversal_of: string | null })[] = (
    await shop.app.get(`/billing/events?kind=${kind}&limit=100`)
  ).body.data;
  const reversed = new Set(facts.map(({ reversal_of }) => reversal_of));
  return facts
    .filter(({ id, reversal_of }) => reversal_of === null && !reversed.has(id))
    .map(({ quantity, attributes }) => [quantity, attributes.packs])
    .toReversed();
}

/** The quantity and the packs of the movements of a type, oldest first. */
const moved = async (query: string) =>
  (await shop.app.get(`/inventory/movements?${query}`)).body.data
    .map(({ quantity, pack }: { quantity: number; pack: object | null }) => [quantity, pack])
    .toReversed();

const packsOf = (level: string, quantity: number, count: number) => ({ level, quantity, count });

/** A released wave of orders with these units of tea. */
async function waveOf(mode: string, units: readonly number[]) {
  const orders = [];
  for (const quantity of units) orders.push((await shop.order([["TEA", quantity]])).id);
  const { id } = await shop.app.create("/waves", { mode, filters: { order_ids: orders } });
  await shop.app.create(`/waves/${id}/release`);
  const [{ bin }] = (await shop.app.get(`/waves/${id}/walk`)).body.data.stops;
  const pick = (body: object) => shop.app.post(`/waves/${id}/picks`, { bin, ...body });
  const left = async () => (await shop.app.get(`/waves/${id}`)).body.data.progress.units_left;
  return { id, orders, pick, left };
}

describe("a wave", () => {
  test("takes a case and then a unit as 7 units, and returns them", async () => {
    const wave = await waveOf("order", [7]);
    expect((await wave.pick({ code: case_code })).body.data.picked).toMatchObject([{ quantity: 6 }]);
    expect((await wave.pick({ code: unit_code })).body.data.picked).toMatchObject([{ quantity: 1 }]);
    expect(await wave.left()).toBe(0);
    expect(await moved("reason=picked")).toEqual([
      [6, packsOf("case", 6, 1)],
      [1, null],
    ]);
    expect(await billed("pick")).toEqual([
      [6, [packsOf("case", 6, 1)]],
      [1, undefined],
    ]);
    const reason = "wrong_quantity";
    const unpick = { order_id: wave.orders[0], code: case_code, reason };
    // The last pick is taken back first, and the rest of the case, now a unit, is billed as one.
    expect((await shop.app.post(`/waves/${wave.id}/unpick`, unpick)).body.data.returned).toMatchObject([
      { quantity: 6 },
    ]);
    expect(await wave.left()).toBe(6);
    expect(await billed("pick")).toEqual([[1, []]]);
    await shop.expectVerified();
  });

  test("refuses a case of 6 when 5 are left, and changes nothing", async () => {
    const wave = await waveOf("order", [5]);
    const { status, body } = await wave.pick({ code: case_code });
    expect([status, body.error.code]).toEqual([409, "surplus_item"]);
    expect(body.error.message).toBe("Only 5 of TEA are needed, not 6. The case has 6 units.");
    expect([await wave.left(), await moved("reason=picked")]).toEqual([5, []]);
    expect((await wave.pick({ code: inner_code, quantity: 5 })).body.data.picked).toMatchObject([{ quantity: 5 }]);
    // An opened pack is not billed as a pack.
    expect(await billed("pick")).toEqual([[5, undefined]]);
  });

  test("counts the cases of GS1 data, and shares a case out as units", async () => {
    const wave = await waveOf("batch", [12, 4, 2]);
    const picked = (await wave.pick({ code: `]C102${case_code}372${gs}10AB`, lot_number: undefined })).body;
    // The lot of the code is not in stock.
    expect(picked.error.code).toBe("wrong_lot");
    await wave.pick({ code: `(01)${case_code}(30)2` });
    await wave.pick({ code: case_code });
    expect(await wave.left()).toBe(0);
    expect(await billed("pick")).toEqual([
      [12, [packsOf("case", 6, 2)]],
      [4, undefined],
      [2, undefined],
    ]);
  });
});

describe("a parcel", () => {
  test(`any sequence of units and packs gives the sum (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const packer = await packerOf(shop);
    const scans = { [unit_code]: 1, [inner_code]: 4, [case_code]: 6, [`(01)${case_code}(37)2`]: 12, TEA: 1 };
    for (let order = 0; order < 4; order += 1) {
      const wanted = random.integer(8, 25);
      const { id } = (await packer.open({ order_id: (await shop.order([["TEA", wanted]])).id })).body.data;
      let sum = 0;
      for (let scan = 0; scan < 60 && sum < wanted; scan += 1) {
        const [code, units] = random.pick(Object.entries(scans));
        const out = random.integer(0, 3) === 0;
        const answer = await packer.post(`/${id}/${out ? "unscan" : "scans"}`, { code });
        const next = sum + (out ? -units : units);
        if (next < 0) expect(codeOf(answer)).toBe("wrong_item");
        else if (next > wanted) expect(codeOf(answer)).toBe("surplus_item");
        else sum = next;
        expect((await packer.get(id)).units_scanned).toBe(sum);
      }
      const { status, units_needed } = await packer.get(id);
      expect([status, units_needed]).toEqual([sum === wanted ? "closed" : "open", wanted]);
    }
    await shop.expectVerified();
  });

  test("a case goes to the oldest order of the wave that needs it whole", async () => {
    const packer = await packerOf(shop);
    const wave = await waveOf("batch", [1, 5, 6, 8]);
    await wave.pick({ sku: "TEA", quantity: 20 });
    const packed = await packer.fromItem("", { sku: undefined, code: case_code, wave_id: wave.id });
    expect(packed.body.data).toMatchObject({ order_id: wave.orders[2], status: "closed", units_scanned: 6 });
    const twice = { sku: undefined, code: `(01)${case_code}(37)2`, wave_id: wave.id };
    expect(codeOf(await packer.fromItem("", twice))).toBe("no_matching_order");
    expect(codeOf(await packer.fromItem("", { sku: undefined, code: case_code }))).toBe("no_matching_order");
  });
});

describe("the look-up", () => {
  test("shows the pack and its units", async () => {
    const found = async (code: string) => {
      const { body } = await shop.app.get(`/floor/lookup?code=${encodeURIComponent(code)}`);
      return body.data.products.map(({ sku, pack, quantity }: Record<string, unknown>) => [sku, pack, quantity]);
    };
    expect(await found(unit_code)).toEqual([["TEA", null, 1]]);
    expect(await found("tea")).toEqual([["TEA", null, 1]]);
    expect(await found(case_code)).toEqual([["TEA", { level: "case", quantity: 6 }, 6]]);
    expect(await found(`(02)${case_code}(37)10`)).toEqual([["TEA", { level: "case", quantity: 6 }, 60]]);
    const { body } = await shop.app.get(`/search?q=${case_code}`);
    expect(body.data.results).toMatchObject([{ type: "product", title: "TEA", match: "exact" }]);
  });
});

describe("stock", () => {
  const pack = { level: "case", quantity: 6 };
  const [location, bin] = ["whs_1001", "A-01"];

  test("that comes in or moves in packs is recorded and billed with them", async () => {
    await shop.app.create("/inventory", { sku: "TEA", quantity: 12, pack, location, bin });
    await shop.app.create("/inventory/moves", { sku: "TEA", quantity: 6, pack, location, bin, to_bin: "B-01" });
    const receipt = await shop.app.create("/inventory/receipts", { items: [{ sku: "TEA", quantity: 25 }], location });
    const items = [
      { sku: "TEA", quantity: 24, pack },
      { sku: "TEA", quantity: 1 },
    ];
    await shop.app.create(`/inventory/receipts/${receipt.id}/items`, { items });
    await shop.app.create(`/inventory/receipts/${receipt.id}/close`, {});
    expect(await moved("type=receipt")).toEqual([
      [100, null],
      [12, packsOf("case", 6, 2)],
      [24, packsOf("case", 6, 4)],
      [1, null],
    ]);
    expect((await billed("receiving")).slice(1)).toEqual([
      [12, [packsOf("case", 6, 2)]],
      [25, [packsOf("case", 6, 4)]],
    ]);
    expect(await billed("handling")).toEqual([[6, [packsOf("case", 6, 1)]]]);
  });

  test("in packs that the product does not have, or that are not whole, is refused", async () => {
    const add = (more: object) => shop.app.post("/inventory", { sku: "TEA", location, ...more });
    expect(refusalOf(await add({ quantity: 7, pack }))).toBe("422 validation_failed quantity");
    expect(refusalOf(await add({ quantity: 8, pack: { ...pack, quantity: 8 } }))).toBe("422 validation_failed pack");
    const order = await shop.order([["TEA", 6]]);
    const pick = (item: object) => shop.app.post(`/orders/${order.id}/pick`, { items: [{ sku: "TEA", ...item }] });
    expect(refusalOf(await pick({ quantity: 4, pack }))).toBe("422 validation_failed items[0].quantity");
    const short = { quantity: 6, pack, short: true, reason: "not_found" };
    expect(refusalOf(await pick(short))).toBe("422 validation_failed items[0].pack");
    expect((await pick({ quantity: 6, pack })).status).toBe(200);
    expect(await billed("pick")).toEqual([[6, [packsOf("case", 6, 1)]]]);
  });
});
