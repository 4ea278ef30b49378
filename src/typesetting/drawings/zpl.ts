import { zplCode128 } from "../symbols/code128.ts";
import { shapedWidth } from "../text/shaping.ts";
import { openTypefaces } from "../text/typefaces.ts";
import type { Drawing, Operation, TextOperation } from "./drawing.ts";
import { textOutlines } from "./outlines.ts";
import { rasterized } from "./raster.ts";

const encoder = new TextEncoder();

/** The drawing in ZPL II for a 203 dpi printer. Its own font has Latin-1 only, so other letters go as graphics. */
export async function zpl(drawing: Drawing): Promise<Uint8Array> {
  const { width, height, operations } = drawing;
  await openTypefaces(JSON.stringify(operations));
  const fields: string[] = [];
  for (const operation of operations) fields.push(await field(operation, width));
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

// Latin-1 without what is invisible: what every label printer's own font has.
const ofPrinter = /^[\x20-\x7e\xa1-\xac\xae-\xff]*$/;

async function field(operation: Operation, page_width: number): Promise<string> {
  switch (operation.op) {
    case "text":
      return ofPrinter.test(operation.text) ? textField(operation, page_width) : await graphicField(operation);
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
  const { x, y, size, align, white, text } = operation;
  const font = `^A0N,${size},${size}${white ? "^FR" : ""}`;
  if (align === "left") return `^FT${x},${y}${font}^FH^FD${zplData(text)}^FS`;
  // A block of one line, as wide as the page allows around its anchor, sets the text without knowing its width.
  const left = align === "right" ? 0 : Math.max(0, 2 * x - page_width);
  const width = align === "right" ? x : 2 * (x - left);
  return `^FT${left},${y}${font}^FB${width},1,0,${align === "right" ? "R" : "C"}^FH^FD${zplData(text)}^FS`;
}

/** The text as dots, each set or not: where its letters cover more than half of one. */
async function graphicField(operation: TextOperation): Promise<string> {
  const { size, align, bold, text } = operation;
  const width = shapedWidth(text, size, bold);
  // Marks reach above and below a line, and letters over its ends, by less than the height of a line.
  const left = Math.max(0, Math.floor(operation.x - { left: 0, center: width / 2, right: width }[align] - size / 2));
  const top = Math.max(0, Math.floor(operation.y - size * 1.5));
  const bytes_a_row = Math.ceil((width + size) / 8);
  const rows = Math.ceil(size * 2.25);
  const outlines = textOutlines({ ...operation, x: operation.x - left, y: operation.y - top, white: false }, 1);
  const page = `<svg xmlns="http://www.w3.org/2000/svg" width="${bytes_a_row * 8}" height="${rows}">${outlines}</svg>`;
  const drawn = await rasterized(page, ({ pixels }) => rowsOf(pixels, bytes_a_row));
  const first = drawn.findIndex((row) => row !== "");
  const last = drawn.findLastIndex((row) => row !== "");
  const kept = first < 0 ? [] : drawn.slice(first, last + 1);
  const total = kept.length * bytes_a_row;
  const place = `^FO${left},${top + Math.max(0, first)}${operation.white ? "^FR" : ""}`;
  // A comma leaves the rest of a row white.
  const data = kept.map((row) => (row.length === bytes_a_row * 2 ? row : `${row},`)).join("");
  return `${place}^GFA,${total},${total},${bytes_a_row},${data}^FS`;
}

/** The rows of a picture of four bytes a pixel as hexadecimal digits, without the white at their ends. */
function rowsOf(pixels: Uint8Array, bytes_a_row: number): string[] {
  const rows: string[] = [];
  for (let start = 0; start < pixels.length; start += bytes_a_row * 32) {
    const row = Buffer.alloc(bytes_a_row);
    for (let x = 0; x < bytes_a_row * 8; x++) {
      // The picture has no ground, so how far a dot is covered is how little one sees through it.
      const covered = (pixels[start + x * 4 + 3] ?? 0) >= 128;
      if (covered) row[x >> 3] = (row[x >> 3] ?? 0) | (0x80 >> (x & 7));
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
