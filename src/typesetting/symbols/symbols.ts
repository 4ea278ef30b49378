import { type Bars, code128Bars, isCode128Text } from "./code128.ts";
import { quickSquares, type Squares } from "./qr.ts";

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
    const bars = code128Bars(text, false);
    if (bars.width <= modules_max) return { kind: "code128", ...bars };
  }
  return { kind: "qr", ...quickSquares(text) };
}
