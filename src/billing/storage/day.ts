import type { Cell } from "../../kit/csv.ts";
import { wireId } from "../../kit/ids.ts";
import type { TemperatureZone } from "../../products/status.ts";

/** A day of a warehouse whose storage is added up. Moments in milliseconds. */
export interface Close {
  readonly warehouse_id: number;
  readonly business_date: string;
  readonly began_at: number;
  readonly ended_at: number;
  /** The last row of the ledger that counts. */
  readonly last_movement_id: number;
  /** The first row of the ledger that may count for a later day. */
  readonly next_movement_id: number;
  /** Null while its rows are being written. */
  readonly closed_at: number | null;
}

/** Units of one product, lot and bin on a day. */
export interface ItemDay {
  readonly stock_item_id: number;
  readonly units_at_close: number;
  /** The most that lay there at once. */
  readonly units_peak: number;
}

/** What lay where on a day, with the names of it. */
export interface StorageDay extends ItemDay {
  readonly business_date: string;
  readonly merchant_id: number;
  readonly warehouse_id: number;
  readonly product_id: number;
  readonly sku: string;
  readonly lot_number: string | null;
  readonly bin: string;
  readonly unit_volume_cm3: number | null;
  readonly temperature_zone: TemperatureZone;
  readonly oldest_receipt_date: string;
}

/** The day as the API shows it. */
export function storageView(day: StorageDay, shows_bins: boolean) {
  return {
    business_date: day.business_date,
    merchant_id: wireId("merchant", day.merchant_id),
    warehouse_id: wireId("warehouse", day.warehouse_id),
    product_id: wireId("product", day.product_id),
    sku: day.sku,
    lot_number: day.lot_number,
    bin: shows_bins ? day.bin : null,
    units_at_close: day.units_at_close,
    units_peak: day.units_peak,
    unit_volume_cm3: day.unit_volume_cm3,
    temperature_zone: day.temperature_zone,
    oldest_receipt_date: day.oldest_receipt_date,
  };
}

/** The columns of storage as a file. */
export const storageColumns = [
  "business_date",
  "merchant_id",
  "warehouse_id",
  "product_id",
  "sku",
  "lot_number",
  "bin",
  "units_at_close",
  "units_peak",
  "unit_volume_cm3",
  "temperature_zone",
  "oldest_receipt_date",
] as const;

/** The day as a row of that file. */
export function storageCells(day: StorageDay, shows_bins: boolean): readonly Cell[] {
  const view: Record<(typeof storageColumns)[number], Cell> = storageView(day, shows_bins);
  return storageColumns.map((name) => view[name]);
}
