// What the service and a carrier say to each other about a parcel: what is to be carried, what it would cost, and what
// was bought. Money is whole cents, moments are milliseconds since 1970.
import type { Address } from "./address.ts";
import type { CarrierDocument } from "./document.ts";
import type { Package } from "./parcel.ts";
import type { Weight } from "./weight.ts";

/** One end of a way. A question for rates may know no more than a postal code and a country. */
export interface End {
  /** Two-letter code of ISO 3166-1. */
  readonly country: string;
  readonly postal_code: string | null;
  readonly state: string | null;
  readonly city: string | null;
  /** The whole address, without which nothing can be bought. */
  readonly address: Address | null;
  /** Whether it is a home; null when nobody said so. */
  readonly residential: boolean | null;
}

/** One end of a way whose whole address is known. */
export function endAt(address: Address): End {
  const { country, postal_code, state, city } = address;
  return { country, postal_code, state, city, address, residential: null };
}

/** A carrier as it is listed, with what it sells. */
export interface ListedCarrier {
  /** In small letters, such as `usps`. */
  readonly code: string;
  readonly name: string;
  readonly services: readonly { readonly code: string; readonly name: string }[];
}

/** Goods of one kind in a parcel, as customs want to know of them. */
export interface Content {
  readonly description: string;
  readonly quantity: number;
  /** What all of them are worth, in cents of US dollars. */
  readonly value_cents: number;
  /** What all of them weigh, or null when nobody knows. */
  readonly weight: Weight | null;
  readonly hs_code: string | null;
  /** Two-letter code of ISO 3166-1. */
  readonly country_of_origin: string | null;
}

/** What is to be carried, and from where to where. */
export interface Carriage {
  readonly from: End;
  readonly to: End;
  readonly package: Package;
  readonly weight: Weight;
  /** What is in it, where that is known: abroad, customs ask. */
  readonly contents?: readonly Content[];
  /** What the goods are worth, in cents of US dollars. */
  readonly value_cents: number | null;
  /** Whether that value is to be insured. */
  readonly insurance: boolean;
  /** The IANA zone of the place that it leaves from. */
  readonly origin_zone: string;
  /** What is printed for people: the number of the order or of the return. */
  readonly reference: string | null;
  /** Whether goods come back: the sender is the customer. */
  readonly return: boolean;
}

/** One line of a price. The lines of an offer sum to its `rate_cents`. */
export interface PriceLine {
  /**
   * `base`, `residential`, `additional_handling`, `large_package`, `remote_area`, `fuel`, `declared_value`, or a
   * carrier's word.
   */
  readonly code: string;
  readonly amount_cents: number;
}

/** What one service of one carrier would cost. */
export interface Offer {
  /** The carrier in small letters, such as `usps`. */
  readonly carrier: string;
  readonly carrier_name: string;
  /** The service as a purchase names it. */
  readonly service: string;
  readonly service_name: string;
  /** What is charged for it. */
  readonly rate_cents: number;
  /** What the carrier takes for it. */
  readonly cost_cents: number;
  readonly currency: string;
  readonly breakdown: readonly PriceLine[];
  /** What is billed, in whole pounds; null when the carrier does not say. */
  readonly billable_pounds: number | null;
  readonly zone: string | null;
  /** Whether the zone is a guess, as for military addresses. */
  readonly zone_estimated: boolean;
  readonly delivery_days: number | null;
  /** The day it leaves, as `YYYY-MM-DD` in the zone of its origin. */
  readonly ship_date: string | null;
  readonly delivery_date: number | null;
  /** What the connector buys it by: opaque to all others. */
  readonly ref: string;
}

/** What a carrier says beside its offers. */
export interface Message {
  readonly carrier: string;
  readonly service: string | null;
  readonly level: "info" | "warning" | "error";
  /** Such as `over_weight_limit`, `zip_unknown`, `carrier_timeout`, `carrier_error`. */
  readonly code: string;
  readonly message: string;
}

/** The answer to a question for rates. */
export interface Offers {
  readonly offers: readonly Offer[];
  readonly messages: readonly Message[];
}

/** What a carrier sold. */
export interface Bought {
  readonly tracking_number: string;
  /** Where the carrier shows the parcel to anyone, or null. */
  readonly tracking_url: string | null;
  /** What the carrier took for it. */
  readonly cost_cents: number;
  readonly currency: string;
  readonly documents: readonly CarrierDocument[];
  /** What the carrier calls the purchase when it is to be voided: opaque to all others. */
  readonly carrier_ref: string;
  /** What the carrier calls its watch over the parcel, or null. */
  readonly tracker_ref: string | null;
  readonly estimated_delivery: number | null;
}
