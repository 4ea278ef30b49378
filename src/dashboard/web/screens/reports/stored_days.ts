/** End-of-day stock of one merchant or of all. */
export interface StoredDay {
  readonly day: string;
  readonly units: number;
  readonly peak: number;
  /** The number of rows: one per product, lot and bin. */
  readonly places: number;
  readonly cm3: number;
}

/** Sums the rows of the file by day and merchant. Days are in order. */
export function storedDays(file: string): {
  readonly days: readonly StoredDay[];
  readonly of: ReadonlyMap<string, ReadonlyMap<string, number>>;
} {
  const [head = [], ...rows] = cellsOf(file);
  const at = (name: string) => head.indexOf(name);
  const [day_at, merchant_at, units_at, peak_at, volume_at] = [
    ...[at("business_date"), at("merchant_id"), at("units_at_close"), at("units_peak"), at("unit_volume_cm3")],
  ] as const;
  const days = new Map<string, StoredDay>();
  const of = new Map<string, Map<string, number>>();
  for (const row of rows) {
    const [day = "", merchant = ""] = [row[day_at ?? 0], row[merchant_at ?? 0]];
    const [units, peak, volume] = [units_at, peak_at, volume_at].map((place) => Number(row[place ?? 0] ?? 0));
    if (units === undefined || peak === undefined || volume === undefined) continue;
    const before = days.get(day) ?? { day, units: 0, peak: 0, places: 0, cm3: 0 };
    days.set(day, {
      day,
      units: before.units + units,
      peak: before.peak + peak,
      places: before.places + 1,
      cm3: before.cm3 + units * volume,
    });
    const own = of.get(merchant) ?? new Map<string, number>();
    own.set(day, (own.get(day) ?? 0) + units);
    of.set(merchant, own);
  }
  return { days: [...days.values()].sort((one, other) => (one.day < other.day ? -1 : 1)), of };
}

/** The cells of a CSV file; a cell in quotes may hold commas, line ends and doubled quotes. */
function cellsOf(file: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g;
  for (const [whole, quoted, plain = "", end] of file.replace(/^\uFEFF/, "").matchAll(cells)) {
    if (whole === "" && row.length === 0) break;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
