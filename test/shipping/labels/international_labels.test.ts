// Carriers' labels for parcels that cross customs: only data of the products is declared.
import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { systemActor } from "../../../src/core/actor.ts";
import { wireId } from "../../../src/core/ids.ts";
import { beginPurchase, chooseSeller } from "../../../src/shipping/labels/label_purchases.ts";
import type { ShipmentRequest } from "../../../src/shipping/offer.ts";
import { openApp } from "../../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../../build/shop.ts";
import { openSeller } from "./seller.ts";

setDefaultTimeout(60_000);

/** The requests for prices and labels that the carrier got. */
const seen: { what: "offers" | "buy"; carriage: ShipmentRequest }[] = [];
const app = await openApp();
const shop: ParcelShop = await parcelShopOn(app);
const seller = await openSeller(app);
beforeEach(async () => {
  seller.openUp();
  const { offers, buy } = seller.fake;
  seller.fake.offers = async (carriage, ctx) => {
    seen.push({ what: "offers", carriage });
    return offers(carriage, ctx);
  };
  seller.fake.buy = async (ref, carriage, ctx) => {
    seen.push({ what: "buy", carriage });
    return buy(ref, carriage, ctx);
  };
  seen.length = 0;
  await product({ customs: null, weight: null });
});

const ground = { carrier: "swift", service: "ground" };
const toronto = {
  name: "Alan Tremblay",
  street1: "200 Bay St",
  city: "Toronto",
  state: "ON",
  zip: "M5J 2J2",
  country: "CA",
};
const complete = { customs: { country_of_origin: "IN", hs_code: "100630" }, weight: 1, weight_unit: "kg" };
const product = async (change: object) =>
  expect((await app.patch(`/products/${shop.product_id}`, change)).status).toBe(200);
const buy = (order_id: string, fields: object = {}) =>
  shop.label(order_id, { ...ground, to_address: toronto, ...fields });
const missing = ({ status, body }: Awaited<ReturnType<typeof buy>>) => [
  status,
  body.error?.code,
  (body.error?.details ?? []).map(({ field, code }: { field: string; code: string }) => `${field}: ${code}`),
];
const [origin, weight] = [
  "products[RICE-1KG].customs.country_of_origin: required",
  "products[RICE-1KG].weight: required",
];
const kinds = () => seen.map(({ what }) => what);

test("a purchase names missing product data, and neither calls the carrier nor opens a parcel", async () => {
  const { id } = await shop.order();
  const refused = await buy(id);
  expect(missing(refused)).toEqual([422, "validation_failed", [origin, weight]]);
  expect(refused.body.error.message).toContain(`set it on product ${shop.product_id}`);
  await product({ customs: { hs_code: "100630" }, weight: 1, weight_unit: "kg" });
  expect(missing(await buy(id))).toEqual([422, "validation_failed", [origin]]);
  await product({ customs: complete.customs, weight: null });
  expect(missing(await buy(id))).toEqual([422, "validation_failed", [weight]]);
  expect(kinds()).toEqual([]);
  expect((await app.get(`/orders/${id}`)).body.data.shipments).toEqual([]);
  expect((await app.get(`/shipping/labels?order_id=${id}`)).body.data).toEqual([]);

  await product(complete);
  expect((await buy(id)).status).toBe(201);
  expect(seen.at(-1)?.carriage.contents).toMatchObject([
    { sku: "RICE-1KG", quantity: 2, value_cents: 640, currency: "USD", country_of_origin: "IN", hs_code: "100630" },
  ]);
});

test("domestic parcels and built-in labels need no customs data", async () => {
  expect((await buy((await shop.order()).id, { to_address: undefined })).status).toBe(201);
  expect((await buy((await shop.order()).id, { carrier: "local", service: "standard" })).status).toBe(201);
});

test("a carton without items is refused, since nothing could be declared", async () => {
  await product(complete);
  const { id } = await shop.order();
  expect((await buy(id)).status).toBe(201);
  expect(missing(await buy(id, { additional: true }))).toEqual([422, "validation_failed", ["items: required"]]);
});

test("products of an order in another currency are declared in that currency", async () => {
  await product(complete);
  const order = await app.post("/orders", { ...shop.draft(), currency: "EUR" });
  expect((await buy(order.body.data.id)).status).toBe(201);
  expect(seen.at(-1)?.carriage.contents).toMatchObject([{ value_cents: 640, currency: "EUR" }]);
});

test("rates are shown anyway; a label at a quoted price declares the current product data", async () => {
  const { id } = await shop.order();
  const asked = { order_id: id, to_address: toronto, weight: 2.5, weight_unit: "lb" };
  const { rates } = (await app.post("/shipping/rates", asked)).body.data;
  const { quote_id, rate } = rates.find(({ carrier }: { carrier: string }) => carrier === "swift");
  expect(missing(await buy(id, { quote_id, carrier: undefined, service: undefined }))[2]).toEqual([origin, weight]);
  await product(complete);
  seen.length = 0;
  const bought = await buy(id, { quote_id, carrier: undefined, service: undefined });
  expect([bought.status, bought.body.data.cost]).toEqual([201, rate]);
  expect(kinds()).toEqual(["offers", "buy"]);
  for (const { carriage } of seen) expect(carriage.contents).toMatchObject([{ country_of_origin: "IN" }]);
});

test("a claimed purchase is not paid for once its product has lost its origin", async () => {
  await product(complete);
  const { id } = await shop.order();
  const label_id = await app.service.stores.live.write(async (tx) => {
    const input = { order_id: id, ...ground, to_address: toronto, package: { weight: 1 } };
    const buying = { actor: systemActor("test"), additional: false, quote: null };
    const label = await beginPurchase(tx, input, buying, await chooseSeller(tx, input, { merchant_id: null }));
    return wireId("label", label.id);
  });
  await product({ customs: null });
  app.clocks.live.advance(600_000);
  await app.runJobs();
  const { status, error } = (await app.get(`/shipping/labels/${label_id}`)).body.data;
  expect([status, error.code, kinds()]).toEqual(["error", "validation_failed", []]);
});
