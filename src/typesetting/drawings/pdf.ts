import { openBook } from "../books/book.ts";
import { code128Bars } from "../symbols/code128.ts";
import { qrSquares } from "../symbols/qr.ts";
import { openTypefaces } from "../text/typefaces.ts";
import type { Drawing } from "./drawing.ts";

const pointsPerDot = 72 / 203.2;
const points = (dots: number) => dots * pointsPerDot;

/** The drawing as a PDF of one page: bars as vector rectangles, text with the used letters of its fonts embedded. */
export async function pdf(drawing: Drawing): Promise<Uint8Array> {
  await openTypefaces(JSON.stringify(drawing.operations));
  // Whole points, so that 812 x 1218 dots are exactly a label of 4 x 6 inches.
  const size = { width: Math.round(points(drawing.width)), height: Math.round(points(drawing.height)) };
  const book = await openBook(drawing.title, Date.parse(`${drawing.date}T00:00:00Z`), size);
  const leaf = book.turn();
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
  return book.bytes();
}
