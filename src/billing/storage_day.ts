import type { CsvCell } from "../core/csv.ts";
import { wireId } from "../core/ids.ts";
import { dayText, localTime, momentAt, readDay } from "../core/time_zone.ts";
import type { TemperatureZone } from "../products/product.ts";

/** A day of a warehouse whose storage is added up. Moments in milliseconds. */
export interface StorageDayClose {
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
export function storageCells(day: StorageDay, shows_bins: boolean): readonly CsvCell[] {
  const view: Record<(typeof storageColumns)[number], CsvCell> = storageView(day, shows_bins);
  return storageColumns.map((name) => view[name]);
}

/** A warehouse whose storage is added up. */
export interface StorageWarehouse {
  readonly id: number;
  readonly timezone: string;
  readonly created_at: number;
}

/** A day that is to be added up. */
export type OpenStorageDay = Pick<StorageDayClose, "business_date" | "began_at" | "ended_at">;

// What began before midnight is stored by then, whatever it had to wait for.
const settled_after_ms = 15 * 60_000;

/**
 * The next day of a warehouse that is over at this moment (ms), or null: the one after the last, else that on which
 * billing or the warehouse began. A day lasts from midnight to midnight, however many hours that are.
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
  // Where the warehouse has got another time zone, its midnight may be past already.
  const ended_at = Math.max(began_at, momentAt({ day: day + 1, minute: 0 }, timezone));
  return now < ended_at + settled_after_ms ? null : { business_date: dayText(day), began_at, ended_at };
}

/** A row of the ledger, as far as it is about one warehouse: the stock items on either side that lie in it. */
export interface StorageFlow {
  readonly id: number;
  readonly quantity: number;
  readonly from_item_id: number | null;
  readonly to_item_id: number | null;
  readonly created_at: number;
}

/**
 * Which rows of the ledger, read in their order, count for a day or for one before it. Where one of a stock item
 * belongs to a later day, so do those after it, though they may be of a request that came before midnight and had to
 * wait: so no day has fewer units than none.
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

/** The units of each stock item while a day's rows of the ledger are read in their order. */
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

  /** Counts a row of the ledger, unless an earlier day has counted it or a later one will. */
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
    // What the days before have missed was there when this one began.
    const isToday = created_at >= this.#day.began_at;
    if (from_item_id !== null) this.#change(from_item_id, -quantity, isToday);
    if (to_item_id !== null) this.#change(to_item_id, quantity, isToday);
  }

  #change(item: number, by: number, isToday: boolean): void {
    const before = this.#units.get(item) ?? 0;
    this.#units.set(item, before + by);
    if (isToday) this.#peaks.set(item, Math.max(this.#peaks.get(item) ?? before, before + by));
  }

  /** The first row of the ledger that may count for a later day. */
  get next_movement_id(): number {
    return this.#next;
  }

  /** Every stock item that held units on the day, in the order of their ids. */
  get items(): ItemDay[] {
    // Fewer than none cannot be stored: the day stays open until it is known why.
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

/** The volume of a unit in whole cubic centimetres, at least 1; null when its product gives no dimensions. */
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
