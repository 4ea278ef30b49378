// The data exchanged between the service and a platform's connector. Timestamps are milliseconds, money is cents.
import type { Fault } from "../core/faults.ts";
import type { CompleteAddress } from "../core/postal_address.ts";
import type { FulfillmentType } from "../orders/order.transitions.ts";
import type {
  ConnectionStatus,
  NotificationKind,
  PendingOrders,
  PickupChoice,
  Platform,
  PlatformOrderState,
  TestOrders,
} from "./platforms.transitions.ts";

/** A connected store at a platform. Its secrets are sealed; see `PlatformCredentials`. */
export interface StoreConnection {
  readonly id: number;
  readonly merchant_id: number;
  /** Random text that names the connection in its callback URL: `?connection=…`. */
  readonly key: string;
  readonly platform: Platform;
  readonly name: string;
  /** BigCommerce: the store hash. Shopify: the `….myshopify.com` domain. WooCommerce: the URL of the site. */
  readonly store_id: string;
  /** The base URL of the API without a trailing slash, such as `https://api.bigcommerce.com`. */
  readonly api_url: string;
  /** Whether the operator chose this URL, not a merchant. */
  readonly is_operator_address: boolean;
  /** WooCommerce's consumer key; null for the other platforms. Sealed. */
  readonly api_key: string | null;
  /** The access token, or WooCommerce's consumer secret; null if there is no API access. Sealed. */
  readonly api_token: string | null;
  /** The secret with which the platform signs its notifications; null without signatures. Sealed. */
  readonly client_secret: string | null;
  /** Shopify: the id of an app that gets its access tokens with the client secret; null with a static token. */
  readonly client_id: string | null;
  readonly previous_client_secret: string | null;
  readonly previous_client_secret_expires_at: number | null;
  /** The prefix of the order numbers here. */
  readonly order_prefix: string;
  /** Whether orders whose payment is expected later are imported. */
  readonly pending_orders: PendingOrders;
  /** Whether test orders are imported into live data. */
  readonly test_orders: TestOrders;
  /** Whether orders that their buyers collect are imported. */
  readonly pickup_orders: PickupChoice;
  readonly status: ConnectionStatus;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The opened secrets of a connection, for one call. They never appear in a log, a response or an error. */
export interface PlatformCredentials {
  readonly api_key: string | null;
  readonly api_token: string | null;
  /** The id of the app that gets its access tokens with the newest client secret; null with a static token. */
  readonly client_id: string | null;
  /** Newest first; the previous one stays valid for an hour. */
  readonly client_secrets: readonly string[];
}

/** A request from a platform as received. */
export interface PlatformInbound {
  readonly headers: Headers;
  /** The body as UTF-8 text, unchanged. */
  readonly raw: string;
}

/** A parsed notification of a platform. */
export interface PlatformNotification {
  readonly kind: NotificationKind;
  /** The platform's name of the event: `store/order/created`, `orders/updated`, `order.updated`. */
  readonly topic: string;
  /** The platform's id of the order; null unless the kind is `order`. */
  readonly external_id: string | null;
  /** A key that is equal for repeats of one notification, within one connection. */
  readonly dedupe_key: string;
  /** The names of the store in the notification, the most reliable first. */
  readonly stores: readonly string[];
  /** When it was created at the platform (ms); null if unknown. */
  readonly created_at: number | null;
  /** The whole order; null when it has to be fetched. */
  readonly order: PlatformOrder | null;
  /** Why the order in the notification could not be read; null if it could. */
  readonly problem: Fault | null;
}

/** The shipping address at the platform. The state is its code if the platform has one, otherwise its name. */
export type PlatformAddress = Readonly<Record<keyof CompleteAddress, string | null>>;

/** An order line with goods to ship. Digital lines and lines whose units are all refunded or removed are omitted. */
export interface PlatformLine {
  readonly external_id: string;
  readonly sku: string | null;
  /** The platform's product or variant id, from which a missing SKU is derived. */
  readonly variant_id: string;
  readonly name: string;
  /** The ordered units, without refunded and removed ones. */
  readonly quantity: number;
  /**
   * Of these, the units that the shop does not count as sent; null if its platform does not count sent units. Absent in
   * records of older releases.
   */
  readonly left?: number | null;
  /** The price before discounts. */
  readonly unit_price_cents: number;
  /**
   * The total of `quantity` units after all discounts; absent in records of older releases, whose price is final.
   */
  readonly total_cents?: number;
}

/** An order of a platform, in one form for all platforms. */
export interface PlatformOrder {
  readonly external_id: string;
  /** The number that the buyer knows, without the platform's prefix or `#`. */
  readonly number: string;
  readonly state: PlatformOrderState;
  /** Whether it is unpaid because its payment is expected later: cash on delivery or net terms. */
  readonly is_pending?: boolean;
  /** Whether it is a test order of the shop. */
  readonly is_test?: boolean;
  readonly email: string | null;
  readonly customer_name: string | null;
  readonly phone: string | null;
  readonly address: PlatformAddress | null;
  readonly lines: readonly PlatformLine[];
  /**
   * Whether it is shipped, or collected by the buyer; null if the notification does not say. Absent in records of older
   * releases, which are shipped.
   */
  readonly fulfillment_type?: FulfillmentType | null;
  /** Whether the buyer collects some of the goods and has others sent, and the platform does not say which. */
  readonly is_partly_collected?: boolean;
  readonly shipping_method: string | null;
  /** The platform's code of the method; absent in records of older releases. */
  readonly shipping_method_code?: string | null;
  readonly shipping_amount_cents: number;
  readonly currency: string;
  readonly notes: string | null;
  /** The merchant's own notes, which no document for the buyer may contain; absent in records of older releases. */
  readonly staff_notes?: string | null;
  /** Other fields of the order that the shop shows, by their names; absent in records of older releases. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Names its destination among several; absent if it has only one. */
  readonly destination?: string;
  /** Its goods for other destinations, each as an order of its own. */
  readonly others?: readonly PlatformOrder[];
  readonly created_at: number;
  /** When it last changed at the platform (ms). Of two versions, the later one counts. */
  readonly updated_at: number;
}

/** A parcel of an order as it is reported to the platform. */
export interface ShipmentReport {
  /** Our parcel id, `shp_1001`, by which a repeated report is recognized. */
  readonly shipment_id: string;
  readonly external_order_id: string;
  /** The platform's lines, with the units of each in the parcel. */
  readonly lines: readonly { readonly external_id: string; readonly quantity: number }[];
  readonly carrier: string | null;
  readonly service: string | null;
  readonly tracking_number: string | null;
  readonly tracking_url: string | null;
  readonly shipped_at: number;
  /** Whether the buyer collected it. */
  readonly collected: boolean;
  /** Whether it is the last parcel of the order. */
  readonly last: boolean;
}

/** A platform's order id and when the order last changed. */
export interface PlatformChange {
  readonly external_id: string;
  readonly updated_at: number;
}
