// Labels bought with a quote cost exactly its price, for its parcel only, once.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { completeAddress } from "../../../src/core/postal_address.ts";
import { getOrder } from "../../../src/orders/orders.sql.ts";
import { endAt } from "../../../src/shipping/offer.ts";
import { originOfOrder } from "../../../src/shipping/origins.sql.ts";
import { readWeight } from "../../../src/shipping/parcel.ts";
import { quoteId, quotesFor } from "../../../src/shipping/rates/quote.ts";
import { insertQuotes } from "../../../src/shipping/rates/quotes.sql.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf, outcomeOf, type ParcelShop, parcelShopOn } from "../../build/shop.ts";
import { fakeOffer } from "../carriers/fake_carrier.ts";
import { openSeller } from "./seller.ts";

setDefaultTimeout(60_000);

const app = await openApp();
const shop: ParcelShop = await parcelShopOn(app);
const seller = await openSeller(app);

const parcel = { weight: 2.5, weight_unit: "lb" } as const;

/** The built-in carrier's rate for a parcel to the shop's customer, as requested by a client. */
async function ownQuote(fields: object = {}): Promise<{ quote_id: string; rate: number; service: string }> {
  const from = (await app.get("/inventory/locations")).body.data[0].address;
  const asked = { from_zip: from.postal_code, to_zip: "90210", ...parcel, ...fields };
  const { rates } = (await app.post("/shipping/rates", asked)).body.data;
  return rates.find(({ service }: { service: string }) => service === "express");
}

/** A quote of the fake carrier for an order's parcel, as `POST /shipping/rates` creates it. */
async function carriersQuote(order_id: string, whole: boolean, ref: string) {
  const { live } = app.service.stores;
  return live.write(async (tx) => {
    const order = await getOrder(tx, order_id);
    const origin = await originOfOrder(tx, order);
    const cut = (end: ReturnType<typeof endAt>) => (whole ? end : { ...end, address: null });
    const carriage = {
      from: cut(endAt(origin.address)),
      to: cut(endAt(completeAddress(order.shipping_address))),
      package: { ...parcel, weight: "2.5", dimensions: null },
      weight: readWeight("2.5", "lb") ?? { numerator: 1n, denominator: 1n },
      value_cents: 5000,
      insurance: true,
      origin_zone: origin.timezone,
      reference: null,
      return: false,
    };
    const account_id = Number(seller.account_id.replace("cac_", ""));
    const offers = [{ account_id, offer: fakeOffer({ rate_cents: 777, ref }) }];
    const { id } = await insertQuotes(tx, quotesFor(carriage, order.id, offers));
    return quoteId(id, 0);
  });
}

const buy = (order_id: string, quote_id: string, fields: object = {}) =>
  app.post("/shipping/labels", { order_id, quote_id, package: parcel, ...fields });

describe("works", () => {
  test("a label costs the quoted price, even if its card costs more by then", async () => {
    const { quote_id, rate, service } = await ownQuote();
    const cards = (await app.get("/shipping/rate_cards")).body.data;
    const card = cards.find((one: { service: string }) => one.service === service);
    const dearer = { minimum: { price: 500 } };
    expect((await app.patch(`/shipping/rate_cards/${card.id}`, dearer)).status).toBe(200);
    const bought = await buy((await shop.order()).id, quote_id);
    expect([bought.status, bought.body.data.cost, bought.body.data.service]).toEqual([201, rate, "express"]);
    expect((await ownQuote()).rate).toBe(590);
    expect((await app.patch(`/shipping/rate_cards/${card.id}`, { minimum: card.minimum })).status).toBe(200);
  });

  test("a carrier is paid for exactly the quoted offer", async () => {
    const order = await shop.order();
    const offers = seller.asked("offers");
    const bought = await buy(order.id, await carriersQuote(order.id, true, "quoted_1"));
    expect([bought.status, bought.body.data.cost]).toEqual([201, 7.77]);
    expect(bought.body.data.package).toMatchObject({ value: 50, insurance: true });
    expect([seller.asked("offers"), seller.books.get("quoted_1")?.paid]).toEqual([offers, 1]);
  });

  test("an offer for postal codes is requested again for the full address, and costs the quoted price", async () => {
    const order = await shop.order();
    const bought = await buy(order.id, await carriersQuote(order.id, false, "quoted_2"));
    expect([bought.status, bought.body.data.cost, bought.body.data.carrier_cost]).toEqual([201, 7.77, 12.5]);
    expect(seller.books.has("quoted_2")).toBe(false);
  });
});

describe("refuses", () => {
  test("another parcel, address, order or service", async () => {
    const { quote_id } = await ownQuote();
    const { id } = await shop.order();
    const elsewhere = { name: "Jo", street1: "1 Main St", city: "Boise", state: "ID", zip: "83702", country: "US" };
    const attempts = [
      [{ package: { weight: 2.6 } }, "package.weight"],
      [{ package: { ...parcel, dimensions: { length: 1, width: 1, height: 1, unit: "in" } } }, "package.dimensions"],
      [{ to_address: elsewhere }, "to_address"],
      [{ service: "standard" }, "service"],
      [{ package: { ...parcel, insurance: true } }, "package.insurance"],
    ] as const;
    for (const [fields, field] of attempts) {
      const answer = await buy(id, quote_id, fields);
      expect([...outcomeOf(answer), answer.body.error.details[0].field]).toEqual([409, "quote_mismatch", field]);
    }
    const order = await shop.order();
    const other = await buy(id, await carriersQuote(order.id, true, "quoted_3"));
    expect([...outcomeOf(other), other.body.error.details[0].field]).toEqual([409, "quote_mismatch", "order_id"]);
    // None of them used up the quote.
    expect((await buy(id, quote_id)).status).toBe(201);
  });

  test("a second use of a quote, also concurrently; after a failed purchase it can be used again", async () => {
    const { quote_id } = await ownQuote();
    const [one, other] = [await shop.order(), await shop.order()];
    const answers = await Promise.all([buy(one.id, quote_id), buy(other.id, quote_id)]);
    expect(answers.map(outcomeOf).sort()).toEqual([
      [201, undefined],
      [409, "quote_used"],
    ]);
    const order = await shop.order();
    const quote = await carriersQuote(order.id, true, "quoted_4");
    const works = seller.fake.buy;
    seller.fake.buy = async () => ({ state: "not_bought" });
    expect(outcomeOf(await buy(order.id, quote))).toEqual([422, "carrier_refused"]);
    seller.fake.buy = works;
    expect((await buy(order.id, quote)).status).toBe(201);
  });

  test("an expired quote, a changed one, and one of a paused account", async () => {
    const { quote_id } = await ownQuote();
    const { id } = await shop.order();
    for (const other of [
      `${quote_id}z`,
      quote_id.slice(0, -2),
      quote_id.replace(/[0-9a-f]_/, (of) => (of === "0_" ? "1_" : "0_")),
    ]) {
      const refused = await buy(id, other);
      expect([...outcomeOf(refused), fieldsOf(refused)]).toEqual([422, "validation_failed", ["quote_id"]]);
    }
    const paused = await carriersQuote(id, true, "quoted_5");
    await app.patch(`/shipping/carrier_accounts/${seller.account_id}`, { status: "paused" });
    expect(outcomeOf(await buy(id, paused))).toEqual([422, "validation_failed"]);
    await app.patch(`/shipping/carrier_accounts/${seller.account_id}`, { status: "active" });
    app.clocks.live.advance(15 * 60_000);
    expect(outcomeOf(await buy(id, quote_id))).toEqual([409, "quote_expired"]);
  });
});
