// Images for tests, drawn with the library that the service decodes them with, and broken by hand.
import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const whole = Buffer.alloc(8);
  whole.writeUInt32BE(data.length, 0);
  whole.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([whole.subarray(0, 4), named, whole.subarray(4)]);
}

/** The bytes of a PNG of one color; `claimed` is the size that its header states. */
export function pngOf(
  width: number,
  height: number,
  color = 0x80,
  claimed: readonly [number, number] = [width, height],
) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(claimed[0], 0);
  header.writeUInt32BE(claimed[1], 4);
  header.set([8, 6], 8);
  const rows = Buffer.alloc((width * 4 + 1) * height, color);
  for (let y = 0; y < height; y += 1) rows[y * (width * 4 + 1)] = 0;
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", new Uint8Array())];
  return new Uint8Array(Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]));
}

/** A photo-like JPEG. */
export async function jpegOf(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Bun.Image(pngOf(width, height, 0xc0)).jpeg().bytes());
}

/** A WebP. */
export async function webpOf(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Bun.Image(pngOf(width, height, 0xc0)).webp().bytes());
}

/** Bytes one after another. */
export const joined = (...parts: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part))));
