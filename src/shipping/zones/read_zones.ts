import { postalCountry } from "../../addresses/zip_distance.ts";
import { type CheckedCsvRow, type CsvColumn, csvColumn } from "../../core/csv_columns.ts";
import { type FieldProblem, invalid, invalidFields } from "../../core/faults.ts";
import { isCountry } from "../../core/postal_address.ts";
import {
  type ChartRange,
  countryOfPostalCode,
  type OverrideKind,
  plainPostalCode,
  type ZoneChart,
  type ZoneOverride,
  type ZoneSpot,
} from "./zone.ts";
import { placeKey } from "./zone_system.ts";
import type { ChartRow, OverrideField } from "./zones.schema.ts";

const column = (name: keyof OverrideField, meaning: string, example: string) =>
  csvColumn(name, "text", meaning, example);

/** The columns of a CSV file of zone overrides. */
export const overrideColumns: readonly CsvColumn[] = [
  column("zone", "The zone of parcels to this place.", "3"),
  column("country", "The two-letter country code; required except for a continent.", "US"),
  column("postal_code", "One postal code.", "10001"),
  column("postal_prefix", "The first characters of a group of postal codes.", "V6B"),
  column("postal_from", "The start of a range of postal codes or of their first characters.", "995"),
  column("postal_to", "The end of the range.", "999"),
  column("city", "A city; `state` distinguishes cities of the same name.", "Portland"),
  column("state", "The code of a state.", "OR"),
  column("continent", "One of `AF`, `AN`, `AS`, `EU`, `NA`, `OC`, `SA`.", "EU"),
];

/** The columns of a CSV file of a carrier's zone charts. */
export const chartColumns: readonly CsvColumn[] = [
  csvColumn("origin", "text", "The first characters of the origin's postal codes.", "432"),
  csvColumn(
    "destination",
    "text",
    "The first characters of the destination's postal codes, or a range such as 005-009.",
    "005-009",
  ),
  csvColumn("zone", "text", "The zone.", "5"),
  csvColumn(
    "origin_country",
    "text",
    "The two-letter country code; by default `US`, or `CA` for a code of Canada's form.",
    "US",
  ),
  csvColumn("destination_country", "text", "The same, for the destination.", "US"),
];

/** The country of an end; by default the one that the form of its postal code implies. */
function countryOf(field: string, code: string, country: string | undefined): string {
  const implied = country ?? countryOfPostalCode(code);
  if (implied !== null && isCountry(implied)) return implied;
  if (implied !== null)
    throw invalid(`${field}_country`, "must be a two-letter country code, such as US", "invalid_format");
  const message = `is required, because ${code} is neither a ZIP code nor a Canadian postal code`;
  throw invalid(`${field}_country`, message, "required");
}

const forms: Readonly<Record<string, readonly [form: RegExp, look: string]>> = {
  US: [/^\d{3}(\d{2})?$/, ", such as 12345, 12345-6789 or the first three digits"],
  CA: [/^[A-Z]\d[A-Z](\d[A-Z]\d)?$/, ", such as K1A 0B1 or K1A"],
};

/** Reads one end in a request: a postal code or its first characters. Refuses: validation_failed. */
export function readSpot(field: "from" | "to", code: string, country_code: string | undefined): ZoneSpot {
  const country = countryOf(field, code, country_code);
  const postal_code = plainPostalCode(code, country);
  const [form, look] = forms[postalCountry(country)] ?? [/^[A-Z0-9]{0,10}$/, " in letters and digits"];
  if (form.test(postal_code)) return { country, postal_code, state: null, city: null };
  throw invalid(field, `must be a postal code of ${country}${look}`, "invalid_format");
}

/** Reads a postal code, or its first characters, in normalized form. Refuses: validation_failed. */
function readCode(field: string, text: string, country: string, pattern: RegExp): string {
  const code = plainPostalCode(text, country);
  if (pattern.test(code)) return code;
  throw invalid(field, `must be the first characters of postal codes of ${country}`, "invalid_format");
}

const prefixPattern = (country: string) => (postalCountry(country) === "US" ? /^\d{1,5}$/ : /^[A-Z0-9]{1,10}$/);
const codePattern = (country: string) => (postalCountry(country) === "US" ? /^\d{5}$/ : /^[A-Z0-9]{2,10}$/);

/** Reads an override from a request. Refuses: validation_failed. */
export function readOverride(input: OverrideField): ZoneOverride {
  const { zone, postal_code, postal_prefix, postal_from, postal_to, city, state, continent } = input;
  const ways = (["postal_code", "postal_prefix", "postal_from", "city", "continent"] as const).filter(
    (field) => input[field] != null,
  );
  if (ways.length > 1) throw invalid(ways[1] ?? "", `cannot be combined with ${ways[0]}`);
  const overrideOf = (kind: OverrideKind, country: string | null, value: string, more: Partial<ZoneOverride> = {}) => {
    return { kind, country, value, to: null, state: null, zone, ...more };
  };
  if (continent != null) return overrideOf("continent", null, continent);
  if (input.country == null) throw invalid("country", "is required without a continent", "required");
  if (!isCountry(input.country)) throw invalid("country", "must be a two-letter country code, such as US");
  const country = postalCountry(input.country);
  if (postal_code != null)
    return overrideOf("postal_code", country, readCode("postal_code", postal_code, country, codePattern(country)));
  const begins = prefixPattern(country);
  if (postal_prefix != null)
    return overrideOf("postal_prefix", country, readCode("postal_prefix", postal_prefix, country, begins));
  if (postal_from != null || postal_to != null) {
    const from = readCode("postal_from", postal_from ?? "", country, begins);
    const to = readCode("postal_to", postal_to ?? "", country, begins);
    checkRange("postal_to", from, to);
    return overrideOf("postal_range", country, from, { to });
  }
  if (city != null) return overrideOf("city", country, city, { state: state ?? null });
  if (state != null) return overrideOf("state", country, state);
  return overrideOf("country", input.country, input.country);
}

function checkRange(field: string, from: string, to: string): void {
  if (from.length !== to.length) throw invalid(field, `must have the same length as ${from}`);
  if (to < from) throw invalid(field, `must not be before ${from}`);
}

/**
 * Reads the overrides in a request; `placeOf` names each in messages. The refusal names the first invalid one, or all
 * that repeat the place of another. Refuses: validation_failed.
 */
export function readOverrides(
  inputs: readonly OverrideField[],
  placeOf: (at: number) => string = (at) => `overrides[${at}]`,
): ZoneOverride[] {
  const overrides = inputs.map((input, at) => {
    try {
      return readOverride(input);
    } catch (error) {
      throw placed(error, placeOf(at));
    }
  });
  const seen = new Map<string, number>();
  const duplicates = overrides.flatMap((override, at): FieldProblem[] => {
    const first = seen.get(placeKey(override));
    if (first === undefined) {
      seen.set(placeKey(override), at);
      return [];
    }
    return [{ field: placeOf(at), code: "duplicate", message: `is for the same place as ${placeOf(first)}` }];
  });
  if (duplicates.length > 0) throw invalidFields(duplicates);
  return overrides;
}

function placed(error: unknown, place: string): unknown {
  const fields = (error as { facts?: { fields?: readonly FieldProblem[] } }).facts?.fields;
  if (fields === undefined) return error;
  return invalidFields(fields.map((problem) => ({ ...problem, field: `${place}.${problem.field}` })));
}

/** Reads a chart row and its origin. Refuses: validation_failed. */
export function readChartRow(row: ChartRow): ChartRange & { readonly origin: string; readonly origin_country: string } {
  const origin_country = postalCountry(countryFor("origin_country", row.origin, row.origin_country));
  const country = postalCountry(
    countryFor("destination_country", row.destination.slice(0, 3), row.destination_country),
  );
  const origin = readCode("origin", row.origin, origin_country, prefixPattern(origin_country));
  const [first = "", last = first] = row.destination.split(/\s*-+\s*(?=\S+$)/);
  const from = readCode("destination", first, country, prefixPattern(country));
  const to = readCode("destination", last, country, prefixPattern(country));
  checkRange("destination", from, to);
  return { origin, origin_country, country, from, to, zone: row.zone };
}

function countryFor(field: string, code: string, country_code: string | undefined): string {
  const country = country_code ?? countryOfPostalCode(code) ?? "US";
  if (isCountry(country)) return country;
  throw invalid(field, "must be a two-letter country code, such as US", "invalid_format");
}

type ChartLine = ReturnType<typeof readChartRow>;

/**
 * Groups the rows of a file into one chart for each origin. Overlapping rows are refused. Refuses: validation_failed.
 */
export function chartsOf(rows: readonly CheckedCsvRow<ChartLine>[]): ZoneChart[] {
  const charts = Map.groupBy(rows, ({ row }) => `${row.origin_country} ${row.origin}`);
  const problems = [...charts.values()].flatMap(overlaps);
  if (problems.length > 0) throw invalidFields(problems);
  return [...charts.values()].map((lines) => {
    const [{ row: first }] = lines as [CheckedCsvRow<ChartLine>];
    const ranges = lines.map(({ row: { country, from, to, zone } }) => ({ country, from, to, zone }));
    return { country: first.origin_country, origin: first.origin, ranges };
  });
}

/** Finds rows of one origin that overlap: one starts before another of the same length ends. */
function overlaps(rows: readonly CheckedCsvRow<ChartLine>[]): FieldProblem[] {
  const place = ({ row }: CheckedCsvRow<ChartLine>) => `${row.country} ${row.from.length} ${row.from}`;
  const sorted = [...rows].sort((a, b) => (place(a) < place(b) ? -1 : 1));
  return sorted.flatMap((line, at): FieldProblem[] => {
    const before = sorted[at - 1];
    const apart =
      before === undefined ||
      before.row.country !== line.row.country ||
      before.row.from.length !== line.row.from.length ||
      before.row.to < line.row.from;
    if (apart) return [];
    const message = `overlaps the range of line ${before.line}`;
    return [{ field: `line ${line.line}, destination`, code: "duplicate", message }];
  });
}
