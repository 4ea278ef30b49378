// A drawing is a list of operations, as plain JSON. Each writer always turns the same list into the same bytes, so
// drawings can be stored. Lengths are dots of a 203 dpi printer, eight to the millimeter; x and y count from the
// upper left corner.

/** The formats of a drawing. */
export const drawingFormats = ["pdf", "png", "zpl"] as const;
export type DrawingFormat = (typeof drawingFormats)[number];

/** The resolutions of label printers, in dots per inch. */
export const zplResolutions = [203, 300, 600] as const;
export type ZplResolution = (typeof zplResolutions)[number];

/** One line of text. `x` is its left edge, center or right edge, depending on `align`; `y` is the baseline. */
export interface TextOperation {
  readonly op: "text";
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly bold: boolean;
  readonly align: "left" | "center" | "right";
  /** White text is drawn on a fill. */
  readonly white: boolean;
  readonly text: string;
}

/** A black rectangle, also used for rules. */
interface FillOperation {
  readonly op: "fill";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A Code 128 barcode. `module` is the width of its thinnest bar. A GS1 text has its identifiers in parentheses. */
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

/** One page for any of the writers. `date` (`YYYY-MM-DD`) is the only time in the output. */
export interface LabelDrawing {
  readonly title: string;
  readonly date: string;
  readonly width: number;
  readonly height: number;
  readonly operations: readonly DrawingOperation[];
}
