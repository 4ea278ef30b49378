import { Fault, type FieldProblem, invalid, invalidFields } from "../../kit/fault.ts";
import { merchantRequired, refuseShared } from "../../owners/rules.ts";
import type { ProductType } from "../../products/status.ts";
import type { Spot, StockItem } from "../ledger/spot.ts";
import type { Shelf, StockedProduct } from "./shelf.ts";

/** Whose products are looked for. */
interface Seeing {
  readonly scope: { readonly sees: number | null; readonly makes: number | null };
}

/** What is wrong with a field that names a bundle where stock is meant. */
export function bundleProblem(field: string): FieldProblem {
  return { field, code: "invalid_value", message: "is a bundle, which has no stock: name its components" };
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
 * The product that a SKU means, or null: of several that of the merchant for whom the scope makes records.
 * Refuses: merchant_required, where it may be several merchants'.
 */
export function productNamed({ scope }: Seeing, named: NamedProducts, sku: string): NamedProduct | null {
  const all = named.get(sku) ?? [];
  const own = all.find(({ merchant_id }) => merchant_id === scope.makes);
  if (own === undefined) refuseShared(all, () => sku);
  return own ?? all[0] ?? null;
}

/** The ids of the products of those SKUs that only one merchant uses, or the one for whom the scope makes records. */
export function plainIds({ scope }: Seeing, named: NamedProducts): number[] {
  return [...named.values()].flatMap((all) => {
    const own = all.length === 1 ? all[0] : all.find(({ merchant_id }) => merchant_id === scope.makes);
    return own?.id ?? [];
  });
}

/**
 * The only merchant who has all the products that items name, or who has the first of them when nobody has all.
 * Refuses: merchant_required, where it may be several.
 */
export function ownerOfAll(named: NamedProducts, items: readonly { readonly sku: string }[]): number {
  const ownersOf = (sku: string) => (named.get(sku) ?? []).map(({ merchant_id }) => merchant_id);
  const known = items.map(({ sku }) => ownersOf(sku)).filter((owners) => owners.length > 0);
  const [first = []] = known;
  const all = first.filter((owner) => known.every((owners) => owners.includes(owner)));
  const [owner, ...others] = all.length > 0 ? all : first;
  if (others.length > 0) throw merchantRequired();
  // Nothing that is named is known, so whose it would be does not matter.
  return owner ?? 0;
}

/** Refuses: validation_failed, for a bundle, which has no stock of its own. */
export function refuseBundle({ type }: Pick<StockedProduct, "type">): void {
  if (type === "bundle") throw invalidFields([bundleProblem("sku")]);
}

/** What an adjustment says of where and how much. */
interface AdjustmentTarget {
  readonly adjustment: number;
  readonly bin?: string | undefined;
  readonly lot_number?: string | undefined;
}

/**
 * The stock item that an adjustment means, among those of the SKU in the warehouse; null when units turn up where none
 * were. Units in staging belong to orders and are never meant.
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
    throw new Fault("ambiguous_stock", `${sku} lies in several bins or lots; name bin and lot_number.`, {
      candidates: [item, ...others].map(({ bin, lot_number, on_hand }) => ({ bin, lot_number, quantity: on_hand })),
    });
  }
  const there = item?.on_hand ?? 0;
  if (adjustment < 0 && there + adjustment < 0) {
    const what = lot_number === undefined ? sku : `lot ${lot_number} of ${sku}`;
    const few = there === 1 ? "is only 1 unit" : `are only ${there} units`;
    const where = bin === undefined ? "" : ` in bin ${bin}`;
    throw new Fault("insufficient_inventory", `There ${few} of ${what}${where} to take away from.`, {
      shortages: [{ sku, requested: -adjustment, available: there }],
    });
  }
  return item ?? null;
}

const on_hand_max = 1_000_000_000;

/** Refuses: validation_failed, for more units in one bin than are counted. */
export function refuseTooMuch({ items }: Pick<Shelf, "items">, spot: Spot, quantity: number, field: string): void {
  const there = items.find((item) => item.bin_id === spot.bin_id && item.lot_id === spot.lot_id)?.on_hand ?? 0;
  if (there + quantity > on_hand_max) throw invalid(field, `would make more than ${on_hand_max} units in one bin`);
}
