// What the lists of the API are compared with: for each list its filters and orders, without a database.
import type { Found, Records } from "./records.ts";

/** The possible values of a filter, and the records that pass it. */
export interface Filter {
  /** Whether it takes several values, separated by commas: records pass that pass for one of them. */
  readonly several?: boolean;
  readonly values: (all: readonly Found[]) => readonly string[];
  readonly passes: (record: Found, value: string) => boolean;
}

export interface List {
  readonly path: string;
  readonly name: keyof Omit<Records, "app" | "warehouses">;
  readonly key: string;
  /** Filters of which a query may have at most one. */
  readonly exclusive?: readonly string[];
  readonly filters: Readonly<Record<string, Filter>>;
  /** The list as a CSV file: its path, its name, and its first columns, beginning with the key. */
  readonly file?: readonly [path: string, name: string, head: string];
  /** The sort orders by the name of `sort`. The first is the default. */
  readonly sorts: Readonly<Record<string, (a: Found, b: Found) => number>>;
}

const number = (id: string) => Number(id.split("_")[1]);
export const byId = (key: string) => (a: Found, b: Found) => number(a[key]) - number(b[key]);
export const newest = (key: string) => (a: Found, b: Found) => -byId(key)(a, b);
export const fields = (name: string) => (all: readonly Found[]) => [...new Set(all.map((one) => String(one[name])))];
export const exact = (name: string, strangers: readonly string[] = []): Filter => ({
  several: true,
  values: (all) => [...fields(name)(all), ...strangers],
  passes: (one, value) => one[name] === value,
});
/** The moments of a field, and the days that they are on. */
const moments = (name: string) => (all: readonly Found[]) => {
  const exact_moments = fields(name)(all);
  return [...exact_moments, ...new Set(exact_moments.map((at) => at.slice(0, 10)))];
};
export const after = (name: string): Filter => ({ values: moments(name), passes: (one, value) => one[name] >= value });
export const before = (name: string): Filter => ({ values: moments(name), passes: (one, value) => one[name] < value });
export const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The values of a field that is not always set. */
export const known = (name: string) => (all: readonly Found[]) => fields(name)(all).filter((value) => value !== "null");
export const named = (name: string, strangers: readonly string[] = []): Filter => ({
  several: true,
  values: (all) => [...known(name)(all), ...strangers],
  passes: (one, value) => one[name] === value,
});

/** A filter by one value, which may contain commas. */
export const single = (filter: Filter): Filter => ({ ...filter, several: false });

/** Whether records show when they were created, or last changed. Every list has the filters by these times. */
export function timeFilters(all: readonly Found[]): List["filters"] {
  const shown = ["created", "updated"].filter((time) => all[0]?.[`${time}_at`] !== undefined);
  return Object.fromEntries(
    shown.flatMap((time) => [
      [`${time}_after`, after(`${time}_at`)],
      [`${time}_before`, before(`${time}_at`)],
    ]),
  );
}

/** A search that finds a part of these texts in any case. */
export const contains = (words: readonly string[], texts: (one: Found) => readonly (string | null)[]): Filter => ({
  values: () => words,
  passes: (one, value) => texts(one).some((text) => (text ?? "").toLowerCase().includes(value.toLowerCase())),
});

/** The order by a moment or day, with records that have none at the end. */
export const soonest = (name: string, key: string) => (a: Found, b: Found) =>
  bytes(a[name] ?? "never", b[name] ?? "never") || byId(key)(a, b);

/** A SKU pattern, in which * stands for any text, as a regular expression. */
export const asRegExp = (pattern: string) =>
  new RegExp(
    `^${pattern
      .split("*")
      .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]*")}$`,
  );
