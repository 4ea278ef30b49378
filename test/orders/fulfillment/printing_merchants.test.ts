// Documents about several merchants show the merchant of each order, even with the same order numbers.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { parcelShopOn } from "../../build/shop.ts";
import { type Code, type House, openHouse } from "../../merchants/three_merchants.ts";

// The first document opens eight fonts, which takes time under load.
setDefaultTimeout(60_000);

let house: House;
let app: House["app"];
beforeAll(async () => {
  house = await openHouse();
  app = house.app;
});
afterAll(() => app.close());

let count = 0;
/** Orders of some merchants with the same number. */
async function twins(orders: readonly (readonly [Code, number])[]) {
  const order_number = `N-${++count}`;
  const ids: string[] = [];
  for (const [code, quantity] of orders) ids.push(await house.order(code, { order_number }, quantity));
  return { order_number, ids };
}

describe("works", () => {
  test("a pick list of several merchants shows the merchant of each order, and separates their stock", async () => {
    const { order_number, ids } = await twins([
      ["ROAST", 2],
      ["BOOKS", 70],
      ["MAIN", 80],
    ]);
    const path = `/pick_lists?order_ids=${ids}`;
    const [roast, books, main] = ["ROAST", "BOOKS", "MAIN"].map((code) => `${order_number} (${code})`);
    const text = await house.textOf(path);
    const html = (await app.get(`${path}&format=html`)).body as string;
    expect(text).toContain("MERCHANTS\nBOOKS, MAIN, ROAST\n");
    // Picked and backordered units: 20 of 70 here and 30 of 80 there, never 50 of one SKU.
    for (const said of [`2 × ${roast}`, `50 × ${books}`, `50 × ${main}`, `20 × ${books}`, `30 × ${main}`]) {
      expect([said, text.includes(said), html.includes(said)]).toEqual([said, true, true]);
    }
    const [, waiting = ""] = text.split(/Waiting for stock/i);
    expect(waiting.match(/MUG-01/g)).toHaveLength(2);
    // At the end each order once more, with its number.
    for (const said of [roast, books, main]) expect(text).toContain(`\n${said}\n`);
    const { orders } = (await app.get(`${path}&format=json`)).body.data;
    const owners = ["mer_1001", "mer_1002", "mer_1"];
    expect(orders).toEqual(ids.map((order_id, at) => ({ order_id, order_number, merchant_id: owners[at] })));
  });

  test("a pick list of one of several merchants shows its name once", async () => {
    const { order_number, ids } = await twins([["ROAST", 1]]);
    for (const path of [`/orders/${ids[0]}/pick_list`, `/pick_lists?order_ids=${ids}`]) {
      const text = await house.textOf(path);
      expect(text).toContain("MERCHANT\nROAST\n");
      expect(text).not.toContain(`${order_number} (`);
    }
  });

  test("a manifest with parcels of several merchants shows the merchant of each", async () => {
    const { order_number, ids } = await twins([
      ["ROAST", 1],
      ["BOOKS", 1],
    ]);
    const label_ids: string[] = [];
    for (const id of ids) label_ids.push((await house.label(id)).label_id);
    const paperOf = async (label_ids: readonly string[]) => {
      const { status, body } = await app.post("/shipping/manifests", { label_ids });
      expect(status).toBe(201);
      return house.textOf(`/shipping/manifests/${body.data.manifest_id}/document`);
    };
    const both = await paperOf(label_ids);
    for (const code of ["ROAST", "BOOKS"]) expect(both).toContain(`${order_number} (${code})`);
    const { order_number: other, ids: alone } = await twins([["ROAST", 1]]);
    const one = await paperOf([(await house.label(alone[0] ?? "")).label_id]);
    expect([one.includes(other), one.includes("(ROAST)")]).toEqual([true, false]);
  });
});

test("with a single merchant no document shows its name", async () => {
  const alone = await openApp();
  const shop = await parcelShopOn(alone);
  const { id, order_number } = await shop.order();
  for (const path of [`/orders/${id}/pick_list`, `/pick_lists?order_ids=${id}`]) {
    const html = (await alone.get(`${path}${path.includes("?") ? "&" : "?"}format=html`)).body as string;
    expect(html).toContain(order_number);
    expect(html).not.toMatch(/Merchant|MAIN/);
  }
});
