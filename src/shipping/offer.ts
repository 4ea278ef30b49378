import { money } from "../core/money.ts";
import type { CompleteAddress } from "../core/postal_address.ts";
import type { ParcelPackage, Weight } from "./parcel.ts";
import type { ZoneSpot } from "./zones/zone.ts";

export const documentKinds = ["label", "customs", "other"] as const;
export type DocumentKind = (typeof documentKinds)[number];

export const documentTypes = ["application/pdf", "image/png", "application/zpl"] as const;
export type DocumentType = (typeof documentTypes)[number];

/** A document of a purchase as it is stored and served. */
export interface CarrierDocument {
  readonly kind: DocumentKind;
  readonly content_type: DocumentType;
  readonly bytes: Uint8Array;
}

// The data exchanged with a carrier about a parcel: the request, the offers and the purchase. Money is in whole
// cents. Timestamps are milliseconds since 1970.

/** One end of a shipment. A request for rates may have only a postal code and a country. */
export interface ShipmentEnd extends ZoneSpot {
  /** The full address, which a purchase needs. */
  readonly address: CompleteAddress | null;
  /** Whether the address is residential; null when unknown. */
  readonly residential: boolean | null;
}

/** Returns the end of a shipment at a full address. */
export function endAt(address: CompleteAddress): ShipmentEnd {
  const { country, postal_code, state, city } = address;
  return { country, postal_code, state, city, address, residential: null };
}

/** A carrier and its services. */
export interface ListedCarrier {
  /** The code in lower case, such as `usps`. */
  readonly code: string;
  readonly name: string;
  readonly services: readonly { readonly code: string; readonly name: string }[];
}

/** Goods of one kind in a parcel, as customs declare them. */
export interface ParcelContent {
  readonly product_id: number;
  readonly sku: string;
  readonly description: string;
  readonly quantity: number;
  /** The value of all units together, in cents of `currency`. */
  readonly value_cents: number;
  readonly currency: string;
  /** The weight of all units together; null when unknown. */
  readonly weight: Weight | null;
  readonly hs_code: string | null;
  /** The ISO 3166-1 two-letter code. */
  readonly country_of_origin: string | null;
}

/** A parcel to ship: its ends, package and contents. */
export interface ShipmentRequest {
  readonly from: ShipmentEnd;
  readonly to: ShipmentEnd;
  readonly package: ParcelPackage;
  readonly weight: Weight;
  /** The contents, if known. International shipments need them for customs. */
  readonly contents?: readonly ParcelContent[];
  /** The value of the goods, in cents of US dollars. */
  readonly value_cents: number | null;
  /** Whether the value is to be insured. */
  readonly insurance: boolean;
  /** The IANA zone of the sender. */
  readonly origin_zone: string;
  /** Printed on the label: the number of the order or of the return. */
  readonly reference: string | null;
  /** Whether it is a return, which the customer sends. */
  readonly return: boolean;
}

/** One line of a price. The lines of an offer sum to its `rate_cents`. */
export interface PriceLine {
  /**
   * `base`, `residential`, `additional_handling`, `large_package`, `remote_area`, `fuel`, `declared_value`, or a
   * carrier's own code.
   */
  readonly code: string;
  readonly amount_cents: number;
}

/** The lines of a price as responses show them. */
export const breakdownView = (lines: readonly PriceLine[], currency: string) =>
  lines.map(({ code, amount_cents }) => ({ code, amount: money(amount_cents, currency) }));

/** The price of one service of one carrier. */
export interface RateOffer {
  /** The carrier's code in lower case, such as `usps`. */
  readonly carrier: string;
  readonly carrier_name: string;
  /** The code of the service, as used in a purchase. */
  readonly service: string;
  readonly service_name: string;
  /** What the merchant is charged. */
  readonly rate_cents: number;
  /** What the carrier charges. */
  readonly cost_cents: number;
  readonly currency: string;
  readonly breakdown: readonly PriceLine[];
  /** The billed weight in whole pounds; null when the carrier does not report it. */
  readonly billable_pounds: number | null;
  readonly zone: string | null;
  /** Whether the zone is estimated, as for military addresses. */
  readonly zone_estimated: boolean;
  readonly delivery_days: number | null;
  /** The day of shipping, as `YYYY-MM-DD` in the sender's time zone. */
  readonly ship_date: string | null;
  readonly delivery_date: number | null;
  /** True for the price of a sample rate card, which ships with a first start. */
  readonly sample?: true;
  /** What the connector needs to buy the offer; opaque to everyone else. */
  readonly ref: string;
}

/** A carrier's message that accompanies its offers. */
export interface RateMessage {
  readonly carrier: string;
  readonly service: string | null;
  readonly level: "info" | "warning" | "error";
  /** A code such as `over_weight_limit`, `zip_unknown`, `carrier_timeout` or `carrier_error`. */
  readonly code: string;
  readonly message: string;
}

/** The result of a request for rates. */
export interface RateOffers {
  readonly offers: readonly RateOffer[];
  readonly messages: readonly RateMessage[];
}

/** A label that a carrier sold. */
export interface BoughtPostage {
  readonly tracking_number: string;
  /** The carrier's public tracking page of the parcel, or null. */
  readonly tracking_url: string | null;
  /** What the carrier charged. */
  readonly cost_cents: number;
  readonly currency: string;
  readonly documents: readonly CarrierDocument[];
  /** The carrier's reference for voiding the purchase; opaque to everyone else. */
  readonly carrier_ref: string;
  /** The carrier's reference of its tracker, or null. */
  readonly tracker_ref: string | null;
  readonly estimated_delivery: number | null;
}
