// The simulated business: the merchants and their goods, the warehouses and their bins, and the stock levels.
import { day_ms } from "../../src/core/time.ts";

/** The merchants that share the warehouses, each with the same SKUs, GTINs, order numbers and customer. */
export const merchants = ["MAIN", "OTHER", "THIRD"] as const;

/** The barcodes on the boxes. */
export const gtins = ["4006381333931", "5901234123457", "9780201379624", "7612345678900"] as const;

/** The goods of the simulated business: plain, in lots that expire, cold, and plain again. */
export const goods = {
  PLAIN: { cold: false, lots: false, shelf_life_days: 0, reorder_point: 5 },
  LOTTED: { cold: false, lots: true, shelf_life_days: 2, reorder_point: 3 },
  COLD: { cold: true, lots: false, shelf_life_days: 0, reorder_point: 0 },
  SPARE: { cold: false, lots: false, shelf_life_days: 0, reorder_point: 0 },
} as const;
export type Sku = keyof typeof goods;
export const skus = Object.keys(goods) as Sku[];

/** The sets that it sells, with the quantity of each component. */
const kits = { KIT: { PLAIN: 2, LOTTED: 1 } } as const satisfies Record<string, Partial<Record<Sku, number>>>;
export type Kit = keyof typeof kits;
/** Anything that can be ordered. */
export type Ware = Sku | Kit;
export const kitNames = Object.keys(kits) as Kit[];

const isKit = (ware: Ware): ware is Kit => ware in kits;

/** The SKUs in one unit of a ware, with the quantity of each. */
export const partsOf = (ware: Ware): [sku: Sku, each: number][] =>
  isKit(ware) ? (Object.entries(kits[ware]) as [Sku, number][]) : [[ware, 1]];

export const houses = ["main", "west"] as const;
export type House = (typeof houses)[number];

export type Kind = "storage" | "staging" | "returns" | "putback" | "quarantine" | "damage";

/**
 * A bin that each warehouse has: the warehouses in which it may hold goods of several merchants, and the merchant for
 * whom it is reserved. A `later` bin is created when goods come without a named bin and no other bin takes them.
 */
export interface Bin {
  readonly code: BinCode;
  readonly kind: Exclude<Kind, "staging">;
  readonly cold: boolean;
  readonly pick_order: number;
  readonly mixes: readonly House[];
  readonly kept: (typeof merchants)[number] | null;
  readonly later?: true;
}

export type BinCode =
  | "S-1"
  | "S-2"
  | "K-1"
  | "C-1"
  | "C-2"
  | "C-3"
  | "C-4"
  | "RETURNS"
  | "PUTBACK"
  | "QUARANTINE"
  | "DAMAGE";

/** The bins of each warehouse, in pick-path order. */
export const bins: readonly Bin[] = [
  { code: "S-1", kind: "storage", cold: false, pick_order: 1, mixes: [], kept: null },
  { code: "S-2", kind: "storage", cold: false, pick_order: 2, mixes: houses, kept: null },
  { code: "K-1", kind: "storage", cold: false, pick_order: 3, mixes: [], kept: "OTHER" },
  { code: "C-1", kind: "storage", cold: true, pick_order: 4, mixes: ["west"], kept: null },
  { code: "C-2", kind: "storage", cold: true, pick_order: 4, mixes: [], kept: null, later: true },
  { code: "C-3", kind: "storage", cold: true, pick_order: 4, mixes: [], kept: null, later: true },
  { code: "C-4", kind: "storage", cold: true, pick_order: 4, mixes: [], kept: null, later: true },
  { code: "RETURNS", kind: "returns", cold: false, pick_order: 9, mixes: [], kept: null },
  { code: "PUTBACK", kind: "putback", cold: false, pick_order: 9, mixes: [], kept: null },
  { code: "QUARANTINE", kind: "quarantine", cold: false, pick_order: 9, mixes: [], kept: null },
  { code: "DAMAGE", kind: "damage", cold: false, pick_order: 9, mixes: [], kept: null },
];

/** The numbers of a SKU as the API returns them. */
export interface Level {
  readonly on_hand: number;
  readonly reserved: number;
  readonly available: number;
  readonly picked: number;
  readonly backordered: number;
  readonly incoming: number;
  readonly unavailable: {
    quarantined: number;
    damaged: number;
    expired: number;
    short_dated: number;
    count_pending: number;
    putback: number;
    returns: number;
  };
  /** On-hand quantity by warehouse and bin, without staging. */
  readonly places: Readonly<Record<string, number>>;
  /** On-hand quantity by lot and lot status. */
  readonly batches: Readonly<Record<string, number>>;
}

export type LotStatus = "available" | "on_hold" | "quarantined" | "recalled" | "expired" | "damaged";

const clock = new Intl.DateTimeFormat("en-US", { timeZone: "America/New_York", hour: "numeric", hourCycle: "h23" });

/**
 * Midnight in New York, the time zone of both warehouses, after the last day of a lot. The lot is named after that day
 * in UTC.
 */
export function endOf(lot: number): number {
  const summer = lot + day_ms + 4 * 3_600_000;
  return clock.format(summer) === "00" ? summer : summer + 3_600_000;
}

/** The number of a lot that expires at this time. */
export const lotName = (lot: number) => `L${lot / day_ms}`;
