// EasyPost: one API key for many carriers. A request for rates creates a shipment there, which can be bought once.
// Its id is known before payment, so the purchase can be looked up later.

import { equalInConstantTime, hmacHex } from "../../core/crypto.ts";
import { Fault } from "../../core/faults.ts";
import { moneyText, value_currency } from "../../core/money.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText, succeeded } from "../../outbound/api.ts";
import { addressView } from "../address.ts";
import type {
  BoughtPostage,
  CarrierDocument,
  ListedCarrier,
  RateMessage,
  RateOffer,
  RateOffers,
  ShipmentRequest,
} from "../offer.ts";
import {
  apiUrlField,
  baseOf,
  carrierCallerOf,
  carrierFault,
  documentsAt,
  labelFormatField,
  labelFormatOf,
  lookedUpPurchase,
  purchase_wait_ms,
  rates_wait_ms,
  readAmount,
  readCallbackJson,
  readCurrency,
  readDays,
  readPage,
  readRequired,
  readTimestamp,
  settled_seconds,
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
  serviceName,
  suggestionOf,
  weightText,
} from "./connector_fields.ts";
import { trackerNames, updateOf } from "./easypost_tracking.ts";
import type { TrackingUpdate } from "./tracking_update.ts";

const name = "EasyPost";
const home = "https://api.easypost.com";
// EasyPost accepts ounces and inches with one decimal.
const decimals = 1;
const codes_per_request = 100;

/** Refusals that leave open whether the purchase was made. */
const uncertain_codes: readonly unknown[] = ["SHIPMENT.POSTAGE.TIMED_OUT", "SHIPMENT.POSTAGE.NO_RESPONSE"];

const credentials = [
  {
    name: "api_key",
    secret: true,
    required: true,
    description: "The API key, from API Keys in the EasyPost dashboard. Test data needs a test key.",
  },
  labelFormatField,
  apiUrlField(home),
] as const;

const { ask, pay, safeText, parseReply, parsePurchase, requireCredential } = carrierCallerOf({
  name,
  credentials,
  wordsOf,
});

/** The connector for EasyPost. */
export const easypost: OutsideCarrier = {
  calls: "outside",
  code: "easypost",
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

/** EasyPost's reason for a refusal: one sentence, or sentences by field. */
function wordsOf(reply: unknown): readonly unknown[] {
  const { message, errors } = fieldsOrNone(fieldsOrNone(reply)["error"]);
  const byField = Object.values(fieldsOrNone(message)).flat();
  return [message, ...byField, ...fieldsIn(errors).map((one) => one["message"])];
}

function requestTo(ctx: CarrierContext, method: "GET" | "POST", path: string, json?: unknown) {
  const key = requireCredential(ctx, "api_key");
  if (ctx.mode === "test" && key.startsWith("EZAK")) {
    const words = "This is a production key, which would spend money. Use a test key for test data.";
    throw carrierFault("carrier_unauthorized", words);
  }
  const headers = { Authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` };
  const url = `${baseOf(ctx.credentials["api_url"] || home)}${path}`;
  return { method, url, headers, ...(json !== undefined && { json }) };
}

async function check(ctx: CarrierContext): Promise<readonly ListedCarrier[]> {
  labelFormatOf(ctx); // Refuses an unknown format before anything is bought.
  const { status, json } = await ask(ctx, { ...requestTo(ctx, "GET", "/v2/carrier_accounts"), also: [403] });
  // A test key may not list accounts, but it can buy USPS labels.
  const accounts = status === 403 ? [{ type: "UspsAccount", readable: "USPS" }] : fieldsIn(json);
  const known = await ask(ctx, requestTo(ctx, "GET", "/v2/metadata/carriers?types=service_levels"));
  const sold = new Map(
    fieldsIn(fieldsOrNone(known.json)["carriers"]).map((one) => [carrierCode(`${one["name"]}`), one]),
  );
  const listed = accounts.flatMap(({ type, readable }): ListedCarrier[] => {
    const code = carrierCode(readText(type, 100) ?? "");
    if (code === "") return [];
    const services = fieldsIn(sold.get(code)?.["service_levels"]).flatMap((level) => {
      const service = readText(level["name"], 100);
      return service === null
        ? []
        : [{ code: service, name: readText(level["human_readable"], 100) ?? serviceName(service) }];
    });
    return [{ code, name: readText(readable, 100) ?? code, services }];
  });
  return [...new Map(listed.map((one) => [one.code, one])).values()];
}

/**
 * Creates a shipment that can be bought; without full addresses, only requests rates, which EasyPost does not store.
 */
async function offers(carriage: ShipmentRequest, ctx: CarrierContext): Promise<RateOffers> {
  const buyable = carriage.from.address !== null && carriage.to.address !== null;
  const { shipment, messages } = shipmentOf(carriage, ctx);
  const question = requestTo(ctx, "POST", buyable ? "/v2/shipments" : "/beta/rates", { shipment });
  const { status, json } = await ask(ctx, { ...question, wait_ms: rates_wait_ms });
  if (status === 404) throw carrierFault("carrier_error", "The account's api_url is not the EasyPost API.");
  return parseReply(() => {
    const answer = fieldsOrNone(json);
    const id = buyable ? readRequired(answer["id"], "id") : null;
    const notes = fieldsIn(answer["messages"]).map((one) => messageOf(one, ctx));
    const rates = fieldsIn(answer["rates"]).map((rate, at) =>
      offerOf(rate, `rates[${at}]`, { id, zone: answer["usps_zone"] }),
    );
    const different = new Map([...messages, ...notes].map((one) => [`${one.carrier} ${one.message}`, one]));
    return { offers: rates, messages: [...different.values()] };
  });
}

function offerOf(rate: JsonFields, field: string, { id, zone }: { id: string | null; zone: unknown }): RateOffer {
  const service = readRequired(rate["service"], `${field}.service`);
  const carrier_name = readRequired(rate["carrier"], `${field}.carrier`);
  const carrier = carrierCode(carrier_name);
  const currency = readCurrency(rate["currency"], `${field}.currency`);
  const rate_cents = readAmount(rate["rate"], currency, `${field}.rate`);
  const zoned = carrier === "usps" && (typeof zone === "number" || typeof zone === "string");
  return {
    carrier,
    carrier_name,
    service,
    service_name: serviceName(service),
    rate_cents,
    cost_cents: rate_cents,
    currency,
    billable_pounds: null,
    zone_estimated: false,
    breakdown: [{ code: "base", amount_cents: rate_cents }],
    zone: zoned ? String(zone) : null,
    ship_date: null,
    delivery_days: readDays(rate["delivery_days"]) ?? readDays(rate["est_delivery_days"]),
    delivery_date: readTimestamp(rate["delivery_date"]),
    ref: id === null ? "" : `${id}/${readRequired(rate["id"], `${field}.id`)}`,
  };
}

function messageOf({ carrier, type, message }: JsonFields, ctx: CarrierContext): RateMessage {
  const failed = `${type}`.includes("error");
  return {
    carrier: carrierCode(readText(carrier, 100) ?? "easypost"),
    service: null,
    level: failed ? "error" : "warning",
    code: failed ? "carrier_error" : "carrier_message",
    message: safeText(ctx, message) ?? "The carrier gave no reason.",
  };
}

/** The shipment in EasyPost's form, and the messages about it. */
function shipmentOf(carriage: ShipmentRequest, ctx: CarrierContext) {
  const { from, to, weight, reference, insurance, value_cents } = carriage;
  const { dimensions } = carriage.package;
  const sides = dimensions === null ? {} : inchTexts(dimensions, decimals);
  const numbers = Object.entries({ ...sides, weight: weightText(weight, "oz", decimals) });
  const { declaration, warnings } = declarationFor("easypost", carriage);
  const messages = [...warnings];
  if (insurance && value_cents) {
    const message = "EasyPost charges insurance in addition to these rates.";
    messages.push({ carrier: "easypost", service: null, level: "info", code: "insurance_charged_beside", message });
  }
  const shipment = {
    from_address: knownEnd(from, "residential"),
    to_address: knownEnd(to, "residential"),
    parcel: Object.fromEntries(numbers.map(([side, text]) => [side, Number(text)])),
    options: {
      label_format: labelFormatOf(ctx),
      ...(reference !== null && { print_custom_1: reference.slice(0, 50) }),
    },
    ...(reference !== null && { reference: reference.slice(0, 100) }),
    ...(declaration !== null && { customs_info: customsInfoOf(declaration) }),
  };
  return { shipment, messages };
}

function customsInfoOf({ goods, signer, returned, exemption }: CustomsDeclaration) {
  return {
    customs_certify: true,
    customs_signer: signer,
    restriction_type: "none",
    non_delivery_option: "return",
    contents_type: returned ? "returned_goods" : "merchandise",
    ...(exemption && { eel_pfc: `NOEEI ${exemption}` }),
    customs_items: goods.map(
      ({ description, quantity, value_cents, currency, weight, hs_code, country_of_origin }) => ({
        description: description.slice(0, 100),
        quantity,
        value: Number(moneyText(value_cents, currency)),
        currency,
        weight: Number(goodsWeightText(weight, "oz", decimals)),
        origin_country: country_of_origin,
        ...(hs_code !== null && { hs_tariff_number: hs_code }),
      }),
    ),
  };
}

async function buy(
  ref: string,
  { insurance, value_cents }: ShipmentRequest,
  ctx: CarrierContext,
): Promise<CarrierPurchase> {
  const [shipment = "", rate] = ref.split("/");
  if (rate === undefined) {
    throw carrierFault(
      "carrier_refused",
      "These rates were requested without full addresses. Request rates with full addresses to buy.",
    );
  }
  const insured = insurance && value_cents ? { insurance: moneyText(value_cents, value_currency) } : {};
  const question = requestTo(ctx, "POST", `/v2/shipments/${encodeURIComponent(shipment)}/buy`, {
    rate: { id: rate },
    ...insured,
  });
  const { status, json } = await pay(ctx, { ...question, wait_ms: purchase_wait_ms, also: [400, 409, 422] });
  if (status === 404) throw carrierFault("carrier_refused", "EasyPost no longer has this rate. Request rates again.");
  if (succeeded(status)) {
    const purchase = await purchaseOf(json, ctx);
    return purchase.state === "bought" ? purchase : { state: "waiting" };
  }
  const { code } = fieldsOrNone(fieldsOrNone(json)["error"]);
  if (code === "SHIPMENT.POSTAGE.EXISTS") return await lookedUpPurchase(find(ref, ctx));
  if (code === "SHIPMENT.PURCHASE.IN_PROGRESS") return { state: "waiting" };
  const words =
    wordsOf(json)
      .map((text) => safeText(ctx, text))
      .find(Boolean) ?? `It returned status ${status}.`;
  if (uncertain_codes.includes(code)) {
    throw carrierFault("carrier_timeout", `EasyPost does not know whether the label was bought: ${words}`, {
      permanent: false,
      retry_after_seconds: settled_seconds,
    });
  }
  throw carrierFault("carrier_refused", `EasyPost refused the purchase: ${words}`);
}

async function find(ref: string, ctx: CarrierContext): Promise<CarrierPurchase> {
  const [shipment = ""] = ref.split("/");
  const { status, json } = await ask(ctx, requestTo(ctx, "GET", `/v2/shipments/${encodeURIComponent(shipment)}`));
  if (status === 404)
    throw carrierFault(
      "carrier_error",
      "EasyPost does not have this shipment. The API key may belong to another account.",
    );
  return await purchaseOf(json, ctx);
}

async function purchaseOf(json: unknown, ctx: CarrierContext): Promise<CarrierPurchase> {
  const shipment = fieldsOrNone(json);
  // A reply without a shipment leaves open whether the purchase was made.
  parsePurchase(() => readRequired(shipment["id"], "id"));
  if (!shipment["postage_label"] && !shipment["tracking_code"]) return { state: "not_bought" };
  const bought = soldOf(shipment);
  const { label_url } = fieldsOrNone(shipment["postage_label"]);
  const label = readText(label_url, 2000);
  if (label === null) return { state: "waiting" };
  const links: [kind: CarrierDocument["kind"], url: string][] = [["label", label]];
  for (const form of fieldsIn(shipment["forms"])) {
    const url = readText(form["form_url"], 2000);
    if (url !== null) links.push([/invoice|^cn22/.test(`${form["form_type"]}`) ? "customs" : "other", url]);
  }
  const documents = await Promise.all(links.map(([kind, url]) => documentsAt(ctx, kind, url)));
  return { state: "bought", bought: { ...bought, documents: documents.flat() } };
}

type EasypostPurchase = Omit<BoughtPostage, "documents">;

/** Reads the purchased label of a shipment from any reply that contains it. Refuses: carrier_timeout. */
function soldOf(shipment: JsonFields): EasypostPurchase {
  const tracker = fieldsOrNone(shipment["tracker"]);
  const rate = fieldsOrNone(shipment["selected_rate"]);
  return parsePurchase(() => {
    const currency = readCurrency(rate["currency"], "selected_rate.currency");
    return {
      tracking_number: readRequired(shipment["tracking_code"], "tracking_code"),
      tracking_url: readPage(tracker["public_url"]),
      cost_cents: readAmount(rate["rate"], currency, "selected_rate.rate") + feesOf(shipment, currency),
      currency,
      carrier_ref: readRequired(shipment["id"], "id"),
      tracker_ref: readText(tracker["id"], 100),
      estimated_delivery: readTimestamp(tracker["est_delivery_date"]),
    };
  });
}

/** Sums the charges other than postage, such as insurance, in cents. */
function feesOf({ fees }: JsonFields, currency: string): number {
  const extra = fieldsIn(fees).filter(({ type }) => type !== "PostageFee");
  return extra.reduce((sum, { amount }) => sum + readAmount(amount, currency, "fees.amount"), 0);
}

async function refund(carrier_ref: string, ctx: CarrierContext): Promise<"voided" | "submitted" | "rejected"> {
  const path = `/v2/shipments/${encodeURIComponent(carrier_ref)}`;
  const answer = await ask(ctx, { ...requestTo(ctx, "POST", `${path}/refund`, {}), also: [400, 409, 422] });
  // A repeated or late refund request is refused alike. The shipment shows which it was.
  const { json } = succeeded(answer.status) ? answer : await ask(ctx, requestTo(ctx, "GET", path));
  const { refund_status } = fieldsOrNone(json);
  return refunds[readText(refund_status, 100) ?? ""] ?? "rejected";
}

/** EasyPost's refund states. Any other word means that there is no refund. */
const refunds: Readonly<Record<string, "voided" | "submitted">> = {
  refunded: "voided",
  submitted: "submitted",
  queued: "submitted",
};

async function follow(number: CarrierNumber, ctx: CarrierContext): Promise<TrackingUpdate> {
  const carrier = trackerNames[number.carrier ?? ""];
  const tracker = { tracking_code: number.tracking_number, ...(carrier !== undefined && { carrier }) };
  const { status, json } = await ask(ctx, requestTo(ctx, "POST", "/v2/trackers", { tracker }));
  if (status === 404) throw carrierFault("carrier_refused", "EasyPost does not recognize this tracking number.");
  return parseReply(() => updateOf(fieldsOrNone(json)));
}

async function track(numbers: readonly CarrierNumber[], ctx: CarrierContext): Promise<TrackingUpdate[]> {
  const found = new Map<string, JsonFields>();
  for (let start = 0; start < numbers.length; start += codes_per_request) {
    const tracking_codes = numbers.slice(start, start + codes_per_request).map((one) => one.tracking_number);
    const { json } = await ask(ctx, requestTo(ctx, "POST", "/v2/trackers/batch", { tracking_codes }));
    for (const tracker of fieldsIn(fieldsOrNone(json)["trackers"])) {
      const [code, known] = [`${tracker["tracking_code"]}`, found.get(`${tracker["tracking_code"]}`)];
      // Carriers reuse numbers after years, so the newest tracker counts.
      if (known === undefined || `${known["created_at"]}` < `${tracker["created_at"]}`) found.set(code, tracker);
    }
  }
  return parseReply(() => [...found.values()].map(updateOf));
}

async function verifyAddress(address: CompleteAddress, ctx: CarrierContext): Promise<CarrierAddressCheck> {
  const question = { address: known(addressView(address)), verify: true };
  const { json } = await ask(ctx, requestTo(ctx, "POST", "/v2/addresses", question));
  const found = fieldsOrNone(json);
  const delivery = fieldsOrNone(fieldsOrNone(found["verifications"])["delivery"]);
  const deliverable = delivery["success"] === true;
  return {
    deliverable,
    errors: fieldsIn(delivery["errors"]).flatMap(({ message }) => safeText(ctx, message) ?? []),
    suggestion: deliverable ? suggestionOf(address, found) : null,
    residential: typeof found["residential"] === "boolean" ? found["residential"] : null,
  };
}

function readCallback(
  { headers, raw }: { readonly headers: Headers; readonly raw: Uint8Array },
  secret: string,
): { event_id: string | null; updates: TrackingUpdate[] } {
  const signature = headers.get("x-hmac-signature") ?? "";
  const key = secret.normalize("NFKD");
  const isSigned = (body: string | Uint8Array) =>
    equalInConstantTime(signature, `hmac-sha256-hex=${hmacHex(key, body)}`);
  // EasyPost signs `5.0`, which a proxy or a JSON parser may have turned into `5`.
  const withPoint = () => new TextDecoder().decode(raw).replaceAll(/("weight":\s*)(\d+)(\s*)(?=,|\})/g, "$1$2.0$3");
  if (secret === "" || !(isSigned(raw) || isSigned(withPoint()))) {
    throw new Fault("invalid_signature", "The callback is not signed with the secret of this account.");
  }
  const event = readCallbackJson(raw);
  const tracker = fieldsOrNone(event["result"]);
  const is_tracking = `${event["description"]}`.startsWith("tracker.");
  return { event_id: readText(event["id"], 100), updates: is_tracking ? [updateOf(tracker)] : [] };
}
