// Shippo: one API token for many carriers. A rate can be bought repeatedly. Its id is known before payment, so a
// purchase can be looked up among the rate's transactions.

import { moneyText, value_currency } from "../../core/money.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText, succeeded } from "../../outbound/api.ts";
import { addressView } from "../address.ts";
import type { ListedCarrier, RateMessage, RateOffer, RateOffers, ShipmentRequest } from "../offer.ts";
import type { ParcelDimensions } from "../parcel.ts";
import type { CredentialField } from "./account.ts";
import {
  apiUrlField,
  baseOf,
  carrierCallerOf,
  carrierFault,
  documentsAt,
  type LabelFormat,
  labelFormatField,
  labelFormatOf,
  purchase_wait_ms,
  rates_wait_ms,
  readAmount,
  readCurrency,
  readDays,
  readPage,
  readRequired,
  readTimestamp,
} from "./call_carrier.ts";
import type {
  CarrierAddressCheck,
  CarrierContext,
  CarrierNumber,
  CarrierPurchase,
  OutsideCarrier,
} from "./connector.ts";
import {
  type CustomsDeclaration,
  carrierCode,
  declarationFor,
  goodsWeightText,
  inchTexts,
  known,
  knownEnd,
  suggestionOf,
  weightText,
} from "./connector_fields.ts";
import { readCallback, updateOf } from "./shippo_tracking.ts";
import type { TrackingUpdate } from "./tracking_update.ts";

const name = "Shippo";
const home = "https://api.goshippo.com";
const version = "2018-02-08";
// Shippo accepts up to four decimals.
const decimals = 4;
const page_size = 100;
const pages_max = 20;
const parallel_max = 5;
const urls_max = 4000;

const label_types: Readonly<Record<LabelFormat, string>> = { PDF: "PDF_4x6", PNG: "PNG", ZPL: "ZPLII" };

const credentials: readonly CredentialField[] = [
  {
    name: "api_token",
    secret: true,
    required: true,
    description: "The API token, from API in the Shippo settings. Test data needs a test token.",
  },
  labelFormatField,
  apiUrlField(home),
];

const { ask, pay, safeText, parseReply, parsePurchase, requireCredential } = carrierCallerOf({
  name,
  credentials,
  wordsOf,
});

/** The connector for Shippo. */
export const shippo: OutsideCarrier = {
  calls: "outside",
  code: "shippo",
  name,
  credentials,
  capabilities: new Set(["rating", "shipping", "tracking", "address", "webhook"]),
  check,
  offers,
  buy,
  find,
  void: refund,
  follow,
  track,
  verifyAddress,
  readCallback,
};

/** Shippo's reason for a refusal, in `detail` or by field. */
function wordsOf(reply: unknown): readonly unknown[] {
  const { detail, ...fields } = fieldsOrNone(reply);
  const byField = Object.entries(fields).flatMap(([field, words]) => {
    const [first] = Array.isArray(words) ? words : [words];
    return typeof first === "string" ? [field === "__all__" ? first : `${field}: ${first}`] : [];
  });
  return [detail, ...byField];
}

function requestTo(ctx: CarrierContext, method: "GET" | "POST", path: string, json?: unknown) {
  const token = requireCredential(ctx, "api_token");
  if (ctx.mode === "test" && token.startsWith("shippo_live_")) {
    const words = "This is a live token, which would spend money. Use a test token for test data.";
    throw carrierFault("carrier_unauthorized", words);
  }
  const headers = { Authorization: `ShippoToken ${token}`, "Shippo-API-Version": version };
  const url = `${baseOf(ctx.credentials["api_url"] || home)}${path}`;
  return { method, url, headers, ...(json !== undefined && { json }) };
}

async function check(ctx: CarrierContext): Promise<readonly ListedCarrier[]> {
  labelFormatOf(ctx); // Refuses an unknown format before anything is bought.
  const listed = new Map<string, ListedCarrier>();
  for (let page = 1; page <= pages_max; page += 1) {
    const path = `/carrier_accounts?service_levels=true&results=${page_size}&page=${page}`;
    const { status, json } = await ask(ctx, requestTo(ctx, "GET", path));
    if (status === 404) throw carrierFault("carrier_error", "The account's api_url is not the Shippo API.");
    const { results, next } = fieldsOrNone(json);
    for (const { carrier, carrier_name, active, service_levels } of fieldsIn(results)) {
      const code = carrierCode(readText(carrier, 100) ?? "");
      if (code === "" || active === false) continue;
      const services = fieldsIn(service_levels).flatMap((level) => {
        const service = readText(level["token"], 100);
        return service === null ? [] : [{ code: service, name: readText(level["name"], 100) ?? service }];
      });
      listed.set(code, { code, name: readText(carrier_name, 100) ?? code, services });
    }
    if (!next) break;
  }
  return [...listed.values()];
}

async function offers(carriage: ShipmentRequest, ctx: CarrierContext): Promise<RateOffers> {
  labelFormatOf(ctx);
  const { dimensions } = carriage.package;
  if (dimensions === null) {
    const words = "Shippo needs the length, width and height of the parcel.";
    return { offers: [], messages: [noted("dimensions_required", "error", words)] };
  }
  const { declaration, warnings } = declarationFor("shippo", carriage);
  const question = requestTo(ctx, "POST", "/shipments", shipmentOf(carriage, dimensions, declaration));
  const { status, json } = await ask(ctx, { ...question, wait_ms: rates_wait_ms });
  if (status === 404) throw carrierFault("carrier_error", "The account's api_url is not the Shippo API.");
  const buyable = carriage.from.address !== null && carriage.to.address !== null;
  const answer = fieldsOrNone(json);
  return {
    offers: parseReply(() => fieldsIn(answer["rates"]).map((rate, at) => offerOf(rate, `rates[${at}]`, buyable))),
    messages: [...warnings, ...fieldsIn(answer["messages"]).map((message) => messageOf(message, ctx))],
  };
}

function offerOf(rate: JsonFields, field: string, buyable: boolean): RateOffer {
  const { name: service_name, token } = fieldsOrNone(rate["servicelevel"]);
  const service = readRequired(token, `${field}.servicelevel.token`);
  const carrier_name = readRequired(rate["provider"], `${field}.provider`);
  const currency = readCurrency(rate["currency"], `${field}.currency`);
  const rate_cents = readAmount(rate["amount"], currency, `${field}.amount`);
  const insurance = rate["included_insurance_price"];
  const insurance_cents = insurance ? readAmount(insurance, currency, `${field}.included_insurance_price`) : 0;
  return {
    carrier: carrierCode(carrier_name),
    carrier_name,
    service,
    rate_cents,
    cost_cents: rate_cents,
    currency,
    service_name: readText(service_name, 100) ?? service,
    breakdown: [
      { code: "base", amount_cents: rate_cents - insurance_cents },
      ...(insurance_cents > 0 ? [{ code: "declared_value", amount_cents: insurance_cents }] : []),
    ],
    billable_pounds: null,
    zone: readText(rate["zone"], 20),
    zone_estimated: false,
    ship_date: null,
    delivery_days: readDays(rate["estimated_days"]),
    delivery_date: null,
    // A purchase does not return its price, so the ref contains it.
    ref: buyable ? `${readRequired(rate["object_id"], `${field}.object_id`)}/${rate_cents}/${currency}` : "",
  };
}

const noted = (code: string, level: RateMessage["level"], message: string): RateMessage => ({
  carrier: "shippo",
  service: null,
  level,
  code,
  message,
});

function messageOf({ source, code, text }: JsonFields, ctx: CarrierContext): RateMessage {
  const late = code === "carrier_timeout";
  return {
    ...noted(
      late ? code : "carrier_message",
      late ? "error" : "warning",
      safeText(ctx, text) ?? "The carrier gave no reason.",
    ),
    carrier: carrierCode(readText(source, 100) ?? "") || "shippo",
  };
}

/** The shipment in Shippo's form. */
function shipmentOf(carriage: ShipmentRequest, dimensions: ParcelDimensions, declaration: CustomsDeclaration | null) {
  const { from, to, weight, reference, insurance, value_cents } = carriage;
  const unit = carriage.package.weight_unit;
  const content = carriage.contents?.[0]?.description.slice(0, 100) ?? "Merchandise";
  const extra = {
    ...(insurance && value_cents
      ? { insurance: { amount: moneyText(value_cents, value_currency), currency: value_currency, content } }
      : {}),
    ...(reference !== null && { reference_1: reference.slice(0, 50) }),
  };
  return {
    address_from: knownEnd(from, "is_residential"),
    address_to: knownEnd(to, "is_residential"),
    async: false,
    parcels: [
      {
        ...inchTexts(dimensions, decimals),
        distance_unit: "in",
        weight: weightText(weight, unit, decimals),
        mass_unit: unit,
      },
    ],
    ...(Object.keys(extra).length > 0 && { extra }),
    ...(reference !== null && { metadata: reference.slice(0, 100) }),
    ...(declaration !== null && { customs_declaration: customsOf(declaration) }),
  };
}

function customsOf({ goods, signer, returned, exemption }: CustomsDeclaration) {
  const rule = exemption === "30.36" ? "NOEEI_30_36" : "NOEEI_30_37_a";
  return {
    certify: true,
    certify_signer: signer,
    non_delivery_option: "RETURN",
    contents_type: returned ? "RETURN_MERCHANDISE" : "MERCHANDISE",
    ...(exemption !== null && { eel_pfc: rule }),
    items: goods.map(({ description, quantity, value_cents, currency, weight, hs_code, country_of_origin }) => ({
      description: description.slice(0, 100),
      quantity,
      origin_country: country_of_origin,
      net_weight: goodsWeightText(weight, "g", decimals),
      mass_unit: "g",
      value_amount: moneyText(value_cents, currency),
      value_currency: currency,
      ...(hs_code !== null && { hs_code }),
    })),
  };
}

/** Splits an offer's ref into the rate and its price. Refuses: carrier_refused. */
function partsOf(ref: string) {
  const [, rate, cents, currency] = /^([\w-]{1,100})\/(\d{1,12})\/([A-Z]{3})$/.exec(ref) ?? [];
  if (rate !== undefined && cents !== undefined && currency !== undefined) {
    return { rate, cost_cents: Number(cents), currency };
  }
  const words = "These rates were requested without full addresses. Request rates with full addresses to buy.";
  throw carrierFault("carrier_refused", words);
}

async function buy(ref: string, { reference }: ShipmentRequest, ctx: CarrierContext): Promise<CarrierPurchase> {
  const { rate } = partsOf(ref);
  const paid_for = { rate, label_file_type: label_types[labelFormatOf(ctx)], async: false };
  const json = { ...paid_for, ...(reference !== null && { metadata: reference.slice(0, 100) }) };
  const question = requestTo(ctx, "POST", "/transactions", json);
  const answer = await pay(ctx, { ...question, wait_ms: purchase_wait_ms });
  if (answer.status === 404)
    throw carrierFault("carrier_refused", "Shippo no longer has this rate. Request rates again.");
  const transaction = fieldsOrNone(answer.json);
  const purchase = await purchaseOf(transaction, ref, ctx);
  if (purchase.state !== "not_bought") return purchase;
  const [{ code, text }] = [fieldsIn(transaction["messages"])[0] ?? {}];
  const words = `Shippo refused the purchase: ${safeText(ctx, text) ?? "the carrier gave no reason."}`;
  if (code === "carrier_timeout") throw carrierFault("carrier_error", words, { permanent: false });
  throw carrierFault("carrier_refused", words);
}

async function find(ref: string, ctx: CarrierContext): Promise<CarrierPurchase> {
  const { rate } = partsOf(ref);
  const { json } = await ask(ctx, requestTo(ctx, "GET", `/transactions?rate=${rate}&results=${page_size}`));
  const { results } = fieldsOrNone(json);
  const found = fieldsIn(results);
  const ofRate = (transaction: JsonFields) =>
    (fieldsOrNone(transaction["rate"])["object_id"] ?? transaction["rate"]) === rate;
  // A reply that is not a list, or lists other rates, says nothing about this rate.
  if (!Array.isArray(results) || !found.every(ofRate)) {
    throw carrierFault("carrier_error", "Shippo did not list the purchases of this rate.", { permanent: false });
  }
  // An empty list also results from the token of another account, so it is no proof that nothing was bought.
  if (found.length === 0) await refuseForeign(rate, ctx);
  const purchases = await Promise.all(found.map((transaction) => purchaseOf(transaction, ref, ctx)));
  const bought = purchases.find(({ state }) => state === "bought");
  return bought ?? purchases.find(({ state }) => state === "waiting") ?? { state: "not_bought" };
}

/** Refuses a rate that belongs to another account. Refuses: carrier_error. */
async function refuseForeign(rate: string, ctx: CarrierContext): Promise<void> {
  const { status } = await ask(ctx, requestTo(ctx, "GET", `/rates/${rate}`));
  if (status !== 404) return;
  const words = "Shippo does not have the rate of this purchase. The API token may belong to another account.";
  throw carrierFault("carrier_error", words, { permanent: false });
}

async function purchaseOf(transaction: JsonFields, ref: string, ctx: CarrierContext): Promise<CarrierPurchase> {
  const { cost_cents, currency } = partsOf(ref);
  const { status, label_url, commercial_invoice_url } = transaction;
  if (status === "QUEUED" || status === "WAITING") return { state: "waiting" };
  if (["ERROR", "REFUNDED", "REFUNDPENDING"].includes(`${status}`)) return { state: "not_bought" };
  const label = readText(label_url, urls_max);
  if (label === null) return { state: "waiting" };
  const carrier_ref = parsePurchase(() => readRequired(transaction["object_id"], "object_id"));
  const invoice = readText(commercial_invoice_url, urls_max);
  const documents = [documentsAt(ctx, "label", label)];
  if (invoice !== null) documents.push(documentsAt(ctx, "customs", invoice));
  return {
    state: "bought",
    bought: {
      // Letters have no tracking number, so the purchase's id stands in for it.
      tracking_number: readText(transaction["tracking_number"], 100) ?? carrier_ref,
      tracking_url: readPage(transaction["tracking_url_provider"]),
      cost_cents,
      currency,
      carrier_ref,
      tracker_ref: null,
      documents: (await Promise.all(documents)).flat(),
      estimated_delivery: readTimestamp(transaction["eta"]),
    },
  };
}

async function refund(carrier_ref: string, ctx: CarrierContext): Promise<"voided" | "submitted" | "rejected"> {
  const question = requestTo(ctx, "POST", "/refunds", { transaction: carrier_ref, async: false });
  const answer = await ask(ctx, { ...question, also: [400, 409, 422] });
  // A repeated or late refund request is refused alike. The transaction shows which it was.
  const path = `/transactions/${encodeURIComponent(carrier_ref)}`;
  const { json } = succeeded(answer.status) ? answer : await ask(ctx, requestTo(ctx, "GET", path));
  const status = `${fieldsOrNone(json)["status"]}`;
  // A transaction that is still SUCCESS has no refund.
  if (status === "REFUNDED" || (status === "SUCCESS" && succeeded(answer.status))) return "voided";
  return ["QUEUED", "PENDING", "REFUNDPENDING"].includes(status) ? "submitted" : "rejected";
}

/** Shippo's name of the carrier. Its test numbers belong to a carrier named `shippo`. */
const carrierOf = ({ tracking_number, carrier }: CarrierNumber): string | null =>
  tracking_number.startsWith("SHIPPO_") ? "shippo" : carrier;

async function follow(number: CarrierNumber, ctx: CarrierContext): Promise<TrackingUpdate> {
  const carrier = carrierOf(number);
  if (carrier === null) {
    const words = "Shippo needs the carrier of the tracking number. Send `carrier`.";
    throw carrierFault("carrier_refused", words);
  }
  const json = { carrier, tracking_number: number.tracking_number };
  const answer = await ask(ctx, requestTo(ctx, "POST", "/tracks", json));
  if (answer.status === 404) throw carrierFault("carrier_refused", `Shippo does not track parcels of ${carrier}.`);
  return parseReply(() => updateOf(fieldsOrNone(answer.json)));
}

async function track(numbers: readonly CarrierNumber[], ctx: CarrierContext): Promise<readonly TrackingUpdate[]> {
  const updates: TrackingUpdate[] = [];
  const paths = numbers.flatMap((number) => {
    const carrier = carrierOf(number);
    return carrier === null ? [] : [[carrier, number.tracking_number].map(encodeURIComponent).join("/")];
  });
  for (let at = 0; at < paths.length; at += parallel_max) {
    const some = paths.slice(at, at + parallel_max);
    const requests = some.map((path) => ask(ctx, { ...requestTo(ctx, "GET", `/tracks/${path}`), also: [400] }));
    for (const { status, json } of await Promise.all(requests)) {
      if (!succeeded(status)) continue;
      const update = parseReply(() => updateOf(fieldsOrNone(json)));
      if (update.events.length > 0) updates.push(update);
    }
  }
  return updates;
}

async function verifyAddress(address: CompleteAddress, ctx: CarrierContext): Promise<CarrierAddressCheck> {
  const question = { ...known(addressView(address)), validate: true };
  const { json } = await ask(ctx, requestTo(ctx, "POST", "/addresses", question));
  const found = fieldsOrNone(json);
  const { is_valid, messages } = fieldsOrNone(found["validation_results"]);
  const deliverable = is_valid === true;
  return {
    deliverable,
    errors: deliverable ? [] : fieldsIn(messages).flatMap(({ text }) => safeText(ctx, text) ?? []),
    suggestion: deliverable ? suggestionOf(address, found) : null,
    residential: typeof found["is_residential"] === "boolean" ? found["is_residential"] : null,
  };
}
