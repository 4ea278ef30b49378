import type { SeenPlatformOrder } from "../../src/platforms/imports/import.ts";
import type { PlatformOrder } from "../../src/platforms/platform.ts";
import {
  type ConnectionStatus,
  connectionStatuses,
  type ImportStatus,
  importStatuses,
  type Platform,
} from "../../src/platforms/platforms.transitions.ts";
import { bool, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { owner } from "./merchants.ts";

/** A store at an e-commerce platform whose orders are sent from here. Its secrets are sealed. */
export const platform_connections = table(
  "platform_connections",
  {
    id: id(),
    merchant_id: owner(),
    /** Random text that names the connection in its callback address. */
    key: text().notNull(),
    platform: text().$type<Platform>().notNull(),
    name: text().notNull(),
    /** What the platform calls the store. */
    store_id: text().notNull(),
    api_url: text().notNull(),
    /** Whether the operator chose the API's address: then it may be in a range that the operator has opened. */
    is_operator_address: bool().notNull().default(false),
    api_key: text(),
    api_token: text(),
    client_secret: text(),
    previous_client_secret: text(),
    previous_client_secret_expires_at: time(),
    order_prefix: text().notNull(),
    status: text().$type<ConnectionStatus>().notNull(),
    version: int().notNull(),
    /** A deleted connection is kept for the sake of its orders, without its secrets. */
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

/** The claim of one order of a platform to one order here. */
export const platform_imports = table(
  "platform_imports",
  {
    id: id(),
    merchant_id: owner(),
    connection_id: int()
      .notNull()
      .references(() => platform_connections.id),
    external_id: text().notNull(),
    /** The id that was given to the order when the platform first told of it; the order itself comes later. */
    order_id: int().notNull(),
    status: text().$type<ImportStatus>().notNull(),
    /** Counts what the platform told: an import that began before the last of it has to be made again. */
    revision: int().notNull(),
    /** The order as the platform last told it, until it is imported; null when it is to be fetched. */
    payload: json<PlatformOrder>(),
    /** What was last imported: when it last changed at the platform, and digests by which changes are found. */
    external_updated_at: time(),
    seen: json<SeenPlatformOrder>(),
    /** The platform's lines and what each ordered. */
    lines: json<{ external_id: string; sku: string; quantity: number }[]>().notNull(),
    attempts: int().notNull(),
    /** When it is tried next; null unless it is queued. */
    next_at: time(),
    /** Until then a server is at it: whoever finds another moment here was overtaken. */
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
    oneOf("platform_imports", "status", importStatuses),
  ],
);

/** A notification that was taken, and what it was answered, so that a repeat gets the same. */
export const platform_notifications = table(
  "platform_notifications",
  {
    id: id(),
    connection_id: int()
      .notNull()
      .references(() => platform_connections.id),
    /** Equal for repeats. */
    dedupe_key: text().notNull(),
    topic: text().notNull(),
    import_id: int(),
    answer: text().notNull(),
    created_at: time().notNull(),
  },
  (t) => [
    unique("platform_notifications_repeat").on(t.connection_id, t.dedupe_key),
    index("platform_notifications_created").on(t.created_at),
  ],
);
