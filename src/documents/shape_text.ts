import bidiFactory from "bidi-js";
import { onFirstUse } from "../core/memoize.ts";
import { anyOfScripts, emoji, findTypeface, type Typeface, typefacesFor } from "./typefaces.ts";

/** A glyph of a run. Lengths are in ems. */
export interface PlacedGlyph {
  readonly id: number;
  readonly advance: number;
  /** The offset from the pen. */
  readonly x: number;
  readonly y: number;
  /** The characters it represents, for copying and searching. */
  readonly text: string;
}

/** Consecutive glyphs of one typeface, from left to right. */
export interface GlyphRun {
  readonly face: Typeface;
  readonly glyphs: readonly PlacedGlyph[];
}

/** One shaped line, from left to right. `width` is in ems. */
interface ShapedText {
  readonly runs: readonly GlyphRun[];
  readonly width: number;
}

const bidi = onFirstUse(bidiFactory);
const graphemes = onFirstUse(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

// The same names and numbers recur on every page and list of the day.
const shaped = new Map<string, ShapedText>();
const shaped_max = 10_000;

/** Shapes one line: chooses typefaces, joins letters, places marks and puts right-to-left text into visual order. */
export function shapeText(text: string, is_bold: boolean): ShapedText {
  const key = `${is_bold ? "b" : "r"}${text}`;
  const known = shaped.get(key);
  if (known !== undefined) return known;
  const runs = visualOrder(segments(text, is_bold)).map(runOf);
  const width = runs.reduce((sum, run) => run.glyphs.reduce((total, glyph) => total + glyph.advance, sum), 0);
  const made = { runs, width };
  if (shaped.size >= shaped_max) shaped.clear();
  shaped.set(key, made);
  return made;
}

/** The width of a text, in the unit of `size`. */
export function shapedWidth(text: string, size: number, is_bold: boolean): number {
  return shapeText(text, is_bold).width * size;
}

// The replacement character, for letters that were lost earlier.
const lost = "\ufffd";

/** The distinct letters of a line that no typeface has, in order. */
export function unprintableLetters(text: string): string[] {
  if (plain.test(text)) return [];
  const faces = typefacesFor(text, false);
  const letters = new Set([...graphemes().segment(text)].map(({ segment }) => segment));
  return [...letters].filter((letter) => letter === lost || findTypeface(letter, faces) === null);
}

// Format characters that change how neighbors are drawn. All others, such as direction overrides, are removed.
const joiners = /\u200c|\u200d|\ufe0e|\ufe0f/u;

// Most lines are printable ASCII with single spaces between words, and need no work.
const tidy = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** One line in NFC without control characters and with single spaces. Joiners of letters and emoji stay. */
export function printableLine(text: string): string {
  if (tidy.test(text)) return text;
  return text
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/\p{Cf}/gu, (character) => (joiners.test(character) ? character : ""))
    .replaceAll(/[\p{Cc}\p{Z}]+/gu, " ")
    .trim();
}

/** Text of one typeface and one direction. Odd levels run from right to left. */
interface ShapedSegment {
  readonly text: string;
  readonly face: Typeface;
  readonly level: number;
}

const plain = /^[ -~\u00a0-\u02af]*$/;

function segments(text: string, is_bold: boolean): ShapedSegment[] {
  const faces = typefacesFor(text, is_bold);
  if (plain.test(text)) return text === "" ? [] : [{ text, face: faces[0] as Typeface, level: 0 }];
  const { levels } = bidi().getEmbeddingLevels(text);
  const found: { text: string; face: Typeface; level: number }[] = [];
  for (const { segment, index } of graphemes().segment(text)) {
    const level = levels[index] ?? 0;
    const last = found.at(-1);
    const own = segment === " " && last?.level === level ? spaceFace(last.face, faces) : findTypeface(segment, faces);
    // The first typeface draws an empty box for a letter that none has.
    const face = own ?? (faces[0] as Typeface);
    const drawn = level % 2 === 1 ? mirrored(segment) : segment;
    if (last?.face === face && last.level === level) last.text += drawn;
    else found.push({ text: drawn, face, level });
  }
  return found;
}

/** A space takes the typeface of the word before it, and so its width. */
function spaceFace(before: Typeface, faces: readonly Typeface[]): Typeface {
  return before !== emoji && before.font().hasGlyphForCodePoint(0x20) ? before : (faces[0] as Typeface);
}

const mirrored = (text: string) => bidi().getMirroredCharacter(text) ?? text;

/** Rule L2 of the bidirectional algorithm: from the highest level down, reverses each run at that level or above. */
function visualOrder(logical: readonly ShapedSegment[]): ShapedSegment[] {
  const order = [...logical];
  const highest = Math.max(0, ...order.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let start = 0; start < order.length; start++) {
      let end = start;
      while (end < order.length && (order[end]?.level ?? 0) >= level) end++;
      if (end > start) order.splice(start, end - start, ...order.slice(start, end).reverse());
      start = Math.max(start, end - 1);
    }
  }
  return order;
}

// Scripts that need no joining.
const western = ["Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Common"];
const simple = new RegExp(`^${anyOfScripts(...western, "Han", "Hiragana", "Katakana", "Hangul")}*$`, "u");
const joined = /\p{M}|\u200c|\u200d|[\u1100-\u11ff]/u;

function runOf({ text, face, level }: ShapedSegment): GlyphRun {
  const isSimple = level % 2 === 0 && face !== emoji && simple.test(text) && !joined.test(text);
  return { face, glyphs: isSimple ? plainGlyphs(text, face) : joinedGlyphs(text, face, level) };
}

function plainGlyphs(text: string, face: Typeface): PlacedGlyph[] {
  const font = face.font();
  return [...text].map((character) => {
    const glyph = font.glyphForCodePoint(character.codePointAt(0) ?? 0);
    return { id: glyph?.id ?? 0, advance: (glyph?.advanceWidth ?? 0) / font.unitsPerEm, x: 0, y: 0, text: character };
  });
}

// Letters never join across a space, so each word is shaped once.
const setWords = new Map<string, readonly PlacedGlyph[]>();

function joinedGlyphs(text: string, face: Typeface, level: number): PlacedGlyph[] {
  const direction = level % 2 === 1 ? "rtl" : "ltr";
  const words = text.split(/(?<= )|(?= )/);
  if (direction === "rtl") words.reverse();
  return words.flatMap((word) => {
    const key = `${face.name} ${direction} ${word}`;
    const glyphs = setWords.get(key) ?? joinedWord(word, face, direction);
    if (setWords.size >= shaped_max) setWords.clear();
    setWords.set(key, glyphs);
    return glyphs;
  });
}

// fontkit neither reorders nor joins this script. We move vowels and medials that are drawn before their consonant to
// the front, and what is drawn on top of it to the back.
const burmese = /\p{Script=Myanmar}/u;
const kinzi = "((?:[\u1004\u101b\u105a]\u103a\u1039)?)";
const consonant = "([\u1000-\u102a\u103f](?:\u1039[\u1000-\u102a])*)";
const syllable = new RegExp(`${kinzi}${consonant}(\u103b?)(\u103c?)([\u103d\u103e]*)(\u1031?)`, "g");
const burmeseShaping = {
  order: (text: string) => text.replaceAll(syllable, "$6$4$2$1$3$5"),
  features: ["rphf", "pref", "blwf", "pstf", "pres", "abvs", "blws", "psts"],
};
const usualShaping = { order: (text: string) => text, features: null };

function joinedWord(text: string, face: Typeface, direction: "ltr" | "rtl"): PlacedGlyph[] {
  const font = face.font();
  const { order, features } = burmese.test(text) ? burmeseShaping : usualShaping;
  const { glyphs, positions } = font.layout(order(text), features, null, null, direction);
  return glyphs.map(({ id, codePoints }, at) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions?.[at] ?? {};
    return {
      id,
      advance: xAdvance / font.unitsPerEm,
      x: xOffset / font.unitsPerEm,
      y: yOffset / font.unitsPerEm,
      text: String.fromCodePoint(...codePoints),
    };
  });
}
