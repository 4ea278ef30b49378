// Karrio, a self-hosted service that sells labels of the carriers connected to it. A request for rates creates a
// draft there. The draft's id is known before payment, it can be bought only once, and it can be looked up.
import { invalid } from "../../core/faults.ts";
import { money, value_currency } from "../../core/money.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import type {
  BoughtPostage,
  CarrierDocument,
  ListedCarrier,
  PriceLine,
  RateMessage,
  RateOffer,
  RateOffers,
  ShipmentEnd,
  ShipmentRequest,
} from "../offer.ts";
import type { CredentialField } from "./account.ts";
import {
  baseOf,
  type CarrierRequest,
  carrierCallerOf,
  carrierFault,
  documentsAt,
  documentsOf,
  labelFormatField,
  labelFormatOf,
  lookedUpPurchase,
  purchase_wait_ms,
  rates_wait_ms,
  readAmount,
  readCurrency,
  readDays,
  readPage,
  readRequired,
  readTimestamp,
} from "./call_carrier.ts";
import type { CarrierContext, CarrierNumber, CarrierPurchase, OutsideCarrier } from "./connector.ts";
import {
  type CustomsDeclaration,
  carrierCode,
  carrierName,
  declarationFor,
  goodsWeightText,
  known,
  serviceName,
  weightText,
} from "./connector_fields.ts";
import { readCallback, updateOf } from "./karrio_tracking.ts";
import type { TrackingUpdate } from "./tracking_update.ts";

const name = "Karrio";
const carriers_max = 100;
const parallel_max = 5;
const urls_max = 4000;
// Karrio accepts any number of decimals. Four represent a tenth of a milligram.
const decimals = 4;

// Carriers that Karrio names differently.
const own_names: Readonly<Record<string, string>> = {
  amazon: "amazon_shipping",
  australia_post: "australiapost",
  canada_post: "canadapost",
  royal_mail: "royalmail",
};

const credentials: readonly CredentialField[] = [
  {
    name: "api_url",
    secret: false,
    required: true,
    description:
      "The base URL of your Karrio API, such as https://api.karrio.example. For a private address, the operator must" +
      " allow its range in PACKHOUSE_WEBHOOK_ALLOW_CIDRS.",
  },
  {
    name: "api_key",
    secret: true,
    required: true,
    description: "The API key, from Developers, API in the Karrio dashboard. Test data needs a test-mode key.",
  },
  labelFormatField,
];

const { ask, pay, safeText, parseReply, parsePurchase, requireCredential } = carrierCallerOf({
  name,
  credentials,
  wordsOf,
});

/** The connector for Karrio. */
export const karrio: OutsideCarrier = {
  calls: "outside",
  code: "karrio",
  name,
  credentials,
  capabilities: new Set(["rating", "shipping", "tracking", "webhook"]),
  check,
  offers,
  buy,
  find,
  void: cancel,
  follow,
  track,
  readCallback,
};

/** Builds a request to the account's Karrio. */
function to(
  ctx: CarrierContext,
  method: CarrierRequest["method"],
  path: string,
  more: Partial<CarrierRequest> = {},
): CarrierRequest {
  const url = `${baseOf(requireCredential(ctx, "api_url"))}/v1/${path}`;
  return { ...more, method, url, headers: { Authorization: `Token ${requireCredential(ctx, "api_key")}` } };
}

/** Refusals are in `errors`, carriers' messages in `messages`. Only `details` names the wrong field. */
function wordsOf(reply: unknown): readonly unknown[] {
  const { errors, messages, detail } = fieldsOrNone(reply);
  const [first = {}] = [...fieldsIn(messages), ...fieldsIn(errors)];
  const { message, details } = first;
  return [message, detail, details === undefined ? null : JSON.stringify(details)];
}

async function check(ctx: CarrierContext): Promise<readonly ListedCarrier[]> {
  labelFormatOf(ctx);
  const { status, json } = await ask(ctx, to(ctx, "GET", `connections?active=true&limit=${carriers_max}`));
  if (status === 404) throw noKarrio();
  const connections = fieldsIn(fieldsOrNone(json)["results"]).filter(({ active }) => active !== false);
  refuseLive(ctx, connections);
  const names = connections.flatMap(({ carrier_name }) => readText(carrier_name, 100) ?? []);
  const listed = new Map<string, ListedCarrier>();
  for (const carrier of new Set(names)) {
    const found = await ask(ctx, to(ctx, "GET", `carriers/${encodeURIComponent(carrier)}`));
    const { display_name, shipping_services } = fieldsOrNone(found.json);
    const services = Object.keys(fieldsOrNone(shipping_services)).map((service) => ({
      code: service,
      name: serviceNameOf(service, carrier),
    }));
    const code = carrierCode(carrier);
    listed.set(code, { code, name: readText(display_name, 100) ?? carrierName(code), services });
  }
  return [...listed.values()];
}

const noKarrio = () => carrierFault("carrier_error", "The account's api_url is not a Karrio API.");

/** Refuses live connections and rates in the test environment. Refuses: carrier_unauthorized. */
function refuseLive({ mode }: CarrierContext, all: readonly JsonFields[]): void {
  if (mode === "live" || all.every(({ test_mode }) => test_mode !== false)) return;
  const words = "This is a live key, which would spend money. Use a test-mode key for test data.";
  throw carrierFault("carrier_unauthorized", words);
}

async function offers(carriage: ShipmentRequest, ctx: CarrierContext): Promise<RateOffers> {
  const { declaration, warnings } = declarationFor(karrio.code, carriage);
  const buyable = carriage.from.address !== null && carriage.to.address !== null;
  // A shipment without full addresses cannot be bought later, so no draft is created.
  const path = buyable ? "shipments" : "proxy/rates";
  const draft = { label_type: labelFormatOf(ctx), ...(declaration !== null && { customs: customsOf(declaration) }) };
  const json = { ...ratesBody(carriage), ...(buyable && draft) };
  const found = await ask(ctx, to(ctx, "POST", path, { json, wait_ms: rates_wait_ms, also: [424] }));
  if (found.status === 404) throw noKarrio();
  const { id, rates, messages } = fieldsOrNone(found.json);
  refuseLive(ctx, fieldsIn(rates));
  return {
    offers: parseReply(() => {
      const shipment_id = buyable && found.status !== 424 ? readRequired(id, "id") : null;
      return fieldsIn(rates).map((rate, at) => offerOf(rate, `rates[${at}]`, shipment_id));
    }),
    messages: [...warnings, ...fieldsIn(messages).map((message) => messageOf(message, ctx))],
  };
}

function ratesBody({
  from,
  to: goal,
  package: parcel,
  weight,
  insurance,
  value_cents,
  reference,
  ...more
}: ShipmentRequest) {
  const { dimensions, weight_unit } = parcel;
  const { unit, ...sides } = dimensions ?? {};
  const value = value_cents === null ? null : money(value_cents, value_currency);
  return {
    shipper: endBody(from),
    recipient: endBody(goal),
    parcels: [
      {
        weight: Number(weightText(weight, weight_unit, decimals)),
        weight_unit: weight_unit.toUpperCase(),
        ...(unit !== undefined && { ...sides, dimension_unit: unit.toUpperCase() }),
      },
    ],
    options: {
      currency: value_currency,
      ...(value !== null && { declared_value: value }),
      ...(value !== null && insurance && { insurance: value }),
      ...(more.return && { is_return: true }),
    },
    ...(reference !== null && { reference }),
  };
}

function endBody({ address, residential, ...place }: ShipmentEnd) {
  const { country, state, postal_code, city } = address ?? place;
  const { name, company: company_name = null, phone: phone_number = null } = address ?? {};
  const { address_line1 = null, address_line2 = null } = address ?? {};
  // An order's recipient may have no name, which rates do not need.
  const person_name = name || null;
  const street = { person_name, company_name, phone_number, address_line1, address_line2 };
  return known({ ...street, city, state_code: state, postal_code, country_code: country, residential });
}

/** The customs declaration in Karrio's form. Karrio takes the weight and the value of one unit. */
function customsOf({ goods, signer, returned, exemption }: CustomsDeclaration) {
  const commodities = goods.map(({ description, quantity, weight, value_cents, currency, ...more }) => {
    const unit_weight = { numerator: weight.numerator, denominator: weight.denominator * BigInt(quantity) };
    return {
      title: description.slice(0, 200),
      quantity,
      weight: Number(goodsWeightText(unit_weight, "g", decimals)),
      weight_unit: "G",
      value_amount: money(Math.round(value_cents / quantity), currency),
      value_currency: currency,
      ...known({ origin_country: more.country_of_origin, hs_code: more.hs_code }),
    };
  });
  return {
    commodities,
    certify: true,
    signer: signer.slice(0, 50),
    commercial_invoice: true,
    content_type: returned ? "return_merchandise" : "merchandise",
    ...(exemption !== null && { options: { eel_pfc: `NOEEI ${exemption}` } }),
  };
}

function offerOf(rate: JsonFields, field: string, shipment_id: string | null): RateOffer {
  const { meta, transit_days, estimated_delivery, extra_charges, total_charge } = rate;
  const own_name = readRequired(rate["carrier_name"], `${field}.carrier_name`);
  const carrier = carrierCode(own_name);
  const service = readRequired(rate["service"], `${field}.service`);
  const currency = readCurrency(rate["currency"], `${field}.currency`);
  const cents = readAmount(total_charge, currency, `${field}.total_charge`);
  if (cents < 0) throw invalid(`${field}.total_charge`, "must not be below zero");
  const { service_name } = fieldsOrNone(meta);
  return {
    carrier,
    carrier_name: carrierName(carrier),
    service,
    service_name: readText(service_name, 100) ?? serviceNameOf(service, own_name),
    rate_cents: cents,
    cost_cents: cents,
    currency,
    breakdown: linesOf(extra_charges, currency, field, cents),
    billable_pounds: null,
    zone: null,
    zone_estimated: false,
    ship_date: null,
    delivery_days: readDays(transit_days),
    delivery_date: readTimestamp(estimated_delivery),
    ref: shipment_id === null ? "" : `${shipment_id}/${readRequired(rate["id"], `${field}.id`)}`,
  };
}

/** The display name of a service without the carrier's prefix: `Ground Advantage` for `usps_ground_advantage`. */
function serviceNameOf(service: string, own_name: string): string {
  return serviceName(service.startsWith(`${own_name}_`) ? service.slice(own_name.length + 1) : service);
}

/** The lines of a price: the charges that Karrio lists, and the rest as `base`. */
function linesOf(charges: unknown, currency: string, field: string, total_cents: number): PriceLine[] {
  const lines = fieldsIn(charges).flatMap(({ name: words, amount }, at) => {
    if (amount === null || amount === undefined) return [];
    const amount_cents = readAmount(amount, currency, `${field}.extra_charges[${at}].amount`);
    return amount_cents === 0 ? [] : [{ code: lineCode(readText(words, 100) ?? ""), amount_cents }];
  });
  const rest = total_cents - lines.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  // Some carriers list charges that are part of others, so their sum exceeds the price.
  if (rest < 0) return [{ code: "base", amount_cents: total_cents }];
  return rest === 0 && lines.length > 0 ? lines : [{ code: "base", amount_cents: rest }, ...lines];
}

/**
 * Shortens a charge to a code: `Fuel surcharge` is `fuel`, `Base charge` is `base`, `Peak Season` is `peak_season`.
 */
function lineCode(words: string): string {
  const plain = words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "");
  return plain.replace(/_(?:charge|surcharge|fee)$/, "") || "charge";
}

function messageOf({ message, code, carrier_name, level }: JsonFields, ctx: CarrierContext): RateMessage {
  return {
    carrier: carrierCode(readText(carrier_name, 100) ?? karrio.code),
    service: null,
    level: level === "info" || level === "warning" ? level : "error",
    code: "carrier_message",
    message: safeText(ctx, message) ?? `The carrier gave only a code: ${safeText(ctx, code) ?? "error"}.`,
  };
}

/** Splits an offer's ref into the draft and its rate. Refuses: carrier_refused. */
function partsOf(ref: string): { shipment_id: string; rate_id: string } {
  const [, shipment_id, rate_id] = /^([\w-]{1,100})\/([\w-]{1,100})$/.exec(ref) ?? [];
  if (shipment_id !== undefined && rate_id !== undefined) return { shipment_id, rate_id };
  throw carrierFault(
    "carrier_refused",
    "This rate was requested without full addresses. Request rates with full addresses to buy.",
  );
}

async function buy(ref: string, _carriage: ShipmentRequest, ctx: CarrierContext): Promise<CarrierPurchase> {
  const { shipment_id, rate_id } = partsOf(ref);
  const json = { selected_rate_id: rate_id, label_type: labelFormatOf(ctx) };
  const path = `shipments/${shipment_id}/purchase`;
  const { status, json: reply } = await pay(
    ctx,
    to(ctx, "POST", path, { json, wait_ms: purchase_wait_ms, also: [409] }),
  );
  if (status === 404) throw rateExpired();
  if (status !== 409) return await purchaseOf(reply, ctx);
  // It is no longer a draft: an earlier attempt bought it, or it was cancelled.
  const purchase = await lookedUpPurchase(find(ref, ctx));
  if (purchase.state === "not_bought") throw rateExpired();
  return purchase;
}

const rateExpired = () => carrierFault("carrier_refused", "Karrio no longer offers this rate. Request rates again.");

async function find(ref: string, ctx: CarrierContext): Promise<CarrierPurchase> {
  const { shipment_id } = partsOf(ref);
  const { status, json } = await ask(ctx, to(ctx, "GET", `shipments/${shipment_id}`));
  if (status !== 404) return await purchaseOf(json, ctx);
  const words =
    "Karrio does not have this shipment. The account may use another Karrio, or the API key of another user.";
  throw carrierFault("carrier_error", words, { permanent: false });
}

/** Karrio's statuses of shipments that were not paid for. */
const unbought: readonly unknown[] = ["draft", "cancelled"];

async function purchaseOf(reply: unknown, ctx: CarrierContext): Promise<CarrierPurchase> {
  const shipment = fieldsOrNone(reply);
  const { status, tracking_number, tracking_url, tracker_id, selected_rate } = shipment;
  if (unbought.includes(status)) return { state: "not_bought" };
  const { total_charge, currency: code, estimated_delivery } = fieldsOrNone(selected_rate);
  const facts = parsePurchase((): Omit<BoughtPostage, "documents"> => {
    const currency = readCurrency(code, "selected_rate.currency");
    return {
      tracking_number: readRequired(tracking_number, "tracking_number"),
      // Karrio's own page of a parcel is for users of that Karrio; the carrier's page is public.
      tracking_url: readPage(tracking_url),
      cost_cents: readAmount(total_charge, currency, "selected_rate.total_charge"),
      currency,
      carrier_ref: readRequired(shipment["id"], "id"),
      tracker_ref: readText(tracker_id, 100),
      estimated_delivery: readTimestamp(estimated_delivery),
    };
  });
  return { state: "bought", bought: { ...facts, documents: await documentsIn(shipment, ctx) } };
}

/** The documents of a purchase. Newer releases include them; all releases link to them. */
async function documentsIn(
  { shipping_documents, docs, ...shipment }: JsonFields,
  ctx: CarrierContext,
): Promise<CarrierDocument[]> {
  const { label, invoice } = fieldsOrNone(docs);
  const sent = fieldsIn(shipping_documents).map(({ category, base64 }) => ({ category, base64 }));
  const documents_found = [
    ...sent,
    { category: "label", base64: label },
    { category: "invoice", base64: invoice },
  ].flatMap(({ category, base64 }) =>
    typeof base64 === "string" ? documentsOf(kindOf(category), Buffer.from(base64, "base64")) : [],
  );
  for (const category of ["label", "invoice"]) {
    const address = readText(shipment[`${category}_url`], urls_max);
    const url = address === null ? null : URL.parse(address, `${baseOf(requireCredential(ctx, "api_url"))}/`);
    const kind = kindOf(category);
    if (url === null || documents_found.some((paper) => paper.kind === kind)) continue;
    documents_found.push(...(await documentsAt(ctx, kind, url.href)));
  }
  return documents_found;
}

const kindOf = (what: unknown): CarrierDocument["kind"] =>
  what === "label" ? "label" : what === "invoice" ? "customs" : "other";

async function cancel(carrier_ref: string, ctx: CarrierContext): Promise<"voided" | "rejected"> {
  const path = `shipments/${encodeURIComponent(carrier_ref)}`;
  const { status } = await ask(ctx, to(ctx, "POST", `${path}/cancel`, { also: [409] }));
  if (status === 404) throw carrierFault("carrier_error", "Karrio does not have this shipment.");
  if (status !== 409) return "voided";
  // A repeated or late cancellation is refused alike. The shipment shows which it was.
  const { json } = await ask(ctx, to(ctx, "GET", path));
  return fieldsOrNone(json)["status"] === "cancelled" ? "voided" : "rejected";
}

async function follow({ tracking_number, carrier }: CarrierNumber, ctx: CarrierContext): Promise<TrackingUpdate> {
  if (carrier === null) {
    const words = "Karrio needs the carrier of the tracking number. Send `carrier`.";
    throw carrierFault("carrier_refused", words);
  }
  // Pending pickup: a parcel can be tracked before its carrier has scanned it.
  const json = { tracking_number, carrier_name: own_names[carrier] ?? carrier };
  const found = await ask(ctx, to(ctx, "POST", "trackers?pending_pickup=true", { json }));
  if (found.status === 404) throw carrierFault("carrier_refused", `Karrio has no connection to ${carrier}.`);
  return parseReply(() => updateOf(fieldsOrNone(found.json), ctx.now));
}

async function track(numbers: readonly CarrierNumber[], ctx: CarrierContext): Promise<readonly TrackingUpdate[]> {
  const updates: TrackingUpdate[] = [];
  for (let at = 0; at < numbers.length; at += parallel_max) {
    const some = numbers.slice(at, at + parallel_max);
    const found = await Promise.all(
      some.map(({ tracking_number }) => ask(ctx, to(ctx, "GET", `trackers/${encodeURIComponent(tracking_number)}`))),
    );
    for (const { status, json } of found) {
      if (status !== 404) updates.push(parseReply(() => updateOf(fieldsOrNone(json), ctx.now)));
    }
  }
  return updates;
}
