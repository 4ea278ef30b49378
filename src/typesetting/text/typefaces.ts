import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";
import { create, type Font } from "@cantoo/fontkit";
import emojiPath from "@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf" with { type: "file" };
import bengaliPath from "@expo-google-fonts/noto-sans-bengali/400Regular/NotoSansBengali_400Regular.ttf" with {
  type: "file",
};
import devanagariPath from "@expo-google-fonts/noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf" with {
  type: "file",
};
import ethiopicPath from "@expo-google-fonts/noto-sans-ethiopic/400Regular/NotoSansEthiopic_400Regular.ttf" with {
  type: "file",
};
import gujaratiPath from "@expo-google-fonts/noto-sans-gujarati/400Regular/NotoSansGujarati_400Regular.ttf" with {
  type: "file",
};
import gurmukhiPath from "@expo-google-fonts/noto-sans-gurmukhi/400Regular/NotoSansGurmukhi_400Regular.ttf" with {
  type: "file",
};
import japanesePath from "@expo-google-fonts/noto-sans-jp/400Regular/NotoSansJP_400Regular.ttf" with { type: "file" };
import kannadaPath from "@expo-google-fonts/noto-sans-kannada/400Regular/NotoSansKannada_400Regular.ttf" with {
  type: "file",
};
import khmerPath from "@expo-google-fonts/noto-sans-khmer/400Regular/NotoSansKhmer_400Regular.ttf" with {
  type: "file",
};
import koreanPath from "@expo-google-fonts/noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf" with { type: "file" };
import malayalamPath from "@expo-google-fonts/noto-sans-malayalam/400Regular/NotoSansMalayalam_400Regular.ttf" with {
  type: "file",
};
import myanmarPath from "@expo-google-fonts/noto-sans-myanmar/400Regular/NotoSansMyanmar_400Regular.ttf" with {
  type: "file",
};
import chinesePath from "@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf" with { type: "file" };
import sinhalaPath from "@expo-google-fonts/noto-sans-sinhala/400Regular/NotoSansSinhala_400Regular.ttf" with {
  type: "file",
};
import tamilPath from "@expo-google-fonts/noto-sans-tamil/400Regular/NotoSansTamil_400Regular.ttf" with {
  type: "file",
};
import teluguPath from "@expo-google-fonts/noto-sans-telugu/400Regular/NotoSansTelugu_400Regular.ttf" with {
  type: "file",
};
import thaiPath from "@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf" with { type: "file" };
import regularPath from "dejavu-fonts-ttf/ttf/DejaVuSans.ttf" with { type: "file" };
import boldPath from "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf" with { type: "file" };
import { anyOfScripts } from "./scripts.ts";

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

const regular = typeface("DejaVuSans", regularPath, everything, false);
const bold = typeface("DejaVuSans-Bold", boldPath, everything, false);

// Scripts that have a font of their own. DejaVu has Greek, Cyrillic, Arabic, Hebrew, Armenian, Georgian and Lao.
const ofScripts = (
  [
    ["Bengali", bengaliPath],
    ["Devanagari", devanagariPath],
    ["Ethiopic", ethiopicPath],
    ["Gujarati", gujaratiPath],
    ["Gurmukhi", gurmukhiPath],
    ["Kannada", kannadaPath],
    ["Khmer", khmerPath],
    ["Malayalam", malayalamPath],
    ["Myanmar", myanmarPath],
    ["Sinhala", sinhalaPath],
    ["Tamil", tamilPath],
    ["Telugu", teluguPath],
    ["Thai", thaiPath],
  ] as const
).map(([script, path]) => typeface(`NotoSans${script}`, path, new RegExp(`\\p{scx=${script}}`, "u")));

const chinese = typeface("NotoSansSC", chinesePath, eastAsian);
const japanese = typeface("NotoSansJP", japanesePath, eastAsian);
const korean = typeface("NotoSansKR", koreanPath, eastAsian);

/** Pictures of one colour: a printer of labels has no other. */
export const emoji = typeface("NotoEmoji", emojiPath, /\p{Emoji}/u);

function typeface(name: string, path: string, covers: RegExp, light = true): Typeface {
  let opened: Font | undefined;
  return {
    name,
    covers,
    light,
    font() {
      opened ??= create(readFontFile(path)) as Font;
      return opened;
    },
    async open() {
      if (opened !== undefined) return;
      const bytes = await readFile(path);
      const unpacked = isPacked(bytes) ? await promisify(gunzip)(bytes) : bytes;
      opened ??= create(new Uint8Array(unpacked)) as Font;
    },
  };
}

/** The bytes of a font that the program carries: packed in the compiled binary, plain in the source tree. */
export function readFontFile(path: string): Uint8Array {
  const bytes = readFileSync(path);
  return new Uint8Array(isPacked(bytes) ? gunzipSync(bytes) : bytes);
}

const isPacked = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Opens the large fonts that a text wants before it is set, one after the other. */
export async function openTypefaces(text: string): Promise<void> {
  const wanted: (readonly [RegExp, Typeface])[] = [
    ...ofScripts.map((face) => [face.covers, face] as const),
    [/\p{Script=Han}/u, chinese],
    [kana, japanese],
    [hangul, korean],
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
  return [...first, ...ofScripts, ...eastern, emoji];
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
