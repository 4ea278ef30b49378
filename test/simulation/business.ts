// The simulated business: who sells what, where it is kept, and how its numbers read.
import { day_ms } from "../../src/core/time.ts";

/** The merchants that share the house, each with the same SKUs, GTINs, order numbers and customer. */
export const merchants = ["MAIN", "OTHER", "THIRD"] as const;

/** What is printed on the boxes. */
export const gtins = ["4006381333931", "5901234123457", "9780201379624", "7612345678900"] as const;

/** What the simulated business sells: plain goods, goods in lots that expire, cold goods, and plain ones again. */
export const goods = {
  PLAIN: { cold: false, lots: false, shelf_life_days: 0, reorder_point: 5 },
  LOTTED: { cold: false, lots: true, shelf_life_days: 2, reorder_point: 3 },
  COLD: { cold: true, lots: false, shelf_life_days: 0, reorder_point: 0 },
  SPARE: { cold: false, lots: false, shelf_life_days: 0, reorder_point: 0 },
} as const;
export type Sku = keyof typeof goods;
export const skus = Object.keys(goods) as Sku[];

/** What it sells as sets, and of what so many make one. */
const kits = { KIT: { PLAIN: 2, LOTTED: 1 } } as const satisfies Record<string, Partial<Record<Sku, number>>>;
export type Kit = keyof typeof kits;
/** Anything that can be ordered. */
export type Ware = Sku | Kit;
export const kitNames = Object.keys(kits) as Kit[];

const isKit = (ware: Ware): ware is Kit => ware in kits;

/** What so many units of each make one of a ware. */
export const partsOf = (ware: Ware): [sku: Sku, each: number][] =>
  isKit(ware) ? (Object.entries(kits[ware]) as [Sku, number][]) : [[ware, 1]];

export const houses = ["main", "west"] as const;
export type House = (typeof houses)[number];

export type Kind = "storage" | "staging" | "returns" | "putback" | "quarantine" | "damage";

/** A bin of each warehouse: in which of them goods of several merchants lie in it, and for whom it is kept. */
export interface Bin {
  readonly code: BinCode;
  readonly kind: Exclude<Kind, "staging">;
  readonly cold: boolean;
  readonly pick_order: number;
  readonly mixes: readonly House[];
  readonly kept: (typeof merchants)[number] | null;
}

export type BinCode = "S-1" | "S-2" | "K-1" | "C-1" | "RETURNS" | "PUTBACK" | "QUARANTINE" | "DAMAGE";

/** The bins of each warehouse, in the order of the pick path. */
export const bins: readonly Bin[] = [
  { code: "S-1", kind: "storage", cold: false, pick_order: 1, mixes: [], kept: null },
  { code: "S-2", kind: "storage", cold: false, pick_order: 2, mixes: houses, kept: null },
  { code: "K-1", kind: "storage", cold: false, pick_order: 3, mixes: [], kept: "OTHER" },
  { code: "C-1", kind: "storage", cold: true, pick_order: 4, mixes: ["west"], kept: null },
  { code: "RETURNS", kind: "returns", cold: false, pick_order: 9, mixes: [], kept: null },
  { code: "PUTBACK", kind: "putback", cold: false, pick_order: 9, mixes: [], kept: null },
  { code: "QUARANTINE", kind: "quarantine", cold: false, pick_order: 9, mixes: [], kept: null },
  { code: "DAMAGE", kind: "damage", cold: false, pick_order: 9, mixes: [], kept: null },
];

/** The numbers of a SKU as the API gives them. */
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
    putback: number;
    returns: number;
  };
  /** On hand by warehouse and bin, without staging. */
  readonly places: Readonly<Record<string, number>>;
  /** On hand by lot and what the lot is. */
  readonly batches: Readonly<Record<string, number>>;
}

export type LotStatus = "available" | "on_hold" | "quarantined" | "recalled" | "expired" | "damaged";

const clock = new Intl.DateTimeFormat("en-US", { timeZone: "America/New_York", hour: "numeric", hourCycle: "h23" });

/** The midnight in New York, where both houses are, after the last day of a lot, whose name is that day in UTC. */
export function endOf(lot: number): number {
  const summer = lot + day_ms + 4 * 3_600_000;
  return clock.format(summer) === "00" ? summer : summer + 3_600_000;
}

/** What a lot is called that expires at this moment. */
export const lotName = (lot: number) => `L${lot / day_ms}`;
