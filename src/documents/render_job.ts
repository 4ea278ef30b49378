import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import wasmPath from "@resvg/resvg-wasm/index_bg.wasm" with { type: "file" };
import { code128Bars, code128Width, qrSide, qrSquares, zplCode128 } from "./barcodes.ts";
import type { PrintDocument } from "./document.ts";
import { documentHtml } from "./document_html.ts";
import { documentPdf } from "./document_pdf.ts";
import type { DrawingFormat, DrawingOperation, LabelDrawing, TextOperation, ZplResolution } from "./drawing.ts";
import { openBook, type PdfBook } from "./pdf_writer.ts";
import { shapedWidth, shapeText } from "./shape_text.ts";
import { openTypefaces } from "./typefaces.ts";

/** A text as SVG outlines, which need no installed fonts. `scale` is pixels per dot. */
function textOutlines(operation: TextOperation, scale: number): string {
  const { text, bold, white, align } = operation;
  const { runs, width } = shapeText(text, bold);
  const size = operation.size * scale;
  const before = { left: 0, center: width / 2, right: width }[align];
  const color = white ? "#fff" : "#000";
  // The position of the pen, in ems from the left end of the text.
  let pen = 0;
  let outlines = "";
  for (const { face, glyphs } of runs) {
    const font = face.font();
    const em = font.unitsPerEm;
    // Bold text in a light typeface is outlined, as thickly as in a PDF.
    const heavy = bold && face.light ? ` stroke="${color}" stroke-width="${em / 40}"` : "";
    outlines += `<g transform="scale(${1 / em} ${-1 / em})"${heavy}>`;
    for (const glyph of glyphs) {
      const data = font.getGlyph(glyph.id)?.path.toSVG() ?? "";
      const place = `translate(${(pen + glyph.x) * em} ${glyph.y * em})`;
      if (data !== "") outlines += `<path transform="${place}" d="${data}"/>`;
      pen += glyph.advance;
    }
    outlines += "</g>";
  }
  // Only curves are antialiased.
  const place = `translate(${operation.x * scale - before * size} ${operation.y * scale}) scale(${size})`;
  const look = `fill="${color}" shape-rendering="geometricPrecision"`;
  return `<g transform="${place}" ${look}>${outlines}</g>`;
}

const pointsPerDot = 72 / 203.2;
const points = (dots: number) => dots * pointsPerDot;

/** The drawing as a PDF of one page: bars as vector rectangles, text with embedded subsets of its fonts. */
export async function pdf(drawing: LabelDrawing): Promise<Uint8Array> {
  const book = await openBook(drawing.title, Date.parse(`${drawing.date}T00:00:00Z`));
  await layDrawing(book, drawing);
  return book.bytes();
}

/** Adds a page with a drawing. */
export async function layDrawing(book: PdfBook, drawing: LabelDrawing): Promise<void> {
  await openTypefaces(JSON.stringify(drawing.operations));
  // Whole points, so that 812 x 1218 dots make exactly 4 x 6 inches.
  const size = { width: Math.round(points(drawing.width)), height: Math.round(points(drawing.height)) };
  const section = book.section(size);
  const leaf = section.turn();
  for (const operation of drawing.operations) {
    const [x, y] = [points(operation.x), points(operation.y)];
    switch (operation.op) {
      case "text": {
        const { text, bold, white, align } = operation;
        leaf.text(x, y, text, { size: points(operation.size), bold, gray: white ? 1 : 0 }, align);
        break;
      }
      case "fill":
        leaf.fill(x, y, points(operation.width), points(operation.height), 0);
        break;
      case "code128": {
        const bars = code128Bars(operation.text, operation.gs1);
        leaf.symbol(x, y, { kind: "code128", ...bars }, points(operation.module), points(operation.height));
        break;
      }
      case "qr":
        leaf.symbol(x, y, { kind: "qr", ...qrSquares(operation.text) }, points(operation.module), 0);
        break;
    }
  }
  section.close();
}

type RenderedImage = ReturnType<InstanceType<typeof Resvg>["render"]>;

let ready: Promise<void> | undefined;

/** Rasterizes an SVG at its own size and passes the image to `read`. The image is freed afterwards. */
export async function rasterized<Read>(svg: string, read: (image: RenderedImage) => Read): Promise<Read> {
  ready ??= initWasm(rasterizer());
  await ready;
  const drawn = new Resvg(svg, { font: { loadSystemFonts: false } });
  try {
    const image = drawn.render();
    try {
      return read(image);
    } finally {
      image.free();
    }
  } finally {
    drawn.free();
  }
}

/** The WebAssembly of the library: compressed in the binary, plain in the source tree. */
function rasterizer(): Uint8Array {
  const bytes = readFileSync(wasmPath);
  return bytes.readUInt32LE(0) === zstd_magic ? zstdDecompressSync(bytes) : bytes;
}

// The first four bytes of zstd data.
const zstd_magic = 0xfd2fb528;

export const printerResolutions = [203, 300] as const;
export type PrinterResolution = (typeof printerResolutions)[number];

/** The drawing as a PNG for a printer of 203 or 300 dpi. Barcodes consist of whole pixels in both. */
export async function png(drawing: LabelDrawing, resolution: PrinterResolution = 203): Promise<Uint8Array> {
  await openTypefaces(JSON.stringify(drawing.operations));
  return rasterized(svg(drawing, resolution), (image) => image.asPng());
}

/** The drawing as SVG. Text becomes outlines, which need no installed fonts. */
export function svg(drawing: LabelDrawing, resolution: PrinterResolution): string {
  // 812 x 1218 dots at 203 dpi become 1200 x 1800 at 300 dpi, slightly less than 1.5 times as many.
  const scale = resolution === 203 ? 1 : 300 / 203;
  const width = Math.round(drawing.width * scale);
  const height = Math.round(drawing.height * scale);
  const parts = drawing.operations.map((operation) => element(operation, scale));
  const size = `width="${width}" height="${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} shape-rendering="crispEdges">`;
  return `${head}<rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`;
}

function element(operation: DrawingOperation, scale: number): string {
  const dots = (length: number): number => Math.round(length * scale);
  const { x, y } = operation;
  switch (operation.op) {
    case "text":
      return textOutlines(operation, scale);
    case "fill":
      return path(rectangle(dots(x), dots(y), dots(operation.width), dots(operation.height)));
    case "code128": {
      const { module, height, text, gs1 } = operation;
      const { bars, width } = code128Bars(text, gs1);
      const pixels = dots(module);
      const left = centred(x, width * module, width * pixels, scale);
      return path(
        bars.map((bar) => rectangle(left + bar.at * pixels, dots(y), bar.width * pixels, dots(height))).join(""),
      );
    }
    case "qr": {
      const { module } = operation;
      const { side, rows } = qrSquares(operation.text);
      const pixels = dots(module);
      const left = centred(x, side * module, side * pixels, scale);
      const top = centred(y, side * module, side * pixels, scale);
      const squares = rows.flatMap((row, index) =>
        row.map(({ at, width }) => rectangle(left + at * pixels, top + index * pixels, width * pixels, pixels)),
      );
      return path(squares.join(""));
    }
  }
}

/** The start of a symbol whose whole pixels do not scale exactly, so that its center stays. */
function centred(start: number, length: number, pixels: number, scale: number): number {
  return Math.round((start + length / 2) * scale - pixels / 2);
}

const path = (data: string, more = ""): string => `<path d="${data}" ${more}/>`;
const rectangle = (x: number, y: number, width: number, height: number): string =>
  `M${x} ${y}h${width}v${height}h${-width}z`;

const zpl_encoder = new TextEncoder();

// The most dots that printers draw per bar or square.
const zpl_module_max = 10;

/** The drawing in the dots of another resolution. Symbols keep whole dots, and their center. */
function inDotsOf(resolution: ZplResolution, drawing: LabelDrawing): LabelDrawing {
  if (resolution === 203) return drawing;
  const scale = resolution / 203;
  const operations = drawing.operations.map((operation) => scaled(operation, scale));
  const size = { width: Math.round(drawing.width * scale), height: Math.round(drawing.height * scale) };
  return { ...drawing, ...size, operations };
}

function scaled(operation: DrawingOperation, scale: number): DrawingOperation {
  const dots = (length: number) => Math.round(length * scale);
  const [x, y] = [dots(operation.x), dots(operation.y)];
  switch (operation.op) {
    case "text":
      return { ...operation, x, y, size: dots(operation.size) };
    case "fill":
      return { ...operation, x, y, width: dots(operation.width), height: dots(operation.height) };
    case "code128": {
      const module = Math.min(zpl_module_max, dots(operation.module));
      const width = code128Width(operation.text, operation.gs1);
      const left = centred(operation.x, width * operation.module, width * module, scale);
      return { ...operation, x: Math.max(0, left), y, module, height: dots(operation.height) };
    }
    case "qr": {
      const module = Math.min(zpl_module_max, dots(operation.module));
      const side = qrSide(operation.text);
      const at = (start: number) => centred(start, side * operation.module, side * module, scale);
      return { ...operation, x: at(operation.x), y: at(operation.y), module };
    }
  }
}

/** The drawing as ZPL II. Printer fonts have Latin-1 only, so other text is sent as graphics. */
export async function zpl(drawing_at_203: LabelDrawing, resolution: ZplResolution = 203): Promise<Uint8Array> {
  const { width, height, operations } = inDotsOf(resolution, drawing_at_203);
  await openTypefaces(JSON.stringify(operations));
  const fields: string[] = [];
  for (const operation of operations) fields.push(await field(operation, width));
  return zpl_encoder.encode(
    `${["^XA", "^CI28", `^PW${width}`, `^LL${height}`, "^LH0,0", ...fields, "^XZ"].join("\n")}\n`,
  );
}

/** Field data in which no character can be read as a command: anything but plain ASCII is written as `_HH`. */
export function zplData(text: string): string {
  let data = "";
  for (const byte of zpl_encoder.encode(text)) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== 0x5e && byte !== 0x7e && byte !== 0x5f;
    data += plain ? String.fromCharCode(byte) : `_${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return data;
}

// Visible Latin-1, which the built-in font of every label printer has.
const inPrinterFont = /^[\x20-\x7e\xa1-\xac\xae-\xff]*$/;

async function field(operation: DrawingOperation, page_width: number): Promise<string> {
  switch (operation.op) {
    case "text":
      return inPrinterFont.test(operation.text) ? textField(operation, page_width) : await graphicField(operation);
    case "fill": {
      const { x, y, width, height } = operation;
      return `^FO${x},${y}^GB${width},${height},${Math.min(width, height)}^FS`;
    }
    case "code128": {
      const { x, y, module, height, text, gs1 } = operation;
      return `^FO${x},${y}^BY${module}^BCN,${height},N,N,N,N^FH^FD${zplData(zplCode128(text, gs1))}^FS`;
    }
    case "qr":
      // Printers draw a QR code ten dots below its origin.
      return `^FO${operation.x},${operation.y - 10}^BQN,2,${operation.module}^FH^FDMA,${zplData(operation.text)}^FS`;
  }
}

function textField(operation: TextOperation, page_width: number): string {
  const { x, y, size, align, white, text } = operation;
  const font = `^A0N,${size},${size}${white ? "^FR" : ""}`;
  if (align === "left") return `^FT${x},${y}${font}^FH^FD${zplData(text)}^FS`;
  // A block of one line, as wide as the page allows around its anchor, aligns text of unknown width.
  const left = align === "right" ? 0 : Math.max(0, 2 * x - page_width);
  const width = align === "right" ? x : 2 * (x - left);
  return `^FT${left},${y}${font}^FB${width},1,0,${align === "right" ? "R" : "C"}^FH^FD${zplData(text)}^FS`;
}

/** The text as a bitmap. A dot is set where letters cover at least half of it. */
async function graphicField(operation: TextOperation): Promise<string> {
  const { size, align, bold, text } = operation;
  const width = shapedWidth(text, size, bold);
  // Marks extend above and below the line, and letters beyond its ends, by less than a line's height.
  const left = Math.max(0, Math.floor(operation.x - { left: 0, center: width / 2, right: width }[align] - size / 2));
  const top = Math.max(0, Math.floor(operation.y - size * 1.5));
  const bytes_a_row = Math.ceil((width + size) / 8);
  const rows = Math.ceil(size * 2.25);
  const outlines = textOutlines({ ...operation, x: operation.x - left, y: operation.y - top, white: false }, 1);
  const page = `<svg xmlns="http://www.w3.org/2000/svg" width="${bytes_a_row * 8}" height="${rows}">${outlines}</svg>`;
  const drawn = await rasterized(page, ({ pixels }) => rowsOf(pixels, bytes_a_row, isCovered));
  const first = drawn.findIndex((row) => row !== "");
  const last = drawn.findLastIndex((row) => row !== "");
  const kept = first < 0 ? [] : drawn.slice(first, last + 1);
  const place = `^FO${left},${top + Math.max(0, first)}${operation.white ? "^FR" : ""}`;
  return place + graphic(kept, bytes_a_row);
}

/** Rows of hexadecimal digits as a graphic. A comma leaves the rest of a row white. */
function graphic(rows: readonly string[], bytes_a_row: number): string {
  const total = rows.length * bytes_a_row;
  const data = rows.map((row) => (row.length === bytes_a_row * 2 ? row : `${row},`)).join("");
  return `^GFA,${total},${total},${bytes_a_row},${data}^FS`;
}

/** The image of a label as ZPL, as large as it fits on 4 x 6 inches. A wide one is turned. */
async function imageZpl(png: Uint8Array, resolution: ZplResolution): Promise<Uint8Array> {
  const header = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const is_wide = header.getUint32(16) > header.getUint32(20);
  const [across, down] = [Math.ceil((resolution * 4) / 8) * 8, resolution * 6];
  const [width, height] = is_wide ? [down, across] : [across, down];
  const source = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
  const turned = is_wide ? ` transform="translate(${across} 0) rotate(90)"` : "";
  const image = `<image href="${source}" width="${width}" height="${height}"${turned}/>`;
  const page = `<svg xmlns="http://www.w3.org/2000/svg" width="${across}" height="${down}">${image}</svg>`;
  const rows = await rasterized(page, ({ pixels }) => rowsOf(pixels, across / 8, isDark));
  const fields = ["^XA", `^PW${across}`, `^LL${down}`, "^LH0,0", `^FO0,0${graphic(rows, across / 8)}`, "^XZ"];
  return zpl_encoder.encode(`${fields.join("\n")}\n`);
}

// The background of a page is transparent, so alpha is the coverage of a dot.
const isCovered = (pixels: Uint8Array, at: number): boolean => (pixels[at + 3] ?? 0) >= 128;

const isDark = (pixels: Uint8Array, at: number): boolean => {
  const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + 3);
  return isCovered(pixels, at) && red + green + blue < 384;
};

/** The rows of an RGBA image as hexadecimal digits, without trailing white. */
function rowsOf(pixels: Uint8Array, bytes_a_row: number, isInk: typeof isCovered): string[] {
  const rows: string[] = [];
  for (let start = 0; start < pixels.length; start += bytes_a_row * 32) {
    const row = Buffer.alloc(bytes_a_row);
    for (let x = 0; x < bytes_a_row * 8; x++) {
      if (isInk(pixels, start + x * 4)) row[x >> 3] = (row[x >> 3] ?? 0) | (0x80 >> (x & 7));
    }
    rows.push(
      row
        .toString("hex")
        .toUpperCase()
        .replace(/(?:00)+$/, ""),
    );
  }
  return rows;
}

/**
 * Input of the render thread, as plain data: a drawing, an image for a label printer, or a document with its printed
 * time `now` (ms).
 */
export type RenderJob =
  | {
      readonly kind: "drawing";
      readonly drawing: LabelDrawing;
      readonly format: DrawingFormat;
      /** Of PNG and ZPL; 203 by default. A PNG has at most 300. */
      readonly resolution?: ZplResolution;
    }
  | { readonly kind: "image"; readonly png: Uint8Array; readonly resolution: ZplResolution }
  | {
      readonly kind: "document";
      readonly document: PrintDocument;
      readonly format: "pdf" | "html";
      readonly now: number;
    };

const encoder = new TextEncoder();

/** Draws a job in the calling thread. */
export async function draw(job: RenderJob): Promise<Uint8Array> {
  if (job.kind === "document") {
    return job.format === "html"
      ? encoder.encode(documentHtml(job.document))
      : await documentPdf(job.document, job.now);
  }
  if (job.kind === "image") return imageZpl(job.png, job.resolution);
  const { drawing, format, resolution = 203 } = job;
  if (format === "zpl") return zpl(drawing, resolution);
  return format === "png" ? png(drawing, resolution === 600 ? 300 : resolution) : pdf(drawing);
}
