import { assert, Fault } from "../../core/faults.ts";
import { type BoughtPostage, endAt, type RateOffer, type RateOffers, type ShipmentRequest } from "../offer.ts";
import { readWeight } from "../parcel.ts";
import type { LabelWarning, ShippingLabel } from "./label.ts";

const minute_ms = 60_000;

/** How long only the server that claimed a purchase may ask the carrier about it. */
export const lease_ms = 5 * minute_ms;

/** How long a carrier may still be at work for a server that is gone: longer than any call may take. */
export const call_ms_max = minute_ms;

/** How long a carrier may leave a purchase open before it is given up. */
export const give_up_after_ms = 24 * 60 * minute_ms;

const wait_first_ms = 5000;
const wait_max_ms = 30 * minute_ms;
const hint_max_ms = 4 * 60 * minute_ms;

/**
 * How long to wait after so many lookups: 5 seconds, doubled each time, up to half an hour; longer if the carrier asks.
 */
export function nextCheckWait(attempts: number, retry_after_seconds: number | null): number {
  const own = Math.min(wait_first_ms * 2 ** Math.max(attempts - 1, 0), wait_max_ms);
  return Math.max(own, Math.min((retry_after_seconds ?? 0) * 1000, hint_max_ms));
}

/** The request to a label's carrier. `reference` is printed for people. */
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

/**
 * The cheapest offer for the service of a label; otherwise why there is none, with the message of the carrier or of the
 * service that sells for it.
 */
export function offerFor(
  { carrier, service }: Pick<ShippingLabel, "carrier" | "service">,
  found: RateOffers,
  connector: string,
): RateOffer | Fault {
  const [best] = found.offers
    .filter((offer) => offer.carrier === carrier && offer.service === service)
    .sort((one, other) => one.rate_cents - other.rate_cents);
  if (best !== undefined) return best;
  const said = found.messages
    .filter(
      (message) =>
        [carrier, connector].includes(message.carrier) && (message.service === null || message.service === service),
    )
    .map(({ message }) => message);
  const others = found.offers.filter((offer) => offer.carrier === carrier).map((offer) => offer.service);
  const words = [
    `The carrier ${carrier} does not offer ${service} for this parcel.`,
    ...said,
    ...(others.length === 0 ? [] : [`It offers: ${[...new Set(others)].join(", ")}.`]),
  ];
  return new Fault("carrier_refused", words.join(" "));
}

/** The warning on a label that was bought but has nothing to print. */
export function paperWarnings({ carrier }: ShippingLabel, { documents, carrier_ref }: BoughtPostage): LabelWarning[] {
  if (documents.some(({ kind }) => kind === "label")) return [];
  const message =
    `The label was bought, but the document from ${carrier} could not be read. Print it at the carrier (purchase` +
    ` ${carrier_ref}), or void it.`;
  return [{ field: "label_url", code: "no_document", message }];
}

/** Why nothing was bought, as the label keeps it. */
export interface FailureReason {
  readonly code: string;
  readonly message: string;
}

/** What a person has to do when a carrier has left a purchase open for a day. */
export function nobodyKnows({ carrier, offer_ref }: ShippingLabel): FailureReason {
  const where = offer_ref === null ? "" : ` Its reference is ${offer_ref}.`;
  return {
    code: "purchase_unknown",
    message:
      `The carrier ${carrier} has not said within a day whether this label was bought.${where} Look it up there and` +
      " ask for a refund if it was bought. The units of the parcel are free for another label.",
  };
}

/** Whether asking again later may help. */
export function isPassing({ code, facts }: Fault): boolean {
  return code === "carrier_timeout" || (code === "carrier_error" && facts["permanent"] !== true);
}
