// The number of the last commit, in a file next to the database. A database with a lower number has lost commits, even
// if it looks intact (a truncated or deleted log, an old copy). The file is written after each commit and never synced,
// so it can be behind the database but not ahead.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

const digits = 16;

export interface CommitFile {
  write(number: number): unknown;
  close(): void;
}

/** Opens the file for writing, and creates it if needed. */
export function openCommitFile(path: string): CommitFile {
  closeSync(openSync(path, "a"));
  const file = openSync(path, "r+");
  return {
    write: (number) => writeSync(file, commitText(number), 0),
    close: () => closeSync(file),
  };
}

/** The contents of the file for a commit. */
export function commitText(number: number): string {
  return `${String(number).padStart(digits, "0")}\n`;
}

/** The number in the file; null if it is missing or unreadable. After a power cut it may be empty. */
export function readCommitFile(path: string): number | null {
  try {
    const text = readFileSync(path, "latin1");
    return new RegExp(`^[0-9]{${digits}}\n$`).test(text) ? Number(text) : null;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return null;
    throw error;
  }
}

/** The number of a commit, and its time (ms). */
export interface CommitRow {
  readonly number: number;
  readonly at: number;
}

const leaf = 0x0d;

/**
 * Reads the row of `commit_sequence` from its page, a leaf with one row; null for any other page. The format is
 * SQLite's (https://www.sqlite.org/fileformat2.html, sections 1.6 and 2.1).
 */
export function commitRowIn(page: Uint8Array): CommitRow | null {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  if (page[0] !== leaf || view.getUint16(3) !== 1) return null;
  let at = view.getUint16(8);
  const varint = () => {
    let value = 0;
    for (let read = 0; read < 8; read++) {
      const byte = page[at++] ?? 0;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
    return value * 256 + (page[at++] ?? 0);
  };
  varint();
  const id = varint();
  const begun = at;
  const head_bytes = varint();
  // The id is the row's key, so it is NULL in the record.
  const [of_id, of_number = 0, of_at = 0] = [varint(), varint(), varint()];
  if (id !== 1 || of_id !== 0 || at - begun !== head_bytes) return null;
  const number = integer(view, at, of_number);
  const moment = integer(view, at + (sizes[of_number] ?? 0), of_at);
  return number === null || moment === null ? null : { number, at: moment };
}

/** The bytes of an integer by its serial type. */
const sizes = [0, 1, 2, 3, 4, 6, 8, 0, 0, 0];

function integer(view: DataView, at: number, type: number): number | null {
  if (type === 8 || type === 9) return type - 8;
  if (type === 1) return view.getInt8(at);
  if (type === 2) return view.getInt16(at);
  if (type === 3) return view.getInt8(at) * 0x1_00_00 + view.getUint16(at + 1);
  if (type === 4) return view.getInt32(at);
  if (type === 5) return view.getInt16(at) * 0x1_00_00_00_00 + view.getUint32(at + 2);
  return type === 6 ? Number(view.getBigInt64(at)) : null;
}
