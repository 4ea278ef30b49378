import { onFirstUse } from "../core/memoize.ts";
import { shapedWidth } from "./shape_text.ts";
import { anyOfScripts } from "./typefaces.ts";

/** The space for a text: its width, in the unit of `size`. */
interface Measure {
  readonly width: number;
  readonly size: number;
  readonly bold: boolean;
}

const words = onFirstUse(() => new Intl.Segmenter("en", { granularity: "word" }));
const graphemes = onFirstUse(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
// Scripts that put no spaces between words.
const unspaced = new RegExp(anyOfScripts("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"), "u");

/** Wraps a text to the width: after spaces and hyphens, else between words, else anywhere. */
export function wrapText(text: string, measure: Measure): string[] {
  return widthOf(text, measure) <= measure.width ? [text] : filled(pieces(text), measure);
}

/** Wraps texts separated by commas. Each stays whole if it fits a line. */
export function wrapList(texts: readonly string[], measure: Measure): string[] {
  const listed = texts.map((text, at) => (at === texts.length - 1 ? text : `${text}, `));
  const isWhole = (text: string) => widthOf(text.trimEnd(), measure) <= measure.width;
  return filled(
    listed.flatMap((text) => (isWhole(text) ? [text] : pieces(text))),
    measure,
  );
}

const least_of_size = 0.7;

/** The size at which every word of a text fits a line, but at least 70% of the wanted size. */
export function unbrokenSize(text: string, measure: Measure): number {
  const widest = Math.max(0, ...pieces(text).map((piece) => widthOf(piece.trimEnd(), measure)));
  return widest <= measure.width ? measure.size : measure.size * Math.max(least_of_size, measure.width / widest);
}

/** Lines of as many pieces as fit each. */
function filled(parts: readonly string[], measure: Measure): string[] {
  const lines: string[] = [];
  let line = "";
  let taken = 0;
  for (const piece of parts.flatMap((whole) => broken(whole, measure))) {
    const width = widthOf(piece, measure);
    if (line !== "" && !fits(line + piece, taken + width, measure)) {
      lines.push(line.trimEnd());
      line = "";
      taken = 0;
    }
    line += piece;
    taken += width;
  }
  return line.trimEnd() === "" ? lines : [...lines, line.trimEnd()];
}

const surely = 0.8;

/** Whether a line fits. `nearly` is the sum of its pieces' widths; close cases are measured. */
function fits(line: string, nearly: number, measure: Measure): boolean {
  return nearly < measure.width * surely || widthOf(line.trimEnd(), measure) <= measure.width;
}

function widthOf(text: string, { size, bold }: Measure): number {
  return shapedWidth(text, size, bold);
}

// After a space, and after a hyphen or slash that is not between digits, so that dates stay whole.
const ends = /(?<=\s)|(?<=[/\-\u2010])(?<!\d[/\-\u2010](?=\d))/u;

/** The parts of a text after which a line may break. */
function pieces(text: string): string[] {
  return text.split(ends).flatMap((chunk) => (unspaced.test(chunk) ? wordsOf(chunk) : [chunk]));
}

/** The words of a script without spaces. Punctuation stays with the word before it. */
function wordsOf(chunk: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of words().segment(chunk)) {
    if (isWordLike === true || found.length === 0) found.push(segment);
    else found.push((found.pop() ?? "") + segment);
  }
  return found;
}

/** A piece, split if it is wider than a line. */
function broken(piece: string, measure: Measure): string[] {
  if (widthOf(piece.trimEnd(), measure) <= measure.width) return [piece];
  const parts: string[] = [];
  let part = "";
  let taken = 0;
  for (const { segment } of graphemes().segment(piece)) {
    const width = widthOf(segment, measure);
    if (part !== "" && taken + width > measure.width) {
      parts.push(part);
      part = "";
      taken = 0;
    }
    part += segment;
    taken += width;
  }
  return part === "" ? parts : [...parts, part];
}

/** Fitted text: the lines, the size at which all of them fit, and whether some of it was cut. */
interface FittedText {
  readonly lines: readonly string[];
  readonly size: number;
  readonly shortened: boolean;
}

/** The space for a text, in dots. The largest size that fits is used; at `least` text is cut. */
export interface TextBox {
  readonly width: number;
  readonly height: number;
  readonly most: number;
  readonly least: number;
  readonly bold: boolean;
}

// Scripts that stack letters.
const tall = new RegExp(anyOfScripts("Myanmar", "Khmer"), "u");
const step = 2;

/** The line height of these lines, as a multiple of their size. */
export function lineHeight(lines: readonly string[]): number {
  return lines.some((line) => tall.test(line)) ? 1.6 : 1.2;
}

/** Shrinks and wraps lines to fit, between words if possible. Text that still does not fit ends in an ellipsis. */
export function fitLines(lines: readonly string[], room: TextBox): FittedText {
  const high = lineHeight(lines);
  for (let size = room.most; size > room.least; size -= step) {
    const wrapped = wrapAll(lines, size, room);
    if (wrapped.length * size * high <= room.height) return { lines: wrapped, size, shortened: false };
  }
  const size = room.least;
  const wrapped = wrapAll(lines, size, room);
  const count = Math.max(1, Math.floor(room.height / (size * high)));
  if (wrapped.length <= count) return { lines: wrapped, size, shortened: false };
  // Cut long lines first: the last line of an address, its city and country, matters most.
  const each = Math.max(1, Math.floor(count / lines.length));
  const cut = lines.flatMap((line) => cutLines(wrapAll([line], size, room), each, size, room));
  return { lines: cutLines(cut, count, size, room), size, shortened: true };
}

/** Shrinks one line to a width, and cuts it if it is too long even at the smallest size. */
export function fitLine(text: string, room: Omit<TextBox, "height">): FittedText {
  const ems = shapedWidth(text, 1, room.bold);
  for (let size = room.most; size >= room.least; size -= step) {
    if (ems * size <= room.width) return { lines: [text], size, shortened: false };
  }
  return { lines: [ellipsis(text, room.least, room)], size: room.least, shortened: true };
}

type Width = Pick<TextBox, "width" | "bold">;

function wrapAll(lines: readonly string[], size: number, { width, bold }: Width): string[] {
  return lines.flatMap((line) => wrapText(line, { width, size, bold }));
}

function cutLines(lines: readonly string[], count: number, size: number, room: Width): string[] {
  if (lines.length <= count) return [...lines];
  const kept = lines.slice(0, count);
  return [...kept.slice(0, -1), ellipsis(`${kept.at(-1) ?? ""} …`, size, room)];
}

const fit_graphemes = onFirstUse(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

function ellipsis(text: string, size: number, room: Width): string {
  if (shapedWidth(text, size, room.bold) <= room.width) return text;
  let kept = "";
  for (const { segment } of fit_graphemes().segment(text)) {
    if (shapedWidth(`${kept}${segment}…`, size, room.bold) > room.width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
