import type { TemperatureZone } from "../../products/status.ts";
import type { BinKind, LotStatus } from "../status.ts";

/** A bin and a lot that may have units of a product, with all that is known of both. */
export interface Spot {
  /** Whose product it is. */
  readonly merchant_id: number;
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly warehouse_priority: number;
  /** The warehouse's IANA time zone, by which its days count. */
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
  /** When the first of the units came. */
  readonly received_at: number;
}

/** Units of one product in one spot. The counts change while a transaction works on them. */
export interface StockItem extends Spot {
  readonly id: number;
  /** The warehouse's day on which time next changes whether they can be promised, as last noted; null for never. */
  turns_on: number | null;
  updated_at: number;
  on_hand: number;
  reserved: number;
}

/** The fields of a spot that identify the bin. */
export type BinSpot = Pick<
  Spot,
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
export type LotSpot = Pick<Spot, "lot_id" | "lot_number" | "lot_status" | "lot_received_date" | "expires_on">;
