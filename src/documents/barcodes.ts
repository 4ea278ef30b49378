import { encode } from "uqr";
import { assert } from "../core/faults.ts";

/** A run of dark modules: its start and width, in modules. */
interface Bar {
  readonly at: number;
  readonly width: number;
}

/** A Code 128 symbol without its quiet zones. */
interface Bars {
  /** Modules from the first bar to the last. */
  readonly width: number;
  readonly bars: readonly Bar[];
}

// bwip-js takes 120 ms for the 300 symbols of a long list, and adds a megabyte. This table takes less than 1 ms.

/** The widths of each value's bars and spaces, bar first. The last three start code sets A, B and C. */
const patterns =
  "212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 " +
  "123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 " +
  "232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 " +
  "313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 " +
  "111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 " +
  "111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 " +
  "114311 411113 411311 113141 114131 311141 411131 211412 211214 211232";
const widths = patterns.split(" ");
const stop = "2331112";
const module_count = { symbol: 11, stop: 13 };
const to_pairs = 99;
const to_letters = 100;
const function_1 = 102;
const start_letters = 104;
const start_pairs = 105;

/** Whether a text fits a Code 128 symbol: 1 to 80 printable ASCII characters. */
export function isCode128Text(text: string): boolean {
  return /^[ -~]{1,80}$/.test(text);
}

/** The bars of a Code 128 symbol. A GS1 text has its application identifier in parentheses: `(420)90210`. */
export function code128Bars(text: string, gs1: boolean): Bars {
  const values = codeValues(text, gs1);
  const sum = values.reduce((total, value, at) => total + value * Math.max(1, at), 0);
  const bars: Bar[] = [];
  let at = 0;
  for (const pattern of [...[...values, sum % 103].map((value) => widths[value] ?? ""), stop]) {
    for (const [index, digit] of [...pattern].entries()) {
      const width = Number(digit);
      if (index % 2 === 0) bars.push({ at, width });
      at += width;
    }
  }
  return { width: at, bars };
}

/** The width of the symbol of `code128Bars` in modules. */
export function code128Width(text: string, gs1: boolean): number {
  // The values of the text, and the check value.
  return (codeValues(text, gs1).length + 1) * module_count.symbol + module_count.stop;
}

/** The same symbol as the data of a ZPL `^BC` field: text with code set switches. The printer draws the bars. */
export function zplCode128(text: string, gs1: boolean): string {
  const [start = start_letters, ...values] = codeValues(text, gs1);
  let inPairs = start === start_pairs;
  const parts = values.map((value) => {
    if (value === function_1) return ">8";
    if (inPairs && value < to_letters) return String(value).padStart(2, "0");
    if (!inPairs && value < to_pairs) return zplLetter(value);
    inPairs = value === to_pairs;
    return inPairs ? ">5" : ">6";
  });
  return `${start === start_pairs ? ">;" : ">:"}${parts.join("")}`;
}

/** A character of set B. `>` starts a command, so it is escaped. */
function zplLetter(value: number): string {
  const letter = String.fromCharCode(value + 32);
  return letter === ">" ? ">0" : letter;
}

const gs1Text = /^\((?:00\)\d{18}|(?:420|421)\)[A-Z0-9]{1,20})$/;

/** The values of a text, with the start value: pairs of digits in set C where that is shorter, the rest in set B. */
function codeValues(text: string, gs1: boolean): number[] {
  assert(gs1 ? gs1Text.test(text) : isCode128Text(text), `cannot be a barcode: ${JSON.stringify(text)}`);
  const body = gs1 ? text.replaceAll(/[()]/g, "") : text;
  const values: number[] = [];
  let inPairs = false;
  for (let at = 0; at < body.length; ) {
    const run = /^\d*/.exec(body.slice(at))?.[0].length ?? 0;
    const enough = at === 0 || at + run === body.length ? 4 : 6;
    // The first digit of an odd run goes to set B, so that the rest forms pairs.
    const wanted: boolean = inPairs ? run >= 2 : run >= enough && (run % 2 === 0 || at === 0);
    if (at === 0) values.push(wanted ? start_pairs : start_letters, ...(gs1 ? [function_1] : []));
    else if (wanted !== inPairs) values.push(wanted ? to_pairs : to_letters);
    inPairs = wanted;
    values.push(wanted ? Number(body.slice(at, at + 2)) : body.charCodeAt(at) - 32);
    at += wanted ? 2 : 1;
  }
  return values;
}

/** A QR symbol without its quiet zone. */
interface Squares {
  /** Modules on each side. */
  readonly side: number;
  /** The dark runs of each row, from the top. */
  readonly rows: readonly (readonly Bar[])[];
}

// The capacity of QR code versions 1, 2, … at level M, in bytes.
const qrBytes = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251];

/** Whether a text fits the QR code of a label: 1 to 250 printable ASCII characters without spaces. */
export function isQrText(text: string): boolean {
  return /^[\x21-\x7e]{1,250}$/.test(text);
}

/** The side of a label's QR code in modules, computed without drawing it. */
export function qrSide(text: string): number {
  return 17 + 4 * qrVersion(text);
}

/** The modules of a label's QR code, at level M. */
export function qrSquares(text: string): Squares {
  const version = qrVersion(text);
  return squaresOf(text, { minVersion: version, maxVersion: version });
}

/** The modules of a QR code of any text, in UTF-8. The mask is fixed: choosing the best one takes four times longer. */
function quickSquares(text: string): Squares {
  return squaresOf(text, { maskPattern: 3 });
}

function squaresOf(text: string, options: Parameters<typeof encode>[1]): Squares {
  const { data, size } = encode(text, { ecc: "M", border: 0, ...options });
  return { side: size, rows: data.map(darkRuns) };
}

function qrVersion(text: string): number {
  assert(isQrText(text), "a label's QR code takes up to 250 printable ASCII characters");
  return 1 + qrBytes.findIndex((bytes) => text.length <= bytes);
}

function darkRuns(row: readonly boolean[]): Bar[] {
  const runs: Bar[] = [];
  for (let x = 0; x < row.length; ) {
    let end = x;
    while (row[end] === true) end++;
    if (end > x) runs.push({ at: x, width: end - x });
    x = Math.max(end, x + 1);
  }
  return runs;
}

/** A barcode that encodes a text. */
export type TextSymbol = ({ readonly kind: "code128" } & Bars) | ({ readonly kind: "qr" } & Squares);

// The same products are picked every day.
const cache = new Map<string, TextSymbol>();
const cache_max = 2000;

/** The symbol of a text: Code 128 if it takes at most `modules_max` modules, else a QR code, which takes any text. */
export function symbolOf(text: string, modules_max: number): TextSymbol {
  const key = `${modules_max} ${text}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const symbol = newSymbol(text, modules_max);
  if (cache.size >= cache_max) cache.clear();
  cache.set(key, symbol);
  return symbol;
}

function newSymbol(text: string, modules_max: number): TextSymbol {
  if (isCode128Text(text)) {
    const bars = code128Bars(text, false);
    if (bars.width <= modules_max) return { kind: "code128", ...bars };
  }
  return { kind: "qr", ...quickSquares(text) };
}
