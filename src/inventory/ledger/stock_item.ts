import { localTime } from "../../core/time_zone.ts";
import type { TemperatureZone } from "../../products/product.ts";
import type { BinKind, LotStatus } from "../inventory.transitions.ts";

/** A bin and a lot that may hold units of a product, with the properties of both. */
export interface StockSpot {
  /** The merchant that owns the product. */
  readonly merchant_id: number;
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly warehouse_priority: number;
  /** The warehouse's IANA time zone, which determines its calendar days. */
  readonly timezone: string;
  readonly bin_id: number;
  readonly bin: string;
  readonly bin_kind: BinKind;
  readonly pick_order: number;
  /** Null for bins outside the zones, such as staging. */
  readonly temperature_zone: TemperatureZone | null;
  readonly temperature_range: string | null;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  readonly lot_status: LotStatus | null;
  readonly lot_received_date: number | null;
  /** The lot's last day, in days since 1970-01-01. */
  readonly expires_on: number | null;
  /** When the first of the units arrived (ms). */
  readonly received_at: number;
}

/** Units of one product in one spot. The counts change while a transaction works on them. */
export interface StockItem extends StockSpot {
  readonly id: number;
  /**
   * The warehouse's day on which time next changes whether units can be reserved, as last recorded; null for never.
   */
  turns_on: number | null;
  /** The open count until which its units are promised to nobody, since a picker did not find some; null if none. */
  count_id: number | null;
  updated_at: number;
  on_hand: number;
  reserved: number;
}

/** The fields of a spot that identify the bin. */
export type BinSpot = Pick<
  StockSpot,
  | "warehouse_id"
  | "warehouse_priority"
  | "timezone"
  | "bin_id"
  | "bin"
  | "bin_kind"
  | "pick_order"
  | "temperature_zone"
  | "temperature_range"
>;

/** The fields of a spot that identify the lot, if any. */
export type LotSpot = Pick<StockSpot, "lot_id" | "lot_number" | "lot_status" | "lot_received_date" | "expires_on">;

/** An expiry date and the time zone in which it applies. */
type Perishable = Pick<StockSpot, "expires_on" | "timezone">;

/** Whether the last day of units is over in their warehouse at `now` (ms). */
export function isPastExpiry({ expires_on, timezone }: Perishable, now: number): boolean {
  return expires_on !== null && localTime(now, timezone).day > expires_on;
}

/**
 * Whether at least `min_days` days are left after today in the units' warehouse. With 0, today may be the last day.
 */
export function hasShelfLifeOf({ expires_on, timezone }: Perishable, min_days: number, now: number): boolean {
  return expires_on === null || expires_on - localTime(now, timezone).day >= min_days;
}

/**
 * The day on which time alone next changes whether units of a spot can be reserved: fewer than `min_days` are left, or
 * the last day is over. Null when nothing will change.
 */
export function nextShelfLifeDay(
  spot: Pick<StockSpot, "bin_kind"> & Perishable,
  min_days: number,
  now: number,
): number | null {
  const { bin_kind, expires_on, timezone } = spot;
  if (bin_kind !== "storage" || expires_on === null) return null;
  const { day } = localTime(now, timezone);
  if (day > expires_on) return null;
  const short_on = shortOn(expires_on, min_days);
  return day < short_on ? short_on : expires_on + 1;
}

/** Whether units could be reserved by their dates when time was last recorded. */
export function wasFresh({ expires_on, turns_on }: StockItem, min_days: number): boolean {
  return expires_on === null || (turns_on !== null && turns_on <= shortOn(expires_on, min_days));
}

/** The first day with fewer than `min_days` days left. */
const shortOn = (expires_on: number, min_days: number) => expires_on - min_days + 1;
