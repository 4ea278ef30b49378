// Quotes a parcel: asks all carriers for their rates, and stores the quotes that labels are bought at.
import { wireIdOrNull } from "../../core/ids.ts";
import type { Call } from "../../http/call.ts";
import type { Service } from "../../http/service.ts";
import type { Order } from "../../orders/order.ts";
import { asRulesChoose, decisionsFor } from "../../orders/shipping_rules/compare_with_rules.ts";
import type { RuleDecisions } from "../../orders/shipping_rules/evaluate_rules.ts";
import type { Db } from "../../storage/database.ts";
import { boxMessages } from "../address_checks.ts";
import type { CarrierAccount } from "../carriers/account.ts";
import { listActiveAccounts } from "../carriers/accounts.sql.ts";
import { builtIn } from "../carriers/built_in.ts";
import { accessTo } from "../carriers/call_carrier.ts";
import { carrierCallingOf, outsideCarriersOf } from "../carriers/connectors.ts";
import { pickRate, pickView } from "./choose_rate.ts";
import { type RateAnswers, type RateSource, rateFetcherOf } from "./fetch_rates.ts";
import {
  messageView,
  type OfAccount,
  packageView,
  type QuotedOffer,
  quoteId,
  quotesFor,
  rateView,
  withoutAccount,
} from "./quote.ts";
import type { GetRates } from "./quotes.schema.ts";
import { insertQuotes } from "./quotes.sql.ts";
import {
  byPrice,
  checkFilter,
  isWanted,
  mayOffer,
  type RateFilter,
  type RateQuestion,
  readRateQuestion,
} from "./rate_request.ts";

/** Who requests rates: the store, and the merchant of a merchant's request. */
type QuotingCall = Pick<Call, "store" | "merchant_id">;

/**
 * The part of a request for rates that the database answers: the accounts to call, and the built-in carriers' offers.
 */
interface QuoteRequest extends RateQuestion {
  /** What the rules decide about the order now. */
  readonly decisions: RuleDecisions;
  readonly own: RateAnswers;
  readonly accounts: readonly CarrierAccount[];
}

/**
 * Requests the rates of a parcel from all carriers and stores their quotes. Returns the data as the API shows it, with
 * the offers in the same order.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, storage_full, storage_unavailable.
 */
export async function quoteParcel(call: QuotingCall, body: GetRates, service: Service) {
  const { store } = call;
  const request = await store.read((db) => loadRequest(db, body));
  const { carriage, order, decisions } = request;
  const sources = request.accounts.flatMap((account) => sourceOf(account, call, service));
  const { rates_wait_ms } = carrierCallingOf(service);
  const others = sources.length === 0 ? none : await rateFetcherOf(service).ask(sources, carriage, rates_wait_ms);
  const offers = [...request.own.offers, ...others.offers].filter(({ offer }) => isWanted(body, offer)).sort(byPrice);
  const { id, expires_at, now } = await keepQuotes(call, request, offers);
  const messages = [...request.own.messages, ...others.messages, ...boxMessages(offers, carriage.to.address)];
  const pickOf = (choosing: Order | null) => {
    if (choosing === null) return null;
    const pick = pickRate(
      choosing,
      offers.map(({ offer }) => offer),
    );
    return { at: pick.at, view: pickView(pick, pick.at === null ? null : quoteId(id, pick.at), choosing) };
  };
  const pick = pickOf(order);
  const data = {
    rates: offers.map((rate, at) => ({
      ...rateView(rate, { quote_id: quoteId(id, at), expires_at }, carriage),
      ...accountFor(call, rate),
      chosen: at === pick?.at,
    })),
    choice: pick?.view ?? null,
    rule_choice: pickOf(order && asRulesChoose(order, decisions))?.view ?? null,
    messages: messages.map((message) => messageView(call.merchant_id === null ? message : withoutAccount(message))),
    parcel: packageView(carriage.package),
  };
  return { data, offers, order, decisions, now };
}

/**
 * Stores the quotes of a response. While the storage refuses writes, so are rates: nothing could be bought at them.
 * Refuses: storage_full, storage_unavailable.
 */
async function keepQuotes(call: QuotingCall, { carriage, order_id }: RateQuestion, offers: readonly QuotedOffer[]) {
  if (offers.length === 0) return { id: "", expires_at: 0, now: call.store.clock.now() };
  const quotes = quotesFor(carriage, order_id, offers);
  return call.store.write((tx) => insertQuotes(tx, quotes));
}

const none: RateAnswers = { offers: [], messages: [] };

/** The account of an offer as the caller sees it. Merchants do not see the operator's accounts. */
export const accountFor = ({ merchant_id }: QuotingCall, { account_id }: OfAccount) => ({
  account_id: merchant_id === null ? wireIdOrNull("carrier_account", account_id) : null,
});

/** Reads the request and everything the database answers, in one snapshot. */
async function loadRequest(db: Db, body: GetRates): Promise<QuoteRequest> {
  const question = await readRateQuestion(db, body);
  const active = await listActiveAccounts(db);
  if (body.carriers !== undefined || body.services !== undefined) await checkKnown(db, body, active);
  const accounts = active.filter(({ carriers }) => mayOffer(body, carriers));
  const [decisions = {}] = question.order === null ? [] : await decisionsFor(db, [question.order]);
  return { ...question, decisions, own: await ownAnswers(db, body, question), accounts };
}

/**
 * Refuses a carrier or service that no account sells. Accounts that list none may sell any. Refuses:
 * validation_failed.
 */
async function checkKnown(db: Db, filter: RateFilter, active: readonly CarrierAccount[]): Promise<void> {
  if (active.some(({ carriers }) => carriers.length === 0)) return;
  checkFilter(filter, [...(await builtIn.carriers(db)), ...active.flatMap(({ carriers }) => carriers)]);
}

/** Returns the offers and messages of the built-in carriers that the request includes. */
async function ownAnswers(db: Db, filter: RateFilter, { carriage }: RateQuestion): Promise<RateAnswers> {
  const { offers, messages } = await builtIn.offers(db, carriage, filter.carriers);
  const account_id = null;
  return {
    offers: offers.map((offer) => ({ account_id, offer })),
    messages: messages.filter((message) => isWanted(filter, message)).map((message) => ({ account_id, ...message })),
  };
}

/**
 * Returns the connector and context of an account; empty if the connector is missing in this release or has no rates.
 */
function sourceOf(account: CarrierAccount, { store }: QuotingCall, service: Service): RateSource[] {
  const connector = outsideCarriersOf(service)[account.connector];
  if (!connector?.capabilities.has("rating")) return [];
  return [{ account, connector, ctx: accessTo(account, connector, store, service) }];
}
