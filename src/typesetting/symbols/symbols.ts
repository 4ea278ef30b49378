import { encode } from "uqr";
import type { Bar, Bars, Squares } from "./barcodes.ts";
import { isCode128Text, textBars } from "./code128.ts";

/** A text as a scanner reads it. */
export type TextSymbol = ({ readonly kind: "code128" } & Bars) | ({ readonly kind: "qr" } & Squares);

// The same goods are picked every day.
const known = new Map<string, TextSymbol>();
const known_max = 2000;

/** The symbol of a text: Code 128 of at most `modules_max` modules, or else a QR code, which can say everything. */
export function symbolOf(text: string, modules_max: number): TextSymbol {
  const key = `${modules_max} ${text}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = drawn(text, modules_max);
  if (known.size >= known_max) known.clear();
  known.set(key, made);
  return made;
}

function drawn(text: string, modules_max: number): TextSymbol {
  if (isCode128Text(text)) {
    const bars = textBars(text);
    if (bars.width <= modules_max) return { kind: "code128", ...bars };
  }
  return { kind: "qr", ...squaresOf(text) };
}

/** The squares of a QR code of any text, in UTF-8. bwip-js takes fifty times as long, and most of that for the mask. */
function squaresOf(text: string): Squares {
  const { data, size } = encode(text, { ecc: "M", border: 0, maskPattern: 3 });
  return { side: size, rows: data.map(darkRuns) };
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
