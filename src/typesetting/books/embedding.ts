import { deflateSync } from "node:zlib";
import type { Subset } from "@cantoo/fontkit";
import { type PDFContext, type PDFRef, PDFString } from "@cantoo/pdf-lib";
import type { PlacedGlyph } from "../text/shaping.ts";
import type { Typeface } from "../text/typefaces.ts";

/** A typeface within one PDF, of which only the glyphs that were used are carried. */
export interface EmbeddedFace {
  /** Its name among the fonts of a page. */
  readonly key: string;
  readonly ref: PDFRef;
  /** The code of a glyph in the texts of this PDF. */
  code(glyph: PlacedGlyph): number;
  /** The width of a glyph as the font says, in ems. */
  width(glyph: PlacedGlyph): number;
}

/** What is known of a glyph that was used; its width is in ems. */
interface Used {
  readonly text: string;
  readonly width: number;
}

interface Open extends EmbeddedFace {
  readonly face: Typeface;
  readonly subset: Subset;
  readonly used: Map<number, Used>;
}

/** The typefaces of one PDF. After the last text `write` puts them into it. */
export interface Faces {
  of(face: Typeface): EmbeddedFace;
  write(): void;
}

/** Opens the typefaces of a PDF that is being made. */
export function openFaces(context: PDFContext): Faces {
  const open = new Map<Typeface, Open>();
  return {
    of(face) {
      const known = open.get(face);
      if (known !== undefined) return known;
      const made = openFace(face, `F${open.size + 1}`, context.nextRef());
      open.set(face, made);
      return made;
    },
    write() {
      for (const face of open.values()) writeFace(context, face);
    },
  };
}

function openFace(face: Typeface, key: string, ref: PDFRef): Open {
  const font = face.font();
  const subset = font.createSubset();
  const used = new Map<number, Used>();
  const codes = new Map<number, number>();
  const code = ({ id, text }: PlacedGlyph) => {
    const known = codes.get(id);
    if (known !== undefined) return known;
    const made = subset.includeGlyph(id);
    codes.set(id, made);
    used.set(made, { text, width: (font.getGlyph(id)?.advanceWidth ?? 0) / font.unitsPerEm });
    return made;
  };
  return { face, key, ref, subset, used, code, width: (glyph) => used.get(code(glyph))?.width ?? 0 };
}

function writeFace(context: PDFContext, { face, ref, subset, used }: Open): void {
  const font = face.font();
  const scaled = (units: number) => Math.round((units * 1000) / font.unitsPerEm);
  const { minX, minY, maxX, maxY } = font.bbox;
  // Six letters before the name say that the font is a part of itself.
  const name = `PACKHO+${face.name}`;
  const descriptor = context.obj({
    Type: "FontDescriptor",
    FontName: name,
    Flags: 4,
    FontBBox: [minX, minY, maxX, maxY].map(scaled),
    ItalicAngle: font.italicAngle,
    Ascent: scaled(font.ascent),
    Descent: scaled(font.descent),
    CapHeight: scaled(font.capHeight || font.ascent),
    StemV: 80,
    FontFile2: packedStream(context, subset.encode()),
  });
  const descendant = context.obj({
    Type: "Font",
    Subtype: "CIDFontType2",
    BaseFont: name,
    CIDToGIDMap: "Identity",
    CIDSystemInfo: { Registry: PDFString.of("Adobe"), Ordering: PDFString.of("Identity"), Supplement: 0 },
    FontDescriptor: context.register(descriptor),
    W: [...used].flatMap(([code, { width }]) => [code, [Math.round(width * 1000)]]),
  });
  const whole = context.obj({
    Type: "Font",
    Subtype: "Type0",
    BaseFont: name,
    Encoding: "Identity-H",
    DescendantFonts: [context.register(descendant)],
    ToUnicode: packedStream(context, unicodeMap(used)),
  });
  context.assign(ref, whole);
}

/** Stores a stream, packed by the machine itself: what the library packs with takes ten times as long. */
export function packedStream(context: PDFContext, content: Uint8Array | string): PDFRef {
  return context.register(context.stream(deflateSync(content), { Filter: "FlateDecode" }));
}

// More than a hundred lines in one block are against the rules of the format.
const block_max = 100;

/** What each code stands for, so that the text of the PDF can be searched and copied. */
function unicodeMap(used: ReadonlyMap<number, Used>): string {
  const lines = [...used].map(([code, { text }]) => `<${hex4(code)}> <${utf16(text)}>`);
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at += block_max) {
    const block = lines.slice(at, at + block_max);
    blocks.push(`${block.length} beginbfchar\n${block.join("\n")}\nendbfchar`);
  }
  return [
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
    "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
    "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
    "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange",
    ...blocks,
    "endcmap CMapName currentdict /CMap defineresource pop end end",
  ].join("\n");
}

const utf16 = (text: string) => Array.from({ length: text.length }, (_, at) => hex4(text.charCodeAt(at))).join("");

/** A number as four hexadecimal digits. */
export function hex4(value: number): string {
  return value.toString(16).padStart(4, "0");
}
