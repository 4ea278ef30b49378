// A drawing is a list of operations. It is plain JSON: it may be stored as such a list, and each writer turns the
// same list into the same bytes whenever it is asked. Lengths are dots of a 203 dpi printer, eight to the millimetre;
// x and y count from the upper left corner.

/** What a drawing may be written as. */
export const drawingFormats = ["pdf", "png", "zpl"] as const;
export type DrawingFormat = (typeof drawingFormats)[number];

/** One line of text. `x` is its left edge, middle or right edge by `align`; `y` is the baseline. */
export interface TextOperation {
  readonly op: "text";
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly bold: boolean;
  readonly align: "left" | "center" | "right";
  /** White text stands on a fill. */
  readonly white: boolean;
  readonly text: string;
}

/** A black rectangle; a rule is a low one. */
interface FillOperation {
  readonly op: "fill";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A Code 128 bar code. `module` is the width of its thinnest bar; a GS1 text has its identifiers in brackets. */
interface Code128Operation {
  readonly op: "code128";
  readonly x: number;
  readonly y: number;
  readonly module: number;
  readonly height: number;
  readonly gs1: boolean;
  readonly text: string;
}

/** A QR code of error correction level M. `module` is the side of one of its squares. */
interface QrOperation {
  readonly op: "qr";
  readonly x: number;
  readonly y: number;
  readonly module: number;
  readonly text: string;
}

export type DrawingOperation = TextOperation | FillOperation | Code128Operation | QrOperation;

/** One page, ready for any of the writers. `date` (`YYYY-MM-DD`) is the only time that gets into the bytes. */
export interface LabelDrawing {
  readonly title: string;
  readonly date: string;
  readonly width: number;
  readonly height: number;
  readonly operations: readonly DrawingOperation[];
}
