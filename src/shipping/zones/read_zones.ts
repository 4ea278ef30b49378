import type { CheckedCsvRow, CsvColumn } from "../../core/csv_columns.ts";
import { type FieldProblem, invalid, invalidFields } from "../../core/faults.ts";
import { isCountry } from "../address.ts";
import {
  type ChartRange,
  countryOfPostalCode,
  type OverrideKind,
  plainPostalCode,
  postalCountry,
  type ZoneChart,
  type ZoneOverride,
  type ZoneSpot,
} from "./zone.ts";
import { placeKey } from "./zone_system.ts";
import type { ChartRow, OverrideField } from "./zones.schema.ts";

const column = (name: keyof OverrideField, meaning: string, example: string): CsvColumn => {
  return { name, path: [name], kind: "text", meaning, example };
};

/** The columns of a file of zone overrides. */
export const overrideColumns: readonly CsvColumn[] = [
  column("zone", "The zone of parcels that go there.", "3"),
  column("country", "Two letters; required in every row except one of a continent.", "US"),
  column("postal_code", "One postal code.", "10001"),
  column("postal_prefix", "The first characters of postal codes.", "V6B"),
  column("postal_from", "The first of a range of postal codes, or of their first characters.", "995"),
  column("postal_to", "The last of that range.", "999"),
  column("city", "A city; `state` tells cities of one name apart.", "Portland"),
  column("state", "A state, by its letters.", "OR"),
  column("continent", "One of `AF`, `AN`, `AS`, `EU`, `NA`, `OC`, `SA`.", "EU"),
];

/** The columns of a file of a carrier's zone charts. */
export const chartColumns: readonly CsvColumn[] = [
  {
    name: "origin",
    path: ["origin"],
    kind: "text",
    meaning: "The first characters of the origin's postal codes.",
    example: "432",
  },
  {
    name: "destination",
    path: ["destination"],
    kind: "text",
    meaning: "The first characters of the destination's postal codes, or a range with a dash.",
    example: "005-009",
  },
  { name: "zone", path: ["zone"], kind: "text", meaning: "The zone.", example: "5" },
  {
    name: "origin_country",
    path: ["origin_country"],
    kind: "text",
    meaning: "Two letters. By default `US`, or `CA` if the code has Canada's form.",
    example: "US",
  },
  {
    name: "destination_country",
    path: ["destination_country"],
    kind: "text",
    meaning: "The same for the destination.",
    example: "US",
  },
];

/** The country of an end if the client left it out: by the form of the postal code. */
function countryOf(field: string, code: string, country: string | undefined): string {
  const said = country ?? countryOfPostalCode(code);
  if (said !== null && isCountry(said)) return said;
  if (said !== null)
    throw invalid(`${field}_country`, "must be a two-letter country code such as US", "invalid_format");
  const message = `is required: ${code} has neither the form of a ZIP code nor that of a Canadian postal code`;
  throw invalid(`${field}_country`, message, "required");
}

const forms: Readonly<Record<string, readonly [form: RegExp, such: string]>> = {
  US: [/^\d{3}(\d{2})?$/, "12345, 12345-6789 or the first three digits"],
  CA: [/^[A-Z]\d[A-Z](\d[A-Z]\d)?$/, "K1A 0B1 or K1A"],
};

/** One end in a request, by a full postal code or its first characters. Refuses: validation_failed. */
export function readSpot(field: "from" | "to", code: string, given: string | undefined): ZoneSpot {
  const country = countryOf(field, code, given);
  const postal_code = plainPostalCode(code, country);
  const [form, such] = forms[postalCountry(country)] ?? [/^[A-Z0-9]{0,10}$/, "letters and digits"];
  if (form.test(postal_code)) return { country, postal_code, state: null, city: null };
  throw invalid(field, `must be a postal code of ${country}, such as ${such}`, "invalid_format");
}

/** A postal code, or its first characters, in the form that overrides and charts keep. Refuses: validation_failed. */
function readCode(field: string, text: string, country: string, most: RegExp): string {
  const code = plainPostalCode(text, country);
  if (most.test(code)) return code;
  throw invalid(field, `must be the first characters of postal codes of ${country}`, "invalid_format");
}

const beginningOf = (country: string) => (postalCountry(country) === "US" ? /^\d{1,5}$/ : /^[A-Z0-9]{1,10}$/);
const wholeOf = (country: string) => (postalCountry(country) === "US" ? /^\d{5}$/ : /^[A-Z0-9]{2,10}$/);

/** An override in a request. Refuses: validation_failed. */
export function readOverride(input: OverrideField): ZoneOverride {
  const { zone, postal_code, postal_prefix, postal_from, postal_to, city, state, continent } = input;
  const ways = (["postal_code", "postal_prefix", "postal_from", "city", "continent"] as const).filter(
    (field) => input[field] != null,
  );
  if (ways.length > 1) throw invalid(ways[1] ?? "", `cannot be given together with ${ways[0]}`);
  const made = (kind: OverrideKind, country: string | null, value: string, more: Partial<ZoneOverride> = {}) => {
    return { kind, country, value, to: null, state: null, zone, ...more };
  };
  if (continent != null) return made("continent", null, continent);
  if (input.country == null) throw invalid("country", "is required, or a continent", "required");
  if (!isCountry(input.country)) throw invalid("country", "must be a two-letter country code such as US");
  const country = postalCountry(input.country);
  if (postal_code != null)
    return made("postal_code", country, readCode("postal_code", postal_code, country, wholeOf(country)));
  const begins = beginningOf(country);
  if (postal_prefix != null)
    return made("postal_prefix", country, readCode("postal_prefix", postal_prefix, country, begins));
  if (postal_from != null || postal_to != null) {
    const from = readCode("postal_from", postal_from ?? "", country, begins);
    const to = readCode("postal_to", postal_to ?? "", country, begins);
    checkRange("postal_to", from, to);
    return made("postal_range", country, from, { to });
  }
  if (city != null) return made("city", country, city, { state: state ?? null });
  if (state != null) return made("state", country, state);
  return made("country", input.country, input.country);
}

function checkRange(field: string, from: string, to: string): void {
  if (from.length !== to.length) throw invalid(field, `must have as many letters as ${from}`);
  if (to < from) throw invalid(field, `must not be before ${from}`);
}

/**
 * The overrides in a request; `placeOf` names each in messages. Refuses: validation_failed, naming the first that is
 * invalid, or each that repeats the place of another.
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
  const twice = overrides.flatMap((one, at): FieldProblem[] => {
    const first = seen.get(placeKey(one));
    if (first === undefined) {
      seen.set(placeKey(one), at);
      return [];
    }
    return [{ field: placeOf(at), code: "duplicate", message: `is for the same place as ${placeOf(first)}` }];
  });
  if (twice.length > 0) throw invalidFields(twice);
  return overrides;
}

function placed(error: unknown, place: string): unknown {
  const fields = (error as { facts?: { fields?: readonly FieldProblem[] } }).facts?.fields;
  if (fields === undefined) return error;
  return invalidFields(fields.map((problem) => ({ ...problem, field: `${place}.${problem.field}` })));
}

/** A row of a chart as it is stored, and its origin. Refuses: validation_failed. */
export function readChartRow(row: ChartRow): ChartRange & { readonly origin: string; readonly origin_country: string } {
  const origin_country = postalCountry(countryFor("origin_country", row.origin, row.origin_country));
  const country = postalCountry(
    countryFor("destination_country", row.destination.slice(0, 3), row.destination_country),
  );
  const origin = readCode("origin", row.origin, origin_country, beginningOf(origin_country));
  const [first = "", last = first] = row.destination.split(/\s*-+\s*(?=\S+$)/);
  const from = readCode("destination", first, country, beginningOf(country));
  const to = readCode("destination", last, country, beginningOf(country));
  checkRange("destination", from, to);
  return { origin, origin_country, country, from, to, zone: row.zone };
}

function countryFor(field: string, code: string, given: string | undefined): string {
  const country = given ?? countryOfPostalCode(code) ?? "US";
  if (isCountry(country)) return country;
  throw invalid(field, "must be a two-letter country code such as US", "invalid_format");
}

type ChartLine = ReturnType<typeof readChartRow>;

/** The charts in the rows of a file, one for each origin. Refuses: validation_failed, for rows that overlap. */
export function chartsOf(rows: readonly CheckedCsvRow<ChartLine>[]): ZoneChart[] {
  const charts = new Map<string, CheckedCsvRow<ChartLine>[]>();
  for (const it of rows) {
    const key = `${it.row.origin_country} ${it.row.origin}`;
    const its = charts.get(key) ?? [];
    charts.set(key, its);
    its.push(it);
  }
  const problems = [...charts.values()].flatMap(overlaps);
  if (problems.length > 0) throw invalidFields(problems);
  return [...charts.values()].map((its) => {
    const [{ row: first }] = its as [CheckedCsvRow<ChartLine>];
    const ranges = its.map(({ row: { country, from, to, zone } }) => ({ country, from, to, zone }));
    return { country: first.origin_country, origin: first.origin, ranges };
  });
}

/** Rows of one origin that overlap: one begins before another of the same length has ended. */
function overlaps(rows: readonly CheckedCsvRow<ChartLine>[]): FieldProblem[] {
  const place = ({ row }: CheckedCsvRow<ChartLine>) => `${row.country} ${row.from.length} ${row.from}`;
  const sorted = [...rows].sort((a, b) => (place(a) < place(b) ? -1 : 1));
  return sorted.flatMap((it, at): FieldProblem[] => {
    const before = sorted[at - 1];
    const apart =
      before === undefined ||
      before.row.country !== it.row.country ||
      before.row.from.length !== it.row.from.length ||
      before.row.to < it.row.from;
    if (apart) return [];
    const message = `overlaps the range of line ${before.line}`;
    return [{ field: `line ${it.line}, destination`, code: "duplicate", message }];
  });
}
