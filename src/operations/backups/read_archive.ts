import { createZstdDecompress } from "node:zlib";
import { extract } from "tar-stream";
import { isStartRefused, type StartRefusal, startRefused } from "../../storage/start_refused.ts";
import { type BackupManifest, manifest_entry, readManifest, sums_entry } from "./archive.ts";

// Tracks the zstd frames of an archive (RFC 8878, section 3.1): the decompressor does not notice a missing end of the
// last frame, or a few bytes after it.

const magic = 0xfd2fb528;
const magic_bytes = 4;
const block_header_bytes = 3;
const rle_block = 1;

/** Passes on the bytes of an archive. Throws if they do not end at the end of a frame. */
async function* wholeFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const frames = new FrameScanner();
  for await (const chunk of bytes) {
    frames.follow(chunk);
    yield chunk;
  }
  if (!frames.isWhole) throw new Error("the archive does not end with the end of a frame");
}

type FramePart = "magic" | "descriptor" | "header" | "block";

class FrameScanner {
  #part: FramePart = "magic";
  /** The bytes of the part read so far, their number, and the number of bytes to skip after it. */
  #read: number[] = [];
  #size = magic_bytes;
  #skip = 0;
  #has_checksum = false;
  #count = 0;
  /** Whether the input has no frames. The decompressor reports that. */
  #is_foreign = false;

  get isWhole(): boolean {
    return this.#is_foreign || (this.#part === "magic" && this.#read.length === 0 && this.#skip === 0);
  }

  follow(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && !this.#is_foreign; ) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, chunk.length - at);
        this.#skip -= passed;
        at += passed;
        continue;
      }
      this.#read.push(chunk[at] ?? 0);
      at += 1;
      if (this.#read.length === this.#size) this.#next(this.#read.splice(0));
    }
  }

  #next(read: readonly number[]): void {
    const number = read.reduce((sum, byte, place) => sum + byte * 256 ** place, 0);
    if (this.#part === "magic") this.#begin(number);
    else if (this.#part === "descriptor") this.#describe(number);
    else if (this.#part === "header") this.#await("block", block_header_bytes);
    else this.#block(number);
  }

  #begin(number: number): void {
    if (number === magic) this.#await("descriptor", 1);
    else if (this.#count === 0) this.#is_foreign = true;
    else throw new Error("something follows the last frame of the archive");
    this.#count += 1;
  }

  #describe(descriptor: number): void {
    const is_single = (descriptor & 0x20) !== 0;
    this.#has_checksum = (descriptor & 0x04) !== 0;
    const content_size = [is_single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
    const dictionary_size = [0, 1, 2, 4][descriptor & 0x03] ?? 0;
    const size = (is_single ? 0 : 1) + dictionary_size + content_size;
    this.#await("header", size);
  }

  #block(header: number): void {
    const is_last = (header & 1) === 1;
    const size = header >> 3;
    this.#skip = ((header >> 1) & 3) === rle_block ? 1 : size;
    if (is_last && this.#has_checksum) this.#skip += 4;
    if (is_last) this.#await("magic", magic_bytes);
    else this.#await("block", block_header_bytes);
  }

  #await(part: FramePart, size: number): void {
    this.#part = part;
    this.#size = size;
  }
}

/** A file in an archive. Read or skip its content before you request the next file. */
export interface ArchiveEntry {
  readonly name: string;
  readonly size_bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

interface OpenedArchive {
  readonly manifest: BackupManifest;
  /**
   * The files between the manifest and the checksums, in order. The checksums are compared at the end: use the content
   * only if the iteration ends without an error.
   */
  readonly entries: AsyncIterable<ArchiveEntry>;
  /** Closes an archive that is not read to its end. */
  close(): void;
}

const manifest_max_bytes = 1024 * 1024;
// A line for each file.
const sums_max_bytes = 256 * 1024 * 1024;

/**
 * Opens an archive from a stream of bytes; `place` names it in errors. Refuses with a `StartRefused` anything but a
 * Packhouse backup (`foreign`), a newer format (`newer`), and a damaged or truncated archive (`damaged`).
 */
export async function openArchive(bytes: AsyncIterable<Uint8Array>, place: string): Promise<OpenedArchive> {
  const unpacked = createZstdDecompress();
  const tar = extract();
  const found = tar[Symbol.asyncIterator]();
  let failure: unknown = null;
  const failed = (error: unknown) => {
    failure ??= error;
  };
  void feed(unpacked, wholeFrames(bytes), failed);
  void feed(tar, unpacked, failed);
  const close = () => {
    unpacked.destroy();
    tar.destroy();
  };
  try {
    const first = await found.next();
    // An archive truncated within its first frame has no entries.
    if (first.done) throw failure ?? (unpacked.bytesWritten > 0 ? damaged(place) : foreign(place));
    if (first.value.header.name !== manifest_entry) throw foreign(place);
    const { text, sum } = await readText(first.value, manifest_max_bytes);
    const manifest = readManifest(text);
    if ("problem" in manifest) throw { newer, foreign, damaged }[manifest.problem](place);
    return { manifest, close, entries: entriesOf(found, new Map([[manifest_entry, sum]]), place, close) };
  } catch (error) {
    close();
    throw readErrorOf(failure ?? error, place, isOther(failure ?? error) ? "foreign" : "damaged");
  }
}

interface Writable {
  write(bytes: Uint8Array): boolean;
  end(data?: null): unknown;
  destroy(error?: Error): unknown;
  once(event: "drain" | "error" | "close", listener: (error?: Error) => void): unknown;
}

/** Writes all bytes to a stream, with back-pressure. An error on either side ends it. */
async function feed(to: Writable, bytes: AsyncIterable<Uint8Array>, onFailed: (error: unknown) => void): Promise<void> {
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  to.once("error", (error) => ended.reject(error));
  to.once("close", () => ended.reject(new Error("the stream was closed")));
  try {
    for await (const chunk of bytes) {
      if (to.write(chunk)) continue;
      await Promise.race([new Promise<void>((resolve) => to.once("drain", () => resolve())), ended.promise]);
    }
    to.end(null);
  } catch (error) {
    onFailed(error);
    to.destroy(error as Error);
  }
}

/** Whether an error means that the input is not a zstd-compressed tar. */
const isOther = (error: unknown) => /Unknown frame descriptor|Invalid tar header/.test(String(error));

type TarEntries = ReturnType<ReturnType<typeof extract>[typeof Symbol.asyncIterator]>;
type TarEntry = Extract<Awaited<ReturnType<TarEntries["next"]>>, { done?: false }>["value"];

async function* entriesOf(
  found: TarEntries,
  sums: Map<string, string>,
  place: string,
  close: () => void,
): AsyncGenerator<ArchiveEntry> {
  try {
    for (let next = await found.next(); !next.done; next = await found.next()) {
      const { name, size = 0 } = next.value.header;
      if (name === sums_entry) {
        const { text } = await readText(next.value, sums_max_bytes);
        if (text !== [...sums].map(([file, sum]) => `${sum}  ${file}\n`).join("")) throw damaged(place);
        if (!(await found.next()).done) throw damaged(place);
        return;
      }
      const hash = new Bun.CryptoHasher("sha256");
      const content = hashed(next.value, hash, place);
      yield { name, size_bytes: size, content };
      // Content that was not read is skipped, and its checksum included.
      for await (const _ of content);
      sums.set(name, hash.digest("hex"));
    }
    throw damaged(place);
  } catch (error) {
    throw readErrorOf(error, place, "damaged");
  } finally {
    close();
  }
}

async function* hashed(entry: TarEntry, hash: Bun.CryptoHasher, place: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of entry as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw readErrorOf(error, place, "damaged");
  }
}

async function readText(entry: TarEntry, most: number): Promise<{ text: string; sum: string }> {
  if ((entry.header.size ?? 0) > most) throw new Error("the entry is too long");
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { text: bytes.toString(), sum: new Bun.CryptoHasher("sha256").update(bytes).digest("hex") };
}

const foreign = (place: string) => startRefused("foreign", `${place} is not a Packhouse backup.`);
const newer = (place: string) =>
  startRefused("newer", `${place} was written by a newer version of Packhouse. Restore it with that version.`);
const damaged = (place: string) => startRefused("damaged", `${place} is damaged or incomplete. Use another backup.`);

/** Converts a read error to a message for the operator. Disk and network errors are returned unchanged. */
function readErrorOf(error: unknown, place: string, what: "foreign" | "damaged"): StartRefusal | unknown {
  if (isStartRefused(error)) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string" && /^E[A-Z]+$/.test(code)) return error;
  return Object.assign(what === "foreign" ? foreign(place) : damaged(place), { cause: error });
}
