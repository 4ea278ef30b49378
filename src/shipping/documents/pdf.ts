import * as fontkit from "@cantoo/fontkit";
import {
  fill,
  PDFDocument,
  type PDFFont,
  type PDFOperator,
  type PDFPage,
  rectangle,
  rgb,
  setFillingGrayscaleColor,
} from "@cantoo/pdf-lib";
import { code128Bars, qrSquares } from "./barcodes.ts";
import type { Drawing, Operation } from "./drawing.ts";
import { faceOf } from "./fonts.ts";

const pointsPerDot = 72 / 203.2;
const black = rgb(0, 0, 0);
const white = rgb(1, 1, 1);
const features = { liga: false, clig: false, dlig: false, calt: false, kern: false };

interface Page {
  readonly page: PDFPage;
  readonly regular: PDFFont;
  readonly bold: PDFFont;
  /** The height of the page in dots, since PDF counts y from the bottom. */
  readonly height: number;
}

/** The drawing as a PDF of one page: bars as vector rectangles, text with the used letters of its fonts embedded. */
export async function pdf(drawing: Drawing): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.registerFontkit(fontkit);
  const made = new Date(`${drawing.date}T00:00:00Z`);
  document.setCreationDate(made);
  document.setModificationDate(made);
  document.setTitle(drawing.title);
  document.setProducer("Packhouse");
  const { width, height } = drawing;
  // Whole points, so that 812 x 1218 dots are exactly a label of 4 x 6 inches.
  const page = document.addPage([Math.round(width * pointsPerDot), Math.round(height * pointsPerDot)]);
  // A parsed font remembers what it was first used for, so each document parses its own: else its bytes could differ.
  const regular = await document.embedFont(faceOf(false).bytes, { subset: true, features });
  const bold = await document.embedFont(faceOf(true).bytes, { subset: true, features });
  for (const operation of drawing.operations) write(operation, { page, regular, bold, height });
  return await document.save();
}

function write(operation: Operation, to: Page): void {
  if (operation.op === "text") {
    writeText(operation, to);
    return;
  }
  const rectangles = rectanglesOf(operation).map(([x, y, width, height]) =>
    rectangle(x * pointsPerDot, (to.height - y - height) * pointsPerDot, width * pointsPerDot, height * pointsPerDot),
  );
  const operators: PDFOperator[] = [setFillingGrayscaleColor(0), ...rectangles, fill()];
  to.page.pushOperators(...operators);
}

function writeText(operation: Operation & { op: "text" }, to: Page): void {
  const font = operation.bold ? to.bold : to.regular;
  const size = operation.size * pointsPerDot;
  const width = operation.align === "left" ? 0 : font.widthOfTextAtSize(operation.text, size);
  const x = operation.x * pointsPerDot - (operation.align === "center" ? width / 2 : width);
  const y = (to.height - operation.y) * pointsPerDot;
  to.page.drawText(operation.text, { x, y, size, font, color: operation.white ? white : black });
}

type Rectangle = readonly [x: number, y: number, width: number, height: number];

function rectanglesOf(operation: Exclude<Operation, { op: "text" }>): Rectangle[] {
  const { x, y } = operation;
  switch (operation.op) {
    case "fill":
      return [[x, y, operation.width, operation.height]];
    case "box": {
      const { width, height, line } = operation;
      return [
        [x, y, width, line],
        [x, y + height - line, width, line],
        [x, y + line, line, height - 2 * line],
        [x + width - line, y + line, line, height - 2 * line],
      ];
    }
    case "code128": {
      const { module, height, text, gs1 } = operation;
      return code128Bars(text, gs1).bars.map((bar) => [x + bar.at * module, y, bar.width * module, height]);
    }
    case "qr": {
      const { module } = operation;
      const { rows } = qrSquares(operation.text);
      return rows.flatMap((row, index) =>
        row.map(({ at, width }): Rectangle => [x + at * module, y + index * module, width * module, module]),
      );
    }
  }
}
