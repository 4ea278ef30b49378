import { type PDFDocument, PDFName, type PDFRef } from "@cantoo/pdf-lib";

/** A label of 4 x 6 inches, in points. */
const label = { width: 288, height: 432 };

/** The parts of a PNG that a PDF can hold without decoding its pixels. */
interface PlainPng {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly colors: "DeviceGray" | "DeviceRGB" | "palette";
  readonly palette: Uint8Array;
  /** The compressed pixels, with a filter for each row. */
  readonly data: Uint8Array;
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const spaces = { 0: "DeviceGray", 2: "DeviceRGB", 3: "palette" } as const;

/**
 * Adds a page of 4 x 6 inches, or 6 x 4, with an image as large as it fits. PDF and PNG compress pixels in the same
 * way, so those of a plain image are copied. The library decodes others, which takes a hundred times as long.
 */
export async function embedPng(document: PDFDocument, bytes: Uint8Array): Promise<void> {
  const plain = plainPng(bytes);
  const { width, height, draw } = plain === null ? await decoded(document, bytes) : copied(document, plain);
  const [across, up] = width > height ? [label.height, label.width] : [label.width, label.height];
  const page = document.addPage([across, up]);
  const scale = Math.min(across / width, up / height);
  const [w, h] = [width * scale, height * scale];
  const key = page.node.newXObject("Image", draw);
  const stream = document.context.flateStream(`q ${w} 0 0 ${h} ${(across - w) / 2} ${(up - h) / 2} cm ${key} Do Q`);
  page.node.addContentStream(document.context.register(stream));
}

interface EmbeddedImage {
  readonly width: number;
  readonly height: number;
  readonly draw: PDFRef;
}

async function decoded(document: PDFDocument, bytes: Uint8Array): Promise<EmbeddedImage> {
  const image = await document.embedPng(bytes);
  // At once: the library would keep all decoded images until the file is written.
  await image.embed();
  return { width: image.width, height: image.height, draw: image.ref };
}

function copied({ context }: PDFDocument, { width, height, bits, colors, palette, data }: PlainPng): EmbeddedImage {
  const space = () => {
    if (colors !== "palette") return PDFName.of(colors);
    const table = context.register(context.stream(palette));
    return context.obj(["Indexed", "DeviceRGB", palette.length / 3 - 1, table]);
  };
  const stream = context.stream(data, {
    Type: "XObject",
    Subtype: "Image",
    Width: width,
    Height: height,
    BitsPerComponent: bits,
    ColorSpace: space(),
    Filter: "FlateDecode",
    DecodeParms: {
      Predictor: 15,
      Colors: colors === "DeviceRGB" ? 3 : 1,
      BitsPerComponent: bits,
      Columns: width,
    },
  });
  return { width, height, draw: context.register(stream) };
}

/** Reads a PNG without transparency or interlacing; null for any other. */
function plainPng(bytes: Uint8Array): PlainPng | null {
  if (signature.some((byte, at) => bytes[at] !== byte)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const header = { width: 0, height: 0, bits: 0, color: -1, interlaced: 1 };
  const data: Uint8Array[] = [];
  let palette = new Uint8Array();
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (content.length < length || type === "tRNS") return null;
    if (type === "IHDR") {
      header.width = view.getUint32(at + 8);
      header.height = view.getUint32(at + 12);
      [header.bits = 0, header.color = -1, , , header.interlaced = 1] = content.subarray(8);
    } else if (type === "PLTE") palette = new Uint8Array(content);
    else if (type === "IDAT") data.push(content);
    at += length + 12;
  }
  const { width, height, bits, color, interlaced } = header;
  const colors = spaces[color as keyof typeof spaces];
  if (colors === undefined || interlaced !== 0 || width === 0 || height === 0) return null;
  if (data.length === 0 || (colors === "palette" && palette.length < 3)) return null;
  return { width, height, bits, colors, palette, data: Buffer.concat(data) };
}
