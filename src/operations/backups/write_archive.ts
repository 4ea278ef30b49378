// Writes an archive piece by piece: an ordinary tar, packed as zstd frames that follow each other.

import { read } from "node:fs";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { type Pack, pack } from "tar-stream";
import type { LoggedErasure } from "../../storage/erasures.ts";
import { archive_format, type BackupManifest, manifest_entry, sums_entry } from "./archive.ts";

/** Where the bytes of an archive go. */
interface ArchiveSink {
  /** Resolves when it can take more. */
  write(bytes: Uint8Array): Promise<void>;
}

/** The content of an entry, in pieces. */
export type EntryChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface ArchiveWriter {
  /** Adds a file of exactly so many bytes. */
  add(name: string, size_bytes: number, content: EntryChunks): Promise<void>;
  /** Adds a short file. */
  addText(name: string, text: string): Promise<void>;
  /** Adds the sums of all files, and ends the archive. Answers its size and its own SHA-256, as hex. */
  finish(): Promise<{ readonly size_bytes: number; readonly sha256: string }>;
  /** Lets go of an archive that will not be finished. */
  abandon(): void;
}

/** So much is packed at once, into a frame of its own: whoever shares the machine waits for no more. */
const frame_bytes = 4 * 1024 * 1024;
/** While one frame is packed the next is gathered. */
const frames_under_way = 2;
const level = 3;

/** Begins an archive with its manifest. Files are added one after another. */
export async function beginArchive(
  sink: ArchiveSink,
  manifest: Omit<BackupManifest, "format">,
): Promise<ArchiveWriter> {
  const tar = pack();
  const packed = packFrames(tar, sink);
  // Whoever adds the next file or ends the archive learns of it.
  packed.catch((error) => tar.destroy(error as Error));
  const sums: string[] = [];
  const add = async (name: string, size_bytes: number, content: EntryChunks) => {
    sums.push(`${await addEntry(tar, name, size_bytes, content, packed)}  ${name}\n`);
  };
  const addText = async (name: string, text: string) => {
    const bytes = Buffer.from(text);
    await add(name, bytes.length, [bytes]);
  };
  await addText(manifest_entry, `${JSON.stringify({ format: archive_format, ...manifest }, null, 2)}\n`);
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

/** Adds one entry; answers the SHA-256 of its content. */
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
  for await (const piece of content) {
    left -= piece.length;
    if (left < 0) break;
    hash.update(piece);
    if (!entry.write(piece)) await Promise.race([drained(entry), packed]);
  }
  if (left !== 0) throw new Error(`${name} is not of the size that it was begun with`);
  entry.end(null);
  // The packing ends before the archive does only by failing.
  await Promise.race([ended.promise, packed]);
  return hash.digest("hex");
}

const drained = (entry: ReturnType<Pack["entry"]>) =>
  new Promise<void>((resolve) => entry.once("drain", () => resolve()));

/** Packs what a tar holds into frames, and writes them in their order. */
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
  for await (const piece of tar as AsyncIterable<Uint8Array>) {
    gathered.push(piece);
    length += piece.length;
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

// A range of an open file in small pieces.

const readFrom = promisify(read);

const piece_bytes = 1024 * 1024;

/**
 * The first so many bytes of an open file. What the file lacks of them by then, since it was cut shorter, is zeros: a
 * checkpoint cuts only pages off that the view does not have.
 */
export async function* fileChunks(file: number, size_bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size_bytes; ) {
    const piece = Buffer.allocUnsafe(Math.min(piece_bytes, size_bytes - at));
    const { bytesRead } = await readFrom(file, piece, 0, piece.length, at);
    if (bytesRead === 0) piece.fill(0);
    const got = bytesRead === 0 ? piece.length : bytesRead;
    at += got;
    yield piece.subarray(0, got);
  }
}

// What the copies of both worlds are, whichever engine keeps them.

export interface BackupCopies extends Pick<BackupManifest, "engine" | "worlds"> {
  readonly migrations: Readonly<Record<"live" | "test", readonly string[]>>;
  /** How much is read for it. */
  readonly size_bytes: number;
  /** Adds both worlds to an archive; `onPiece` is told how many bytes were read. */
  addTo(archive: ArchiveWriter, onPiece: (bytes: number) => void): Promise<void>;
  /** Throws a `StartRefused` once the service would suffer by what is held for it. */
  check?(): void;
  /** The erasures of customers by now that the file of erasures in this data directory may not have. */
  erased(): Promise<readonly LoggedErasure[]>;
  /** Lets go of what was held for it. */
  close(): Promise<void>;
}
