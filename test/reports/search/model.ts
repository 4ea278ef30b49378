// A model of the search across all records, without a database.

import type { Found, Records } from "../../lists/records.ts";
import { isFound } from "../../lists/search_model.ts";

export type Fit = "exact" | "prefix" | "part";
export type Hits = ReadonlyMap<string, Fit>;

/** Searchable fields that the lists do not show. */
export interface Floor {
  readonly lots: Found[];
  readonly bins: Found[];
  readonly receipts: Found[];
  readonly transfers: Found[];
  readonly counts: Found[];
}

const small = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const plain = (text: string) => text.replace(/[\s-]/g, "").replace(/[a-z]/g, (letter) => letter.toUpperCase());

function formsOf(q: string): string[] {
  const text = q.trim().replace(/\s+/g, " ");
  return [text, text.toLowerCase(), text.toUpperCase()].map(small);
}

/** How a query matches names: exactly, as a prefix, or not. */
function match(q: string, names: readonly (string | null | undefined)[]): Fit | null {
  const forms = formsOf(q);
  const known = names.flatMap((name) => (name === null || name === undefined ? [] : small(name)));
  if (known.some((name) => forms.includes(name))) return "exact";
  return known.some((name) => forms.some((form) => name.startsWith(form))) ? "prefix" : null;
}

const within = (q: string, texts: readonly (string | null)[]): Fit | null => {
  const forms = formsOf(q).filter((form) => form.length >= 2);
  return texts.some((text) => forms.some((form) => small(text ?? "").includes(form))) ? "part" : null;
};

const named = (q: string, id: string): Fit | null => (small(q.trim()) === id ? "exact" : null);

function tracked(q: string, number: string | null): Fit | null {
  const typed = plain(q);
  if (number === null || typed.length < 4 || !number.startsWith(typed)) return null;
  return number === typed ? "exact" : "prefix";
}

function customerFit(q: string, customer: Found): Fit | null {
  const { id, email, first_name, last_name, company, names } = customer;
  const name = [first_name, last_name].filter((part: string | null) => part !== null && part !== "").join(" ");
  const called = [email, first_name, last_name, company, ...names].flatMap((text: string | null) =>
    (text ?? "").toLowerCase().split(" "),
  );
  const words = called.flatMap((word) => [
    word,
    ...[...word.matchAll(/(?<![a-z0-9ß-ÿ])[a-z0-9ß-ÿ]/g)].map(({ index }) => word.slice(index)),
  ]);
  const typed = q
    .toLowerCase()
    .split(" ")
    .filter((word) => word !== "");
  const all = typed.every((word) => words.some((one) => one !== "" && one.startsWith(word)));
  const own = named(q, id);
  if (own !== null) return own;
  if (q.trim().toLowerCase() === email.toLowerCase()) return "exact";
  if (!all) return null;
  return match(q, [email, name, company]) === "exact" ? "exact" : "prefix";
}

function productFit(q: string, { id, sku, name, barcodes }: Found): Fit | null {
  const values = barcodes.map((code: Found) => code.value);
  const text = q.trim().replace(/\s+/g, " ");
  const isWithin = formsOf(q).some(
    (form) => form.length >= 2 && form.split(" ").every((word) => [sku, name].some((one) => small(one).includes(word))),
  );
  return (
    named(q, id) ??
    (values.includes(text) ? "exact" : null) ??
    match(q, [sku, name]) ??
    (values.some((value: string) => value.startsWith(text)) ? "prefix" : null) ??
    (isWithin ? "part" : null)
  );
}

/** The results of a search for `q`, by type, with the quality of each match. */
export function expectedHits(q: string, records: Records, floor: Floor): Record<string, Hits> {
  const { orders, customers, products, parcels, labels, returns } = records;
  const hits = (all: readonly Found[], key: string, fitOf: (one: Found) => Fit | null): Hits =>
    new Map(
      all.flatMap((one) => [fitOf(one)].flatMap((found) => (found === null ? [] : [[one[key], found] as const]))),
    );
  const others = new Set([...parcels, ...returns.map((one) => one.return_shipping)].map((one) => one.tracking_number));
  const numberOf = new Map(orders.map((order) => [order.id, order.order_number]));
  return {
    order: hits(orders, "id", (one) => {
      const part = isFound(one, q, customers) ? "part" : null;
      return named(q, one.id) ?? match(q, [one.order_number]) ?? part;
    }),
    customer: hits(customers, "id", (one) => customerFit(q, one)),
    product: hits(products, "id", (one) => productFit(q, one)),
    parcel: hits(parcels, "id", (one) => named(q, one.id) ?? tracked(q, one.tracking_number)),
    label: hits(labels, "label_id", (one) => {
      const own = others.has(one.tracking_number) ? null : tracked(q, one.tracking_number);
      return named(q, one.label_id) ?? own;
    }),
    return: hits(returns, "id", (one) => {
      const isOf = q.trim() === numberOf.get(one.order_id) || named(q, one.order_id) !== null;
      return named(q, one.id) ?? tracked(q, one.return_shipping.tracking_number) ?? (isOf ? "part" : null);
    }),
    lot: hits(floor.lots, "id", (one) => named(q, one.id) ?? match(q, [one.lot_number])),
    bin: hits(floor.bins, "key", (one) => match(q, [one.code])),
    receipt: hits(floor.receipts, "id", (one) => {
      return named(q, one.id) ?? match(q, [one.reference, one.supplier]) ?? within(q, [one.reference, one.supplier]);
    }),
    transfer: hits(floor.transfers, "id", (one) => {
      return named(q, one.id) ?? match(q, [one.reference]) ?? within(q, [one.reference]);
    }),
    count: hits(
      floor.counts,
      "id",
      (one) => named(q, one.id) ?? (within(q, [one.notes]) && (match(q, [one.notes]) ?? "part")),
    ),
  };
}
