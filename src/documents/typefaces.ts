import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { zstdDecompress, zstdDecompressSync } from "node:zlib";
import type { Font, FontCollection } from "@cantoo/fontkit";
import { assert } from "../core/faults.ts";
import regularPath from "./fonts/DejaVuSans.ttf.zst" with { type: "file" };
import boldPath from "./fonts/DejaVuSans-Bold.ttf.zst" with { type: "file" };
import emojiPath from "./fonts/NotoEmoji.ttf.zst" with { type: "file" };
import bengaliPath from "./fonts/NotoSansBengali.ttf.zst" with { type: "file" };
import cjkPath from "./fonts/NotoSansCJK.ttc.zst" with { type: "file" };
import devanagariPath from "./fonts/NotoSansDevanagari.ttf.zst" with { type: "file" };
import ethiopicPath from "./fonts/NotoSansEthiopic.ttf.zst" with { type: "file" };
import gujaratiPath from "./fonts/NotoSansGujarati.ttf.zst" with { type: "file" };
import gurmukhiPath from "./fonts/NotoSansGurmukhi.ttf.zst" with { type: "file" };
import kannadaPath from "./fonts/NotoSansKannada.ttf.zst" with { type: "file" };
import khmerPath from "./fonts/NotoSansKhmer.ttf.zst" with { type: "file" };
import malayalamPath from "./fonts/NotoSansMalayalam.ttf.zst" with { type: "file" };
import myanmarPath from "./fonts/NotoSansMyanmar.ttf.zst" with { type: "file" };
import sinhalaPath from "./fonts/NotoSansSinhala.ttf.zst" with { type: "file" };
import tamilPath from "./fonts/NotoSansTamil.ttf.zst" with { type: "file" };
import teluguPath from "./fonts/NotoSansTelugu.ttf.zst" with { type: "file" };
import thaiPath from "./fonts/NotoSansThai.ttf.zst" with { type: "file" };

// `bun scripts/fonts.ts` makes the packed files. Each is unpacked when text is first set in it.

/** A font file that the program carries. */
interface FontFile {
  /** The bytes of the font, unpacked on the first use and kept. */
  bytes(): Uint8Array;
  /** Unpacks it beforehand, while others get their turn. */
  unpack(): Promise<void>;
}

const unpacked = promisify(zstdDecompress);

function fontFile(path: string): FontFile {
  let kept: Uint8Array | undefined;
  return {
    bytes() {
      kept ??= new Uint8Array(zstdDecompressSync(readFileSync(path)));
      return kept;
    },
    async unpack() {
      if (kept !== undefined) return;
      const bytes = new Uint8Array(await unpacked(await readFile(path)));
      kept ??= bytes;
    },
  };
}

/** The fonts that have most of Europe's letters, and others beside. */
export const dejaVu = { regular: fontFile(regularPath), bold: fontFile(boldPath) };

/** Pictures of one colour. */
export const notoEmoji = fontFile(emojiPath);

/** A collection of three fonts: `NotoSansSC`, `NotoSansJP` and `NotoSansKR`, which share thousands of shapes. */
export const notoSansCjk = fontFile(cjkPath);

const cjk_is_there = existsSync(cjkPath);

/** Whether the collection is there: the binary does not carry it, but looks for a file beside itself. */
function hasCjk(): boolean {
  return cjk_is_there;
}

/** The fonts of one script each, by its Unicode name. */
export const notoSans = {
  Bengali: fontFile(bengaliPath),
  Devanagari: fontFile(devanagariPath),
  Ethiopic: fontFile(ethiopicPath),
  Gujarati: fontFile(gujaratiPath),
  Gurmukhi: fontFile(gurmukhiPath),
  Kannada: fontFile(kannadaPath),
  Khmer: fontFile(khmerPath),
  Malayalam: fontFile(malayalamPath),
  Myanmar: fontFile(myanmarPath),
  Sinhala: fontFile(sinhalaPath),
  Tamil: fontFile(tamilPath),
  Telugu: fontFile(teluguPath),
  Thai: fontFile(thaiPath),
};

/** The source of a pattern for one character of any of these scripts, by their Unicode names. */
export function anyOfScripts(...names: readonly string[]): string {
  return `[${names.map((name) => `\\p{Script=${name}}`).join("")}]`;
}

/** A font that text may be set in. */
export interface Typeface {
  readonly name: string;
  /** The parsed font, opened on the first use and kept. */
  font(): Font;
  /** Opens the font beforehand, and unpacks it while others get their turn. */
  open(): Promise<void>;
  /** The characters that may be looked for in it, so that no large font is opened in vain. */
  readonly covers: RegExp;
  /** Its letters are light, so bold text is drawn with a line around them. */
  readonly light: boolean;
}

const everything = /^/u;
// The second half is what these scripts share: punctuation, numbers in circles, wide and narrow forms.
const eastAsian = new RegExp(
  `${anyOfScripts("Han", "Hiragana", "Katakana", "Bopomofo", "Hangul")}|` +
    "[\\u2e80-\\u33ff\\ufe30-\\ufe4f\\uff00-\\uffef]",
  "u",
);

const regular = typeface("DejaVuSans", dejaVu.regular, everything, false);
const bold = typeface("DejaVuSans-Bold", dejaVu.bold, everything, false);

// Scripts that have a font of their own. DejaVu has Greek, Cyrillic, Arabic, Hebrew, Armenian, Georgian and Lao.
const ofScripts = Object.entries(notoSans).map(([script, file]) =>
  typeface(`NotoSans${script}`, file, new RegExp(`\\p{scx=${script}}`, "u")),
);

const chinese = typeface("NotoSansSC", notoSansCjk, eastAsian);
const japanese = typeface("NotoSansJP", notoSansCjk, eastAsian);
const korean = typeface("NotoSansKR", notoSansCjk, eastAsian);

/** Pictures of one colour: a printer of labels has no other. */
export const emoji = typeface("NotoEmoji", notoEmoji, /\p{Emoji}/u);

function typeface(name: string, file: FontFile, covers: RegExp, light = true): Typeface {
  let opened: Font | undefined;
  const font = () => {
    opened ??= fontNamed(name, fontkit().create(file.bytes()));
    return opened;
  };
  const open = async () => {
    if (opened === undefined) await file.unpack();
    font();
  };
  return { name, covers, light, font, open };
}

// Loaded with the first font: a server that prints nothing does without.
const fontkit = () => require("@cantoo/fontkit") as typeof import("@cantoo/fontkit");

/** The font of a file, or the one of this name of a collection. */
function fontNamed(name: string, read: Font | FontCollection): Font {
  if (!("fonts" in read)) return read;
  const found = read.getFont(`${name}-Regular`);
  assert(found !== null, `there is no font ${name}`);
  return found;
}

/**
 * What to do about the letters of a text that have no font because a file is missing; null when none is. `has_cjk` says
 * whether the fonts of Chinese, Japanese and Korean are there.
 */
export function missingFonts(text: string, has_cjk = hasCjk()): string | null {
  if (has_cjk || !eastAsian.test(text)) return null;
  return "To print Chinese, Japanese and Korean, put the file packhouse-fonts.zst beside the program and restart it";
}

/** Opens the large fonts that a text wants before it is set, one after the other. */
export async function openTypefaces(text: string): Promise<void> {
  const wanted: (readonly [RegExp, Typeface])[] = [
    ...ofScripts.map((face) => [face.covers, face] as const),
    ...(hasCjk()
      ? ([
          [/\p{Script=Han}/u, chinese],
          [kana, japanese],
          [hangul, korean],
        ] as const)
      : []),
    [/\p{Extended_Pictographic}/u, emoji],
  ];
  for (const [characters, face] of wanted) if (characters.test(text)) await face.open();
}

const kana = new RegExp(anyOfScripts("Hiragana", "Katakana"), "u");
const hangul = new RegExp(anyOfScripts("Hangul"), "u");

/**
 * The typefaces to look for a character in, in this order. The same Chinese character has another shape in Japan and in
 * Korea, so the kana or Hangul that stand beside it in `text` decide.
 */
export function typefacesFor(text: string, is_bold: boolean): readonly Typeface[] {
  const first = is_bold ? [bold, regular] : [regular];
  const eastern = kana.test(text)
    ? [japanese, chinese, korean]
    : hangul.test(text)
      ? [korean, chinese, japanese]
      : [chinese, japanese, korean];
  return [...first, ...ofScripts, ...(hasCjk() ? eastern : []), emoji];
}

const isPicture = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Extended_Pictographic}\u200d)/u;
// What is never drawn itself, and so need not be in a font.
const unseen = /\u034f|\u200c|\u200d|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/** The typeface that has all of a character and its marks; null when none has. */
export function findTypeface(cluster: string, faces: readonly Typeface[]): Typeface | null {
  const ordered = isPicture.test(cluster) ? [emoji, ...faces] : faces;
  const drawn = [...cluster.replaceAll(unseen, "")].map((character) => character.codePointAt(0) ?? 0);
  const found = ordered.find(
    (face) => face.covers.test(cluster) && drawn.every((code_point) => face.font().hasGlyphForCodePoint(code_point)),
  );
  return found ?? null;
}
