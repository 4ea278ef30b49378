import { iso } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { dayEndTextOrNull } from "../../kit/zone.ts";
import type { Product } from "../../products/product.ts";
import { isSold } from "../../products/status.ts";
import { placeShown } from "../bin_codes.ts";
import { isPastExpiry, lastsFor, wasFresh } from "../ledger/shelf_life.ts";
import type { Spot, StockItem } from "../ledger/spot.ts";
import { causeOf, type ItemStatus, isAvailable, lotStatusAt, type UnavailableCause } from "../status.ts";

/** What stock needs to know of a product. */
export type StockedProduct = Pick<
  Product,
  | "id"
  | "merchant_id"
  | "sku"
  | "name"
  | "type"
  | "currency"
  | "temperature_zone"
  | "lot_tracking"
  | "expiration_tracking"
  | "min_shelf_life_days"
  | "reorder_point"
  | "weight"
  | "weight_unit"
  | "status"
  | "created_at"
>;

/** The fields of a spot and of a lot that name the product and whose it is. */
export function ownSpot({ id, merchant_id }: Pick<StockedProduct, "id" | "merchant_id">) {
  return { merchant_id, product_id: id };
}

/** All stock of one product and the demand that waits for it. */
export interface Shelf {
  readonly product: StockedProduct;
  /** Only items with units on hand. */
  readonly items: readonly StockItem[];
  /** Units that open reservations want and do not have. */
  readonly backordered: number;
  /** Of a bundle, which has no stock of its own: the whole sets that can be made of its components. */
  readonly sets?: number;
  /** Units on their way to us: expected deliveries and transfers under way. */
  readonly incoming: number;
}

/** For how long units of a product must keep to be promised. */
type ShelfLife = Pick<StockedProduct, "min_shelf_life_days">;

/** Units of one product. */
interface Stock {
  readonly product: ShelfLife;
  readonly items: readonly StockItem[];
}

/** Units that are in the house and cannot be promised, by why they are not. Promised ones are not counted. */
type Unavailable = Readonly<Record<UnavailableCause, number>>;

/** The sums over a product's stock: `available` + `reserved` + all of `unavailable` is `on_hand`. */
interface Totals {
  readonly on_hand: number;
  readonly reserved: number;
  readonly available: number;
  readonly picked: number;
  readonly unavailable: Unavailable;
}

/** Whether units of a spot are for sale at this moment (ms): in a storage bin, of an available, unexpired lot. */
export function isSellable(item: Spot, now: number): boolean {
  return item.bin_kind === "storage" && (item.lot_id === null || isLotGood(item, now));
}

/** Whether units of a product's spot may be promised at this moment (ms): for sale, and they keep long enough. */
export function isPromisable(item: Spot, { min_shelf_life_days }: ShelfLife, now: number): boolean {
  return isSellable(item, now) && lastsFor(item, min_shelf_life_days, now);
}

/** Whether an item's lot, if it has one, may leave the house at this moment (ms). */
export function isLotGood(spot: Spot, now: number): boolean {
  return (spot.lot_status === null || isAvailable(spot.lot_status)) && !isPastExpiry(spot, now);
}

/** Sums up a product's stock at this moment (ms). */
export function totalsOf({ product, items }: Stock, now: number): Totals {
  let [on_hand, reserved, available, picked] = [0, 0, 0, 0];
  const unavailable = { quarantined: 0, damaged: 0, expired: 0, short_dated: 0, putback: 0, returns: 0 };
  for (const item of items) {
    const free = item.on_hand - item.reserved;
    on_hand += item.on_hand;
    reserved += item.reserved;
    if (item.bin_kind === "staging") picked += item.reserved;
    if (isPromisable(item, product, now)) available += free;
    else unavailable[whyNot(item, now)] += free;
  }
  return { on_hand, reserved, available, picked, unavailable };
}

/** Why units of a spot that nobody is promised cannot be promised at this moment (ms). */
export function whyNot(spot: Spot, now: number): UnavailableCause {
  switch (spot.bin_kind) {
    case "returns":
      return "returns";
    case "putback":
    case "staging":
      return "putback";
    case "damage":
      return "damaged";
    case "quarantine":
      return "quarantined";
    case "storage":
      return isLotGood(spot, now) ? "short_dated" : causeOf(spot.lot_status);
  }
}

/** The units of a product that may be promised at this moment (ms) and are not. */
export function availableOf({ product, items }: Stock, now: number): number {
  let available = 0;
  for (const item of items) if (isPromisable(item, product, now)) available += item.on_hand - item.reserved;
  return available;
}

/** As `availableOf`, by what was last noted of time and not by what it has changed since. */
export function lastAvailableOf({ product: { min_shelf_life_days }, items }: Stock): number {
  const isNoted = ({ lot_status }: StockItem) => lot_status === null || isAvailable(lot_status);
  let available = 0;
  for (const item of items) {
    const counts = item.bin_kind === "storage" && isNoted(item) && wasFresh(item, min_shelf_life_days);
    if (counts) available += item.on_hand - item.reserved;
  }
  return available;
}

/** What a product's stock is called when so many units are available and so many are waited for. */
export function itemStatus(
  { status, reorder_point }: StockedProduct,
  available: number,
  backordered: number,
): ItemStatus {
  if (!isSold(status)) return "inactive";
  if (available === 0) return backordered > 0 ? "backordered" : "out_of_stock";
  return available < reorder_point ? "low_stock" : "in_stock";
}

/** A product's stock as the list of levels shows it; `last_updated` in milliseconds. */
export function levelView(shelf: Shelf, now: number, last_updated: number, shows_bins = true) {
  const { product, items, backordered, incoming, sets } = shelf;
  const { on_hand, reserved, available: own, picked, unavailable } = totalsOf(shelf, now);
  const available = sets ?? own;
  return {
    merchant_id: wireId("merchant", product.merchant_id),
    sku: product.sku,
    name: product.name,
    available,
    reserved,
    total: available + reserved,
    picked,
    unavailable,
    on_hand,
    incoming,
    backordered,
    locations: locationsOf(items, shows_bins),
    reorder_point: product.reorder_point,
    status: itemStatus(product, available, backordered),
    last_updated: iso(last_updated),
  };
}

/** A product's stock as its detail and its events show it: the level with its lots. */
export function itemView(shelf: Shelf, now: number, last_updated: number, shows_bins = true) {
  const { lot_tracking, expiration_tracking } = shelf.product;
  return {
    ...levelView(shelf, now, last_updated, shows_bins),
    lot_tracking,
    expiration_tracking,
    lots: lotsOf(shelf.items, now),
  };
}

/**
 * The bins in which units lie, in the order of the items, or for those who are not shown them the kinds of bins of each
 * zone. Staging is left out: its units are on their way.
 */
function locationsOf(items: readonly StockItem[], shows_bins: boolean) {
  const lying = items.filter(({ bin_kind }) => bin_kind !== "staging");
  const placeOf = ({ bin_id, warehouse_id, bin_kind, temperature_zone, temperature_range }: StockItem) =>
    shows_bins ? bin_id : [warehouse_id, bin_kind, temperature_zone, temperature_range].join();
  return quantitiesBy(lying, placeOf).map(([item, quantity]) => {
    const { warehouse_id, bin_kind, temperature_zone, temperature_range } = item;
    const location = placeShown(item.bin, warehouse_id, shows_bins);
    const place = { warehouse_id: wireId("warehouse", warehouse_id), location, kind: bin_kind, quantity };
    return temperature_range === null
      ? { ...place, temperature_zone }
      : { ...place, temperature_zone, temperature_range };
  });
}

function lotsOf(items: readonly StockItem[], now: number) {
  const tracked = items.filter(({ lot_id }) => lot_id !== null);
  // A lot that lies in warehouses of several zones has expired once its last day is over in all of them.
  const good = new Set(tracked.filter((item) => isLotGood(item, now)).map(({ lot_id }) => lot_id));
  return quantitiesBy(tracked, ({ lot_id }) => lot_id ?? 0).map(([item, quantity]) => ({
    id: wireId("lot", item.lot_id ?? 0),
    lot_number: item.lot_number ?? "",
    quantity,
    received_date: iso(item.lot_received_date ?? item.received_at),
    expiration_date: dayEndTextOrNull(item.expires_on),
    status: lotStatusAt(item.lot_status, good.has(item.lot_id)),
  }));
}

/** The first item under each key, and the units of all items under it, in the order of the items. */
type Place = number | string;
function quantitiesBy(items: readonly StockItem[], keyOf: (item: StockItem) => Place): [StockItem, number][] {
  // Most products lie in one place.
  if (items.length < 2) return items.map((item) => [item, item.on_hand]);
  const found = new Map<Place, [StockItem, number]>();
  for (const item of items) {
    const known = found.get(keyOf(item));
    if (known === undefined) found.set(keyOf(item), [item, item.on_hand]);
    else known[1] += item.on_hand;
  }
  return [...found.values()];
}
