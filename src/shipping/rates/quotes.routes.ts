import { Elysia } from "elysia";
import { systemClock } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { bodyOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, enveloped } from "../../http/envelope.ts";
import { answerRead, jsonResponse } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import type { Db } from "../../storage/database.ts";
import { boxMessages } from "../address_checks.ts";
import type { CarrierAccount } from "../carriers/account.ts";
import { listActiveAccounts } from "../carriers/accounts.sql.ts";
import { accessTo } from "../carriers/call_carrier.ts";
import { askingOf, outsideCarriersOf, ownCarrier } from "../carriers/connectors.ts";
import { type RateAnswers, RateFetcher, type RateSource } from "./fetch_rates.ts";
import { carrierView, messageView, type OfAccount, packageView, quoter, rateView, withoutAccount } from "./quote.ts";
import { CarriersView, GetRates, RatesView } from "./quotes.schema.ts";
import {
  byPrice,
  checkFilter,
  isWanted,
  mayOffer,
  type RateFilter,
  type RateQuestion,
  readRateQuestion,
} from "./rate_request.ts";

const realTime = systemClock();

/** Rates of parcels, and carriers with their services. */
export function quoteRoutes(service: Service) {
  const asker = new RateFetcher({ now: () => realTime.now(), log: service.log });
  return new Elysia({ prefix: "/shipping" })
    .use(conventions)
    .post("/rates", ({ call, body }) => rates(call, body, service, asker), {
      body: bodyOf(GetRates),
      detail: documented({
        id: "getRates",
        needs: "shipping.read",
        chapter: "Shipping",
        summary: "Get the rates of a parcel with each service of each carrier",
        description:
          "Asks the built-in carriers and every active carrier account at once. One that fails, or does not answer" +
          " within eight seconds, is named in `messages`. `sample` marks prices of the sample rate cards.",
        refuses: ["ambiguous_identifier", "resource_missing"],
        answers: { 200: EnvelopedView(RatesView) },
      }),
    })
    .get("/carriers", ({ call }) => answerRead(call, async (db) => ({ carriers: await carriersOf(db, call) })), {
      detail: documented({
        id: "listCarriers",
        needs: "shipping.read",
        chapter: "Shipping",
        summary: "List the carriers and their services",
        description: "The built-in carriers, then those that the last tests of the active accounts listed.",
        answers: { 200: EnvelopedView(CarriersView) },
      }),
    });
}

async function carriersOf(db: Db, call: Call) {
  const own = ownCarrier(db.mode);
  const built_in = (await own.carriers(db)).map((carrier) => ({ ...carrier, connector: own.code, account_id: null }));
  const others = (await listActiveAccounts(db)).flatMap(({ id, connector, carriers }) =>
    carriers.map((carrier) => ({ ...carrier, connector, account_id: id })),
  );
  return [...built_in, ...others].map((one) => ({ ...carrierView(one), ...accountFor(call, one) }));
}

/** What the database knows of a request for rates: which accounts to ask, and the offers of the built-in carrier. */
interface QuoteRequest extends RateQuestion {
  readonly own: RateAnswers;
  readonly accounts: readonly CarrierAccount[];
  readonly now: number;
}

async function rates(call: Call, body: GetRates, service: Service, asker: RateFetcher): Promise<Response> {
  const { store } = call;
  const asked = await store.read((db) => askHere(db, body));
  const sources = asked.accounts.flatMap((account) => sourceOf(account, call, service));
  const { rates_wait_ms } = askingOf(service);
  const others = sources.length === 0 ? none : await asker.ask(sources, asked.carriage, rates_wait_ms);
  const now = sources.length === 0 ? asked.now : store.clock.now();
  const quotes = quoter(asked.carriage, asked.order_id, { secret_key: service.secret_key, mode: store.mode, now });
  const offers = [...asked.own.offers, ...others.offers].filter(({ offer }) => isWanted(body, offer)).sort(byPrice);
  const said = [...asked.own.messages, ...others.messages, ...boxMessages(offers, asked.carriage.to.address)];
  const data = {
    rates: offers.map((one) => ({ ...rateView(one, quotes, asked.carriage), ...accountFor(call, one) })),
    messages: said.map((one) => messageView(call.merchant_id === null ? one : withoutAccount(one))),
    parcel: packageView(asked.carriage.package),
  };
  return jsonResponse(call, 200, JSON.stringify(enveloped(data, call.request_id, now)));
}

const none: RateAnswers = { offers: [], messages: [] };

/** The account of an offer as the caller is shown it: merchants are not told of the operator's accounts. */
const accountFor = ({ merchant_id }: Call, { account_id }: OfAccount) => ({
  account_id: merchant_id !== null || account_id === null ? null : wireId("carrier_account", account_id),
});

/** Reads the request and what can be answered here, in one view of the database. */
async function askHere(db: Db, body: GetRates): Promise<QuoteRequest> {
  const question = await readRateQuestion(db, body);
  const active = await listActiveAccounts(db);
  if (body.carriers !== undefined || body.services !== undefined) await checkKnown(db, body, active);
  const accounts = active.filter(({ carriers }) => mayOffer(body, carriers));
  return { ...question, own: await ownAnswers(db, body, question), accounts, now: db.now };
}

/**
 * Refuses: validation_failed, for a carrier or service that no account sells. Accounts that list no services may sell
 * any.
 */
async function checkKnown(db: Db, filter: RateFilter, active: readonly CarrierAccount[]): Promise<void> {
  if (active.some(({ carriers }) => carriers.length === 0)) return;
  checkFilter(filter, [...(await ownCarrier(db.mode).carriers(db)), ...active.flatMap(({ carriers }) => carriers)]);
}

/** The offers and messages of the built-in carriers that the request includes. */
async function ownAnswers(db: Db, filter: RateFilter, { carriage }: RateQuestion): Promise<RateAnswers> {
  const { offers, messages } = await ownCarrier(db.mode).offers(db, carriage, filter.carriers);
  const account_id = null;
  return {
    offers: offers.map((offer) => ({ account_id, offer })),
    messages: messages.filter((message) => isWanted(filter, message)).map((said) => ({ account_id, ...said })),
  };
}

/** How an account is asked; empty if this release lacks its connector, or if the connector has no rates. */
function sourceOf(account: CarrierAccount, { store }: Call, service: Service): RateSource[] {
  const connector = outsideCarriersOf(service)[account.connector];
  if (!connector?.capabilities.has("rating")) return [];
  return [{ account, connector, ctx: accessTo(account, connector, store, service) }];
}
