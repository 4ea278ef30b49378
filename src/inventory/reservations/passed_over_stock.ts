import { hasExpired, isAvailable } from "../inventory.transitions.ts";
// Explains a plan: for each stock item that it did not use, the first rule that passed over it.

import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { isLotGood } from "../stock/product_stock.ts";
import {
  freeUnits,
  hasAll,
  type PlanInput,
  type PlannedStock,
  type PlanOptions,
  planInputOf,
  type StockCandidate,
  type StockPlan,
  suits,
  type WantedUnits,
} from "./plan_stock.ts";

export const passedOverReasons = [
  "other_warehouse",
  "bin_not_for_sale",
  "zone_too_warm",
  "lot_status",
  "lot_expired",
  "count_pending",
  "no_free_units",
  "shelf_life",
  "older_demand",
  "not_needed",
  "split_avoided",
  "warehouse_priority",
  "expires_later",
  "received_later",
  "larger_bin",
  "later_on_pick_path",
] as const;
export type PassedOverReason = (typeof passedOverReasons)[number];

/** The plan for one product: the items used and passed over, as they were when it was made. */
export interface ProductAllotment {
  readonly product_id: number;
  readonly sku: string;
  /** Units to reserve: wanted and not picked yet. */
  readonly wanted: number;
  readonly missing: number;
  /** In order of choice. */
  readonly chosen: readonly { readonly item: StockItem; readonly quantity: number }[];
  readonly passed_over: readonly {
    readonly item: StockItem;
    /** Units on hand that are not reserved for anyone else. */
    readonly free: number;
    readonly reason: PassedOverReason;
  }[];
}

/** Explains a plan product by product: what it takes from where, and why it passes over each other item. */
export function allotmentsOf(
  wants: readonly WantedUnits[],
  plan: StockPlan,
  stocks: { get(product_id: number): PlannedStock | undefined },
  options: PlanOptions,
): ProductAllotment[] {
  const field = planInputOf(wants, stocks, options);
  return [...field.needed].flatMap(([product_id, wanted]) => {
    const stock = stocks.get(product_id);
    if (stock === undefined) return [];
    const taken = new Map<number, number>();
    let missing = 0;
    for (const [at, want] of wants.entries()) {
      if (want.product_id !== product_id) continue;
      missing += plan.missing[at] ?? 0;
      for (const { item, quantity } of plan.portions[at] ?? []) {
        taken.set(item.id, (taken.get(item.id) ?? 0) + quantity);
      }
    }
    const last = (field.candidates.get(product_id) ?? []).findLast(({ item }) => taken.has(item.id)) ?? null;
    const items = new Map(stock.items.map((item) => [item.id, { ...item }]));
    return {
      product_id,
      sku: stock.product.sku,
      wanted,
      missing,
      chosen: [...taken].map(([id, quantity]) => ({ item: items.get(id) as StockItem, quantity })),
      passed_over: [...items.values()]
        .filter(({ id }) => !taken.has(id))
        .map((item) => {
          const reason = whyUnsuitable(item, stock, options) ?? whyLater(item, field, last, stock, options);
          return { item, free: unpromised(item, options), reason };
        }),
    };
  });
}

function unpromised({ id, on_hand, reserved }: StockItem, { own }: PlanOptions): number {
  return on_hand - reserved + (own?.get(id) ?? 0);
}

/** Why no unit of an item may be used at all; null when some may. */
function whyUnsuitable(item: StockItem, stock: PlannedStock, options: PlanOptions): PassedOverReason | null {
  if (freeUnits(item, stock, options) > 0) return null;
  const { now, warehouse_id } = options;
  if (warehouse_id !== null && item.warehouse_id !== warehouse_id) return "other_warehouse";
  if (item.bin_kind !== "storage") return "bin_not_for_sale";
  if (!suits(item, stock.product, options)) return "zone_too_warm";
  const { lot_status } = item;
  if (lot_status !== null && !isAvailable(lot_status) && !hasExpired(lot_status)) return "lot_status";
  if (!isLotGood(item, now)) return "lot_expired";
  if (item.count_id !== null) return "count_pending";
  if (unpromised(item, options) === 0) return "no_free_units";
  return stock.crowded && freeUnits(item, { ...stock, crowded: false }, options) > 0 ? "older_demand" : "shelf_life";
}

/** Why the plan had enough before it reached an item. `last` is the last item of the product that it took. */
function whyLater(
  item: StockItem,
  field: PlanInput,
  last: StockCandidate | null,
  stock: PlannedStock,
  options: PlanOptions,
): PassedOverReason {
  if (last === null) return "not_needed";
  const { whole } = field;
  if (whole !== null && item.warehouse_id !== whole) {
    return hasAll(item.warehouse_id, field) ? "warehouse_priority" : "split_avoided";
  }
  if (item.warehouse_id !== last.item.warehouse_id) return "warehouse_priority";
  const never = Number.MAX_SAFE_INTEGER;
  if ((item.expires_on ?? never) > (last.item.expires_on ?? never)) return "expires_later";
  if (item.received_at > last.item.received_at) return "received_later";
  if (freeUnits(item, stock, options) > freeUnits(last.item, stock, options)) return "larger_bin";
  return "later_on_pick_path";
}

/** The explanation for one product, as the API shows it. */
export function allotmentView({ product_id, sku, wanted, missing, chosen, passed_over }: ProductAllotment) {
  return {
    product_id: wireId("product", product_id),
    sku,
    required: wanted,
    backordered: missing,
    chosen: chosen.map(({ item, quantity }) => ({ ...spotView(item), quantity })),
    not_chosen: passed_over.map(({ item, free, reason }) => ({
      ...spotView(item),
      on_hand: item.on_hand,
      free,
      reason,
    })),
  };
}

/** The bin, lot and age of units, as the API shows them. */
export function spotView(item: StockItem) {
  return {
    warehouse_id: wireId("warehouse", item.warehouse_id),
    bin: item.bin,
    temperature_zone: item.temperature_zone,
    lot_number: item.lot_number,
    expiration_date: dayEndTextOrNull(item.expires_on),
    received_at: iso(item.received_at),
  };
}
