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

// `bun scripts/fonts.ts` makes the compressed files. Each is decompressed on first use.

/** A bundled font file. */
interface FontFile {
  /** The bytes of the font, decompressed on first use and cached. */
  bytes(): Uint8Array;
  /** Decompresses it in advance, off the main thread. */
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

/** Cover most European scripts, and several others. */
export const dejaVu = { regular: fontFile(regularPath), bold: fontFile(boldPath) };

/** Monochrome emoji. */
export const notoEmoji = fontFile(emojiPath);

/** A collection of `NotoSansSC`, `NotoSansJP` and `NotoSansKR`, which share thousands of glyphs. */
export const notoSansCjk = fontFile(cjkPath);

const cjk_is_there = existsSync(cjkPath);

/** Whether the CJK collection is available. The binary does not include it, but reads a file next to itself. */
function hasCjk(): boolean {
  return cjk_is_there;
}

/** Fonts of a single script, by its Unicode name. */
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

/** A regular expression source that matches one character of these scripts, named as in Unicode. */
export function anyOfScripts(...names: readonly string[]): string {
  return `[${names.map((name) => `\\p{Script=${name}}`).join("")}]`;
}

/** A font for shaping text. */
export interface Typeface {
  readonly name: string;
  /** The parsed font, opened on first use and cached. */
  font(): Font;
  /** Opens the font in advance. Decompression runs off the main thread. */
  open(): Promise<void>;
  /** The characters to look up in it, so that large fonts are not opened needlessly. */
  readonly covers: RegExp;
  /** The font has no bold weight, so bold text is outlined. */
  readonly light: boolean;
}

const everything = /^/u;
// The second half is shared by these scripts: punctuation, circled numbers, full-width and half-width forms.
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

/** Monochrome emoji: label printers have one color. */
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

// Loaded with the first font: a server that prints nothing does not need it.
const fontkit = () => require("@cantoo/fontkit") as typeof import("@cantoo/fontkit");

/** The font in a file, or the one with this name in a collection. */
function fontNamed(name: string, read: Font | FontCollection): Font {
  if (!("fonts" in read)) return read;
  const found = read.getFont(`${name}-Regular`);
  assert(found !== null, `there is no font ${name}`);
  return found;
}

/**
 * Advice on how to add the fonts that a text needs; null if none is missing. `has_cjk` is whether the Chinese,
 * Japanese and Korean fonts are available.
 */
export function missingFonts(text: string, has_cjk = hasCjk()): string | null {
  if (has_cjk || !eastAsian.test(text)) return null;
  return "To print Chinese, Japanese and Korean, put packhouse-fonts.zst next to the program and restart it";
}

/** Opens the large fonts that a text needs, one at a time. Call it before shaping the text. */
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
 * The typefaces to search for a character, in order. Chinese characters look different in Japan and Korea, so kana or
 * Hangul elsewhere in `text` decide.
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
// Characters that are never drawn, and so need not be in a font.
const unseen = /\u034f|\u200c|\u200d|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/** The first typeface that has a character and all of its marks; null if none does. */
export function findTypeface(cluster: string, faces: readonly Typeface[]): Typeface | null {
  const ordered = isPicture.test(cluster) ? [emoji, ...faces] : faces;
  const drawn = [...cluster.replaceAll(unseen, "")].map((character) => character.codePointAt(0) ?? 0);
  const found = ordered.find(
    (face) => face.covers.test(cluster) && drawn.every((code_point) => face.font().hasGlyphForCodePoint(code_point)),
  );
  return found ?? null;
}
