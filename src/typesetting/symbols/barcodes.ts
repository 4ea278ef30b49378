import bwip from "bwip-js/generic";
import { assert } from "../../kit/assert.ts";

// bwip-js draws the bars for PDF and PNG. A ZPL printer draws its own and only wants to be told the code sets.

/** A run of dark modules: where it starts and how many modules wide it is. */
export interface Bar {
  readonly at: number;
  readonly width: number;
}

/** A Code 128 symbol without its quiet zones. */
export interface Bars {
  /** Modules from the first bar to the last. */
  readonly width: number;
  readonly bars: readonly Bar[];
}

/** A QR symbol without its quiet zone. */
export interface Squares {
  /** Modules on each side. */
  readonly side: number;
  /** The dark runs of each row, from the top. */
  readonly rows: readonly (readonly Bar[])[];
}

interface Linear {
  readonly sbs: readonly number[];
}
interface Matrix {
  readonly pixs: readonly number[];
  readonly pixx: number;
  readonly pixy: number;
}

const plainText = /^[A-Z0-9-]{1,24}$/;
// The bytes that versions 1, 2, … of a QR code hold at level M.
const qrBytes = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251];
const gs1Text = /^\((?:00\)\d{18}|(?:420|421)\)[A-Z0-9]{1,20})$/;

/** The bars of a Code 128 text; a GS1 text has its application identifier in brackets, as in `(420)90210`. */
export function code128Bars(text: string, gs1: boolean): Bars {
  checkCode128(text, gs1);
  // Bars and spaces take turns, a bar first.
  const symbol = encode(gs1 ? "gs1-128" : "code128", text) as Linear;
  const bars: Bar[] = [];
  let at = 0;
  for (const [index, width] of symbol.sbs.entries()) {
    if (index % 2 === 0) bars.push({ at, width });
    at += width;
  }
  return { width: at, bars };
}

// A symbol's width follows from where its text has digits and where it has letters, whichever they are.
const widths = new Map<string, number>();
const widths_max = 1000;

/** The width of the symbol of `code128Bars`, known without drawing it once a text of the same shape was drawn. */
export function code128Width(text: string, gs1: boolean): number {
  const shape = `${gs1} ${text.replaceAll(/[0-9]/g, "0").replaceAll(/[A-Z]/g, "A")}`;
  const known = widths.get(shape);
  if (known !== undefined) {
    checkCode128(text, gs1);
    return known;
  }
  const { width } = code128Bars(text, gs1);
  if (widths.size >= widths_max) widths.clear();
  widths.set(shape, width);
  return width;
}

/** The modules on each side of a text's QR code, known without drawing it. */
export function qrSide(text: string): number {
  return 17 + 4 * qrVersion(text);
}

/** The squares of a QR code of level M. The text is printable ASCII. */
export function qrSquares(text: string): Squares {
  const symbol = encode("qrcode", text, `eclevel=M version=${qrVersion(text)}`) as Matrix;
  const rows: Bar[][] = [];
  for (let y = 0; y < symbol.pixy; y++) rows.push(darkRuns(symbol.pixs, y * symbol.pixx, symbol.pixx));
  return { side: symbol.pixx, rows };
}

/** Whether the text may become a QR code here. */
export function isQrText(text: string): boolean {
  return /^[\x21-\x7e]{1,250}$/.test(text);
}

/** A Code 128 text with the code sets of a ZPL `^BC` field: pairs of digits in set C, all else in set B. */
export function zplCode128(text: string, gs1: boolean): string {
  checkCode128(text, gs1);
  const body = gs1 ? text.replaceAll(/[()]/g, "") : text;
  const lead = evenDigits(body, 0);
  let result = lead >= 4 ? ">;" : ">:";
  if (gs1) result += ">8";
  let at = lead >= 4 ? lead : 0;
  result += body.slice(0, at);
  let inPairs = at > 0;
  while (at < body.length) {
    if (inPairs) result += ">6";
    inPairs = false;
    const digits = evenDigits(body, at);
    const atEnd = at + digits === body.length;
    // An odd run gives its first digit to set B, so that its end is in pairs.
    const even = digits >= (atEnd ? 4 : 6) && !isDigit(body, at + digits);
    if (even) {
      result += `>5${body.slice(at, at + digits)}`;
      at += digits;
      inPairs = true;
    } else {
      result += body.charAt(at);
      at += 1;
    }
  }
  return result;
}

function checkCode128(text: string, gs1: boolean): void {
  assert((gs1 ? gs1Text : plainText).test(text), `not a text for a bar code: ${JSON.stringify(text)}`);
}

function qrVersion(text: string): number {
  assert(isQrText(text), "the text of a QR code is printable ASCII, up to 250 characters");
  return 1 + qrBytes.findIndex((bytes) => text.length <= bytes);
}

function encode(kind: "code128" | "gs1-128" | "qrcode", text: string, options = ""): Linear | Matrix {
  const [symbol] = bwip.raw(kind, text, options);
  assert(symbol !== undefined, `no ${kind} symbol`);
  return symbol;
}

function darkRuns(pixels: readonly number[], start: number, width: number): Bar[] {
  const runs: Bar[] = [];
  for (let x = 0; x < width; ) {
    let end = x;
    while (end < width && pixels[start + end] === 1) end++;
    if (end > x) runs.push({ at: x, width: end - x });
    x = Math.max(end, x + 1);
  }
  return runs;
}

/** The length of the run of digits at `start`, without the last one of an odd run. */
function evenDigits(text: string, start: number): number {
  let end = start;
  while (isDigit(text, end)) end++;
  return end - start - ((end - start) % 2);
}

function isDigit(text: string, at: number): boolean {
  const character = text.charAt(at);
  return character >= "0" && character <= "9" && character !== "";
}
