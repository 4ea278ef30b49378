// Reads an uploaded file. Its type is that of its content. An image is decoded and written again, so that the stored
// file holds the picture and nothing else: no metadata, and nothing that another program could read in it. A label is
// stored as it is, since a printer is to get the same bytes.
import { Fault, invalid } from "../core/faults.ts";
import type { FileType } from "./file.ts";

/** The largest side of an uploaded image, in pixels. */
const side_max = 4096;
/** The largest side of a stored one. */
const stored_side_max = 1024;
const jpeg_quality = 90;

/** An image as it is stored. */
interface ReadImage {
  readonly content_type: FileType;
  readonly bytes: Uint8Array;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

type Sniffed = "png" | "jpeg" | "webp" | "pdf" | "svg" | "other";

const startsWith = (bytes: Uint8Array, text: string, at = 0) =>
  Buffer.from(bytes.subarray(at, at + text.length)).toString("latin1") === text;

/** The type of a content by its first bytes. */
function sniff(bytes: Uint8Array): Sniffed {
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n")) return "png";
  if (startsWith(bytes, "\xff\xd8\xff")) return "jpeg";
  if (startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8)) return "webp";
  if (startsWith(bytes, "%PDF-")) return "pdf";
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  return /^[\s\xef\xbb\xbf]*<(?:\?xml|!doctype svg|!--|svg)/i.test(head) ? "svg" : "other";
}

const found: Readonly<Record<Exclude<Sniffed, "png" | "jpeg" | "webp">, string>> = {
  pdf: "a PDF",
  svg: "an SVG, which can contain scripts",
  other: "something else",
};

/**
 * Reads an uploaded image and returns it as it is stored: a JPEG as a JPEG, others as a PNG, upright and at most 1,024
 * pixels on each side. One image is decoded at a time, off the thread that serves requests.
 * Refuses: unsupported_media_type, validation_failed.
 */
export async function readImage(bytes: Uint8Array): Promise<ReadImage> {
  const type = sniff(bytes);
  if (type === "pdf" || type === "svg" || type === "other") {
    const message = `The file must be a PNG, JPEG or WebP image; its content is ${found[type]}.`;
    throw new Fault("unsupported_media_type", message);
  }
  if (type === "jpeg" && !hasEnd(bytes)) throw damaged();
  return inTurn(async () => {
    try {
      return await decode(bytes, type);
    } catch (error) {
      if (error instanceof Fault) throw error;
      if ((error as { code?: string }).code === "ERR_IMAGE_TOO_MANY_PIXELS") throw tooLarge();
      throw damaged();
    }
  });
}

async function decode(bytes: Uint8Array, type: "png" | "jpeg" | "webp"): Promise<ReadImage> {
  const limits = { maxPixels: side_max * side_max };
  const { width, height, format } = await new Bun.Image(bytes, limits).metadata();
  if (width > side_max || height > side_max) throw tooLarge();
  if (format !== type) throw damaged();
  const fitted = new Bun.Image(bytes, limits).resize(stored_side_max, stored_side_max, {
    fit: "inside",
    withoutEnlargement: true,
  });
  const image = type === "jpeg" ? fitted.jpeg({ quality: jpeg_quality }) : fitted.png();
  const stored = await image.bytes();
  const content_type = type === "jpeg" ? "image/jpeg" : "image/png";
  return { content_type, bytes: stored, width: image.width, height: image.height };
}

/** Whether a JPEG is complete. The decoder fills a missing end with gray. */
function hasEnd(bytes: Uint8Array): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Segments before the picture may hold a thumbnail with an end of its own.
  for (let at = 2; at + 4 <= view.length && view[at] === 0xff; at += 2 + view.readUInt16BE(at + 2)) {
    if (view[at + 1] === 0xda) return view.includes("\xff\xd9", at, "latin1");
  }
  return false;
}

const tooLarge = () => invalid("file", `must be at most ${side_max} pixels wide and high`, "too_large");
const damaged = () => invalid("file", "is damaged or incomplete: it cannot be decoded", "invalid_format");

let last: Promise<unknown> = Promise.resolve();

/** Runs `work` after all earlier work. An image of 4,096 x 4,096 pixels takes 64 MB while it is decoded. */
function inTurn<Done>(work: () => Promise<Done>): Promise<Done> {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

/** The types of labels. */
type LabelType = Exclude<FileType, "image/jpeg">;

/** The type of a label by its first bytes; null for anything else. */
export function labelTypeOf(bytes: Uint8Array): LabelType | null {
  const start = Buffer.from(bytes.subarray(0, 512)).toString("latin1");
  if (start.startsWith("%PDF-")) return "application/pdf";
  if (start.startsWith("\u0089PNG\r\n")) return "image/png";
  // Commands that load images may precede the label.
  return start.includes("^XA") || /^\s*[~^][A-Z]{2}/i.test(start) ? "application/zpl" : null;
}

/**
 * Returns the type of an uploaded label: a PDF, a PNG or ZPL. An image is decoded once, to refuse a damaged one.
 * Whether a PDF can be read is for the render thread to say.
 * Refuses: unsupported_media_type, validation_failed.
 */
export async function readLabel(bytes: Uint8Array): Promise<LabelType> {
  const type = labelTypeOf(bytes);
  if (type === null) {
    throw new Fault("unsupported_media_type", "The file must be a PDF, a PNG or ZPL; its content is something else.");
  }
  if (type === "image/png") await readImage(bytes);
  if (type === "application/zpl" && !isWhole(bytes)) {
    throw invalid("file", "is incomplete: ZPL must have a label from ^XA to ^XZ", "invalid_format");
  }
  return type;
}

function isWhole(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1").toUpperCase();
  const begins = text.indexOf("^XA");
  return begins >= 0 && text.trimEnd().endsWith("^XZ");
}
