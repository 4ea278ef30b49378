import { type IdNoun, readId, wireId } from "../../core/ids.ts";
import { searchWords } from "../../customers/customer.ts";
import { plainTrackingNumber } from "../../orders/fulfillment/tracking_url.ts";
import { gtinForms, isGtin } from "../../products/product.ts";
import { scannedSscc } from "../../shipping/labels/sscc.ts";

/** The types of search results. Equally good results are listed in this order. */
export const hitTypes = [
  "order",
  "parcel",
  "label",
  "return",
  "product",
  "lot",
  "bin",
  "customer",
  "receipt",
  "transfer",
  "count",
] as const;
export type HitType = (typeof hitTypes)[number];

/** How well a record matches: exactly, at the beginning, or within. */
export const fits = ["exact", "prefix", "part"] as const;
type HitFit = (typeof fits)[number];

/** The record to which another belongs, and whose page shows it. */
interface HitOwner {
  readonly type: "order" | "product" | "return" | "warehouse";
  readonly id: string;
}

/** A search result. */
export interface Hit {
  readonly type: HitType;
  readonly fit: HitFit;
  /** The id in the API; for a bin its code. */
  readonly id: string;
  readonly title: string;
  readonly subtitle: string;
  readonly state: string | null;
  /** Milliseconds since 1970; null for a bin. */
  readonly at: number | null;
  readonly parent: HitOwner | null;
  /** Null for the operator's records, such as bins. */
  readonly merchant_id: number | null;
}

/** The typed or scanned text, in each form that is compared. */
export interface SearchText {
  /** With ASCII letters in lower case, for codes, numbers and names. */
  readonly codes: readonly string[];
  /** In lower case, for the search words of customers. */
  readonly words: readonly string[];
  /** The stored forms of a tracking number; a scanned SSCC also without its identifier. Empty if it cannot be one. */
  readonly tracking: readonly string[];
  /** The forms in which a scanned product code may be stored. */
  readonly barcodes: readonly string[];
  /** The digits of a phone number; null if it cannot be one. */
  readonly phone: string | null;
  /** The id of a record of this noun that was typed as `ord_1042`, or 0. */
  readonly idOf: (noun: IdNoun) => number;
}

// A shorter word is contained in nearly everything.
const part_min = 2;
const tracking_min = 4;
const phone_min = 4;

/** Reads what was typed or scanned; null when it is nothing but spaces. */
export function readTyped(q: string): SearchText | null {
  // Some scanners send a prefix that names the kind of bar code.
  const text = q
    .normalize("NFC")
    .trim()
    .replace(/^\][A-Za-z][0-9](?=.)/, "")
    .replace(/\s+/g, " ");
  if (text === "") return null;
  const code = folded(text);
  const number = plainTrackingNumber(text);
  const digits = text.replace(/[ \-().+/]/g, "");
  return {
    // Databases convert only A to Z, so other letters are tried in both cases.
    codes: [...new Set([code, folded(text.toLowerCase()), folded(text.toUpperCase())])],
    words: searchWords(text),
    tracking: number.length < tracking_min ? [] : [...new Set([number, scannedSscc(number) ?? number])],
    barcodes: barcodesOf(text),
    phone: /^\d+$/.test(digits) && digits.length >= phone_min ? digits : null,
    idOf: (noun) => (code.startsWith(wireId(noun, 0).slice(0, -1)) ? (readId(noun, code) ?? 0) : 0),
  };
}

/** With A to Z in small letters; other letters stay as they are, as in both databases. */
function folded(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether a text is long enough to be looked for within others. */
export function isPart({ codes: [code = ""] }: SearchText): boolean {
  return code.length >= part_min;
}

/**
 * The forms of a code: a GTIN may be stored with or without its leading zeros, and may be scanned with `01` before it.
 */
function barcodesOf(text: string): string[] {
  const [, scanned = text] = /^(?:\(01\)|01)(\d{14})/.exec(text) ?? [];
  if (!isGtin(scanned)) return [text];
  return [...new Set([text, ...gtinForms(scanned)])];
}

/** How well the names and numbers of a record match; null when none begins with the text. */
export function fitOf({ codes }: SearchText, names: readonly (string | null)[]): "exact" | "prefix" | null {
  const known = names.flatMap((name) => (name === null ? [] : folded(name)));
  if (known.some((name) => codes.includes(name))) return "exact";
  return known.some((name) => codes.some((code) => name.startsWith(code))) ? "prefix" : null;
}

/**
 * The best results of one type, each record once: exact ones first, then those that begin with the text, in their given
 * order.
 */
export function bestOf(hits: readonly Hit[]): Hit[] {
  const best = new Map<string, Hit>();
  for (const hit of hits) {
    const key = `${hit.id} ${hit.parent?.id}`;
    const known = best.get(key);
    if (known === undefined || rank(hit) < rank(known)) best.set(key, hit);
  }
  return [...best.values()].sort((a, b) => rank(a) - rank(b));
}

const rank = ({ fit }: Hit) => fits.indexOf(fit);

/** At most `most` results of each type and `most_in_all` in total, the best first; and the types that have more. */
export function chosenHits(found: ReadonlyMap<HitType, readonly Hit[]>, most: number, most_in_all: number) {
  const more = new Set<HitType>();
  const hits = hitTypes.flatMap((type) => {
    const all = found.get(type) ?? [];
    if (all.length > most) more.add(type);
    return all.slice(0, most);
  });
  hits.sort((a, b) => rank(a) - rank(b));
  for (const { type } of hits.slice(most_in_all)) more.add(type);
  return { hits: hits.slice(0, most_in_all), more: hitTypes.filter((type) => more.has(type)) };
}
