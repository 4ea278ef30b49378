import { onFirstUse } from "../../kit/first_use.ts";
import { anyOfScripts } from "./scripts.ts";
import { shapedWidth } from "./shaping.ts";

/** The room of a text: its width in the unit of `size`. */
interface Measure {
  readonly width: number;
  readonly size: number;
  readonly bold: boolean;
}

const words = onFirstUse(() => new Intl.Segmenter("en", { granularity: "word" }));
const graphemes = onFirstUse(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
// Scripts that put no spaces between words.
const unspaced = new RegExp(anyOfScripts("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"), "u");

/** The lines of a text that fits the width: broken after spaces and hyphens, between words, and anywhere at last. */
export function wrapText(text: string, measure: Measure): string[] {
  return widthOf(text, measure) <= measure.width ? [text] : filled(pieces(text), measure);
}

/** The lines of some texts with commas between them; each text stays whole where a line has room for it. */
export function wrapList(texts: readonly string[], measure: Measure): string[] {
  const listed = texts.map((text, at) => (at === texts.length - 1 ? text : `${text}, `));
  const isWhole = (text: string) => widthOf(text.trimEnd(), measure) <= measure.width;
  return filled(
    listed.flatMap((text) => (isWhole(text) ? [text] : pieces(text))),
    measure,
  );
}

const least_of_size = 0.7;

/** The size at which every word of a text fits a line, so that none is broken; not below seven tenths of the wanted. */
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

/** Whether a line fits. The widths of its pieces say so nearly; what is close to the end of the room is measured. */
function fits(line: string, nearly: number, measure: Measure): boolean {
  return nearly < measure.width * surely || widthOf(line.trimEnd(), measure) <= measure.width;
}

function widthOf(text: string, { size, bold }: Measure): number {
  return shapedWidth(text, size, bold);
}

// After a space, and after a hyphen or a slash unless it stands between digits: no date is broken.
const ends = /(?<=\s)|(?<=[/\-\u2010])(?<!\d[/\-\u2010](?=\d))/u;

/** The parts of a text that a line may end after. */
function pieces(text: string): string[] {
  return text.split(ends).flatMap((chunk) => (unspaced.test(chunk) ? wordsOf(chunk) : [chunk]));
}

/** Words where nothing stands between them. Punctuation stays with the word before it. */
function wordsOf(chunk: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of words().segment(chunk)) {
    if (isWordLike === true || found.length === 0) found.push(segment);
    else found.push((found.pop() ?? "") + segment);
  }
  return found;
}

/** A piece as it is, or in parts when it is wider than a whole line. */
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
