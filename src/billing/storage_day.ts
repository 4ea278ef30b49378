import type { CsvCell } from "../core/csv.ts";
import { wireId } from "../core/ids.ts";
import { dayText, localTime, momentAt, readDay } from "../core/time_zone.ts";
import type { TemperatureZone } from "../products/product.ts";

/** A day of a warehouse for which storage is recorded. Times in milliseconds. */
export interface StorageDayClose {
  readonly warehouse_id: number;
  readonly business_date: string;
  readonly began_at: number;
  readonly ended_at: number;
  /** The last movement that counts. */
  readonly last_movement_id: number;
  /** The first movement that may count for a later day. */
  readonly next_movement_id: number;
  /** Null while its rows are being written. */
  readonly closed_at: number | null;
}

/** Units of one product, lot and bin on a day. */
export interface ItemDay {
  readonly stock_item_id: number;
  readonly units_at_close: number;
  /** The most units at one time. */
  readonly units_peak: number;
}

/** The stored units of one product, lot and bin on a day, with their names. */
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

/** The CSV columns of storage. */
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

/** The day as a CSV row. */
export function storageCells(day: StorageDay, shows_bins: boolean): readonly CsvCell[] {
  const view: Record<(typeof storageColumns)[number], CsvCell> = storageView(day, shows_bins);
  return storageColumns.map((name) => view[name]);
}

/** A warehouse for which storage is recorded. */
export interface StorageWarehouse {
  readonly id: number;
  readonly timezone: string;
  readonly created_at: number;
}

/** A day that is due to be recorded. */
export type OpenStorageDay = Pick<StorageDayClose, "business_date" | "began_at" | "ended_at">;

// By then, requests from before midnight are stored, even if they had to wait.
const settled_after_ms = 15 * 60_000;

/**
 * The next day of a warehouse that is over at `now` (ms), or null. It follows the last one; the first is the day on
 * which billing began or the warehouse was created. A day lasts from midnight to midnight, even if that is 23 or 25
 * hours.
 */
export function nextDay(
  last: StorageDayClose | null,
  warehouse: StorageWarehouse,
  billing_began: number,
  now: number,
): OpenStorageDay | null {
  const { timezone, created_at } = warehouse;
  const first = localTime(Math.max(billing_began, created_at), timezone).day;
  const day = last === null ? first : (readDay(last.business_date) ?? first) + 1;
  const began_at = last?.ended_at ?? momentAt({ day, minute: 0 }, timezone);
  // If the warehouse's time zone changed, the new midnight may be before the start.
  const ended_at = Math.max(began_at, momentAt({ day: day + 1, minute: 0 }, timezone));
  return now < ended_at + settled_after_ms ? null : { business_date: dayText(day), began_at, ended_at };
}

/** A movement seen from one warehouse: items of other warehouses are null. */
export interface StorageFlow {
  readonly id: number;
  readonly quantity: number;
  readonly from_item_id: number | null;
  readonly to_item_id: number | null;
  readonly created_at: number;
}

/**
 * Decides which movements, read in order, count for a day or an earlier one. Once a movement of a stock item belongs to
 * a later day, all following movements of the item do too, even those of requests from before midnight. Otherwise a day
 * could end with negative units.
 */
class DayBoundary {
  readonly #day: StorageDayClose | null;
  readonly #later = new Set<number>();

  constructor(day: StorageDayClose | null) {
    this.#day = day;
  }

  has({ id, created_at, from_item_id, to_item_id }: StorageFlow): boolean {
    if (this.#day === null) return false;
    const { ended_at, last_movement_id } = this.#day;
    const items = [from_item_id, to_item_id].filter((item) => item !== null);
    const isIn = id <= last_movement_id && created_at < ended_at && !items.some((item) => this.#later.has(item));
    if (!isIn) for (const item of items) this.#later.add(item);
    return isIn;
  }
}

/** The units of each stock item, while the movements of a day are read in order. */
export class StorageDayTotals {
  readonly #day: StorageDayClose;
  readonly #counted: { readonly before: DayBoundary; readonly now: DayBoundary };
  readonly #units: Map<number, number>;
  readonly #peaks = new Map<number, number>();
  #next: number;

  constructor(day: StorageDayClose, before: StorageDayClose | null, opening: readonly ItemDay[]) {
    this.#day = day;
    this.#counted = { before: new DayBoundary(before), now: new DayBoundary(day) };
    this.#units = new Map(opening.map(({ stock_item_id, units_at_close }) => [stock_item_id, units_at_close]));
    this.#next = day.last_movement_id + 1;
  }

  /** Counts a movement, unless it belongs to an earlier or later day. */
  count(flow: StorageFlow): void {
    const { id, quantity, from_item_id, to_item_id, created_at } = flow;
    const { before, now } = this.#counted;
    const isDone = before.has(flow);
    const isDue = now.has(flow);
    if (isDone) return;
    if (!isDue) {
      this.#next = Math.min(this.#next, id);
      return;
    }
    // Movements that earlier days missed count as stock at the start of this day.
    const isToday = created_at >= this.#day.began_at;
    if (from_item_id !== null) this.#change(from_item_id, -quantity, isToday);
    if (to_item_id !== null) this.#change(to_item_id, quantity, isToday);
  }

  #change(item: number, by: number, isToday: boolean): void {
    const before = this.#units.get(item) ?? 0;
    this.#units.set(item, before + by);
    if (isToday) this.#peaks.set(item, Math.max(this.#peaks.get(item) ?? before, before + by));
  }

  /** The first movement that may count for a later day. */
  get next_movement_id(): number {
    return this.#next;
  }

  /** The stock items that held units on the day, by id. */
  get items(): ItemDay[] {
    // Negative units cannot be stored, so that the day stays open until the cause is found.
    return [...this.#units]
      .map(([stock_item_id, units_at_close]) => {
        const units_peak = Math.max(this.#peaks.get(stock_item_id) ?? 0, units_at_close);
        return { stock_item_id, units_at_close, units_peak };
      })
      .filter(({ units_at_close, units_peak }) => units_peak > 0 || units_at_close < 0)
      .sort((a, b) => a.stock_item_id - b.stock_item_id);
  }
}

const cm_in_inch = 2.54;

/** The volume of a unit in whole cubic centimeters, at least 1; null if the product has no dimensions. */
export function volumeOf(
  dimensions: {
    readonly length: number;
    readonly width: number;
    readonly height: number;
    readonly unit: string;
  } | null,
): number | null {
  if (dimensions === null) return null;
  const { length, width, height, unit } = dimensions;
  const cm = unit === "cm" ? 1 : cm_in_inch;
  return Math.max(1, Math.round(length * width * height * cm ** 3));
}
