import { PDFDocument, PDFName, type PDFPage } from "@cantoo/pdf-lib";
import type { TextSymbol } from "../symbols/symbols.ts";
import { type GlyphRun, shapeText } from "../text/shaping.ts";
import { type EmbeddedFace, type Faces, hex4, openFaces, packedStream } from "./embedding.ts";

/** How a text is set. `size` is in points; `gray` is 0 for black and 1 for white. */
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

/** A page that is written from the upper left corner; all lengths are points. */
export interface Leaf {
  /** One line of text: `x` is its left edge, its middle or its right edge by `align`, and `y` the baseline. */
  text(x: number, y: number, text: string, ink: Ink, align?: Align): void;
  fill(x: number, y: number, width: number, height: number, gray: number): void;
  frame(x: number, y: number, width: number, height: number, line: number): void;
  /** A symbol whose thinnest bar is `module` wide; `height` is that of the bars of a Code 128 one. */
  symbol(x: number, y: number, symbol: TextSymbol, module: number, height: number): void;
}

/** A PDF of several pages. */
export interface Book {
  readonly size: PageSize;
  readonly leaves: readonly Leaf[];
  turn(): Leaf;
  /** The finished file. Nothing is written after it. */
  bytes(): Promise<Uint8Array>;
}

/** Opens a PDF that is made now, `now` in milliseconds. */
export async function openBook(title: string, now: number, size: PageSize): Promise<Book> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setTitle(title, { showInWindowTitleBar: true });
  document.setProducer("Packhouse");
  document.setCreationDate(new Date(now));
  document.setModificationDate(new Date(now));
  const faces = openFaces(document.context);
  const leaves: PdfLeaf[] = [];
  return {
    size,
    leaves,
    turn() {
      const leaf = new PdfLeaf(document.addPage([size.width, size.height]), faces, size.height);
      leaves.push(leaf);
      return leaf;
    },
    async bytes() {
      for (const leaf of leaves) leaf.close();
      faces.write();
      return document.save();
    },
  };
}

/** The operators of one page, written as text. */
class PdfLeaf implements Leaf {
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
    // Every run begins where the one before it has left the pen.
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

/** Writes the glyphs of one run: what lies on the line in one array, with the corrections of the pen between. */
class RunWriter {
  readonly #parts: string[] = [];
  readonly #size: number;
  #array = "";
  #rise = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** A glyph `y` above the line and `x` right of the pen, which moves on by `advance`; its font says `width`. */
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
