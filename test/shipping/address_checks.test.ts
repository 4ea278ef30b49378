import { expect, test } from "bun:test";
import { orders } from "../../db/schema/orders.ts";
import type { AddressVerification } from "../../src/addresses/address.ts";
import { boxWarnings } from "../../src/shipping/address_checks.ts";
import { openShop } from "../build/shop.ts";
import { fakeOffer } from "./carriers/fake_carrier.ts";
import { openSeller } from "./labels/seller.ts";

const address = {
  name: "Jane",
  company: null,
  address_line1: "PO Box 12",
  address_line2: null,
  city: "Portland",
  state: "OR",
  postal_code: "97201",
  country: "US",
  phone: null,
};

const shop = await openShop();

test("only carriers that deliver to doors warn about PO boxes", () => {
  expect(boxWarnings("ups", address)).toMatchObject([{ field: "to_address.street1", code: "po_box" }]);
  expect(boxWarnings("usps", address)).toEqual([]);
  expect(boxWarnings("ups", { ...address, address_line1: "12 Boxwood Rd" })).toEqual([]);
});

test("rates for an order to a PO box warn once per such carrier, and show whether it is a home", async () => {
  const { fake } = await openSeller(shop.app);
  const asked: (boolean | null)[] = [];
  fake.offers = async ({ to }) => {
    asked.push(to.residential);
    const offer = (carrier: string, service: string) => fakeOffer({ carrier, service, ref: `${carrier}-${service}` });
    return { offers: [offer("ups", "ground"), offer("ups", "air"), offer("usps", "priority")], messages: [] };
  };
  const { name: _, company: __, phone: ___, ...box } = address;
  const place = (await shop.app.post(`/customers/${shop.customer.id}/addresses`, box)).body;
  const order = await shop.order([[await shop.product({ units: 5 }), 1]], { shipping_address_id: place.id });
  const found: AddressVerification = { ...order.shipping_address.verification, residential: true, checked_at: 0 };
  const { live } = shop.app.service.stores;
  await live.write(async (tx) => void (await tx.sql.update(orders).set({ address_verification: found })));
  const question = { order_id: order.id, weight: 1, weight_unit: "lb" };
  const { messages } = (await shop.app.post("/shipping/rates", question)).body.data;
  const boxes = messages.filter(({ code }: { code: string }) => code === "po_box");
  expect(boxes.map(({ carrier, level }: { carrier: string; level: string }) => [carrier, level])).toEqual([
    ["ups", "warning"],
  ]);
  await shop.app.post("/shipping/rates", { ...question, residential: false });
  expect(asked).toEqual([true, false]);
});

test("a carrier sells no label to an unknown ZIP code, unless one has verified the address", async () => {
  await openSeller(shop.app);
  const { id } = shop.customer;
  const { name: _, company: __, phone: ___, ...nowhere } = { ...address, postal_code: "00000" };
  const place = (await shop.app.post(`/customers/${id}/addresses`, nowhere)).body;
  const order = await shop.order([[await shop.product({ units: 5 }), 1]], { shipping_address_id: place.id });
  const asked = { order_id: order.id, package: { weight: 1, weight_unit: "lb" }, service: "ground", carrier: "swift" };
  await shop.told();
  const refused = await shop.app.post("/shipping/labels", asked);
  const details = refused.body.error.details.map(({ field, code }: { field: string; code: string }) => [field, code]);
  expect([refused.status, refused.body.error.code, details]).toEqual([
    422,
    "validation_failed",
    [["to_address.zip", "unknown_zip"]],
  ]);
  expect([await shop.told(), (await shop.get(order.id)).shipments]).toEqual([[], []]);
  // The built-in carrier only warned, as the order did.
  const found: AddressVerification = {
    status: "verified",
    method: "fake",
    errors: [],
    warnings: [],
    suggestion: null,
    po_box: true,
    residential: null,
    checked_at: 0,
  };
  const { live } = shop.app.service.stores;
  await live.write(async (tx) => void (await tx.sql.update(orders).set({ address_verification: found })));
  expect((await shop.app.post("/shipping/labels", asked)).status).toBe(201);
});
