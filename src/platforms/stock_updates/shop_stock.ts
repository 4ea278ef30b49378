import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId, wireIdOrNull } from "../../core/ids.ts";
import type { StoreConnection } from "../platform.ts";
import {
  initialStockStatus,
  type ListingMatch,
  type StockCause,
  type StockPushResult,
  type StockStatus,
  type unsettableReasons,
} from "../platforms.transitions.ts";
import type { StockRule } from "./stock_quantity.ts";

/** A location of a shop. */
export interface ShopPlace {
  readonly external_id: string;
  readonly name: string;
  readonly is_active: boolean;
}

/** The warehouses whose stock a shop's location shows. */
export type ShopPlaces = { external_id: string; warehouse_ids: number[] }[];

/** Stock pushes of a connection: their settings and their state. */
export interface ShopStock extends StockRule {
  readonly id: number;
  readonly connection_id: number;
  readonly is_enabled: boolean;
  readonly is_paused: boolean;
  /** The warehouses of each of the shop's locations; null for all warehouses and the shop's only location. */
  readonly places: ShopPlaces | null;
  readonly locations: readonly ShopPlace[];
  /** The number of the current or last reading of the shop's listings. */
  readonly reading: number;
  readonly reading_since: number | null;
  readonly reading_location: number;
  readonly reading_cursor: string | null;
  readonly read_listings: number;
  readonly read_at: number | null;
  readonly orders_seen_at: number | null;
  /** Failed attempts in a row. */
  readonly attempts: number;
  readonly next_at: number | null;
  readonly leased_until: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly last_push_at: number | null;
  readonly oversells_prevented: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The settings and state of a connection for which nothing was set. */
export const newShopStock = {
  is_enabled: false,
  is_paused: false,
  buffer: 0,
  cap: null,
  share_percent: 100,
  places: null,
  locations: [],
  reading: 0,
  reading_since: null,
  reading_location: 0,
  reading_cursor: null,
  read_listings: 0,
  read_at: null,
  orders_seen_at: null,
  attempts: 0,
  next_at: null,
  leased_until: null,
  error_code: null,
  error_message: null,
  last_push_at: null,
  oversells_prevented: 0,
} as const satisfies Omit<ShopStock, "id" | "connection_id" | "created_at" | "updated_at">;

/** A product or variant of a shop at one of its locations. */
export interface StockListing {
  readonly id: number;
  readonly connection_id: number;
  readonly external_id: string;
  /** Empty if the platform has no locations. */
  readonly location_id: string;
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly name: string;
  readonly unsettable: (typeof unsettableReasons)[number] | null;
  readonly product_id: number | null;
  readonly matched_by: ListingMatch | null;
  readonly buffer: number | null;
  readonly cap: number | null;
  readonly share_percent: number | null;
  readonly is_paused: boolean;
  readonly status: StockStatus;
  readonly revision: number;
  readonly attempts: number;
  readonly due_at: number | null;
  readonly needed_at: number | null;
  readonly shop_quantity: number | null;
  readonly in_step_at: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly reading: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The settings and state of a listing that was just found. */
export const newListing = {
  buffer: null,
  cap: null,
  share_percent: null,
  is_paused: false,
  status: initialStockStatus,
  revision: 0,
  attempts: 0,
  due_at: null,
  needed_at: null,
  in_step_at: null,
  error_code: null,
  error_message: null,
} as const;

/** Due listings of a connection that this server has claimed. */
export interface StockClaim {
  readonly connection: StoreConnection;
  readonly stock: ShopStock;
  readonly listings: readonly StockListing[];
}

/** A push as the log has it. */
export interface StockPush {
  readonly id: number;
  readonly connection_id: number;
  readonly listing_id: number;
  readonly external_id: string;
  readonly sku: string | null;
  readonly location_id: string;
  readonly from_quantity: number;
  readonly to_quantity: number;
  readonly result: StockPushResult;
  readonly shop_quantity: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly waited_ms: number | null;
  readonly created_at: number;
}

/** A difference between a shop's number and ours. */
export interface StockDifference {
  readonly id: number;
  readonly connection_id: number;
  readonly listing_id: number;
  readonly external_id: string;
  readonly sku: string | null;
  readonly location_id: string;
  readonly shop_quantity: number | null;
  readonly expected_quantity: number;
  readonly cause: StockCause;
  readonly created_at: number;
  readonly updated_at: number;
  readonly repaired_at: number | null;
}

/** Whether a listing's number is compared with the shop's and set there. */
export function isPushed({ product_id, unsettable, is_paused }: StockListing): boolean {
  return product_id !== null && unsettable === null && !is_paused;
}

/**
 * Returns the locations to fill, with their warehouses (null for all); or null if the shop has several and none is
 * chosen. `location_id` is empty on a platform without locations.
 */
export function placesOf({
  places,
  locations,
}: Pick<ShopStock, "places" | "locations">):
  | readonly { location_id: string; warehouse_ids: readonly number[] | null }[]
  | null {
  if (places !== null) {
    return places.map(({ external_id, warehouse_ids }) => ({ location_id: external_id, warehouse_ids }));
  }
  const active = locations.filter(({ is_active }) => is_active);
  if (active.length > 1) return null;
  if (locations.length > 0 && active.length === 0) return null;
  return [{ location_id: active[0]?.external_id ?? "", warehouse_ids: null }];
}

const reasonView = ({
  error_code: code,
  error_message: message,
}: Pick<StockListing, "error_code" | "error_message">) => (code === null ? null : { code, message: message ?? "" });

/** Counts of a connection's listings. */
export interface ListingCounts {
  readonly listings: number;
  readonly matched: number;
  readonly queued: number;
  readonly failed: number;
  readonly differences: number;
}

/** Returns the stock pushes of a connection as the API shows them. */
export function shopStockView(stock: ShopStock, counts: ListingCounts) {
  return {
    connection_id: wireId("connection", stock.connection_id),
    enabled: stock.is_enabled,
    paused: stock.is_paused,
    buffer: stock.buffer,
    cap: stock.cap,
    share_percent: stock.share_percent,
    locations:
      stock.places?.map(({ external_id, warehouse_ids }) => ({
        external_id,
        warehouse_ids: warehouse_ids.map((id) => wireId("warehouse", id)),
      })) ?? null,
    shop_locations: stock.locations.map(({ external_id, name, is_active }) => ({
      external_id,
      name,
      active: is_active,
    })),
    reading: stock.reading_since === null ? null : { since: iso(stock.reading_since), listings: stock.read_listings },
    read_at: isoOrNull(stock.read_at),
    listings: counts.listings,
    matched_listings: counts.matched,
    queued_listings: counts.queued,
    failed_listings: counts.failed,
    open_differences: counts.differences,
    last_push_at: isoOrNull(stock.last_push_at),
    oversells_prevented: stock.oversells_prevented,
    reason: reasonView(stock),
    next_attempt_at: isoOrNull(stock.next_at),
    created_at: iso(stock.created_at),
    updated_at: iso(stock.updated_at),
  };
}

/** A listing with its product's SKU and the number that the shop should show; null without a product. */
export interface ListingWithTarget extends StockListing {
  readonly product_sku: string | null;
  readonly target: number | null;
}

/** Returns the listing as the API shows it. */
export function listingView(listing: ListingWithTarget) {
  return {
    id: wireId("listing", listing.id),
    external_id: listing.external_id,
    location_id: listing.location_id === "" ? null : listing.location_id,
    name: listing.name,
    sku: listing.sku,
    barcode: listing.barcode,
    unsettable: listing.unsettable,
    product_id: wireIdOrNull("product", listing.product_id),
    product_sku: listing.product_sku,
    matched_by: listing.matched_by,
    buffer: listing.buffer,
    cap: listing.cap,
    share_percent: listing.share_percent,
    paused: listing.is_paused,
    status: listing.status,
    shop_quantity: listing.shop_quantity,
    target_quantity: listing.target,
    in_step_at: isoOrNull(listing.in_step_at),
    reason: reasonView(listing),
    next_attempt_at: isoOrNull(listing.due_at),
    created_at: iso(listing.created_at),
    updated_at: iso(listing.updated_at),
  };
}

const where = ({ listing_id, external_id, location_id, sku }: StockPush | StockDifference) => ({
  listing_id: wireId("listing", listing_id),
  external_id,
  location_id: location_id === "" ? null : location_id,
  sku,
});

/** Returns the push as the API shows it. */
export function stockPushView(push: StockPush) {
  const { id, from_quantity, to_quantity, result, shop_quantity, waited_ms, created_at } = push;
  const seconds = waited_ms === null ? null : waited_ms / 1000;
  return {
    id: wireId("stock_push", id),
    ...where(push),
    ...{ from_quantity, to_quantity, result, shop_quantity, seconds },
    reason: reasonView(push),
    created_at: iso(created_at),
  };
}

/** Returns the difference as the API shows it. */
export function stockDifferenceView(difference: StockDifference) {
  const { id, shop_quantity, expected_quantity, cause, created_at, repaired_at } = difference;
  return {
    id: wireId("stock_difference", id),
    ...where(difference),
    ...{ shop_quantity, expected_quantity, cause },
    repaired_at: isoOrNull(repaired_at),
    created_at: iso(created_at),
  };
}
