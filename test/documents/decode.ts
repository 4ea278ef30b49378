import { readFileSync } from "node:fs";
import { decodePDFRawStream, PDFDict, PDFDocument, PDFName, PDFRawStream } from "@cantoo/pdf-lib";
import { ready } from "zpl-renderer-js";
import { prepareZXingModule, type ReadResult, readBarcodes } from "zxing-wasm/reader";

// The reader would download its WebAssembly, so it gets the installed file.
prepareZXingModule({
  overrides: { wasmBinary: readFileSync(require.resolve("zxing-wasm/reader/zxing_reader.wasm")).buffer as ArrayBuffer },
});

/** A symbol as a scanner reports it: `]C1` is GS1-128, `]C0` Code 128, `]Q1` a QR code. */
export interface Scanned {
  readonly kind: string;
  readonly text: string;
}

/** An RGBA image. */
export interface Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** The symbols that a scanner reads in an image (PNG bytes or raw pixels), sorted by kind and text. */
export async function scan(image: Uint8Array | Pixels): Promise<Scanned[]> {
  const found = await readBarcodes(image as Uint8Array, {
    formats: ["Code128", "QRCode"],
    tryHarder: true,
    textMode: "Plain",
  });
  const read = (result: ReadResult): Scanned => ({ kind: result.symbologyIdentifier, text: result.text });
  return found.map(read).sort((a, b) => (a.kind + a.text < b.kind + b.text ? -1 : 1));
}

/** Renders a label as an 8 dots/mm printer does: a PNG of the first page of its ZPL. */
export async function printZpl(bytes: Uint8Array): Promise<Uint8Array> {
  const { api } = await ready;
  return Uint8Array.fromBase64(await api.zplToBase64Async(new TextDecoder().decode(bytes), 101.5, 152.25, 8));
}

/** A parsed PDF page: its rectangles as pixels at 203 dpi, and its lines of text in order. */
interface OpenedPdf {
  readonly pixels: Pixels;
  readonly texts: readonly string[];
  readonly size: readonly [number, number];
}

/** Parses a PDF without using the writer's code: the operators of its page and the tables of its fonts. */
export async function openPdf(bytes: Uint8Array): Promise<OpenedPdf> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const page = document.getPage(0);
  const lookup = (value: unknown): PDFRawStream => document.context.lookup(value as never) as PDFRawStream;
  const contents = page.node.normalizedEntries().Contents;
  const operators =
    contents
      ?.asArray()
      .map((item) => streamText(lookup(item)))
      .join("\n") ?? "";
  const fonts = new Map<string, Map<string, string>>();
  for (const [name, value] of page.node.normalizedEntries().Font.entries()) {
    const font = document.context.lookup(value, PDFDict);
    fonts.set(name.asString(), unicodeTable(streamText(lookup(font.get(PDFName.of("ToUnicode"))))));
  }
  return { pixels: paint(operators), texts: textsOf(operators, fonts), size: [page.getWidth(), page.getHeight()] };
}

function streamText(stream: PDFRawStream): string {
  const data =
    stream instanceof PDFRawStream
      ? decodePDFRawStream(stream).decode()
      : (stream as { getContents(): Uint8Array }).getContents();
  return Buffer.from(data).toString("latin1");
}

function unicodeTable(cmap: string): Map<string, string> {
  const pairs = [...cmap.matchAll(/<([0-9A-F]{4})> <([0-9A-F]+)>/gi)];
  return new Map(
    pairs.map(([, glyph = "", code = ""]) => [
      glyph.toUpperCase(),
      Buffer.from(code, "hex").swap16().toString("utf16le"),
    ]),
  );
}

/** The texts between BT and ET, decoded with the tables of their fonts. */
function textsOf(operators: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
  return [...operators.matchAll(/\bBT\b(.*?)\bET\b/gs)].map(([, block = ""]) => {
    let table: ReadonlyMap<string, string> | undefined;
    let text = "";
    for (const [, font, hex] of block.matchAll(/(\/\S+) [\d.]+ Tf|<([0-9a-f]*)>/gi)) {
      if (font !== undefined) table = fonts.get(font);
      for (const code of hex?.match(/.{4}/g) ?? []) text += table?.get(code.toUpperCase()) ?? "\0";
    }
    return text;
  });
}

function paint(operators: string): Pixels {
  const dots = 203.2 / 72;
  const width = 812;
  const height = 1218;
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (const [, ...numbers] of operators.matchAll(/(\S+) (\S+) (\S+) (\S+) re/g)) {
    const [x = 0, y = 0, w = 0, h = 0] = numbers.map((number) => Number(number) * dots);
    const top = Math.round(height - y - h);
    for (let row = top; row < Math.round(height - y); row++) {
      for (let column = Math.round(x); column < Math.round(x + w); column++) {
        data.set([0, 0, 0, 255], (row * width + column) * 4);
      }
    }
  }
  return { data, width, height };
}
