import { Fault, type FieldProblem, invalid, invalidFields } from "../../kit/fault.ts";
import type { Spot, StockItem } from "../ledger/spot.ts";
import type { Shelf, StockedProduct } from "./shelf.ts";

/** What is wrong with a field that names a bundle where stock is meant. */
export function bundleProblem(field: string): FieldProblem {
  return { field, code: "invalid_value", message: "is a bundle, which has no stock: name its components" };
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
