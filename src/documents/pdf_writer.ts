import { deflateSync } from "node:zlib";
import type { Subset } from "@cantoo/fontkit";
import { type PDFContext, PDFDocument, PDFName, type PDFPage, type PDFRef, PDFString } from "@cantoo/pdf-lib";
import type { TextSymbol } from "./barcodes.ts";
import type { DocumentImage } from "./document.ts";
import { type GlyphRun, type PlacedGlyph, shapeText } from "./shape_text.ts";
import type { Typeface } from "./typefaces.ts";

/** A typeface embedded in one PDF, reduced to the glyphs in use. */
interface EmbeddedFace {
  /** Its name in the page's font resources. */
  readonly key: string;
  readonly ref: PDFRef;
  /** The code of a glyph in this PDF. */
  code(glyph: PlacedGlyph): number;
  /** The width of a glyph according to the font, in ems. */
  width(glyph: PlacedGlyph): number;
}

/** A glyph in use. Its width is in ems. */
interface UsedGlyph {
  readonly text: string;
  readonly width: number;
}

interface OpenFace extends EmbeddedFace {
  readonly face: Typeface;
  readonly subset: Subset;
  readonly used: Map<number, UsedGlyph>;
}

/** The typefaces of one PDF. `write` embeds them after the last text. */
interface Faces {
  of(face: Typeface): EmbeddedFace;
  write(): void;
}

function openFaces(context: PDFContext): Faces {
  const open = new Map<Typeface, OpenFace>();
  return {
    of(face) {
      return open.getOrInsertComputed(face, () => openFace(face, `F${open.size + 1}`, context.nextRef()));
    },
    write() {
      for (const face of open.values()) writeFace(context, face);
    },
  };
}

function openFace(face: Typeface, key: string, ref: PDFRef): OpenFace {
  const font = face.font();
  const subset = font.createSubset();
  const used = new Map<number, UsedGlyph>();
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

function writeFace(context: PDFContext, { face, ref, subset, used }: OpenFace): void {
  const font = face.font();
  const scaled = (units: number) => Math.round((units * 1000) / font.unitsPerEm);
  const { minX, minY, maxX, maxY } = font.bbox;
  // Six letters before the name mark a subset of a font.
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

/** Stores a stream, compressed by the runtime: the library's own compression takes ten times as long. */
function packedStream(context: PDFContext, content: Uint8Array | string): PDFRef {
  return context.register(context.stream(deflateSync(content), { Filter: "FlateDecode" }));
}

// The format allows at most 100 lines in one block.
const block_max = 100;

/** Maps codes to Unicode, so that the text of the PDF can be searched and copied. */
function unicodeMap(used: ReadonlyMap<number, UsedGlyph>): string {
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
function hex4(value: number): string {
  return value.toString(16).padStart(4, "0");
}

/** Size (points), weight and color of text. `gray` is 0 for black and 1 for white. */
export interface Ink {
  readonly size: number;
  readonly bold: boolean;
  readonly gray: number;
}

type Align = "left" | "center" | "right";

/** The sides of a page in points, 72 to the inch. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** Writes a page. Lengths are in points, from the upper left corner. */
export interface PdfPageWriter {
  /** One line of text: `x` is its left edge, center or right edge, depending on `align`; `y` is the baseline. */
  text(x: number, y: number, text: string, ink: Ink, align?: Align): void;
  fill(x: number, y: number, width: number, height: number, gray: number): void;
  /** An embedded image, by its upper left corner. */
  image(x: number, y: number, width: number, height: number, image: PDFRef): void;
  frame(x: number, y: number, width: number, height: number, line: number): void;
  /** A barcode whose thinnest bar is `module` wide. `height` applies to the bars of Code 128. */
  symbol(x: number, y: number, symbol: TextSymbol, module: number, height: number): void;
}

/** Consecutive pages of one size. */
export interface PdfSection {
  readonly size: PageSize;
  readonly leaves: readonly PdfPageWriter[];
  turn(): PdfPageWriter;
  /** Stores the pages, compressed. Nothing can be drawn on them afterwards. */
  close(): void;
}

/** A PDF built section by section. The sections share their fonts. */
export interface PdfBook {
  /** The library's document, for pages of other sources. */
  readonly document: PDFDocument;
  section(size: PageSize): PdfSection;
  /** Embeds an image once, however often it is drawn. */
  image(image: DocumentImage): Promise<PDFRef>;
  /** The finished file, once all sections are closed. Nothing can be written afterwards. */
  bytes(): Promise<Uint8Array>;
}

/** Opens an empty PDF. `now` (ms) becomes its creation time. */
export async function openBook(title: string, now: number): Promise<PdfBook> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setTitle(title, { showInWindowTitleBar: true });
  document.setProducer("Packhouse");
  document.setCreationDate(new Date(now));
  document.setModificationDate(new Date(now));
  const faces = openFaces(document.context);
  const images = new Map<string, Promise<PDFRef>>();
  const embed = async ({ type, base64 }: DocumentImage) => {
    const bytes = Buffer.from(base64, "base64");
    return (await (type === "png" ? document.embedPng(bytes) : document.embedJpg(bytes))).ref;
  };
  return {
    document,
    image: (image) => images.getOrInsertComputed(image.base64, () => embed(image)),
    section(size) {
      const leaves: PdfLeaf[] = [];
      return {
        size,
        leaves,
        turn() {
          const leaf = new PdfLeaf(document.addPage([size.width, size.height]), faces, size.height);
          leaves.push(leaf);
          return leaf;
        },
        close() {
          for (const leaf of leaves) leaf.close();
        },
      };
    },
    async bytes() {
      faces.write();
      return document.save();
    },
  };
}

/** The operators of one page, written as text. */
class PdfLeaf implements PdfPageWriter {
  readonly #operators: string[] = [];
  readonly #fonts = new Map<string, EmbeddedFace>();
  readonly #page: PDFPage;
  readonly #faces: Faces;
  readonly #height: number;

  constructor(page: PDFPage, faces: Faces, height: number) {
    this.#page = page;
    this.#faces = faces;
    this.#height = height;
  }

  text(x: number, y: number, text: string, ink: Ink, align: Align = "left"): void {
    const shaped = shapeText(text, ink.bold);
    const before = { left: 0, center: shaped.width / 2, right: shaped.width }[align];
    const left = x - before * ink.size;
    this.#operators.push(`BT ${ink.gray} g ${round(ink.gray)} G ${round(left)} ${round(this.#height - y)} Td`);
    // Each run starts where the previous one left the pen.
    for (const run of shaped.runs) this.#run(run, ink);
    this.#operators.push("ET");
  }

  #run({ face, glyphs }: GlyphRun, { size, bold }: Ink): void {
    const embedded = this.#faces.of(face);
    this.#fonts.set(embedded.key, embedded);
    const heavy = bold && face.light;
    this.#operators.push(`/${embedded.key} ${round(size)} Tf ${heavy ? `2 Tr ${round(size / 40)} w` : "0 Tr"}`);
    const writer = new RunWriter(size);
    for (const glyph of glyphs)
      writer.put(glyph.y, glyph.x, hex4(embedded.code(glyph)), glyph.advance, embedded.width(glyph));
    this.#operators.push(writer.operators());
  }

  fill(x: number, y: number, width: number, height: number, gray: number): void {
    this.#operators.push(`${gray} g ${this.#rectangle(x, y, width, height)} f`);
  }

  image(x: number, y: number, width: number, height: number, image: PDFRef): void {
    const key = this.#page.node.newXObject("Image", image);
    const [left, bottom] = [round(x), round(this.#height - y - height)];
    this.#operators.push(`q ${round(width)} 0 0 ${round(height)} ${left} ${bottom} cm ${key} Do Q`);
  }

  frame(x: number, y: number, width: number, height: number, line: number): void {
    this.#operators.push(`0 G ${line} w ${this.#rectangle(x, y, width, height)} S`);
  }

  symbol(x: number, y: number, symbol: TextSymbol, module: number, height: number): void {
    const rows =
      symbol.kind === "code128"
        ? symbol.bars.map((bar) => this.#rectangle(x + bar.at * module, y, bar.width * module, height))
        : symbol.rows.flatMap((row, at) =>
            row.map((bar) => this.#rectangle(x + bar.at * module, y + at * module, bar.width * module, module)),
          );
    this.#operators.push(`0 g ${rows.join(" ")} f`);
  }

  #rectangle(x: number, y: number, width: number, height: number): string {
    return `${round(x)} ${round(this.#height - y - height)} ${round(width)} ${round(height)} re`;
  }

  close(): void {
    const { node, doc } = this.#page;
    node.addContentStream(packedStream(doc.context, this.#operators.join("\n")));
    for (const { key, ref } of this.#fonts.values()) node.setFontDictionary(PDFName.of(key), ref);
  }
}

/** Writes the glyphs of one run: those on the baseline in one array, with pen corrections in between. */
class RunWriter {
  readonly #parts: string[] = [];
  readonly #size: number;
  #array = "";
  #rise = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** A glyph `y` above the baseline and `x` right of the pen, which then moves by `advance`. `width` is the font's. */
  put(y: number, x: number, code: string, advance: number, width: number): void {
    if (y !== this.#rise) this.#lift(y);
    this.#move(x);
    this.#array += `<${code}>`;
    this.#move(advance - width - x);
  }

  #move(ems: number): void {
    const thousandths = Math.round(ems * -1000);
    if (thousandths !== 0) this.#array += ` ${thousandths} `;
  }

  #lift(y: number): void {
    this.#flush();
    this.#rise = y;
    this.#parts.push(`${round(y * this.#size)} Ts`);
  }

  #flush(): void {
    if (this.#array !== "") this.#parts.push(`[${this.#array.replaceAll("><", "")}] TJ`);
    this.#array = "";
  }

  operators(): string {
    if (this.#rise !== 0) this.#lift(0);
    this.#flush();
    return this.#parts.join(" ");
  }
}

const round = (value: number) => Math.round(value * 1000) / 1000;
