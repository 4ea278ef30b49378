// The interface of carriers, and of services that sell for many carriers. A purchase is three steps: offer, buy,
// record. Offers and purchases are recorded alike for all connectors.

import type { Environment } from "../../core/environment.ts";
import type { Api } from "../../outbound/api.ts";
import type { Db } from "../../storage/database.ts";
import type { ParcelAddress } from "../address.ts";
import type { BoughtPostage, ListedCarrier, RateOffers, ShipmentRequest } from "../offer.ts";
import type { CredentialField } from "./account.ts";
import type { TrackingUpdate } from "./tracking_update.ts";

type Capability = "rating" | "shipping" | "tracking" | "address" | "manifest" | "webhook";

/** A connector without an outside server: its prices are in the database, and its labels are drawn here. */
export interface OwnCarrier {
  readonly calls: "nobody";
  readonly code: string;
  readonly name: string;
  carriers(db: Db): Promise<readonly ListedCarrier[]>;
  /** The offers of these carriers by their codes; of all without a list. */
  offers(db: Db, carriage: ShipmentRequest, asked?: readonly string[]): Promise<RateOffers>;
}

/** All that a connector needs to call for one account. Its secrets are open during one call only. */
export interface CarrierContext {
  readonly account: { readonly id: number; readonly name: string };
  readonly mode: Environment;
  /** By the names of the connector's `credentials`. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Calls an API at a checked address. Refuses: carrier_error, carrier_timeout. */
  readonly api: Api;
  /**
   * Reads a document, such as a label, from an address that the carrier named. The address is checked like any other.
   * At most 10 MiB are read, and the account's credentials are not sent. Refuses: carrier_error, carrier_timeout.
   */
  readonly download: (url: string) => Promise<Uint8Array>;
  readonly now: number;
}

/** What became of a purchase: bought, still in progress at the carrier, or not bought. */
export type CarrierPurchase =
  | { readonly state: "bought"; readonly bought: BoughtPostage }
  | { readonly state: "waiting" }
  | { readonly state: "not_bought" };

/** What a carrier answered about an address. */
export interface CarrierAddressCheck {
  readonly deliverable: boolean;
  readonly errors: readonly string[];
  readonly suggestion: ParcelAddress | null;
  readonly residential: boolean | null;
}

/**
 * A connector that calls an outside server. Refusals and failures are Faults: `carrier_timeout` when it is unknown
 * whether the request took effect; `carrier_error` when it failed (fact `permanent`: asking again cannot help;
 * `retry_after_seconds` where the carrier gave it); `carrier_refused` when the carrier will not do it for this parcel;
 * `carrier_unauthorized` when it rejects the credentials. Messages are for people and contain no secret.
 */
export interface OutsideCarrier {
  readonly calls: "outside";
  readonly code: string;
  readonly name: string;
  readonly capabilities: ReadonlySet<Capability>;
  readonly credentials: readonly CredentialField[];
  /** Checks the credentials and answers the carriers that the account sells for. */
  check(ctx: CarrierContext): Promise<readonly ListedCarrier[]>;
  /** The offers of the account's carriers. Each offer's `ref` identifies it for `buy`; nothing is paid yet. */
  offers(carriage: ShipmentRequest, ctx: CarrierContext): Promise<RateOffers>;
  /** Pays for an offer once. Its ref is stored before. */
  buy(ref: string, carriage: ShipmentRequest, ctx: CarrierContext): Promise<CarrierPurchase>;
  /** Looks up a purchase whose answer was lost. It buys nothing. */
  find(ref: string, ctx: CarrierContext): Promise<CarrierPurchase>;
  void?(carrier_ref: string, ctx: CarrierContext): Promise<"voided" | "submitted" | "rejected">;
  /** Asks the carrier for updates of a parcel that was not bought here, and answers what it knows so far. */
  follow?(number: { tracking_number: string; carrier: string | null }, ctx: CarrierContext): Promise<TrackingUpdate>;
  /** What is known of these parcels now; unknown ones are left out. */
  track?(
    numbers: readonly { readonly tracking_number: string; readonly carrier: string | null }[],
    ctx: CarrierContext,
  ): Promise<readonly TrackingUpdate[]>;
  verifyAddress?(address: ParcelAddress, ctx: CarrierContext): Promise<CarrierAddressCheck>;
  /** Reads a signed callback; `url` is the address as it was called. Refuses: invalid_signature, validation_failed. */
  readCallback?(
    inbound: { readonly headers: Headers; readonly url: URL; readonly raw: Uint8Array },
    secret: string,
    now: number,
  ): { readonly event_id: string | null; readonly updates: readonly TrackingUpdate[] };
}
