import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { zstdDecompress, zstdDecompressSync } from "node:zlib";
import regularPath from "./DejaVuSans.ttf.zst" with { type: "file" };
import boldPath from "./DejaVuSans-Bold.ttf.zst" with { type: "file" };
import emojiPath from "./NotoEmoji.ttf.zst" with { type: "file" };
import bengaliPath from "./NotoSansBengali.ttf.zst" with { type: "file" };
import cjkPath from "./NotoSansCJK.ttc.zst" with { type: "file" };
import devanagariPath from "./NotoSansDevanagari.ttf.zst" with { type: "file" };
import ethiopicPath from "./NotoSansEthiopic.ttf.zst" with { type: "file" };
import gujaratiPath from "./NotoSansGujarati.ttf.zst" with { type: "file" };
import gurmukhiPath from "./NotoSansGurmukhi.ttf.zst" with { type: "file" };
import kannadaPath from "./NotoSansKannada.ttf.zst" with { type: "file" };
import khmerPath from "./NotoSansKhmer.ttf.zst" with { type: "file" };
import malayalamPath from "./NotoSansMalayalam.ttf.zst" with { type: "file" };
import myanmarPath from "./NotoSansMyanmar.ttf.zst" with { type: "file" };
import sinhalaPath from "./NotoSansSinhala.ttf.zst" with { type: "file" };
import tamilPath from "./NotoSansTamil.ttf.zst" with { type: "file" };
import teluguPath from "./NotoSansTelugu.ttf.zst" with { type: "file" };
import thaiPath from "./NotoSansThai.ttf.zst" with { type: "file" };

// `bun scripts/fonts.ts` makes the packed files. Each is unpacked when text is first set in it.

/** A font file that the program carries. */
export interface FontFile {
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
export function hasCjk(): boolean {
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
