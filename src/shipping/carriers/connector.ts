// How a carrier, or a service that sells for many carriers, is spoken to. A purchase is three steps: offer, buy,
// record. What a connector offers and sells is recorded in one way, whoever it is.
import type { Db } from "../../database/store.ts";
import type { Mode } from "../../kit/mode.ts";
import type { Api } from "../../outbound/api.ts";
import type { CredentialField } from "../accounts/account.ts";
import type { Address } from "../address.ts";
import type { Bought, Carriage, ListedCarrier, Offers } from "../offer.ts";
import type { TrackingUpdate } from "../updates/update.ts";

type Capability = "rating" | "shipping" | "tracking" | "address" | "manifest" | "webhook";

/** A connector that calls nobody: what it offers stands in the database, and what it sells is drawn here. */
export interface OwnCarrier {
  readonly calls: "nobody";
  readonly code: string;
  readonly name: string;
  carriers(db: Db): Promise<readonly ListedCarrier[]>;
  offers(db: Db, carriage: Carriage): Promise<Offers>;
}

/** All that a connector needs to call for one account. Its secrets are open for the time of one call. */
export interface Ctx {
  readonly account: { readonly id: number; readonly name: string };
  readonly mode: Mode;
  /** By the names of the connector's `credentials`. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Calls an API at a checked address. Refuses: carrier_error, carrier_timeout. */
  readonly api: Api;
  /**
   * Reads a document, such as a label, at an address that the carrier named: checked like any other, at most 10 MiB,
   * without the account's credentials. Refuses: carrier_error, carrier_timeout.
   */
  readonly download: (url: string) => Promise<Uint8Array>;
  readonly now: number;
}

/** What became of a purchase: sold, not sold yet but under way at the carrier, or nothing was bought. */
export type Purchase =
  | { readonly state: "bought"; readonly bought: Bought }
  | { readonly state: "waiting" }
  | { readonly state: "not_bought" };

/** What a carrier found of an address. */
export interface Verification {
  readonly deliverable: boolean;
  readonly errors: readonly string[];
  readonly suggestion: Address | null;
  readonly residential: boolean | null;
}

/**
 * A connector that calls an outside server. What the server refuses or does not answer is a Fault: `carrier_timeout`
 * when nobody knows whether it was done, `carrier_error` when it failed (fact `permanent`: asking again cannot help;
 * `retry_after_seconds` where the carrier said so), `carrier_refused` when the carrier will not do it for this parcel,
 * `carrier_unauthorized` when the account's credentials are not taken. The message is for people and has no secret.
 */
export interface OutsideCarrier {
  readonly calls: "outside";
  readonly code: string;
  readonly name: string;
  readonly capabilities: ReadonlySet<Capability>;
  readonly credentials: readonly CredentialField[];
  /** Checks the credentials and answers which carriers the account sells for. */
  check(ctx: Ctx): Promise<readonly ListedCarrier[]>;
  /** What the account's carriers would take. Each offer's `ref` names what `buy` pays for; nothing is paid yet. */
  offers(carriage: Carriage, ctx: Ctx): Promise<Offers>;
  /** Pays for an offer, once: its ref is stored before. */
  buy(ref: string, carriage: Carriage, ctx: Ctx): Promise<Purchase>;
  /** What became of a purchase whose answer was lost. It buys nothing. */
  find(ref: string, ctx: Ctx): Promise<Purchase>;
  void?(carrier_ref: string, ctx: Ctx): Promise<"voided" | "submitted" | "rejected">;
  /** Has the carrier tell of a parcel that was not bought here, and answers what is known of it. */
  follow?(number: { tracking_number: string; carrier: string | null }, ctx: Ctx): Promise<TrackingUpdate>;
  /** What is known of parcels now; those of which nothing is known are left out. */
  track?(
    numbers: readonly { readonly tracking_number: string; readonly carrier: string | null }[],
    ctx: Ctx,
  ): Promise<readonly TrackingUpdate[]>;
  verifyAddress?(address: Address, ctx: Ctx): Promise<Verification>;
  /** Reads a signed callback, `url` as it was called. Refuses: invalid_signature, validation_failed. */
  readCallback?(
    inbound: { readonly headers: Headers; readonly url: URL; readonly raw: Uint8Array },
    secret: string,
    now: number,
  ): { readonly event_id: string | null; readonly updates: readonly TrackingUpdate[] };
}
