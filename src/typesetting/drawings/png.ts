import { code128Bars } from "../symbols/code128.ts";
import { qrSquares } from "../symbols/qr.ts";
import { openTypefaces } from "../text/typefaces.ts";
import type { Drawing, Operation } from "./drawing.ts";
import { textOutlines } from "./outlines.ts";
import { rasterized } from "./raster.ts";

export const printerResolutions = [203, 300] as const;
export type PrinterResolution = (typeof printerResolutions)[number];

/** The drawing as a PNG for a printer of 203 or 300 dots per inch. Bar codes are made of whole pixels in both. */
export async function png(drawing: Drawing, resolution: PrinterResolution = 203): Promise<Uint8Array> {
  await openTypefaces(JSON.stringify(drawing.operations));
  return rasterized(svg(drawing, resolution), (image) => image.asPng());
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

/** Where a symbol begins whose whole pixels do not scale exactly: around the same middle. */
function centred(start: number, length: number, pixels: number, scale: number): number {
  return Math.round((start + length / 2) * scale - pixels / 2);
}

const path = (data: string, more = ""): string => `<path d="${data}" ${more}/>`;
const rectangle = (x: number, y: number, width: number, height: number): string =>
  `M${x} ${y}h${width}v${height}h${-width}z`;
