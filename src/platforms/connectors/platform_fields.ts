// Reads the fields that platforms send. An invalid field that an order needs is refused by name; other invalid fields
// are ignored.

import { Fault, invalid } from "../../core/faults.ts";
import { parseWithLargeIntegers } from "../../core/json.ts";
import { isCurrency, readNearestCents, shareOf } from "../../core/money.ts";
import { type JsonFields, readText } from "../../outbound/api.ts";
import type {
  PlatformAddress,
  PlatformLine,
  PlatformNotification,
  PlatformOrder,
  ShipmentReport,
} from "../platform.ts";

const lines_max = 500;
const quantity_max = 1_000_000;
const notes_characters_max = 2000;
const attribute_characters_max = 40;

/** Reads the JSON body of a notification. Refuses: validation_failed. */
export function readJson(raw: string): JsonFields {
  try {
    return readFields(parseWithLargeIntegers(raw.replace(/^\ufeff/, "")), "body");
  } catch {
    throw invalid("body", "must be a JSON object");
  }
}

/** Reads an object. Refuses: validation_failed. */
export function readFields(value: unknown, field: string): JsonFields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(field, "must be an object");
  return value as JsonFields;
}

/** Reads the lines of an order, which must be objects. Refuses: validation_failed. */
export function readList(value: unknown, field: string): readonly JsonFields[] {
  if (!Array.isArray(value)) throw invalid(field, "must be a list");
  if (value.length > lines_max) throw invalid(field, `must have at most ${lines_max} entries`, "too_many");
  return value.map((entry, index) => readFields(entry, `${field}[${index}]`));
}

/** Reads an identifier: a positive integer, as a number or as digits. Refuses: validation_failed. */
export function readExternalId(value: unknown, field: string): string {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === "string" && /^[1-9]\d{0,19}$/.test(text)) return text;
  throw invalid(field, "must be a positive integer");
}

/** Reads an identifier like `readExternalId`; null if there is none, or 0. */
export function readIdOrNull(value: unknown): string | null {
  const text = String(value ?? "");
  return /^[1-9]\d{0,19}$/.test(text) ? text : null;
}

/** Reads a number of units, zero or more. Refuses: validation_failed. */
export function readQuantity(value: unknown, field: string): number {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  const count = /^\d{1,7}(?:\.0+)?$/.test(text) ? Number(text) : Number.NaN;
  if (count <= quantity_max) return count;
  throw invalid(field, `must be an integer from 0 to ${quantity_max}`);
}

/** Reads a number in stock, which is below zero after an oversell, as whole units; null if there is none. */
export function readStock(value: unknown): number | null {
  const is_number = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  const count = is_number ? Math.floor(Number(value)) : Number.NaN;
  return Number.isSafeInteger(count) ? count : null;
}

/**
 * Reads an amount from decimal text or a number, times `units`, in the minor unit of its currency, rounded once and
 * half up. A missing value is 0. Refuses: validation_failed.
 */
export function readAmount(value: unknown, currency: string, field: string, units = 1): number {
  if (value === undefined || value === null || value === "") return 0;
  const cents = readNearestCents(value, currency, units);
  if (cents === null) throw invalid(field, "must be an amount");
  return cents;
}

/** The amounts of a line in cents: the unit price, and the total of all ordered units after all discounts. */
export interface PlatformLineAmounts {
  readonly unit_cents: number;
  readonly total_cents: number;
  readonly ordered: number;
}

/** Returns the unit price and the total of the remaining units of a line, in cents. */
export function costsOf({ unit_cents, total_cents, ordered }: PlatformLineAmounts, quantity: number) {
  const total = ordered === 0 ? 0 : shareOf(Math.max(0, total_cents), Math.min(quantity, ordered), ordered);
  // In a shop with tax-inclusive prices, totals may be slightly above the rounded price.
  return { unit_price_cents: Math.max(unit_cents, Math.ceil(total / Math.max(1, quantity))), total_cents: total };
}

/** Reads a timestamp as milliseconds. Refuses: validation_failed. */
export function readTimestamp(value: unknown, field: string): number {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (at > 0) return at;
  throw invalid(field, "must be a date and time");
}

/** Reads a currency as its ISO 4217 code. Refuses: validation_failed. */
export function readCurrency(value: unknown, field: string): string {
  if (typeof value === "string" && isCurrency(value)) return value;
  throw invalid(field, `must be an ISO 4217 currency code (got ${String(value).slice(0, 20)})`);
}

/** Reads an email address, or null. */
export function readEmail(value: unknown): string | null {
  const text = readText(value, 255);
  return text !== null && text.length <= 254 && /^[^\s@]{1,64}@[^\s@]+$/.test(text) ? text : null;
}

/** Reads a SKU, or null if no product can have it. */
export function readSku(value: unknown): string | null {
  const text = readText(value, 101);
  return text !== null && text.length <= 100 ? text : null;
}

/** Joins a person's name from its parts, or null. */
export function readName(...parts: readonly unknown[]): string | null {
  return readText(parts.flatMap((part) => readText(part, 100) ?? []).join(" "), 200);
}

/** Reads an address from texts; null when all are empty. */
export function readAddress(texts: Readonly<Record<keyof PlatformAddress, unknown>>): PlatformAddress | null {
  const country = readText(texts.country, 10)?.toUpperCase() ?? "";
  const address = {
    name: readText(texts.name, 200),
    company: readText(texts.company, 200),
    address_line1: readText(texts.address_line1, 200),
    address_line2: readText(texts.address_line2, 200),
    city: readText(texts.city, 100),
    state: readText(texts.state, 100),
    postal_code: readText(texts.postal_code, 20),
    country: /^[A-Z]{2}$/.test(country) ? country : null,
    phone: readText(texts.phone, 50),
  };
  return Object.values(address).some((text) => text !== null) ? address : null;
}

/** The buyer's entry for one line, such as an engraving. */
interface LineNote {
  readonly line: string;
  readonly name: unknown;
  readonly value: unknown;
}

/** Joins the notes of an order and the entries of its lines; null when there are none. */
export function readNotes(texts: readonly unknown[], line_notes: readonly LineNote[]): string | null {
  const line_texts = line_notes.flatMap(({ line, name, value }) => {
    const [title, words] = [readText(name, 100), readText(value, 500)];
    return words === null ? [] : [`${line}: ${title === null ? "" : `${title}: `}${words}`];
  });
  const notes = [...texts.flatMap((words) => readLines(words) ?? []), ...line_texts].join("\n");
  return notes.slice(0, notes_characters_max).toWellFormed().replaceAll("\ufffd", "").trim() || null;
}

/** Reads fields of an order by their names, which are unique. Names that start with an underscore are for programs. */
export function readAttributes(fields: readonly { readonly name: unknown; readonly value: unknown }[]) {
  const attributes = fields.flatMap(({ name, value }) => {
    const [title, words] = [readText(name, attribute_characters_max), readText(value, 500)];
    return title === null || words === null || title.startsWith("_") ? [] : [[title, words] as const];
  });
  return Object.fromEntries(attributes);
}

/** Reads a text of several lines. */
function readLines(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const lines = value.split(/\r?\n/).map((line) => readText(line, notes_characters_max) ?? "");
  return lines.join("\n").trim() || null;
}

/** Returns the lines that have units. */
export function withUnits(lines: readonly PlatformLine[]): PlatformLine[] {
  return lines.filter(({ quantity }) => quantity > 0);
}

/** A line, and the line of the bundle that it is a part of; null if it is not a part. */
interface BundledLine {
  readonly line: PlatformLine;
  readonly parent_id: string | null;
}

/**
 * Returns the goods among lines that contain bundles: the parts instead of the bundles. What a bundle costs is spread
 * over the units of its parts. A bundle that lists no part is itself the goods.
 */
export function bundlesAsParts(lines: readonly BundledLine[]): PlatformLine[] {
  const parentOf = new Map(lines.map(({ line, parent_id }) => [line.external_id, parent_id]));
  const bundles = new Set([...parentOf.values()].filter((id) => id !== null && parentOf.has(id)));
  let parts = lines.flatMap(({ line }) => (bundles.has(line.external_id) ? [] : line));
  for (const { line } of lines.filter(({ line: { external_id } }) => bundles.has(external_id))) {
    const own = new Set(parts.filter((part) => isWithin(part.external_id, line.external_id, parentOf)));
    const units = [...own].reduce((sum, { quantity }) => sum + quantity, 0);
    let before = 0;
    parts = parts.map((part) => {
      if (!own.has(part) || part.quantity === 0) return part;
      const total = line.total_cents ?? 0;
      const share = shareOf(total, before + part.quantity, units) - shareOf(total, before, units);
      before += part.quantity;
      const total_cents = (part.total_cents ?? 0) + share;
      return { ...part, unit_price_cents: part.unit_price_cents + Math.ceil(share / part.quantity), total_cents };
    });
  }
  return parts;
}

function isWithin(id: string, bundle_id: string, parentOf: ReadonlyMap<string, string | null>): boolean {
  const seen = new Set<string>();
  for (let at = parentOf.get(id); at != null && !seen.has(at); at = parentOf.get(at)) {
    if (at === bundle_id) return true;
    seen.add(at);
  }
  return false;
}

/** The order in a notification, or why it cannot be read and has to be fetched. */
export function readOrder(read: () => PlatformOrder): Pick<PlatformNotification, "order" | "problem"> {
  try {
    return { order: read(), problem: null };
  } catch (error) {
    if (error instanceof Fault) return { order: null, problem: error };
    throw error;
  }
}

type ShipmentReportLines = ShipmentReport["lines"];

/** Returns the units of each line that are not reported yet. Entries of one line are summed. */
export function remaining(
  lines: ShipmentReportLines,
  known: ShipmentReportLines,
): { external_id: string; quantity: number }[] {
  const units = new Map<string, number>();
  for (const { external_id, quantity } of lines) units.set(external_id, (units.get(external_id) ?? 0) + quantity);
  for (const { external_id, quantity } of known) {
    if (units.has(external_id)) units.set(external_id, (units.get(external_id) ?? 0) - quantity);
  }
  return [...units].flatMap(([external_id, quantity]) => (quantity > 0 ? [{ external_id, quantity }] : []));
}
