import { assert, Fault } from "../../core/faults.ts";
import type { RetrySchedule } from "../../core/retry.ts";
import { day_ms, hour_ms, minute_ms, second_ms } from "../../core/time.ts";
import { type BoughtPostage, endAt, type RateOffer, type RateOffers, type ShipmentRequest } from "../offer.ts";
import { readWeight } from "../parcel.ts";
import type { LabelWarning, ShippingLabel } from "./label.ts";

/** How long a claim gives one server the exclusive right to call the carrier. */
export const lease_ms = 5 * minute_ms;

/** The longest possible call: a carrier may still be working on the call of a server that stopped. */
export const call_ms_max = minute_ms;

/** An open purchase is given up after this time. */
export const give_up_after_ms = day_ms;

/** When the carrier is asked again about an open purchase or void. */
export const checkRetries: RetrySchedule = {
  first_ms: 5 * second_ms,
  max_ms: 30 * minute_ms,
  hint_max_ms: 4 * hour_ms,
};

/** Returns the shipment request for a label's carrier. `reference` is printed. */
export function carriageOf(label: ShippingLabel, origin_zone: string, reference: string): ShipmentRequest {
  const weight = readWeight(label.package.weight, label.package.weight_unit);
  assert(weight !== null, "the weight of a label was read before");
  return {
    from: endAt(label.from_address),
    to: endAt(label.to_address),
    package: label.package,
    weight,
    value_cents: label.value_cents,
    insurance: label.insurance,
    origin_zone,
    reference,
    return: label.return_id !== null,
  };
}

/** Returns the cheapest offer for a label's service, or a Fault with the messages of the carrier and the connector. */
export function offerFor(
  { carrier, service }: Pick<ShippingLabel, "carrier" | "service">,
  answer: RateOffers,
  connector: string,
): RateOffer | Fault {
  const [best] = answer.offers
    .filter((offer) => offer.carrier === carrier && offer.service === service)
    .sort((a, b) => a.rate_cents - b.rate_cents);
  if (best !== undefined) return best;
  const reasons = answer.messages
    .filter(
      (message) =>
        [carrier, connector].includes(message.carrier) && (message.service === null || message.service === service),
    )
    .map(({ message }) => message);
  const others = answer.offers.filter((offer) => offer.carrier === carrier).map((offer) => offer.service);
  const words = [
    `The carrier ${carrier} does not offer ${service} for this parcel.`,
    ...reasons,
    ...(others.length === 0 ? [] : [`It offers: ${[...new Set(others)].join(", ")}.`]),
  ];
  return new Fault("carrier_refused", words.join(" "));
}

/** Returns the warning on a purchased label without a printable document. */
export function documentWarnings(
  { carrier }: ShippingLabel,
  { documents, carrier_ref }: BoughtPostage,
): LabelWarning[] {
  if (documents.some(({ kind }) => kind === "label")) return [];
  const message =
    `The label was bought, but the document from ${carrier} could not be read. Print it in the carrier's portal` +
    " (purchase" +
    ` ${carrier_ref}), or void it.`;
  return [{ field: "label_url", code: "no_document", message }];
}

/** The reason why nothing was bought. */
export interface FailureReason {
  readonly code: string;
  readonly message: string;
}

/** Returns the reason for giving up a purchase with an unknown result, and what to do. */
export function unknownResult({ carrier, offer_ref }: ShippingLabel): FailureReason {
  const where = offer_ref === null ? "" : ` Its reference is ${offer_ref}.`;
  return {
    code: "purchase_unknown",
    message:
      `The carrier ${carrier} did not confirm within a day whether this label was bought.${where} Look it up there` +
      " and request a refund if it was. The units of the parcel can go on another label.",
  };
}

/** Whether a failure is temporary, so that a retry may help. */
export function isTemporary({ code, facts }: Fault): boolean {
  return code === "carrier_timeout" || (code === "carrier_error" && facts["permanent"] !== true);
}
