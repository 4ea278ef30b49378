import { zplCode128 } from "./barcodes.ts";
import type { Drawing, Operation, TextOperation } from "./drawing.ts";
import { isLatin1, typeable } from "./typeable.ts";

const encoder = new TextEncoder();

/** The drawing in ZPL II for a 203 dpi printer. Its own font has Latin-1 only, so other letters are replaced. */
export function zpl(drawing: Drawing): Uint8Array {
  const { width, height, operations } = drawing;
  const fields = operations.map((operation) => field(operation, width));
  return encoder.encode(`${["^XA", "^CI28", `^PW${width}`, `^LL${height}`, "^LH0,0", ...fields, "^XZ"].join("\n")}\n`);
}

/** Field data in which no character can be taken for a command: anything but plain ASCII is written as `_HH`. */
export function zplData(text: string): string {
  let data = "";
  for (const byte of encoder.encode(text)) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== 0x5e && byte !== 0x7e && byte !== 0x5f;
    data += plain ? String.fromCharCode(byte) : `_${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return data;
}

function field(operation: Operation, page_width: number): string {
  switch (operation.op) {
    case "text":
      return textField(operation, page_width);
    case "box":
      return `^FO${operation.x},${operation.y}^GB${operation.width},${operation.height},${operation.line}^FS`;
    case "fill": {
      const { x, y, width, height } = operation;
      return `^FO${x},${y}^GB${width},${height},${Math.min(width, height)}^FS`;
    }
    case "code128": {
      const { x, y, module, height, text, gs1 } = operation;
      return `^FO${x},${y}^BY${module}^BCN,${height},N,N,N,N^FH^FD${zplData(zplCode128(text, gs1))}^FS`;
    }
    case "qr":
      // Printers set a QR code ten dots lower than they are told.
      return `^FO${operation.x},${operation.y - 10}^BQN,2,${operation.module}^FH^FDMA,${zplData(operation.text)}^FS`;
  }
}

function textField(operation: TextOperation, page_width: number): string {
  const { x, y, size, align, white } = operation;
  const text = zplData(typeable(operation.text, isLatin1).text);
  const font = `^A0N,${size},${size}${white ? "^FR" : ""}`;
  if (align === "left") return `^FT${x},${y}${font}^FH^FD${text}^FS`;
  // A block of one line, as wide as the page allows around its anchor, sets the text without knowing its width.
  const left = align === "right" ? 0 : Math.max(0, 2 * x - page_width);
  const width = align === "right" ? x : 2 * (x - left);
  return `^FT${left},${y}${font}^FB${width},1,0,${align === "right" ? "R" : "C"}^FH^FD${text}^FS`;
}
