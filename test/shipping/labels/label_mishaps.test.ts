// Failures around a carrier's label: nothing that was paid for is lost or paid for twice.

import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { Fault } from "../../../src/core/faults.ts";
import { hour_ms } from "../../../src/core/time.ts";
import { documentsAt } from "../../../src/shipping/carriers/call_carrier.ts";
import { overrideCarriers } from "../../../src/shipping/carriers/connectors.ts";
import type { ListedCarrier } from "../../../src/shipping/offer.ts";
import { openApp } from "../../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../../build/shop.ts";
import { fake_listing, fakeCarrier, fakeOffer } from "../carriers/fake_carrier.ts";
import { lost, openSeller } from "./seller.ts";

setDefaultTimeout(60_000);

const app = await openApp();
const shop: ParcelShop = await parcelShopOn(app);
const seller = await openSeller(app);
beforeEach(() => seller.openUp());

const ground = { carrier: "swift", service: "ground" };
const labelOf = async (id: string) => (await app.get(`/shipping/labels/${id}`)).body.data;
const orderOf = async (id: string) => (await app.get(`/orders/${id}`)).body.data;

/** Buys a label whose carrier is paid and whose response is lost. */
async function buyAndLose() {
  seller.fake.buy = async (ref) => {
    seller.sell(ref);
    throw lost();
  };
  const order = await shop.order();
  const { status, body } = await shop.label(order.id, ground);
  expect([status, body.data.status]).toEqual([202, "processing"]);
  return { order, label_id: body.data.label_id as string };
}

/** Advances the store's clock and runs the due jobs. */
async function later(ms: number) {
  app.clocks.live.advance(ms);
  await app.runJobs();
}

test("a label with an unreadable document is recorded after a day, and says where it is", async () => {
  const { label_id } = await buyAndLose();
  const { find } = seller.fake;
  seller.fake.find = async (ref, ctx) => {
    const found = await find(ref, ctx);
    if (found.state !== "bought") return found;
    const documents = await documentsAt(ctx, "label", "https://labels.invalid/1.pdf");
    return { ...found, bought: { ...found.bought, documents } };
  };
  await later(hour_ms);
  expect(await labelOf(label_id)).toMatchObject({ status: "processing" });
  for (let hours = 0; hours < 24; hours += 1) await later(hour_ms);
  expect(await labelOf(label_id)).toMatchObject({
    status: "completed",
    label_url: null,
    documents: [],
    error: null,
    warnings: [{ field: "label_url", code: "no_document", message: expect.stringContaining("swift") }],
  });
});

test("a label whose parcel ships during the purchase is recorded anyway", async () => {
  const { order, label_id } = await buyAndLose();
  expect((await app.post(`/orders/${order.id}/ship`, { tracking_number: "LEFT123456" })).status).toBe(200);
  seller.openUp();
  await later(hour_ms);
  const label = await labelOf(label_id);
  expect(label).toMatchObject({ status: "completed" });
  expect((await orderOf(order.id)).shipments).toMatchObject([
    { status: "shipped", tracking_number: label.tracking_number },
  ]);
});

test("an account cannot be deleted during a purchase", async () => {
  const { label_id } = await buyAndLose();
  const path = `/shipping/carrier_accounts/${seller.account_id}`;
  const refused = await app.call("DELETE", path);
  expect([refused.status, refused.body.error?.code]).toEqual([409, "label_in_progress"]);
  seller.openUp();
  await later(hour_ms);
  expect(await labelOf(label_id)).toMatchObject({ status: "completed" });
});

test("a carrier with a cost of zero or below sells a label anyway", async () => {
  const { label_id } = await buyAndLose();
  const { find } = seller.fake;
  seller.fake.find = async (ref, ctx) => {
    const found = await find(ref, ctx);
    return found.state === "bought" ? { ...found, bought: { ...found.bought, cost_cents: -25 } } : found;
  };
  await later(hour_ms);
  expect(await labelOf(label_id)).toMatchObject({ status: "completed", carrier_cost: 0 });
});

test("of several accounts with one carrier, the one that lists the service sells", async () => {
  const other = fakeCarrier("other");
  const night = { ...fake_listing[0], code: "swift", name: "Swift", services: [{ code: "night", name: "Night" }] };
  other.check = async () => [night];
  other.offers = async () => ({ offers: [fakeOffer({ service: "night" })], messages: [] });
  other.buy = async () => {
    throw new Fault("carrier_refused", "Asked at the other account.");
  };
  overrideCarriers(app.service, { fake: seller.fake.connector, other: other.connector });
  const made = await app.post("/shipping/carrier_accounts", {
    connector: "other",
    credentials: { api_key: "other_1" },
  });
  expect((await app.post(`/shipping/carrier_accounts/${made.body.data.id}/test`)).status).toBe(200);
  const bought = async (fields: object) => {
    const { status, body } = await shop.label((await shop.order()).id, { carrier: "swift", ...fields });
    return [status, body.data?.account_id ?? body.error.message];
  };
  expect(await bought({ service: "night" })).toEqual([422, "Asked at the other account."]);
  expect(await bought({ service: "ground" })).toEqual([201, seller.account_id]);
  const [status, message] = await bought({ service: "submarine" });
  expect([status, message]).toEqual([422, expect.stringMatching(/ground.*air.*night/)]);
  expect(await bought({ service: "night", account_id: seller.account_id })).toEqual([
    422,
    expect.stringContaining("air"),
  ]);
});

test("a service with a long name can be bought, for a parcel and for a return", async () => {
  const service = "usps_priority_mail_express_international_legal_flat_rate_envelope";
  const swift = fake_listing[0] as ListedCarrier;
  seller.fake.check = async () => [{ ...swift, services: [...swift.services, { code: service, name: "Long" }] }];
  seller.fake.offers = async () => ({ offers: [fakeOffer({ service, ref: "rate_900" })], messages: [] });
  await app.post(`/shipping/carrier_accounts/${seller.account_id}/test`);
  const order = await shop.order();
  expect((await shop.label(order.id, { carrier: "swift", service })).status).toBe(201);
  expect((await app.post(`/orders/${order.id}/ship`)).status).toBe(200);
  const back = await app.post("/returns", { order_id: order.id, reason: "defective" });
  seller.fake.offers = async () => ({ offers: [fakeOffer({ service, ref: "rate_901" })], messages: [] });
  const asked = { carrier: "swift", service, package: { weight: 2 } };
  expect((await app.post(`/returns/${back.body.data.id}/label`, asked)).status).toBe(201);
  const found = await app.get(`/shipping/labels?carrier=swift&service=${service}`);
  expect(found.body.data.map(({ service: named }: { service: string }) => named)).toEqual([service, service]);
});

test("the reason for missing offers is shown, from the carrier or its connector", async () => {
  const said = { service: null, level: "error", code: "dimensions_required" } as const;
  seller.fake.offers = async () => ({
    offers: [],
    messages: [
      { ...said, carrier: "fake", message: "It wants length, width and height." },
      { ...said, carrier: "swallow", message: "Another carrier." },
    ],
  });
  const { status, body } = await shop.label((await shop.order()).id, ground);
  expect([status, body.error.code]).toEqual([422, "carrier_refused"]);
  expect(body.error.message).toEndWith("for this parcel. It wants length, width and height.");
});

test("the built-in carrier does not sell through accounts", async () => {
  const order = await shop.order();
  const { status, body } = await shop.label(order.id, { account_id: seller.account_id });
  expect([status, body.error?.details?.[0]?.field]).toEqual([422, "account_id"]);
});
