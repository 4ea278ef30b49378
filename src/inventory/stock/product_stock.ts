import { iso } from "../../core/clock.ts";
import { Fault, type FieldProblem, invalid, invalidFields } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import { canBeSold, type Product, type ProductType } from "../../products/product.ts";
import { merchantRequired, refuseAmbiguousOwner } from "../../storage/tenant.ts";
import { causeOf, type ItemStatus, isAvailable, lotStatusAt, type UnavailableCause } from "../inventory.transitions.ts";
import { hasShelfLifeOf, isPastExpiry, type StockItem, type StockSpot, wasFresh } from "../ledger/stock_item.ts";
import { placeShown } from "../warehouses/bin_visibility.ts";

/** A component of a bundle: units per set, available units, and the number of sets for which these are enough. */
export interface StockedPart {
  readonly product_id: number;
  readonly sku: string;
  readonly quantity: number;
  readonly available: number;
  readonly sets: number;
}

/** The fields of a product that stock needs. */
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

/** The refusal of a SKU that no product has. */
export function missingSku(sku: string): Fault {
  return new Fault("resource_missing", `No such SKU: ${sku}.`, {
    fields: [{ field: "sku", code: "resource_missing", message: "is not the SKU of a product" }],
  });
}

/** The fields of a spot and of a lot that identify the product and its merchant. */
export function ownSpot({ id, merchant_id }: Pick<StockedProduct, "id" | "merchant_id">) {
  return { merchant_id, product_id: id };
}

/** All stock of one product and the demand that waits for it. */
export interface ProductStock {
  readonly product: StockedProduct;
  /** Only items with units on hand. */
  readonly items: readonly StockItem[];
  /** Units that open reservations want and do not have. */
  readonly backordered: number;
  /** For a bundle, which has no stock of its own: the whole sets that can be made of its components. */
  readonly sets?: number;
  /** Units on their way: expected deliveries and transfers in transit. */
  readonly incoming: number;
}

/** The days that units of a product must keep to be reserved. */
type ShelfLife = Pick<StockedProduct, "min_shelf_life_days">;

/** Units of one product. */
interface StockUnits {
  readonly product: ShelfLife;
  readonly items: readonly StockItem[];
}

/** Unreserved units on hand that cannot be reserved, by cause. */
type UnavailableUnits = Readonly<Record<UnavailableCause, number>>;

/** The sums over a product's stock: `available` + `reserved` + all of `unavailable` is `on_hand`. */
interface StockTotals {
  readonly on_hand: number;
  readonly reserved: number;
  readonly available: number;
  readonly picked: number;
  readonly unavailable: UnavailableUnits;
}

/** Whether units of a spot can be sold at `now` (ms): in a storage bin, of an available, unexpired lot. */
export function isSellable(item: StockSpot, now: number): boolean {
  return item.bin_kind === "storage" && (item.lot_id === null || isLotGood(item, now));
}

/** A spot with the count that keeps its units from being promised. */
type CountedSpot = StockSpot & Pick<StockItem, "count_id">;

/**
 * Whether units of a product's spot can be reserved at `now` (ms): they can be sold, keep long enough, and need not be
 * counted first.
 */
export function isPromisable(item: CountedSpot, { min_shelf_life_days }: ShelfLife, now: number): boolean {
  return item.count_id === null && isSellable(item, now) && hasShelfLifeOf(item, min_shelf_life_days, now);
}

/** Whether an item's lot, if it has one, may be shipped at `now` (ms). */
export function isLotGood(spot: StockSpot, now: number): boolean {
  return (spot.lot_status === null || isAvailable(spot.lot_status)) && !isPastExpiry(spot, now);
}

/** The totals of a product's stock at `now` (ms). */
export function totalsOf({ product, items }: StockUnits, now: number): StockTotals {
  let [on_hand, reserved, available, picked] = [0, 0, 0, 0];
  const unavailable = {
    quarantined: 0,
    damaged: 0,
    expired: 0,
    short_dated: 0,
    count_pending: 0,
    putback: 0,
    returns: 0,
  };
  for (const item of items) {
    const free = item.on_hand - item.reserved;
    on_hand += item.on_hand;
    reserved += item.reserved;
    if (item.bin_kind === "staging") picked += item.reserved;
    if (isPromisable(item, product, now)) available += free;
    else unavailable[unavailableCauseOf(item, now)] += free;
  }
  return { on_hand, reserved, available, picked, unavailable };
}

/** Why unreserved units of a spot cannot be reserved at `now` (ms). */
export function unavailableCauseOf(spot: CountedSpot, now: number): UnavailableCause {
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
      if (!isLotGood(spot, now)) return causeOf(spot.lot_status);
      return spot.count_id === null ? "short_dated" : "count_pending";
  }
}

/** The units of a product that can be reserved at `now` (ms) and are not. */
export function availableOf({ product, items }: StockUnits, now: number): number {
  let available = 0;
  for (const item of items) if (isPromisable(item, product, now)) available += item.on_hand - item.reserved;
  return available;
}

/** As `availableOf`, by the effects of time as last recorded, without what has changed since. */
export function lastAvailableOf({ product: { min_shelf_life_days }, items }: StockUnits): number {
  const isNoted = ({ lot_status }: StockItem) => lot_status === null || isAvailable(lot_status);
  let available = 0;
  for (const item of items) {
    const isPlain = item.bin_kind === "storage" && item.count_id === null;
    if (isPlain && isNoted(item) && wasFresh(item, min_shelf_life_days)) available += item.on_hand - item.reserved;
  }
  return available;
}

/** The status of a product's stock with these available and backordered units. */
export function itemStatus(
  { status, reorder_point }: StockedProduct,
  available: number,
  backordered: number,
): ItemStatus {
  if (!canBeSold(status)) return "inactive";
  if (available === 0) return backordered > 0 ? "backordered" : "out_of_stock";
  return available < reorder_point ? "low_stock" : "in_stock";
}

/** A product's stock as the list shows it; `last_updated` in ms. */
export function stockSummaryView(stock: ProductStock, now: number, last_updated: number, shows_bins = true) {
  const { product, items, backordered, incoming, sets } = stock;
  const { on_hand, reserved, available: own, picked, unavailable } = totalsOf(stock, now);
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

/** A product's stock as its detail and its events show it: the summary with its lots. */
export function itemView(stock: ProductStock, now: number, last_updated: number, shows_bins = true) {
  const { lot_tracking, expiration_tracking } = stock.product;
  return {
    ...stockSummaryView(stock, now, last_updated, shows_bins),
    lot_tracking,
    expiration_tracking,
    lots: lotsOf(stock.items, now),
  };
}

/**
 * The bins that hold units, in the order of the items; for callers who see no bins, the kinds of bins by zone. Staging
 * is left out: its units are on their way.
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
  // A lot in warehouses of several time zones has expired once its last day is over in all of them.
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

type GroupedUnits = number | string;
/** The first item under each key, and the units of all items under it, in the order of the items. */
function quantitiesBy(items: readonly StockItem[], keyOf: (item: StockItem) => GroupedUnits): [StockItem, number][] {
  // Most products are in one place.
  if (items.length < 2) return items.map((item) => [item, item.on_hand]);
  const groups = new Map<GroupedUnits, [StockItem, number]>();
  for (const item of items) {
    const known = groups.get(keyOf(item));
    if (known === undefined) groups.set(keyOf(item), [item, item.on_hand]);
    else known[1] += item.on_hand;
  }
  return [...groups.values()];
}

/** The tenant scope of a request. */
interface ProductVisibility {
  readonly scope: { readonly visible: number | null; readonly owner: number | null };
}

/** The problem of a field that names a bundle where stock is meant. */
export function bundleProblem(field: string): FieldProblem {
  return { field, code: "invalid_value", message: "is a bundle, which has no stock: use its components" };
}

/** A product as a request names it. */
interface NamedProduct {
  readonly id: number;
  readonly merchant_id: number;
  readonly sku: string;
  readonly type: ProductType;
}

/** Products by their SKUs, which several merchants may use. */
export type NamedProducts = ReadonlyMap<string, readonly NamedProduct[]>;

/**
 * The product that a SKU means, or null. Of several, it is that of the merchant for whom the scope creates records.
 * Refuses: merchant_required (several merchants use the SKU).
 */
export function productNamed({ scope }: ProductVisibility, named: NamedProducts, sku: string): NamedProduct | null {
  const all = named.get(sku) ?? [];
  const own = all.find(({ merchant_id }) => merchant_id === scope.owner);
  if (own === undefined) refuseAmbiguousOwner(all, () => sku);
  return own ?? all[0] ?? null;
}

/** The ids of products whose SKU only one merchant uses, or the merchant for whom the scope creates records. */
export function plainIds({ scope }: ProductVisibility, named: NamedProducts): number[] {
  return [...named.values()].flatMap((all) => {
    const own = all.length === 1 ? all[0] : all.find(({ merchant_id }) => merchant_id === scope.owner);
    return own?.id ?? [];
  });
}

/**
 * The only merchant that has all the SKUs of the items; if none has all, the only one that has the first.
 * Refuses: merchant_required (several merchants are possible).
 */
export function ownerOfAll(named: NamedProducts, items: readonly { readonly sku: string }[]): number {
  const ownersOf = (sku: string) => (named.get(sku) ?? []).map(({ merchant_id }) => merchant_id);
  const known = items.map(({ sku }) => ownersOf(sku)).filter((owners) => owners.length > 0);
  const [first = []] = known;
  const all = first.filter((owner) => known.every((owners) => owners.includes(owner)));
  const [owner, ...others] = all.length > 0 ? all : first;
  if (others.length > 0) throw merchantRequired();
  // None of the named products exists, so the owner does not matter.
  return owner ?? 0;
}

/** Refuses: validation_failed (a bundle has no stock of its own). */
export function refuseBundle({ type }: Pick<StockedProduct, "type">): void {
  if (type === "bundle") throw invalidFields([bundleProblem("sku")]);
}

/** Where an adjustment changes stock, and by how much. */
interface AdjustmentTarget {
  readonly adjustment: number;
  readonly bin?: string | undefined;
  readonly lot_number?: string | undefined;
}

/**
 * The stock item that an adjustment means, among those of the SKU in the warehouse; null when units are added where
 * there were none. Units in staging belong to orders and are never adjusted.
 * Refuses: ambiguous_stock, insufficient_inventory.
 */
export function pickAdjusted(items: readonly StockItem[], target: AdjustmentTarget, sku: string): StockItem | null {
  const { adjustment, bin, lot_number } = target;
  const [item, ...others] = items.filter(
    (item) =>
      item.bin_kind !== "staging" &&
      (bin === undefined || item.bin === bin) &&
      (lot_number === undefined || item.lot_number === lot_number),
  );
  if (item !== undefined && others.length > 0) {
    throw new Fault("ambiguous_stock", `${sku} is in several bins or lots; specify bin and lot_number.`, {
      candidates: [item, ...others].map(({ bin, lot_number, on_hand }) => ({ bin, lot_number, quantity: on_hand })),
    });
  }
  const there = item?.on_hand ?? 0;
  if (adjustment < 0 && there + adjustment < 0) {
    const what = lot_number === undefined ? sku : `lot ${lot_number} of ${sku}`;
    const few = there === 1 ? "1 unit" : `${there} units`;
    const where = bin === undefined ? "" : ` in bin ${bin}`;
    throw new Fault("insufficient_inventory", `Only ${few} of ${what}${where} can be removed.`, {
      shortages: [{ sku, requested: -adjustment, available: there }],
    });
  }
  return item ?? null;
}

const on_hand_max = 1_000_000_000;

/** Refuses: validation_failed (more units in one bin than can be counted). */
export function refuseTooMuch(
  { items }: Pick<ProductStock, "items">,
  spot: StockSpot,
  quantity: number,
  field: string,
): void {
  const there = items.find((item) => item.bin_id === spot.bin_id && item.lot_id === spot.lot_id)?.on_hand ?? 0;
  if (there + quantity > on_hand_max) throw invalid(field, `would exceed ${on_hand_max} units in one bin`);
}
