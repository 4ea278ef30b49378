// Stored images as they are printed: small, and from memory once they were read.
import type { Environment } from "../core/environment.ts";
import { second_ms } from "../core/time.ts";
import type { FileContents } from "../storage/file_contents.ts";
import { cachedByKey } from "../storage/scope.ts";
import type { StoredFile } from "./file.ts";

/** An image to print. */
interface PrintedImage {
  readonly type: "png" | "jpeg";
  readonly base64: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

// At 300 dpi, a logo of 150 x 40 points.
const printed_max = { width: 640, height: 170 } as const;

/** How long a document waits for an image, and how long it then does without. */
const wait_ms = 2 * second_ms;
const pause_ms = 30 * second_ms;

const images = new WeakMap<FileContents, Map<string, Promise<PrintedImage | null>>>();

/**
 * An image to print; null if its content is missing, cannot be read or does not arrive in time: nothing fails for want
 * of a logo.
 */
export function printedImage(
  contents: FileContents,
  mode: Environment,
  file: StoredFile,
): Promise<PrintedImage | null> {
  const known = images.getOrInsertComputed(contents, () => new Map());
  return cachedByKey(known, file.key, () => {
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const forget = () => known.delete(file.key);
    const timer = setTimeout(() => {
      resolve(null);
      setTimeout(forget, pause_ms).unref();
    }, wait_ms);
    const read = load(contents, mode, file).catch(() => null);
    // A content that could not be read may be there the next time.
    void read.then((image) => {
      clearTimeout(timer);
      if (image === null) forget();
    });
    return Promise.race([read, late]);
  });
}

async function load(contents: FileContents, mode: Environment, { key, content_type }: StoredFile) {
  const bytes = await contents.read(mode, key);
  if (bytes === null) return null;
  const { width, height } = printed_max;
  const fitted = new Bun.Image(bytes).resize(width, height, { fit: "inside", withoutEnlargement: true });
  const is_jpeg = content_type === "image/jpeg";
  const image = is_jpeg ? fitted.jpeg({ quality: 90 }) : fitted.png();
  const base64 = Buffer.from(await image.bytes()).toString("base64");
  return { type: is_jpeg ? "jpeg" : "png", base64, width: image.width, height: image.height } as const;
}
