import { anyQrSquares, type Bars, type Squares } from "./barcodes.ts";
import { isCode128Text, textBars } from "./code128.ts";

/** A text as a scanner reads it. */
export type TextSymbol = ({ readonly kind: "code128" } & Bars) | ({ readonly kind: "qr" } & Squares);

// The same goods are picked every day, and drawing a QR code takes some milliseconds.
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
  return { kind: "qr", ...anyQrSquares(text) };
}
