// Karrio, which a house runs itself and which sells for the carriers that are connected to it. A question for rates
// makes a draft there, whose id is known before anything is paid: paying for it twice is refused, and it can be found.
import { Fault, invalid } from "../../kit/fault.ts";
import { sameText } from "../../kit/hmac.ts";
import { money } from "../../kit/money.ts";
import { type Fields, fieldsIn, fieldsOrNone, readText } from "../../outbound/reading.ts";
import type { CarrierEvent, TrackingUpdate } from "../../tracking/update.ts";
import { meaningsOf } from "../../tracking/words.ts";
import type { CredentialField } from "../accounts/account.ts";
import type { Bought, Carriage, CarrierDocument, End, ListedCarrier, Message, Offer, PriceLine } from "../offer.ts";
import { gramsOf } from "../weight.ts";
import {
  askerOf,
  baseOf,
  carrierFault,
  documentsAt,
  documentsOf,
  type Question,
  rates_wait_ms,
  readAmount,
  readCallbackJson,
  readCurrency,
  readDays,
  readMoment,
  readRequired,
} from "./asking.ts";
import type { Ctx, OutsideCarrier, Purchase } from "./connector.ts";

const name = "Karrio";
const carriers_max = 100;
const asked_together_max = 5;

const credentials: readonly CredentialField[] = [
  {
    ...{ name: "api_url", secret: false, required: true },
    description:
      "Where your Karrio's API is, such as https://api.karrio.example. The operator of this service has to open the" +
      " range of a private address (PACKHOUSE_WEBHOOK_ALLOW_CIDRS).",
  },
  {
    ...{ name: "api_key", secret: true, required: true },
    description: "The API key, in Karrio's dashboard under Developers, API: one of test mode for the test store.",
  },
];

const { ask, pay, told, understood, understoodPaid, needed } = askerOf({ name, credentials, wordsOf });

/** Karrio, as a connector. */
export const karrio: OutsideCarrier = {
  calls: "outside",
  code: "karrio",
  name,
  capabilities: new Set(["rating", "shipping", "tracking", "webhook"]),
  credentials,
  check,
  offers,
  buy,
  find,
  void: cancel,
  follow,
  track,
  readCallback,
};

/** A question to the account's Karrio. */
function to(ctx: Ctx, method: Question["method"], path: string, more: Partial<Question> = {}): Question {
  const url = `${baseOf(needed(ctx, "api_url"))}/v1/${path}`;
  return { ...more, method, url, headers: { Authorization: `Token ${needed(ctx, "api_key")}` } };
}

/** Refusals stand in `errors`, what carriers say in `messages`; which field is wrong is told in `details` alone. */
function wordsOf(said: unknown): readonly unknown[] {
  const { errors, messages, detail } = fieldsOrNone(said);
  const [first = {}] = [...fieldsIn(messages), ...fieldsIn(errors)];
  const { message, details } = first;
  return [message, detail, details === undefined ? null : JSON.stringify(details)];
}

async function check(ctx: Ctx): Promise<readonly ListedCarrier[]> {
  const { status, json } = await ask(ctx, to(ctx, "GET", `connections?active=true&limit=${carriers_max}`));
  if (status === 404) throw carrierFault("carrier_error", "There is no Karrio API at the account's api_url.");
  const codes = fieldsIn(fieldsOrNone(json)["results"]).flatMap(({ carrier_name, active }) =>
    active === false ? [] : (readText(carrier_name, 50) ?? []),
  );
  const listed: ListedCarrier[] = [];
  for (const code of new Set(codes)) {
    const found = await ask(ctx, to(ctx, "GET", `carriers/${encodeURIComponent(code)}`));
    const { display_name, shipping_services } = fieldsOrNone(found.json);
    const services = Object.keys(fieldsOrNone(shipping_services)).map((one) => ({ code: one, name: titleOf(one) }));
    listed.push({ code, name: readText(display_name, 100) ?? titleOf(code), services });
  }
  return listed;
}

/** A code as people read it, for what has no name: `fedex_2_day` is `Fedex 2 Day`. */
function titleOf(code: string): string {
  return code.replaceAll("_", " ").replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

async function offers(carriage: Carriage, ctx: Ctx) {
  const whole = carriage.from.address !== null && carriage.to.address !== null;
  // What is no whole address cannot be bought later: a draft of it would only be left behind.
  const path = whole ? "shipments" : "proxy/rates";
  const json = whole ? shipmentBody(carriage) : ratesBody(carriage);
  const found = await ask(ctx, to(ctx, "POST", path, { json, wait_ms: rates_wait_ms, also: [424] }));
  if (found.status === 404) throw carrierFault("carrier_error", "There is no Karrio API at the account's api_url.");
  const { id, rates, messages } = fieldsOrNone(found.json);
  const shipment_id = whole && found.status < 300 ? understood(() => readRequired(id, "id")) : "";
  return {
    offers: understood(() => fieldsIn(rates).map((rate) => offerOf(shipment_id, rate))),
    messages: fieldsIn(messages).map((message) => messageOf(ctx, message)),
  };
}

function ratesBody({ from, to: destination, package: parcel, insurance, value_cents, reference, ...more }: Carriage) {
  const { dimensions } = parcel;
  const { length, width, height, unit } = dimensions ?? {};
  const value = value_cents === null ? null : money(value_cents);
  return {
    shipper: endBody(from),
    recipient: endBody(destination),
    parcels: [
      {
        ...{ weight: Number(parcel.weight), weight_unit: parcel.weight_unit.toUpperCase() },
        ...(unit !== undefined && { length, width, height, dimension_unit: unit.toUpperCase() }),
      },
    ],
    options: {
      currency: "USD",
      ...(value !== null && { declared_value: value }),
      ...(value !== null && insurance && { insurance: value }),
      ...(more.return && { is_return: true }),
    },
    ...(reference !== null && { reference }),
  };
}

function shipmentBody(carriage: Carriage) {
  return { ...ratesBody(carriage), label_type: "PDF", ...customsOf(carriage) };
}

function endBody({ address, residential, ...known }: End) {
  const { country, state, postal_code, city } = address ?? known;
  return {
    ...{ country_code: country, state_code: state, postal_code, city },
    ...(residential !== null && { residential }),
    ...(address !== null && {
      ...{ person_name: address.name, company_name: address.company, phone_number: address.phone },
      ...{ address_line1: address.address_line1, address_line2: address.address_line2 },
    }),
  };
}

/** What customs are told, of goods that leave the country. Weights and values are those of one piece. */
function customsOf({ from, to: destination, contents = [], weight }: Carriage) {
  if (from.country === destination.country || contents.length === 0) return {};
  const pieces = contents.reduce((sum, { quantity }) => sum + quantity, 0);
  const commodities = contents.map((content) => ({
    title: content.description.slice(0, 200),
    quantity: content.quantity,
    weight: (content.weight === null ? gramsOf(weight) / pieces : gramsOf(content.weight) / content.quantity) || 1,
    ...{ weight_unit: "G", value_amount: content.value_cents / 100 / content.quantity, value_currency: "USD" },
    ...(content.hs_code !== null && { hs_code: content.hs_code }),
    ...(content.country_of_origin !== null && { origin_country: content.country_of_origin }),
  }));
  return { customs: { commodities, content_type: "merchandise", commercial_invoice: true } };
}

function offerOf(shipment_id: string, rate: Fields): Offer {
  const { meta, transit_days, estimated_delivery, extra_charges, total_charge } = rate;
  const carrier = readRequired(rate["carrier_name"], "rates.carrier_name").toLowerCase();
  const service = readRequired(rate["service"], "rates.service");
  const cents = readAmount(total_charge, "rates.total_charge");
  if (cents < 0) throw invalid("rates.total_charge", "must not be below zero");
  const { service_name, carrier_name } = fieldsOrNone(meta);
  return {
    ...{ carrier, carrier_name: readText(carrier_name, 100) ?? titleOf(carrier) },
    ...{ service, service_name: readText(service_name, 100) ?? titleOf(service) },
    ...{ rate_cents: cents, cost_cents: cents, currency: readCurrency(rate["currency"], "rates.currency") },
    breakdown: linesOf(extra_charges, cents),
    ...{ billable_pounds: null, zone: null, zone_estimated: false, ship_date: null },
    delivery_days: readDays(transit_days),
    delivery_date: readMoment(estimated_delivery),
    ref: shipment_id === "" ? "" : `${shipment_id}/${readRequired(rate["id"], "rates.id")}`,
  };
}

/** The lines of a price: the charges that are told, and the rest as its base. */
function linesOf(charges: unknown, total_cents: number): PriceLine[] {
  const lines = fieldsIn(charges).map(({ name: words, amount }, index) => ({
    code: lineCode(readText(words, 50) ?? `charge ${index + 1}`),
    amount_cents: amount === null || amount === undefined ? 0 : readAmount(amount, "rates.extra_charges.amount"),
  }));
  const rest = total_cents - lines.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  // Some carriers name charges that are in others, so that together they are more than the price.
  if (rest < 0) return [{ code: "base", amount_cents: total_cents }];
  return rest === 0 && lines.length > 0 ? lines : [{ code: "base", amount_cents: rest }, ...lines];
}

/** `Fuel surcharge` is `fuel`, `Base charge` is `base`, `Peak Season` is `peak_season`. */
function lineCode(words: string): string {
  const plain = words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "");
  return plain.replace(/_(?:charge|surcharge|fee)$/, "") || "charge";
}

function messageOf(ctx: Ctx, { message, code, carrier_name, level }: Fields): Message {
  const words = told(ctx, message) ?? `${name} says no more than: ${told(ctx, code) ?? "an error"}`;
  return {
    carrier: readText(carrier_name, 50)?.toLowerCase() ?? karrio.code,
    service: null,
    level: level === "info" || level === "warning" ? level : "error",
    code: "carrier_error",
    message: words,
  };
}

/** The draft and the rate that an offer names. */
function partsOf(ref: string): { shipment_id: string; rate_id: string } {
  const [, shipment_id, rate_id] = /^([\w-]{1,100})\/([\w-]{1,100})$/.exec(ref) ?? [];
  if (shipment_id !== undefined && rate_id !== undefined) return { shipment_id, rate_id };
  throw carrierFault(
    "carrier_refused",
    "The price was asked without whole addresses. Ask for rates with both of them.",
  );
}

async function buy(ref: string, _carriage: Carriage, ctx: Ctx): Promise<Purchase> {
  const { shipment_id, rate_id } = partsOf(ref);
  const json = { selected_rate_id: rate_id, label_type: "PDF" };
  const question = to(ctx, "POST", `shipments/${shipment_id}/purchase`, { json, also: [409] });
  const { status, json: said } = await pay(ctx, question);
  if (status === 404)
    throw carrierFault("carrier_refused", `${name} does not know the offer any more. Ask for rates again.`);
  if (status !== 409) return await purchaseOf(said, ctx);
  // It is no draft any more: an earlier try has bought it, or somebody has cancelled it.
  const purchase = await find(ref, ctx);
  if (purchase.state !== "not_bought") return purchase;
  throw carrierFault("carrier_refused", `${name} does not sell the offer any more. Ask for rates again.`);
}

async function find(ref: string, ctx: Ctx): Promise<Purchase> {
  const { shipment_id } = partsOf(ref);
  const { status, json } = await ask(ctx, to(ctx, "GET", `shipments/${shipment_id}`));
  return status === 404 ? { state: "not_bought" } : await purchaseOf(json, ctx);
}

async function purchaseOf(said: unknown, ctx: Ctx): Promise<Purchase> {
  const shipment = fieldsOrNone(said);
  const { status, tracking_number, tracking_url, tracker_id, selected_rate } = shipment;
  if (status === "draft" || status === "cancelled") return { state: "not_bought" };
  if (readText(tracking_number, 100) === null) return { state: "waiting" };
  const { total_charge, currency, estimated_delivery } = fieldsOrNone(selected_rate);
  const facts = understoodPaid(
    (): Omit<Bought, "documents"> => ({
      tracking_number: readRequired(tracking_number, "tracking_number"),
      tracking_url: publicUrl(tracking_url),
      cost_cents: readAmount(total_charge, "selected_rate.total_charge"),
      currency: readCurrency(currency, "selected_rate.currency"),
      carrier_ref: readRequired(shipment["id"], "id"),
      tracker_ref: readText(tracker_id, 100),
      estimated_delivery: readMoment(estimated_delivery),
    }),
  );
  return { state: "bought", bought: { ...facts, documents: await papersOf(shipment, ctx) } };
}

/** Karrio's own page for a parcel is for those who may see the Karrio; the carrier's is for all. */
function publicUrl(value: unknown): string | null {
  const url = URL.parse(readText(value, 2000) ?? "");
  return url?.protocol === "https:" ? url.href : null;
}

/** The papers of a purchase: newer releases send them along, the others say where they are. */
async function papersOf(shipment: Fields, ctx: Ctx): Promise<CarrierDocument[]> {
  const { shipping_documents, docs, label_url, invoice_url } = shipment;
  const sent = fieldsIn(shipping_documents).map(({ category, base64 }) => [category, base64] as const);
  const { label, invoice } = fieldsOrNone(docs);
  const inline = [...sent, ["label", label] as const, ["invoice", invoice] as const].flatMap(([what, text]) =>
    typeof text === "string" && text !== "" ? documentsOf(kindOf(what), Buffer.from(text, "base64")) : [],
  );
  const papers = inline;
  for (const [what, place] of [["label", label_url] as const, ["invoice", invoice_url] as const]) {
    const kind = kindOf(what);
    const address = readText(place, 2000);
    if (address === null || papers.some((paper) => paper.kind === kind)) continue;
    const url = URL.parse(address, `${baseOf(needed(ctx, "api_url"))}/`);
    if (url !== null) papers.push(...(await documentsAt(ctx, kind, url.href)));
  }
  return papers;
}

const kindOf = (what: unknown): CarrierDocument["kind"] =>
  what === "label" ? "label" : what === "invoice" ? "customs" : "other";

async function cancel(carrier_ref: string, ctx: Ctx): Promise<"voided" | "submitted" | "rejected"> {
  const question = to(ctx, "POST", `shipments/${encodeURIComponent(carrier_ref)}/cancel`, { also: [409] });
  const { status } = await ask(ctx, question);
  if (status === 404) throw carrierFault("carrier_error", `${name} does not know the shipment.`);
  return status === 409 ? "rejected" : "voided";
}

type Followed = { readonly tracking_number: string; readonly carrier: string | null };

async function follow({ tracking_number, carrier }: Followed, ctx: Ctx): Promise<TrackingUpdate> {
  if (carrier === null) {
    throw carrierFault(
      "carrier_refused",
      `${name} follows a number of a named carrier only. Say which carrier it is of.`,
    );
  }
  const json = { tracking_number, carrier_name: carrier };
  const found = await ask(ctx, to(ctx, "POST", "trackers?pending_pickup=true", { json }));
  if (found.status === 404) throw carrierFault("carrier_refused", `${name} has no connection to ${carrier}.`);
  return understood(() => updateOf(fieldsOrNone(found.json), ctx.now));
}

async function track(numbers: readonly Followed[], ctx: Ctx): Promise<readonly TrackingUpdate[]> {
  const updates: TrackingUpdate[] = [];
  for (let at = 0; at < numbers.length; at += asked_together_max) {
    const some = numbers.slice(at, at + asked_together_max);
    const found = await Promise.all(
      some.map(({ tracking_number }) => ask(ctx, to(ctx, "GET", `trackers/${encodeURIComponent(tracking_number)}`))),
    );
    for (const { status, json } of found) {
      if (status !== 404) updates.push(understood(() => updateOf(fieldsOrNone(json), ctx.now)));
    }
  }
  return updates;
}

/** A tracker's state. Its events stand the newest first, and only some releases say a status for each of them. */
function updateOf(tracker: Fields, now: number): TrackingUpdate {
  const { status, info, carrier_name, estimated_delivery, id } = tracker;
  const { signed_by, expected_delivery, shipment_service } = fieldsOrNone(info);
  const events = fieldsIn(tracker["events"])
    .flatMap((event) => {
      const occurred_at = whenOf(event);
      return occurred_at === null ? [] : [{ event, occurred_at }];
    })
    .sort((one, other) => one.occurred_at - other.occurred_at);
  const last = events.length - 1;
  const words = events.map(({ event }, index) => event["status"] ?? (index === last ? status : null));
  const said = words.map((word) => ({ status: readText(word, 50), detail: null }));
  const means = meaningsOf("karrio", said);
  const seen = events.map(({ event, occurred_at }, index): CarrierEvent => {
    const place = readText(event["location"], 200);
    return {
      ...{ source_event_id: null, status: means[index] ?? "pending", occurred_at },
      message: readText(event["description"], 500),
      location: place === null ? null : { city: null, state: null, country: null, facility: place },
      carrier_status: said[index]?.status ?? null,
      ...{ carrier_code: readText(event["code"], 100), status_detail: null },
      reason: readText(event["reason"], 200),
      signed_by: means[index] === "delivered" ? readText(signed_by, 200) : null,
    };
  });
  return {
    tracking_number: readRequired(tracker["tracking_number"], "tracking_number"),
    carrier: readText(carrier_name, 50)?.toLowerCase() ?? null,
    service: readText(shipment_service, 100),
    estimated_delivery: readMoment(estimated_delivery) ?? readMoment(expected_delivery),
    events: seen.length > 0 ? seen : eventWithoutScan(readText(status, 50), readText(id, 100), now),
  };
}

/** What a tracker says that tells no events: where the parcel is, without when. */
function eventWithoutScan(status: string | null, id: string | null, now: number): CarrierEvent[] {
  const [means = "pending"] = meaningsOf("karrio", [{ status, detail: null }]);
  if (means === "pending") return [];
  return [
    {
      ...{ source_event_id: `${id ?? "tracker"}:${status}`, status: means, occurred_at: now },
      ...{ message: null, location: null, carrier_status: status, carrier_code: null },
      ...{ status_detail: null, reason: null, signed_by: null },
    },
  ];
}

/** `2024-05-01` with `13:05` or `01:05 PM`, or a whole timestamp; null when the event does not say when. */
function whenOf({ timestamp, date, time }: Fields): number | null {
  const whole = readMoment(timestamp);
  if (whole !== null) return whole;
  const day = readText(date, 40);
  const [, hours, minutes, seconds = "00", half] =
    /^(\d{1,2}):(\d\d)(?::(\d\d))?\s*([AP]M)?$/i.exec(readText(time, 20) ?? "") ?? [];
  if (hours === undefined || minutes === undefined) return readMoment(day);
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toUpperCase() === "PM" ? 12 : 0);
  return readMoment(`${day}T${String(hour).padStart(2, "0")}:${minutes}:${seconds}`) ?? readMoment(day);
}

function readCallback(
  { headers, raw }: { readonly headers: Headers; readonly raw: Uint8Array },
  secret: string,
  now: number,
) {
  // What Karrio calls the id of an event is the secret of the webhook. Its events have no ids.
  const proof = headers.get("x-event-id") ?? "";
  if (secret === "" || !sameText(proof, secret)) {
    throw new Fault("invalid_signature", "The header X-Event-Id is not the secret of the webhook.");
  }
  const { event, data } = readCallbackJson(raw);
  const told_of_tracker = typeof event === "string" && /^tracker[._]/.test(event);
  return { event_id: null, updates: told_of_tracker ? [updateOf(fieldsOrNone(data), now)] : [] };
}
