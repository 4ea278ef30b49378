import type { SeenPlatformOrder } from "../../src/platforms/imports/import.ts";
import type { PlatformOrder } from "../../src/platforms/platform.ts";
import {
  type ConnectionStatus,
  connectionStatuses,
  type ImportStatus,
  importStatuses,
  type PendingOrders,
  type PickupChoice,
  type Platform,
  type TestOrders,
} from "../../src/platforms/platforms.transitions.ts";
import { bool, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { owner } from "./merchants.ts";

/** Connected stores of e-commerce platforms. Secrets are encrypted. */
export const platform_connections = table(
  "platform_connections",
  {
    id: id(),
    merchant_id: owner(),
    /** Random text that identifies the connection in its callback URL. */
    key: text().notNull(),
    platform: text().$type<Platform>().notNull(),
    name: text().notNull(),
    /** The platform's id of the store. */
    store_id: text().notNull(),
    api_url: text().notNull(),
    /** Whether the operator chose the API's URL. It may then be in a private range that the operator allows. */
    is_operator_address: bool().notNull().default(false),
    api_key: text(),
    api_token: text(),
    client_secret: text(),
    /** Shopify's id of an app that gets its access tokens with the client secret. */
    client_id: text(),
    previous_client_secret: text(),
    previous_client_secret_expires_at: time(),
    order_prefix: text().notNull(),
    /** Whether orders whose payment is expected later are imported, and test orders into live data. */
    pending_orders: text().$type<PendingOrders>().notNull().default("wait"),
    test_orders: text().$type<TestOrders>().notNull().default("ignore"),
    /** Whether orders that their buyers collect are imported. */
    pickup_orders: text().$type<PickupChoice>().notNull().default("ignore"),
    status: text().$type<ConnectionStatus>().notNull(),
    revision: int().notNull(),
    /** A deleted connection stays for its orders, without secrets. */
    deleted_at: time(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("platform_connections_key").on(t.key),
    unique("platform_connections_store").on(t.platform, t.store_id, t.merchant_id),
    index("platform_connections_created").on(t.created_at, t.id),
    oneOf("platform_connections", "status", connectionStatuses),
  ],
);

/** What the service last learned about a connected store. A store without a row has no such state yet. */
export const platform_states = table("platform_states", {
  connection_id: int()
    .primaryKey()
    .references(() => platform_connections.id),
  /** The access token that was issued for the client id and secret. Encrypted. */
  access_token: text(),
  token_issued_at: time(),
  token_expires_at: time(),
  /** The token's scopes, separated by commas. */
  token_scopes: text(),
  /** Until when a server may be requesting a token. Another value means that it lost its claim. */
  token_claimed_until: time(),
  /** Why the last request for a token failed. */
  token_error: text(),
  token_failed_at: time(),
  /** The last list of changed orders, and why the last attempt to get it failed. */
  fetched_at: time(),
  fetch_error: text(),
  fetch_failed_at: time(),
  /** When an order came without name and street; null once one came with them. */
  addresses_hidden_at: time(),
});

/** Imports: the link between a platform's order and ours. */
export const platform_imports = table(
  "platform_imports",
  {
    id: id(),
    merchant_id: owner(),
    connection_id: int()
      .notNull()
      .references(() => platform_connections.id),
    external_id: text().notNull(),
    /** The id reserved for our order when the platform first sent it; the order is created later. */
    order_id: int().notNull(),
    status: text().$type<ImportStatus>().notNull(),
    /** Incremented by each update from the platform. An import that began before the last one is repeated. */
    revision: int().notNull(),
    /** The order as last received, until it is imported; null if it must be fetched. */
    payload: json<PlatformOrder>(),
    /** The last imported state: the platform's time of change, and digests for finding changes. */
    external_updated_at: time(),
    seen: json<SeenPlatformOrder>(),
    /** The platform's lines with their quantities; before there is an order here, those that it is to have. */
    lines: json<{ external_id: string; sku: string; quantity: number }[]>().notNull(),
    attempts: int().notNull(),
    /** When it is tried next; null unless it is queued. */
    next_at: time(),
    /** The end of a server's lease. A server that finds another value here has lost its lease. */
    leased_until: time(),
    give_up_at: time().notNull(),
    error_code: text(),
    error_message: text(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    imported_at: time(),
  },
  (t) => [
    unique("platform_imports_external").on(t.connection_id, t.external_id),
    unique("platform_imports_order").on(t.order_id),
    index("platform_imports_list").on(t.connection_id, t.created_at, t.id),
    index("platform_imports_queued").on(t.connection_id, t.next_at).where(where("status = 'queued'")),
    index("platform_imports_failed").on(t.updated_at).where(where("status = 'failed'")),
    index("platform_imports_unfinished")
      .on(t.updated_at)
      .where(where("payload is not null and status in ('waiting', 'ignored', 'failed')")),
    index("platform_imports_unimported").on(t.connection_id).where(where("status in ('queued', 'waiting', 'failed')")),
    oneOf("platform_imports", "status", importStatuses),
  ],
);

/** Further orders of an import: a platform's order with several destinations becomes one order for each. */
export const platform_import_parts = table(
  "platform_import_parts",
  {
    id: id(),
    merchant_id: owner(),
    import_id: int()
      .notNull()
      .references(() => platform_imports.id),
    /** Its place among the orders of the import, from 2. */
    part: int().notNull(),
    /** The platform's name of the destination. */
    destination: text().notNull(),
    /** The id reserved for our order. */
    order_id: int().notNull(),
    seen: json<SeenPlatformOrder>(),
    lines: json<{ external_id: string; sku: string; quantity: number }[]>().notNull(),
    created_at: time().notNull(),
  },
  (t) => [
    unique("platform_import_parts_part").on(t.import_id, t.part),
    unique("platform_import_parts_order").on(t.order_id),
  ],
);

/** Received notifications with our response, so that a repeated one gets the same. */
export const platform_notifications = table(
  "platform_notifications",
  {
    id: id(),
    connection_id: int()
      .notNull()
      .references(() => platform_connections.id),
    /** Equal for repeated notifications. */
    dedupe_key: text().notNull(),
    topic: text().notNull(),
    import_id: int(),
    answer: text().notNull(),
    created_at: time().notNull(),
  },
  (t) => [
    unique("platform_notifications_repeat").on(t.connection_id, t.dedupe_key),
    index("platform_notifications_created").on(t.created_at),
    index("platform_notifications_connection").on(t.connection_id, t.created_at),
  ],
);
