// Countries without cities or postal codes: what an address, a rate and a label require there.
import { expect, setDefaultTimeout, test } from "bun:test";
import { openShop } from "../build/shop.ts";
import { connectShopify, address as shopifyAddress, shopifyOrder, take } from "../platforms/stores.ts";

setDefaultTimeout(30_000);

const shop = await openShop();

const fieldsOf = (body: { error?: { details: { field: string; message: string }[] } }) =>
  body.error?.details.map(({ field, message }) => `${field} ${message}`) ?? [];

test.each([
  ["SG", "238857", []],
  ["MC", "98000", []],
  ["GI", "GX11 1AA", []],
  ["FR", "75001", ["city"]],
  ["AE", "", ["city"]],
])("an address in %s with postal code %p and no city lacks %p", async (country, postal_code, lacks) => {
  const address = { address_line1: "270 Orchard Road", city: "", postal_code, country };
  const { body } = await shop.app.post("/addresses/verify", { address });
  expect(body.data.errors.map(({ field }: { field: string }) => field)).toEqual(lacks);
  const { city: _, ...without } = address;
  const made = await shop.app.post(`/customers/${shop.customer.id}/addresses`, without);
  expect([made.status, fieldsOf(made.body)]).toEqual(
    lacks.length === 0 ? [201, []] : [422, lacks.map((field) => `${field} is required`)],
  );
});

test("a shop order to Singapore is not held for its missing city", async () => {
  const connected = await connectShopify(shop.app);
  await shop.product({ sku: "TEA", units: 9 });
  const changes = { address1: "270 Orchard Road", city: "", province_code: null, zip: "238857", country_code: "SG" };
  const order = await take(shop.app, connected, shopifyOrder(9001, { shipping_address: shopifyAddress(changes) }));
  expect(order.holds).toEqual([]);
});

const parcel = { from_zip: "43215", weight: 1, weight_unit: "lbs" };
test.each([{}, { to_zip: "" }, { to_zip: null }])("rates to Hong Kong need no postal code: %p", async (zip) => {
  const { status, body } = await shop.app.post("/shipping/rates", { ...parcel, to_country: "HK", ...zip });
  expect([status, fieldsOf(body)]).toEqual([200, []]);
});

test("rates require a postal code only for countries that have them", async () => {
  const wrong = async (ends: object) => fieldsOf((await shop.app.post("/shipping/rates", { ...parcel, ...ends })).body);
  expect(await wrong({ to_country: "DE" })).toEqual([
    "to_zip is required without to_address or order_id, since DE has postal codes",
  ]);
  expect(await wrong({})).toEqual(["to_zip is required without to_address or order_id"]);
  const to_address = { name: "A", street1: "1 Rue de Rivoli", zip: "75001", country: "FR" };
  expect(await wrong({ to_address })).toEqual(["to_address.city is required in FR"]);
  const hong_kong = { name: "A", street1: "1 Queen's Road", country: "HK" };
  expect(await wrong({ to_address: hong_kong })).toEqual([]);
});
