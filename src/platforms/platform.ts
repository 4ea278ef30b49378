// What the service and the connector of a platform tell each other. Moments are milliseconds, money is cents.
import type { ConnectionStatus, NotificationKind, Platform, PlatformOrderState } from "./platforms.transitions.ts";

/** A store at a platform, connected to this service. Its secrets are sealed: see `Credentials`. */
export interface StoreConnection {
  readonly id: number;
  readonly merchant_id: number;
  /** Random text that names the connection in its callback address: `?connection=…`. */
  readonly key: string;
  readonly platform: Platform;
  readonly name: string;
  /** BigCommerce: the store hash. Shopify: the `….myshopify.com` domain. WooCommerce: the address of the site. */
  readonly store_id: string;
  /** The address of the platform's API, without a slash at the end, such as `https://api.bigcommerce.com`. */
  readonly api_url: string;
  /** Whether the operator chose this address, and no merchant. */
  readonly is_operator_address: boolean;
  /** WooCommerce's consumer key; null for the other platforms. Sealed. */
  readonly api_key: string | null;
  /** The access token, or WooCommerce's consumer secret; null when the API may not be called. Sealed. */
  readonly api_token: string | null;
  /** The secret with which the platform signs its notifications; null when it does not. Sealed. */
  readonly client_secret: string | null;
  readonly previous_client_secret: string | null;
  readonly previous_client_secret_expires_at: number | null;
  /** A prefix that makes our order number of the platform's. */
  readonly order_prefix: string;
  readonly status: ConnectionStatus;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The secrets of a connection, opened for one call. They never appear in a log, an answer or an error. */
export interface PlatformCredentials {
  readonly api_key: string | null;
  readonly api_token: string | null;
  /** Newest first; the previous one stays valid for an hour. */
  readonly client_secrets: readonly string[];
}

/** A request from a platform as it arrived. */
export interface PlatformInbound {
  readonly headers: Headers;
  /** The body as UTF-8 text, byte for byte as it was received. */
  readonly raw: string;
}

/** A notification of a platform. */
export interface PlatformNotification {
  readonly kind: NotificationKind;
  /** What happened, as the platform names it: `store/order/created`, `orders/updated`, `order.updated`. */
  readonly topic: string;
  /** The platform's id of the order; null unless the kind is `order`. */
  readonly external_id: string | null;
  /** Equal for repeats of one notification, within one connection. */
  readonly dedupe_key: string;
  /** The names of the store in the notification, the surest first; a connection's `store_id` is among them. */
  readonly stores: readonly string[];
  /** When it was created at the platform; null when it does not say. */
  readonly created_at: number | null;
  /** The whole order; null when the notification has only its id or the order cannot be read: then it is fetched. */
  readonly order: PlatformOrder | null;
}

/** Where the goods go, as far as the platform knows. Empty fields are null. */
export interface PlatformAddress {
  readonly name: string | null;
  readonly company: string | null;
  readonly address_line1: string | null;
  readonly address_line2: string | null;
  readonly city: string | null;
  /** The code, if the platform has one, such as `CA`; else the name. */
  readonly state: string | null;
  readonly postal_code: string | null;
  /** Two-letter code of ISO 3166-1. */
  readonly country: string | null;
  readonly phone: string | null;
}

/** A line of an order with goods to send. Digital lines and those with nothing left to send are left out. */
export interface PlatformLine {
  readonly external_id: string;
  readonly sku: string | null;
  /** The platform's product or variant, from which a missing SKU is made. */
  readonly variant_id: string;
  readonly name: string;
  /** The units left to send. */
  readonly quantity: number;
  /** The price before discounts. */
  readonly unit_price_cents: number;
  /**
   * The total of the units left after all discounts; absent in what an older release has stored, whose price was final.
   */
  readonly total_cents?: number;
}

/** An order as a platform has it, in one form for all platforms. */
export interface PlatformOrder {
  readonly external_id: string;
  /** The number that the buyer knows, without the platform's prefix or `#`. */
  readonly number: string;
  readonly state: PlatformOrderState;
  readonly email: string | null;
  readonly customer_name: string | null;
  readonly phone: string | null;
  readonly address: PlatformAddress | null;
  readonly lines: readonly PlatformLine[];
  readonly shipping_method: string | null;
  readonly shipping_amount_cents: number;
  readonly currency: string;
  readonly notes: string | null;
  readonly created_at: number;
  /** When it last changed at the platform: of two versions of an order the later one counts. */
  readonly updated_at: number;
}

/** A parcel of an order, as it is reported to the platform. */
export interface ShipmentReport {
  /** Our id of the parcel, `shp_1001`, by which a repeated report can be recognised. */
  readonly shipment_id: string;
  readonly external_order_id: string;
  /** The platform's lines and how many units of each are in the parcel. */
  readonly lines: readonly { readonly external_id: string; readonly quantity: number }[];
  readonly carrier: string | null;
  readonly service: string | null;
  readonly tracking_number: string | null;
  readonly tracking_url: string | null;
  readonly shipped_at: number;
  /** Whether nothing of the order is left to send after it. */
  readonly last: boolean;
}

/** An order of a platform and when it last changed there. */
export interface PlatformChange {
  readonly external_id: string;
  readonly updated_at: number;
}
