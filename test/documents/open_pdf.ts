import { decodePDFRawStream, PDFDict, PDFDocument, PDFName, PDFRawStream } from "@cantoo/pdf-lib";
import { type Scanned, scan } from "./decode.ts";

/** A page parsed without the writer's code: its runs of text, and the symbols that a scanner reads. */
interface OpenedPage {
  readonly text: string;
  readonly size: readonly [number, number];
  scan(): Promise<Scanned[]>;
}

/** Opens every page of a PDF: the operators of its content, and the tables of its fonts. */
export async function openPages(bytes: Uint8Array): Promise<OpenedPage[]> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  return document.getPages().map((page) => {
    const { Contents, Font } = page.node.normalizedEntries();
    const streams = Contents?.asArray().map((item) => streamText(document.context.lookup(item) as PDFRawStream)) ?? [];
    const operators = streams.join("\n");
    const fonts = new Map<string, Map<string, string>>();
    for (const [name, value] of Font.entries()) {
      const table = document.context.lookup(value, PDFDict).get(PDFName.of("ToUnicode"));
      fonts.set(name.asString(), unicodeTable(streamText(document.context.lookup(table) as PDFRawStream)));
    }
    const size = [page.getWidth(), page.getHeight()] as const;
    return { text: textOf(operators, fonts), size, scan: () => scan(paint(operators, size)) };
  });
}

function streamText(stream: PDFRawStream): string {
  // Content that the library adds on loading is not compressed.
  const plain = stream as unknown as { getContents(): Uint8Array };
  const data = stream instanceof PDFRawStream ? decodePDFRawStream(stream).decode() : plain.getContents();
  return Buffer.from(data).toString("latin1");
}

function unicodeTable(cmap: string): Map<string, string> {
  const pairs = [...cmap.matchAll(/<([0-9a-f]{4})> <([0-9a-f]+)>/g)];
  return new Map(
    pairs.map(([, glyph = "", code = ""]) => [glyph, Buffer.from(code, "hex").swap16().toString("utf16le")]),
  );
}

function textOf(operators: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  let table: ReadonlyMap<string, string> | undefined;
  let text = "";
  for (const [operator, font, array] of operators.matchAll(/(\/F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ|ET/g)) {
    if (font !== undefined) table = fonts.get(font);
    else if (operator === "ET") text += "\n";
    for (const [, hex = ""] of (array ?? "").matchAll(/<([0-9a-f]*)>/g)) {
      text += (hex.match(/.{4}/g) ?? []).map((glyph) => table?.get(glyph) ?? "\0").join("");
    }
  }
  return text;
}

const dots = 200 / 72;

/** The filled rectangles of a page as pixels at 200 dpi. */
function paint(operators: string, [page_width, page_height]: readonly [number, number]) {
  const width = Math.round(page_width * dots);
  const height = Math.round(page_height * dots);
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (const line of operators.split("\n")) {
    if (!/^0 g .* f$/.test(line)) continue;
    for (const [, ...numbers] of line.matchAll(/(\S+) (\S+) (\S+) (\S+) re/g)) {
      const [x = 0, y = 0, w = 0, h = 0] = numbers.map(Number);
      const [top, bottom] = [page_height - y - h, page_height - y].map((length) => Math.round(length * dots)) as [
        number,
        number,
      ];
      const [left, right] = [x, x + w].map((length) => Math.round(length * dots)) as [number, number];
      for (let row = top; row < bottom; row++) data.fill(0, (row * width + left) * 4, (row * width + right) * 4);
    }
  }
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
  return { data, width, height };
}
