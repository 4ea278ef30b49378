// The interface of carriers, and of services that resell many carriers. A purchase has three steps: offer, buy,
// record. Recording is the same for all connectors.

import type { Environment } from "../../core/environment.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import type { Api } from "../../outbound/api.ts";
import type { Db, Tx } from "../../storage/database.ts";
import type { LabelWarning } from "../labels/label.ts";
import type { BoughtPostage, ListedCarrier, RateOffers, ShipmentRequest } from "../offer.ts";
import type { CredentialField } from "./account.ts";
import type { TrackingUpdate } from "./tracking_update.ts";

type Capability = "rating" | "shipping" | "tracking" | "address" | "manifest" | "webhook";

/**
 * A connector without an outside server. Its prices come from the database, and its labels are drawn locally, so it
 * buys and voids within a transaction.
 */
export interface OwnCarrier {
  readonly calls: "nobody";
  carriers(db: Db): Promise<readonly ListedCarrier[]>;
  /** Returns the offers of the carriers with these codes; without a list, of all carriers. */
  offers(db: Db, shipment: ShipmentRequest, codes?: readonly string[]): Promise<RateOffers>;
  /** Buys the labels of new parcels, whose price is known. Returns their numbers. */
  buy(
    tx: Tx,
    parcels: readonly { readonly shipment_id: number; readonly to_address: CompleteAddress }[],
  ): Promise<OwnNumber[]>;
  void(db: Db, label: { readonly to_address: CompleteAddress }): "voided" | "rejected";
}

/** The number of a parcel with a built-in label. */
export interface OwnNumber {
  readonly tracking_number: string;
  /** The serial of its SSCC, if one was allotted. */
  readonly serial: number | null;
  /** Warns about a number that is not of the expected kind. */
  readonly warnings: readonly LabelWarning[];
}

/** The context in which a connector calls for one account. The secrets are open during one call only. */
export interface CarrierContext {
  readonly account: { readonly id: number; readonly name: string };
  readonly mode: Environment;
  /** The values, by the names of the connector's `credentials`. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Calls an API whose address has been checked. Refuses: carrier_error, carrier_timeout. */
  readonly api: Api;
  /**
   * Downloads a document, such as a label, from a URL that the carrier returned. The URL is checked like any other.
   * At most 10 MiB are read, and the account's credentials are not sent. Refuses: carrier_error, carrier_timeout.
   */
  readonly download: (url: string) => Promise<Uint8Array>;
  readonly now: number;
}

/** The state of a purchase: bought, still in progress at the carrier, or not bought. */
export type CarrierPurchase =
  | { readonly state: "bought"; readonly bought: BoughtPostage }
  | { readonly state: "waiting" }
  | { readonly state: "not_bought" };

/** A tracking number; the carrier is null when unknown. */
export interface CarrierNumber {
  readonly tracking_number: string;
  readonly carrier: string | null;
}

/** A carrier's verification of an address. */
export interface CarrierAddressCheck {
  readonly deliverable: boolean;
  readonly errors: readonly string[];
  readonly suggestion: CompleteAddress | null;
  readonly residential: boolean | null;
}

/**
 * A connector that calls an outside server. Refusals and failures are Faults. `carrier_timeout`: it is unknown
 * whether the request took effect. `carrier_error`: it failed; the fact `permanent` means that a retry cannot help,
 * and `retry_after_seconds` is the carrier's own delay. `carrier_refused`: the carrier will not do it for this
 * parcel. `carrier_unauthorized`: it rejects the credentials. Messages are for people and contain no secret.
 */
export interface OutsideCarrier {
  readonly calls: "outside";
  readonly code: string;
  readonly name: string;
  readonly capabilities: ReadonlySet<Capability>;
  readonly credentials: readonly CredentialField[];
  /** Checks the credentials and returns the carriers that the account sells. */
  check(ctx: CarrierContext): Promise<readonly ListedCarrier[]>;
  /** The offers of the account's carriers. Each offer's `ref` identifies it for `buy`; nothing is paid yet. */
  offers(shipment: ShipmentRequest, ctx: CarrierContext): Promise<RateOffers>;
  /** Pays for an offer once. The caller stores `ref` first. */
  buy(ref: string, shipment: ShipmentRequest, ctx: CarrierContext): Promise<CarrierPurchase>;
  /** Looks up a purchase whose reply was lost. It buys nothing. */
  find(ref: string, ctx: CarrierContext): Promise<CarrierPurchase>;
  void?(carrier_ref: string, ctx: CarrierContext): Promise<"voided" | "submitted" | "rejected">;
  /** Registers a parcel whose label was bought elsewhere for updates, and returns its present state. */
  follow?(number: CarrierNumber, ctx: CarrierContext): Promise<TrackingUpdate>;
  /** Returns the present state of these parcels. Unknown ones are omitted. */
  track?(numbers: readonly CarrierNumber[], ctx: CarrierContext): Promise<readonly TrackingUpdate[]>;
  verifyAddress?(address: CompleteAddress, ctx: CarrierContext): Promise<CarrierAddressCheck>;
  /** Reads a signed callback; `url` is the full URL of the request. Refuses: invalid_signature, validation_failed. */
  readCallback?(
    inbound: { readonly headers: Headers; readonly url: URL; readonly raw: Uint8Array },
    secret: string,
    now: number,
  ): { readonly event_id: string | null; readonly updates: readonly TrackingUpdate[] };
}
