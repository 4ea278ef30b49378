// Reads the text of a scanned code: plain, such as an EAN-13 or the code of a bin, or GS1 data with its identifiers.

import { readDay } from "../../core/time_zone.ts";
import { hasCheckDigit } from "../../products/product.ts";
import {
  type ApplicationIdentifier,
  applicationIdentifiers,
  identifierAt,
  predefinedLength,
} from "./application_identifiers.ts";

/** The longest text of a code. */
export const scan_length_max = 500;

/** A value with its application identifier. */
interface ScannedElement {
  readonly ai: string;
  readonly title: string;
  /** As it is in the code. */
  readonly text: string;
  /** With decimals, and dates as `YYYY-MM-DD`. */
  readonly value: string;
}

/** What a GS1 code contains. */
export interface ScanContents {
  readonly elements: readonly ScannedElement[];
  /** Values of application identifiers that are not known. */
  readonly skipped: readonly { readonly ai: string; readonly text: string }[];
  /** The GTIN of the product, or of what a case contains; 14 digits. */
  readonly gtin: string | null;
  readonly sscc: string | null;
  readonly lot_number: string | null;
  readonly serial_number: string | null;
  /** Days since 1970-01-01. */
  readonly expires_on: number | null;
  /** The number of units; null if the code has none. */
  readonly quantity: number | null;
}

/** What a scanned text is. `text` is what was read, without the prefix of the scanner. */
export type Scan =
  | { readonly kind: "plain"; readonly text: string }
  | { readonly kind: "gs1"; readonly text: string; readonly contents: ScanContents }
  /** A separator is missing, and the code can be read in these ways. */
  | { readonly kind: "ambiguous"; readonly text: string; readonly readings: readonly ScanContents[] }
  | { readonly kind: "invalid"; readonly text: string; readonly problem: string };

const separator = "\u001d";
// Scanners can send another character in place of the separator: one that no GS1 value contains.
const stand_in = /[~^|@$[\]{}\\`]/g;
/** Prefixes by which a scanner says that a code is GS1: GS1-128, DataMatrix, QR code, DataBar. */
const gs1_prefix = /^\](?:C1|d2|Q3|e0)/;
const scanner_prefix = /^\][A-Za-z]\d(?=.)/;
// More ways to read one code are not offered.
const readings_max = 8;
const quantity_max = 1_000_000;

/**
 * Reads a scanned text. It is GS1 data if the scanner's prefix says so, if it contains a separator (FNC1), if its
 * identifiers are in brackets, or if it begins with a product or parcel number (01, 02, 00) whose check digit is right.
 * `now` (ms) decides the centuries of dates.
 */
export function readScan(scanned: string, now: number): Scan {
  const shown = scanned.trim().replace(scanner_prefix, "");
  const text = shown.replaceAll(separator, "\u241d");
  const invalid = (problem: string): Scan => ({ kind: "invalid", text: text.slice(0, scan_length_max), problem });
  if (scanned.length > scan_length_max) return invalid(`is longer than ${scan_length_max} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: codes must not contain them, except the separator.
  if (/[\u0000-\u001c\u001e\u001f\u007f-\u009f\ufffd]/.test(shown)) return invalid("contains control characters");
  if (/^\((?:\d{2,4}\)|\(\d)/.test(shown)) return scanOf(text, () => readBrackets(shown, now));
  const isDeclared = gs1_prefix.test(scanned.trim()) || shown.includes(separator);
  const { code, separated } = withSeparators(shown);
  if (!isDeclared && !beginsWithKey(code)) return { kind: "plain", text };
  return scanOf(text, () => readElements(code, separated, now));
}

/** A problem with GS1 data. */
class Unreadable extends Error {}

/** A way to read GS1 data; `guessed` if it assumes that a separator is missing. */
interface Reading<Data> {
  readonly data: Data;
  readonly guessed: boolean;
}

function scanOf(text: string, read: () => readonly Reading<ScanContents>[]): Scan {
  try {
    const readings = read();
    const [first] = readings;
    if (first !== undefined && readings.length === 1 && !first.guessed)
      return { kind: "gs1", text, contents: first.data };
    return { kind: "ambiguous", text, readings: readings.map(({ data }) => data) };
  } catch (error) {
    if (error instanceof Unreadable) return { kind: "invalid", text, problem: error.message };
    throw error;
  }
}

/** The code with real separators and without a leading one; and whether it shows that separators arrive. */
function withSeparators(shown: string): { code: string; separated: boolean } {
  const found = new Set(shown.includes(separator) ? [] : shown.match(stand_in));
  const [other] = found;
  const whole = other === undefined || found.size > 1 ? shown : shown.replaceAll(other, separator);
  return { code: whole.slice(afterSeparators(whole, 0)), separated: whole.includes(separator) };
}

function beginsWithKey(code: string): boolean {
  const [, sscc, gtin] = /^(?:00(\d{18})|0[12](\d{14}))/.exec(code) ?? [];
  const key = sscc ?? gtin;
  return key !== undefined && hasCheckDigit(key);
}

/** The code as people read it, with its identifiers in brackets, which is never ambiguous. */
export const bracketed = ({ elements, skipped }: Pick<ScanContents, "elements" | "skipped">): string =>
  [...elements, ...skipped].map(({ ai, text }) => `(${ai})${text}`).join("");

function readBrackets(text: string, now: number): readonly Reading<ScanContents>[] {
  const found: Element[] = [];
  let rest = text;
  while (rest !== "") {
    const [whole, ai = "", value = ""] = /^\((\d{2,4})\)([^()]+)/.exec(rest) ?? [];
    if (whole === undefined) throw new Unreadable("has a bracket that opens or closes no identifier");
    if (identifierAt(ai) !== ai) throw new Unreadable(`has no application identifier ${ai}`);
    found.push(elementOf(ai, value, now));
    rest = rest.slice(whole.length);
  }
  return [{ data: contentsOf(found), guessed: false }];
}

type Element = ScannedElement | { readonly ai: string; readonly title: null; readonly text: string };

/** The ways to read GS1 data: several if a separator may be missing. */
function readElements(code: string, separated: boolean, now: number): readonly Reading<ScanContents>[] {
  const known = new Map<number, readonly Reading<readonly Element[]>[]>();
  let problem: Unreadable | null = null;
  const attempt = <Done>(work: () => Done): Done | null => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problem ??= error;
      return null;
    }
  };
  /** The ways to read the code from a place to its end. */
  const from = (start: number): readonly Reading<readonly Element[]>[] =>
    known.getOrInsertComputed(start, () => {
      const at = afterSeparators(code, start);
      if (at === code.length) return [{ data: [], guessed: false }];
      const next = attempt(() => nextValue(code, at));
      if (next === null) return [];
      const { ai, end } = next;
      const until = (place: number, guessed: boolean) => {
        const element = attempt(() => elementOf(ai, code.slice(at + ai.length, place), now));
        if (element === null) return [];
        return from(place).map((rest) => ({ data: [element, ...rest.data], guessed: guessed || rest.guessed }));
      };
      const ways = until(end, false);
      // A lot or serial number may be followed by an expiry or a count without the separator between them.
      if (!separated && (ai === "10" || ai === "21")) {
        for (let place = at + ai.length + 1; place < end; place += 1) {
          if (/^(?:17|37)\d/.test(code.slice(place, place + 3))) ways.push(...until(place, true));
        }
      }
      return ways.slice(0, readings_max);
    });
  const found = from(0).flatMap(({ data, guessed }) => {
    const contents = attempt(() => contentsOf(data));
    return contents === null ? [] : [{ data: contents, guessed }];
  });
  if (found.length === 0) throw problem ?? new Unreadable("cannot be read");
  return found;
}

function afterSeparators(code: string, start: number): number {
  let at = start;
  while (code[at] === separator) at += 1;
  return at;
}

/** The identifier at a place, and where its value ends. */
function nextValue(code: string, at: number): { ai: string; end: number } {
  const ai = identifierAt(code.slice(at, at + 4));
  if (ai === null) throw new Unreadable(`has no application identifier at "${code.slice(at, at + 4)}"`);
  const start = at + ai.length;
  const next = code.indexOf(separator, start);
  const end = next < 0 ? code.length : next;
  const length = applicationIdentifiers.get(ai)?.length ?? predefinedLength(ai);
  if (length === null) return { ai, end };
  if (start + length > end) throw new Unreadable(`is cut off in the value of ${ai}`);
  return { ai, end: start + length };
}

const characters = {
  digits: String.raw`\d`,
  text: String.raw`[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]`,
  reference: String.raw`[#\-/0-9A-Z]`,
  url: String.raw`[\-0-9A-Z_a-z=]`,
} as const;

const forms = new Map<string, RegExp>();
function formOf({ ai, parts }: ApplicationIdentifier): RegExp {
  const part = ({ characters: kind, length_min, length_max }: ApplicationIdentifier["parts"][number]) =>
    length_min === 0 ? `(${characters[kind]}{1,${length_max}})?` : `(${characters[kind]}{${length_min},${length_max}})`;
  return forms.getOrInsertComputed(ai, () => new RegExp(`^${parts.map(part).join("")}$`));
}

/** A value of the code, checked. Throws `Unreadable`. */
function elementOf(ai: string, text: string, now: number): Element {
  const identifier = applicationIdentifiers.get(ai);
  if (identifier === undefined) return { ai, title: null, text };
  const [whole, ...found] = formOf(identifier).exec(text) ?? [];
  if (whole === undefined) throw new Unreadable(`has an invalid value of ${ai}: "${text}"`);
  const values = identifier.parts.flatMap(({ rule }, at) => {
    const value = found[at];
    if (value === undefined) return [];
    if (rule === null) return [value];
    if (rule === "check_digit" && !hasCheckDigit(value))
      throw new Unreadable(`has a wrong check digit in ${ai}: ${value}`);
    if (rule === "date" || rule === "date_or_month") return [dateOf(ai, value, rule === "date_or_month", now)];
    return rule === "time" ? timesOf(ai, value) : [value];
  });
  const last = values.at(-1) ?? "";
  const { decimals, title } = identifier;
  return {
    ai,
    title,
    text,
    value: [...values.slice(0, -1), decimals === null ? last : decimalOf(last, decimals)].join(" "),
  };
}

function decimalOf(digits: string, decimals: number): string {
  const point = digits.length - decimals;
  const whole = digits.slice(0, Math.max(point, 0)).replace(/^0+(?=\d)/, "") || "0";
  return decimals === 0 ? whole : `${whole}.${digits.slice(Math.max(point, 0)).padStart(decimals, "0")}`;
}

/** A date in six digits. Its century is the one that puts it at most 49 years back or 50 ahead. */
function dateOf(ai: string, digits: string, mayBeMonth: boolean, now: number): string {
  const [year, month, day] = [0, 2, 4].map((at) => Number(digits.slice(at, at + 2))) as [number, number, number];
  const this_year = new Date(now).getUTCFullYear();
  const ahead = (((year - this_year) % 100) + 100) % 100;
  const full = this_year + (ahead > 50 ? ahead - 100 : ahead);
  const last =
    day === 0 && mayBeMonth && month >= 1 && month <= 12 ? new Date(Date.UTC(full, month, 0)).getUTCDate() : day;
  const text = `${full}-${String(month).padStart(2, "0")}-${String(last).padStart(2, "0")}`;
  if (readDay(text) === null) throw new Unreadable(`has an invalid date in ${ai}: ${digits}`);
  return text;
}

function timesOf(ai: string, digits: string): string[] {
  // 9999 stands for no time.
  if (digits === "9999") return [];
  if (!/^(?:[01]\d|2[0-3])[0-5]\d$/.test(digits)) throw new Unreadable(`has an invalid time in ${ai}: ${digits}`);
  return [`${digits.slice(0, 2)}:${digits.slice(2)}`];
}

function contentsOf(all: readonly Element[]): ScanContents {
  if (all.length === 0) throw new Unreadable("contains no data");
  const elements = all.filter((element): element is ScannedElement => element.title !== null);
  const skipped = all.flatMap(({ ai, title, text }) => (title === null ? [{ ai, text }] : []));
  const values = new Map<string, string>();
  for (const { ai, text, value } of elements) {
    if (values.has(ai) && values.get(ai) !== value)
      throw new Unreadable(`has two values of ${ai}, the second "${text}"`);
    values.set(ai, value);
  }
  if (values.has("01") && values.has("02")) throw new Unreadable("names both a product (01) and contents (02)");
  const counted = values.get("37") ?? values.get("30");
  const quantity = counted === undefined ? null : Number(counted);
  if (quantity !== null && (quantity < 1 || quantity > quantity_max)) {
    throw new Unreadable(`has an invalid number of units: ${counted}`);
  }
  const expiry = values.get("17") ?? values.get("7003")?.slice(0, 10);
  return {
    elements,
    skipped,
    gtin: values.get("01") ?? values.get("02") ?? values.get("03") ?? null,
    sscc: values.get("00") ?? null,
    lot_number: values.get("10") ?? null,
    serial_number: values.get("21") ?? null,
    expires_on: expiry === undefined ? null : readDay(expiry),
    quantity,
  };
}
