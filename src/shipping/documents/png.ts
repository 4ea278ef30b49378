import { readFileSync } from "node:fs";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import wasmPath from "@resvg/resvg-wasm/index_bg.wasm" with { type: "file" };
import { code128Bars, qrSquares } from "./barcodes.ts";
import type { Drawing, Operation } from "./drawing.ts";
import { faceOf, textWidth } from "./fonts.ts";

export const printerResolutions = [203, 300] as const;
export type PrinterResolution = (typeof printerResolutions)[number];

let ready: Promise<void> | undefined;

/** The drawing as a PNG for a printer of 203 or 300 dots per inch. Bar codes are made of whole pixels in both. */
export async function png(drawing: Drawing, resolution: PrinterResolution = 203): Promise<Uint8Array> {
  ready ??= initWasm(readFileSync(wasmPath));
  await ready;
  const image = new Resvg(svg(drawing, resolution), { font: { loadSystemFonts: false } });
  try {
    const rendered = image.render();
    const bytes = rendered.asPng();
    rendered.free();
    return bytes;
  } finally {
    image.free();
  }
}

/** The drawing as SVG. Text becomes outlines, so nothing depends on the fonts of a machine. */
export function svg(drawing: Drawing, resolution: PrinterResolution): string {
  // 812 x 1218 dots at 203 dpi are 1200 x 1800 at 300: a little less than one and a half times as many.
  const scale = resolution === 203 ? 1 : 300 / 203;
  const width = Math.round(drawing.width * scale);
  const height = Math.round(drawing.height * scale);
  const parts = drawing.operations.map((operation) => element(operation, scale));
  const size = `width="${width}" height="${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} shape-rendering="crispEdges">`;
  return `${head}<rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`;
}

function element(operation: Operation, scale: number): string {
  const dots = (length: number): number => Math.round(length * scale);
  const { x, y } = operation;
  switch (operation.op) {
    case "text":
      return textElement(operation, scale);
    case "fill":
      return path(rectangle(dots(x), dots(y), dots(operation.width), dots(operation.height)));
    case "box": {
      const { width, height, line } = operation;
      const inner = rectangle(dots(x + line), dots(y + line), dots(width - 2 * line), dots(height - 2 * line));
      return path(rectangle(dots(x), dots(y), dots(width), dots(height)) + inner, 'fill-rule="evenodd"');
    }
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

function textElement(operation: Operation & { op: "text" }, scale: number): string {
  const { text, size, bold, align, white } = operation;
  const face = faceOf(bold);
  const width = align === "left" ? 0 : textWidth(text, size, bold);
  const left = (operation.x - (align === "center" ? width / 2 : width)) * scale;
  const unit = (size * scale) / face.em;
  let at = 0;
  let glyphs = "";
  for (const character of text) {
    const { outline, advance } = face.glyph(character.codePointAt(0) ?? 0);
    if (outline !== "") glyphs += `<path transform="translate(${at})" d="${outline}"/>`;
    at += advance;
  }
  // Font outlines have y upwards. They are curves, so they are the one thing drawn with soft edges.
  const place = `translate(${left} ${operation.y * scale}) scale(${unit} ${-unit})`;
  return `<g transform="${place}" fill="${white ? "#fff" : "#000"}" shape-rendering="geometricPrecision">${glyphs}</g>`;
}

/** Where a symbol begins whose whole pixels do not scale exactly: around the same middle. */
function centred(start: number, length: number, pixels: number, scale: number): number {
  return Math.round((start + length / 2) * scale - pixels / 2);
}

const path = (data: string, more = ""): string => `<path d="${data}" ${more}/>`;
const rectangle = (x: number, y: number, width: number, height: number): string =>
  `M${x} ${y}h${width}v${height}h${-width}z`;
