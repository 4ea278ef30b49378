import { Elysia } from "elysia";
import type { Db } from "../../database/store.ts";
import { answerRead } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { readCents } from "../../kit/money.ts";
import { bodyOf } from "../../kit/schema.ts";
import { ownCarrier } from "../carriers/table.ts";
import type { Carriage, End } from "../offer.ts";
import { readParcel } from "../parcel.ts";
import { checkEnds } from "../rules.ts";
import { usualOrigin } from "../store.ts";
import { quoter } from "./quote.ts";
import { CarriersView, GetRates, RatesView } from "./schemas.ts";
import { carrierView, rateView } from "./views.ts";

/** What parcels cost, and who carries them. */
export const quoteRoutes = ({ secret_key }: Service) =>
  new Elysia({ prefix: "/shipping" })
    .use(conventions)
    .post("/rates", ({ call, body }) => answerRead(call, (db) => ratesOf(db, body, secret_key)), {
      body: bodyOf(GetRates),
      detail: documented({
        id: "getRates",
        summary: "Get what a parcel costs with each service",
        answers: { 200: EnvelopedView(RatesView) },
      }),
    })
    .get(
      "/carriers",
      ({ call }) =>
        answerRead(call, async (db) => ({ carriers: (await ownCarrier(db.mode).carriers(db)).map(carrierView) })),
      {
        detail: documented({
          id: "listCarriers",
          summary: "List the carriers and their services",
          answers: { 200: EnvelopedView(CarriersView) },
        }),
      },
    );

async function ratesOf(db: Db, body: GetRates, secret_key: Uint8Array) {
  checkEnds(body);
  const { timezone } = await usualOrigin(db);
  const carriage: Carriage = {
    ...readParcel(body, ""),
    from: endOf(body.from_country, body.from_zip),
    to: endOf(body.to_country, body.to_zip),
    value_cents: body.value == null ? null : readCents(body.value),
    insurance: body.insurance === true,
    origin_zone: timezone,
    reference: null,
    return: false,
  };
  const { offers, messages } = await ownCarrier(db.mode).offers(db, carriage);
  const quotes = quoter(carriage, null, { secret_key, mode: db.mode, now: db.now });
  return { rates: offers.map((offer) => rateView(offer, null, quotes)), messages };
}

function endOf(country = "US", postal_code: string): End {
  return { country, postal_code, state: null, city: null, address: null, residential: null };
}
