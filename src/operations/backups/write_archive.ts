// Writes an archive as a stream: an ordinary tar, compressed into consecutive zstd frames.

import { read } from "node:fs";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { type Pack, pack } from "tar-stream";
import type { LoggedErasure } from "../../storage/erasures.ts";
import { archive_format, type BackupManifest, manifest_entry, sums_entry } from "./archive.ts";

/** The target of an archive's bytes. */
interface ArchiveSink {
  /** Resolves when it can accept more. */
  write(bytes: Uint8Array): Promise<void>;
}

/** The content of an entry, in chunks. */
export type EntryChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface ArchiveWriter {
  /** Adds a file of exactly `size_bytes`. */
  add(name: string, size_bytes: number, content: EntryChunks): Promise<void>;
  /** Adds a short file. */
  addText(name: string, text: string): Promise<void>;
  /** Adds the checksums of all files and ends the archive. Returns its size and its SHA-256 as hex. */
  finish(): Promise<{ readonly size_bytes: number; readonly sha256: string }>;
  /** Abandons an unfinished archive. */
  abandon(): void;
}

/** Bytes compressed at once into one frame. Small frames do not block others on the machine for long. */
const frame_bytes = 4 * 1024 * 1024;
/** While one frame is compressed, the next is collected. */
const frames_under_way = 2;
const level = 3;

/** Starts an archive with its manifest. Add files one after another. */
export async function beginArchive(
  sink: ArchiveSink,
  manifest: Omit<BackupManifest, "format">,
): Promise<ArchiveWriter> {
  const tar = pack();
  const packed = packFrames(tar, sink);
  // The next `add` or `finish` reports the error.
  packed.catch((error) => tar.destroy(error as Error));
  const sums: string[] = [];
  const add = async (name: string, size_bytes: number, content: EntryChunks) => {
    sums.push(`${await addEntry(tar, name, size_bytes, content, packed)}  ${name}\n`);
  };
  const addText = async (name: string, text: string) => {
    const bytes = Buffer.from(text);
    await add(name, bytes.length, [bytes]);
  };
  await addText(manifest_entry, `${JSON.stringify({ format: formatOf(manifest), ...manifest }, null, 2)}\n`);
  return {
    add,
    addText,
    finish: async () => {
      await addText(sums_entry, sums.join(""));
      tar.finalize();
      return packed;
    },
    abandon: () => tar.destroy(),
  };
}

const formatOf = ({ files }: Pick<BackupManifest, "files">) => ((files?.count ?? 0) > 0 ? archive_format : 1);

/** Adds one entry; returns the SHA-256 of its content as hex. */
async function addEntry(
  tar: Pack,
  name: string,
  size: number,
  content: EntryChunks,
  packed: Promise<unknown>,
): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => {});
  const entry = tar.entry({ name, size, mode: 0o600 }, (error) => (error ? ended.reject(error) : ended.resolve()));
  let left = size;
  for await (const chunk of content) {
    left -= chunk.length;
    if (left < 0) break;
    hash.update(chunk);
    if (!entry.write(chunk)) await Promise.race([drained(entry), packed]);
  }
  if (left !== 0) throw new Error(`${name} does not have its declared size`);
  entry.end(null);
  // Compression ends before the archive only if it fails.
  await Promise.race([ended.promise, packed]);
  return hash.digest("hex");
}

const drained = (entry: ReturnType<Pack["entry"]>) =>
  new Promise<void>((resolve) => entry.once("drain", () => resolve()));

/** Compresses a tar into frames, and writes them in order. */
async function packFrames(tar: Pack, sink: ArchiveSink) {
  const hash = new Bun.CryptoHasher("sha256");
  let size_bytes = 0;
  const frames: Promise<Uint8Array>[] = [];
  const write = async (most: number) => {
    while (frames.length > most) {
      const frame = (await frames.shift()) as Uint8Array;
      hash.update(frame);
      size_bytes += frame.length;
      await sink.write(frame);
    }
  };
  let gathered: Uint8Array[] = [];
  let length = 0;
  const close = () => {
    if (length > 0) frames.push(frameOf(Buffer.concat(gathered, length)));
    [gathered, length] = [[], 0];
  };
  for await (const chunk of tar as AsyncIterable<Uint8Array>) {
    gathered.push(chunk);
    length += chunk.length;
    if (length < frame_bytes) continue;
    close();
    await write(frames_under_way - 1);
  }
  close();
  await write(0);
  return { size_bytes, sha256: hash.digest("hex") };
}

function frameOf(bytes: Uint8Array): Promise<Uint8Array> {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 };
  return new Promise((resolve, reject) => {
    zstdCompress(bytes, { params }, (error, frame) => (error ? reject(error) : resolve(frame)));
  });
}

const readFrom = promisify(read);

const chunk_bytes = 1024 * 1024;

/**
 * Reads the first `size_bytes` of an open file in chunks. If the file has been truncated, the rest is zeros: a
 * checkpoint removes only pages that the view does not contain.
 */
export async function* fileChunks(file: number, size_bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size_bytes; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunk_bytes, size_bytes - at));
    const { bytesRead } = await readFrom(file, chunk, 0, chunk.length, at);
    if (bytesRead === 0) chunk.fill(0);
    const got = bytesRead === 0 ? chunk.length : bytesRead;
    at += got;
    yield chunk.subarray(0, got);
  }
}

/** The copies of both environments, on either engine. */
export interface BackupCopies extends Pick<BackupManifest, "engine" | "modes" | "files"> {
  readonly migrations: Readonly<Record<"live" | "test", readonly string[]>>;
  /** Total bytes to read. */
  readonly size_bytes: number;
  /** Adds both environments to an archive; `onChunk` is called with the bytes of each chunk. */
  addTo(archive: ArchiveWriter, onChunk: (bytes: number) => void): Promise<void>;
  /** Throws a `StartRefused` once the copy would harm the service. */
  check?(): void;
  /** Returns erasures that the list in this data directory may not contain. */
  erased(): Promise<readonly LoggedErasure[]>;
  /** Releases the copies. */
  close(): Promise<void>;
}
