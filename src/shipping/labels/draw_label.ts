import { assert, type FieldProblem, invalidFields } from "../../core/faults.ts";
import type { CompleteAddress, ContactAddress } from "../../core/postal_address.ts";
import { addressLines, postalBarcode } from "../../documents/address_lines.ts";
import { code128Width, isQrText, qrSide } from "../../documents/barcodes.ts";
import type { DrawingOperation, LabelDrawing, TextOperation } from "../../documents/drawing.ts";
import { printableLine, unprintableLetters } from "../../documents/shape_text.ts";
import { missingFonts } from "../../documents/typefaces.ts";
import { fitLine, fitLines, lineHeight, type TextBox } from "../../documents/wrap_text.ts";
import { parcelPlace, placeText } from "../../orders/fulfillment/order_units.ts";
import { trackingUrl } from "../../orders/fulfillment/tracking_url.ts";
import type { Order } from "../../orders/order.ts";
import type { Db } from "../../storage/database.ts";
import type { LabelWarning } from "./label.ts";
import { isSscc } from "./sscc.ts";

/** The content of a label. */
export interface LabelFacts {
  /** The display names of the carrier and its service. */
  readonly carrier: string;
  readonly service: string;
  readonly sender: ContactAddress;
  readonly recipient: ContactAddress;
  /** The weight with its unit, as in `2.5 lb`. */
  readonly weight: string;
  /** The position of the parcel in its order, such as `2 of 6`, or `2` while the number of parcels is unknown. */
  readonly parcel: string;
  /** An SSCC, or a built-in number: at most 24 digits and capital letters. */
  readonly tracking_number: string;
  /** The text of the QR code: printable ASCII, at most 250 characters; null for no code. */
  readonly qr_text: string | null;
  readonly order_number: string;
  /** The ship date, `YYYY-MM-DD`. */
  readonly date: string;
  /** Whether it is a test label, which is marked TEST in large letters. */
  readonly test: boolean;
}

interface LabelSheet {
  readonly operations: DrawingOperation[];
  readonly warnings: LabelWarning[];
}

/** The size of the label, 4 x 6 inches, in dots. */
const labelWidth = 812;
const labelHeight = 1218;

const left = 30;
const right = labelWidth - left;
const inner = right - left;
const codeHeight = 254;
const parcelCaption = "PARCEL";
const captionSize = 15;
const statement = "Courier label of the sending warehouse";

/**
 * Draws a built-in label, 4 x 6 inches at 203 dpi. Long text shrinks, wraps and is finally cut, with a warning. Refuse
 * characters that no font has before (`checkPrintable`): they would print as empty boxes.
 */
export function drawLabel(facts: LabelFacts): {
  readonly drawing: LabelDrawing;
  readonly warnings: readonly LabelWarning[];
} {
  const sheet: LabelSheet = { operations: [], warnings: [] };
  drawHeader(sheet, facts);
  drawSender(sheet, facts);
  sheet.operations.push(rule(290, 3));
  drawRecipient(sheet, facts);
  sheet.operations.push(rule(562, 3));
  drawRouting(sheet, facts);
  sheet.operations.push(rule(800, 6));
  drawTracking(sheet, facts);
  drawFooter(sheet, facts);
  const title = `Label ${facts.tracking_number}`;
  const operations = sheet.operations.filter((operation) => operation.op !== "text" || operation.text !== "");
  const drawing = { title, date: facts.date, width: labelWidth, height: labelHeight, operations };
  return { drawing, warnings: sheet.warnings };
}

/** Returns the drawing with the present number of parcels, which may have grown since it was made. */
function withParcel(drawing: LabelDrawing, parcel: string): LabelDrawing {
  // Only captions have this size.
  const isCaption = (operation: DrawingOperation) =>
    operation.op === "text" && operation.size === captionSize && operation.text === parcelCaption;
  const at = drawing.operations.findIndex(isCaption) + 1;
  const operations = drawing.operations.map((operation, index) =>
    at > 0 && index === at && operation.op === "text" ? { ...operation, text: parcel } : operation,
  );
  return { ...drawing, operations };
}

/** The tracking fields of a label with a drawing. */
interface DrawnLabel {
  /** Null for a return. */
  readonly shipment_id: number | null;
  readonly carrier: string;
  readonly tracking_number: string | null;
  readonly tracking_url: string | null;
}

/**
 * Returns the drawing with the current number of parcels and tracking URL, which may have changed since it was made.
 */
export function currentDrawing(db: Db, order: Order, label: DrawnLabel, drawing: LabelDrawing): LabelDrawing {
  const { shipment_id } = label;
  if (shipment_id === null) return drawing;
  const page = trackingUrl(db, { ...label, id: shipment_id, told_url: label.tracking_url });
  const linked = withQrCode(drawing, page);
  const place = parcelPlace(order, shipment_id);
  return place === null ? linked : withParcel(linked, placeText(place));
}

function drawHeader(sheet: LabelSheet, facts: LabelFacts): void {
  sheet.operations.push({ op: "fill", x: left, y: 30, width: inner, height: 84 });
  const service = fittedText(sheet, "service", facts.service.toUpperCase(), 420, 54, 24, true);
  const carrier = fittedText(sheet, "carrier", facts.carrier, 270, 28, 16, true);
  sheet.operations.push(
    text(left + 20, 72 + cap(service.size) / 2, service.size, service.text, { bold: true, white: true }),
  );
  sheet.operations.push(
    text(right - 20, 72 + cap(carrier.size) / 2, carrier.size, carrier.text, {
      bold: true,
      white: true,
      align: "right",
    }),
  );
}

function drawSender(sheet: LabelSheet, facts: LabelFacts): void {
  const column = 510;
  sheet.operations.push(text(left, 144, 17, "FROM", { bold: true }));
  const room = { width: column - left - 24, height: 126, most: 22, least: 14, bold: false };
  drawAddress(sheet, "sender", facts.sender, facts.sender.country, left, 152, room);
  const details = [
    ["WEIGHT", "weight", facts.weight],
    [parcelCaption, "parcel", facts.parcel],
    ["SHIPS", "date", facts.date],
  ] as const;
  sheet.operations.push({ op: "fill", x: column - 2, y: 114, width: 3, height: 176 });
  for (const [index, [caption, field, value]] of details.entries()) {
    const y = 164 + index * 48;
    const shown = fittedText(sheet, field, value, right - column - 108, 22, 12, true);
    sheet.operations.push(text(column + 16, y, captionSize, caption, {}));
    sheet.operations.push(text(right, y, shown.size, shown.text, { bold: true, align: "right" }));
  }
}

function drawRecipient(sheet: LabelSheet, facts: LabelFacts): void {
  sheet.operations.push(text(left, 322, 20, "SHIP TO", { bold: true }));
  const stamp = 250;
  const width = facts.test ? inner - stamp - 24 : inner;
  const room = { width, height: 222, most: 42, least: 16, bold: true };
  drawAddress(sheet, "recipient", facts.recipient, facts.sender.country, left, 332, room);
  if (!facts.test) return;
  const middle = right - stamp / 2;
  sheet.operations.push(
    { op: "fill", x: right - stamp, y: 310, width: stamp, height: 234 },
    text(middle, 436, 80, "TEST", { bold: true, white: true, align: "center" }),
    text(middle, 500, 24, "Not for carriage", { bold: true, white: true, align: "center" }),
  );
}

const qrRoom = 190;

/** The QR code of a label, or null when it cannot encode the text. */
function qrCode(qr_text: string | null): DrawingOperation | null {
  if (qr_text === null || !isQrText(qr_text)) return null;
  const top = 565;
  const bottom = 800;
  const side = qrSide(qr_text);
  // The quiet zone is four modules wide. On the right it is the page's margin.
  const module = Math.min(Math.floor(qrRoom / side), Math.floor(left / 4));
  const y = Math.round((top + bottom - side * module) / 2);
  return { op: "qr", x: right - side * module, y, module, text: qr_text };
}

/** Returns the drawing with a QR code for the present URL of the parcel's page. */
function withQrCode(drawing: LabelDrawing, qr_text: string | null): LabelDrawing {
  const code = qrCode(qr_text);
  const others = drawing.operations.filter(({ op }) => op !== "qr");
  return { ...drawing, operations: code === null ? others : [...others, code] };
}

function drawRouting(sheet: LabelSheet, facts: LabelFacts): void {
  const code = qrCode(facts.qr_text);
  if (code !== null) sheet.operations.push(code);
  else if (facts.qr_text !== null) {
    const message =
      "The tracking URL is longer than 250 characters or not printable ASCII, so the QR code was left out.";
    sheet.warnings.push({ field: "tracking_url", code: "no_qr_code", message });
  }
  const postal = postalBarcode(facts.recipient, facts.sender.country);
  if (postal === null) {
    const message =
      "The postal code is missing or has characters other than letters and digits, so its barcode was left out.";
    sheet.warnings.push({ field: "recipient.postal_code", code: "no_postal_barcode", message });
    return;
  }
  // The quiet zone is ten modules wide. On the left the page's margin is part of it.
  const width = code128Width(postal, true);
  const module = largestModule(width + 20, right - qrRoom - 24);
  const x = Math.max(left, module * 10);
  sheet.operations.push({ op: "code128", x, y: 595, module, height: 136, gs1: true, text: postal });
  const readable = postal.replace(/^(\(\d+\))/, "$1 ");
  sheet.operations.push(text(x + (width * module) / 2, 768, 30, readable, { bold: true, align: "center" }));
}

const ownNumber = /^[A-Z0-9-]{1,24}$/;

function drawTracking(sheet: LabelSheet, facts: LabelFacts): void {
  const gs1 = isSscc(facts.tracking_number);
  assert(ownNumber.test(facts.tracking_number), "a tracking number has at most 24 digits, capital letters and dashes");
  const number = gs1 ? `(00)${facts.tracking_number}` : facts.tracking_number;
  const width = code128Width(number, gs1);
  const module = largestModule(width + 20, labelWidth);
  const x = Math.round((labelWidth - width * module) / 2);
  sheet.operations.push({ op: "code128", x, y: 822, module, height: codeHeight, gs1, text: number });
  const readable = fitLine(number.replace(")", ") "), { width: inner, most: 40, least: 16, bold: true });
  sheet.operations.push(
    text(labelWidth / 2, 1118, readable.size, readable.lines[0] ?? "", { bold: true, align: "center" }),
  );
}

function drawFooter(sheet: LabelSheet, facts: LabelFacts): void {
  sheet.operations.push(rule(1136, 3));
  const order = fittedText(sheet, "order_number", `Order ${facts.order_number}`, 400, 26, 12, true);
  sheet.operations.push(text(left, 1170, order.size, order.text, { bold: true }));
  sheet.operations.push(text(right, 1170, 16, statement, { align: "right" }));
}

/** Draws the address as text lines from `y` down, in the largest size that fits the room. */
function drawAddress(
  sheet: LabelSheet,
  field: "sender" | "recipient",
  address: ContactAddress,
  home: string,
  x: number,
  y: number,
  room: TextBox,
): void {
  const plain = (part: keyof ContactAddress): string => printableLine(address[part] ?? "");
  const printable: ContactAddress = {
    name: plain("name"),
    company: plain("company"),
    address_line1: plain("address_line1"),
    address_line2: plain("address_line2"),
    city: plain("city"),
    state: plain("state"),
    postal_code: plain("postal_code"),
    country: address.country,
  };
  const { lines, size, shortened } = fitLines(addressLines(printable, home), room);
  if (shortened) sheet.warnings.push(shortenedText(field));
  const high = lineHeight(lines);
  for (const [index, line] of lines.entries()) {
    const baseline = y + Math.round(size * (1 + index * high));
    sheet.operations.push(text(x, baseline, size, line, { bold: room.bold }));
  }
}

function fittedText(
  sheet: LabelSheet,
  field: string,
  full_text: string,
  width: number,
  most: number,
  least: number,
  bold: boolean,
): { readonly text: string; readonly size: number } {
  const { lines, size, shortened } = fitLine(printableLine(full_text), { width, most, least, bold });
  if (shortened) sheet.warnings.push(shortenedText(field));
  return { text: lines[0] ?? "", size };
}

function shortenedText(field: string): LabelWarning {
  return { field, code: "shortened_text", message: "The text is too long for the label and was cut." };
}

type TextStyle = Partial<Pick<TextOperation, "bold" | "align" | "white">>;

function text(x: number, y: number, size: number, content: string, style: TextStyle): TextOperation {
  const { bold = false, align = "left", white = false } = style;
  return { op: "text", x: Math.round(x), y: Math.round(y), size, bold, align, white, text: content };
}

/** The widest module, from 4 down to 2 dots, with which the modules fit. A bar of 4 dots is 0.5 mm wide. */
function largestModule(modules: number, dots: number): number {
  return [4, 3].find((module) => modules * module <= dots) ?? 2;
}

const rule = (y: number, height: number): DrawingOperation => ({ op: "fill", x: left, y, width: inner, height });
const cap = (size: number): number => size * 0.73;

// The API names of the printed address fields.
const printedParts = {
  name: "name",
  company: "company",
  address_line1: "street1",
  address_line2: "street2",
  city: "city",
  state: "state",
  postal_code: "zip",
} as const satisfies Partial<Record<keyof CompleteAddress, string>>;

/** Refuses addresses with characters that no installed font has, naming each field. Refuses: validation_failed. */
export function checkPrintable(addresses: Readonly<Record<"from_address" | "to_address", CompleteAddress>>): void {
  const parts = Object.keys(printedParts) as (keyof typeof printedParts)[];
  const problems = (["from_address", "to_address"] as const).flatMap((field) =>
    parts.flatMap((part): FieldProblem[] => {
      const letters = unprintableLetters(printableLine(addresses[field][part] ?? ""));
      if (letters.length === 0) return [];
      const listed = letters.slice(0, 20).map(letterInWords).join(", ");
      const advice = missingFonts(letters.join(""));
      const hint = advice === null ? "" : `. ${advice}`;
      const message = `has characters that the installed fonts cannot print: ${listed}${hint}`;
      return [{ field: `${field}.${printedParts[part]}`, code: "unprintable_text", message }];
    }),
  );
  if (problems.length > 0) throw invalidFields(problems);
}

/** A character and its code points, such as `ཀ (U+0F40)`. */
function letterInWords(letter: string): string {
  const codes = [...letter].map((part) => (part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0"));
  return `${letter} (${codes.map((code) => `U+${code}`).join(" ")})`;
}
