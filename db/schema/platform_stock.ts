import {
  type ListingMatch,
  listingMatches,
  type StockCause,
  type StockPushResult,
  type StockStatus,
  stockCauses,
  stockPushResults,
  stockStatuses,
} from "../../src/platforms/platforms.transitions.ts";
import type { ShopPlace, ShopPlaces } from "../../src/platforms/stock_updates/shop_stock.ts";
import { bool, check, folded, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { platform_connections } from "./platforms.ts";
import { products } from "./products.ts";

/** Stock pushes of a connection: settings, and the state of its queue, which is one row per connection. */
export const platform_stock = table(
  "platform_stock",
  {
    id: id(),
    connection_id: int()
      .notNull()
      .references(() => platform_connections.id),
    is_enabled: bool().notNull(),
    is_paused: bool().notNull(),
    buffer: int().notNull(),
    cap: int(),
    share_percent: int().notNull(),
    /** The warehouses of each of the shop's locations; null for all warehouses and the shop's only location. */
    places: json<ShopPlaces>(),
    /** The shop's locations as last read. */
    locations: json<ShopPlace[]>().notNull(),
    /** Counts the readings of the shop's listings. */
    reading: int().notNull(),
    /** When the current reading began; null if there is none. */
    reading_since: time(),
    /** Where it continues: the location's place in the list, and the platform's cursor. */
    reading_location: int().notNull(),
    reading_cursor: text(),
    read_listings: int().notNull(),
    /** When the last complete reading ended. */
    read_at: time(),
    /** The last change of an order that the shop listed (ms, the shop's clock). */
    orders_seen_at: time(),
    attempts: int().notNull(),
    /** When there is work next; during work, the end of the claim. */
    next_at: time(),
    /** The end of a server's claim, which identifies it. */
    leased_until: time(),
    error_code: text(),
    error_message: text(),
    last_push_at: time(),
    oversells_prevented: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("platform_stock_connection").on(t.connection_id),
    index("platform_stock_due").on(t.connection_id, t.next_at).where(where("next_at is not null")),
    index("platform_stock_enabled").on(t.connection_id).where(where("is_enabled")),
    check("platform_stock_buffer", "buffer between 0 and 1000000000"),
    check("platform_stock_cap", "cap between 0 and 1000000000"),
    check("platform_stock_share", "share_percent between 0 and 100"),
  ],
);

/** Listings: the products and variants of a shop, each once per location, and the number to be shown there. */
export const platform_listings = table(
  "platform_listings",
  {
    id: id(),
    connection_id: int()
      .notNull()
      .references(() => platform_connections.id),
    external_id: text().notNull(),
    /** The shop's location; empty if its platform has none. */
    location_id: text().notNull(),
    sku: text(),
    barcode: text(),
    name: text().notNull(),
    unsettable: text().$type<"bundle" | "untracked">(),
    product_id: int().references(() => products.id),
    matched_by: text().$type<ListingMatch>(),
    buffer: int(),
    cap: int(),
    share_percent: int(),
    is_paused: bool().notNull(),
    status: text().$type<StockStatus>().notNull(),
    /** Incremented by each need to push. A push that began before the last one is repeated. */
    revision: int().notNull(),
    attempts: int().notNull(),
    /** When its number is compared with the shop's next; null unless it is queued. */
    due_at: time(),
    /** The first change that the shop does not show yet. */
    needed_at: time(),
    /** The shop's number as last read or set. */
    shop_quantity: int(),
    /** When the shop last showed our number; null if it never did. */
    in_step_at: time(),
    error_code: text(),
    error_message: text(),
    /** The last reading that found it. */
    reading: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("platform_listings_external").on(t.connection_id, t.external_id, t.location_id),
    index("platform_listings_list").on(t.connection_id, t.created_at, t.id),
    index("platform_listings_sku").on(t.connection_id, folded(t.sku)),
    index("platform_listings_product").on(t.product_id),
    index("platform_listings_due").on(t.connection_id, t.due_at).where(where("status = 'queued'")),
    index("platform_listings_failing").on(t.updated_at, t.id).where(where("status = 'failed'")),
    index("platform_listings_failed").on(t.connection_id).where(where("status = 'failed'")),
    oneOf("platform_listings", "status", stockStatuses),
    oneOf("platform_listings", "matched_by", listingMatches),
    oneOf("platform_listings", "unsettable", ["bundle", "untracked"]),
  ],
);

/** The variants of a shop's listings. Order lines name a variant, not a listing. */
export const platform_listing_variants = table(
  "platform_listing_variants",
  {
    id: id(),
    connection_id: int()
      .notNull()
      .references(() => platform_connections.id),
    variant_id: text().notNull(),
    external_id: text().notNull(),
    /** The last reading that found it. */
    reading: int().notNull(),
  },
  (t) => [unique("platform_listing_variants_variant").on(t.connection_id, t.variant_id)],
);

/** The log of pushes: what was sent to a shop, and the result. */
export const platform_stock_pushes = table(
  "platform_stock_pushes",
  {
    id: id(),
    connection_id: int()
      .notNull()
      .references(() => platform_connections.id),
    listing_id: int().notNull(),
    external_id: text().notNull(),
    sku: text(),
    location_id: text().notNull(),
    from_quantity: int().notNull(),
    to_quantity: int().notNull(),
    result: text().$type<StockPushResult>().notNull(),
    /** The number that the shop showed afterwards. */
    shop_quantity: int(),
    error_code: text(),
    error_message: text(),
    /** From the first change until the shop showed it. */
    waited_ms: int(),
    created_at: time().notNull(),
  },
  (t) => [
    index("platform_stock_pushes_list").on(t.connection_id, t.created_at, t.id),
    index("platform_stock_pushes_created").on(t.created_at),
    oneOf("platform_stock_pushes", "result", stockPushResults),
  ],
);

/** Differences between a shop's number and ours that a comparison found. */
export const platform_stock_differences = table(
  "platform_stock_differences",
  {
    id: id(),
    connection_id: int()
      .notNull()
      .references(() => platform_connections.id),
    listing_id: int().notNull(),
    external_id: text().notNull(),
    sku: text(),
    location_id: text().notNull(),
    shop_quantity: int(),
    expected_quantity: int().notNull(),
    cause: text().$type<StockCause>().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    repaired_at: time(),
  },
  (t) => [
    index("platform_stock_differences_list").on(t.connection_id, t.created_at, t.id),
    index("platform_stock_differences_open").on(t.listing_id).where(where("repaired_at is null")),
    index("platform_stock_differences_created").on(t.created_at),
    oneOf("platform_stock_differences", "cause", stockCauses),
  ],
);
