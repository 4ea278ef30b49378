import { encode } from "uqr";
import { assert } from "../../kit/assert.ts";
import type { Bar } from "./bars.ts";

/** A QR symbol without its quiet zone. */
export interface Squares {
  /** Modules on each side. */
  readonly side: number;
  /** The dark runs of each row, from the top. */
  readonly rows: readonly (readonly Bar[])[];
}

// The bytes that versions 1, 2, … of a QR code hold at level M.
const qrBytes = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251];

/** Whether the text may become the QR code of a label. */
export function isQrText(text: string): boolean {
  return /^[\x21-\x7e]{1,250}$/.test(text);
}

/** The modules on each side of the QR code of a label, known without drawing it. */
export function qrSide(text: string): number {
  return 17 + 4 * qrVersion(text);
}

/** The squares of the QR code of a label, of level M. */
export function qrSquares(text: string): Squares {
  const version = qrVersion(text);
  return squaresOf(text, { minVersion: version, maxVersion: version });
}

/** The squares of a QR code of any text, in UTF-8. To look for the best mask would take four times as long. */
export function quickSquares(text: string): Squares {
  return squaresOf(text, { maskPattern: 3 });
}

function squaresOf(text: string, options: Parameters<typeof encode>[1]): Squares {
  const { data, size } = encode(text, { ecc: "M", border: 0, ...options });
  return { side: size, rows: data.map(darkRuns) };
}

function qrVersion(text: string): number {
  assert(isQrText(text), "the text of a QR code is printable ASCII, up to 250 characters");
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
