// Temporary folders, and files that survive a power cut. A file is written next to its destination, synced and renamed,
// and its folder is synced, so a power cut leaves either the old file or the new one.
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isRunning } from "./process.ts";

/** Creates a temporary folder named after its prefix and this process. Removes folders of ended processes. */
export function makeTemporaryFolder(within: string, prefix: string): string {
  for (const name of readdirSync(within)) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(/^(\d+)-/.exec(name.slice(prefix.length))?.[1]);
    if (Number.isNaN(pid) || pid === process.pid || isRunning(pid)) continue;
    try {
      rmSync(join(within, name), { recursive: true, force: true });
    } catch {
      // It belongs to another user, who has to remove it.
    }
  }
  return mkdtempSync(join(within, `${prefix}${process.pid}-`));
}

/** A file that is being written. */
interface AtomicFile {
  write(text: string | Uint8Array): void;
  /** Moves it to its destination, durably. */
  keep(): void;
  /** Discards it and leaves the destination unchanged. Has no effect after `keep`. */
  drop(): void;
}

/** Writes a whole file. Its permissions are those of the file it replaces, else owner-only. */
export function writeAtomically(path: string, text: string | Uint8Array): void {
  const file = openAtomicFile(path);
  try {
    file.write(text);
    file.keep();
  } finally {
    file.drop();
  }
}

/** Opens a file to be written in chunks. Something that is not a file, such as a pipe, is written to directly. */
export function openAtomicFile(path: string): AtomicFile {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before !== undefined && !before.isFile()) return openPipe(path);
  const place = before === undefined ? resolve(path) : realpathSync(path);
  if (before !== undefined) accessSync(place, constants.W_OK);
  const part_path = `${place}.${process.pid}.part`;
  const file = openSync(part_path, "w", 0o600);
  let open = true;
  const close = () => {
    open = false;
    closeSync(file);
  };
  return {
    write: (text) => writeAll(file, text),
    keep: () => {
      if (before !== undefined) fchmodSync(file, before.mode & 0o777);
      fsyncSync(file);
      renameSync(part_path, place);
      close();
      syncFolder(dirname(place));
    },
    drop: () => {
      if (!open) return;
      close();
      unlinkSync(part_path);
    },
  };
}

function openPipe(path: string): AtomicFile {
  const file = openSync(path, "w");
  let open = true;
  const close = () => {
    if (open) closeSync(file);
    open = false;
  };
  return { write: (text) => writeAll(file, text), keep: close, drop: close };
}

function writeAll(file: number, text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/**
 * Creates a folder that only its owner can enter, with any missing parents, and syncs them. Returns the topmost folder
 * that it created, or null when the folder existed.
 */
export function makeFolder(path: string): string | null {
  const made = mkdirSync(path, { recursive: true, mode: 0o700 });
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    // Also when it existed: the process that created it may have ended before syncing it.
    syncFolder(dirname(folder));
    if (made === undefined || folder === resolve(made)) return made ?? null;
  }
}

/** Removes the folders that `makeFolder(path)` created and that are still empty. `made` is its return value. */
export function removeMadeFolders(path: string, made: string | null): void {
  if (made === null) return;
  const top = resolve(made);
  for (let folder = resolve(path); folder.startsWith(top); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** Syncs a folder, so that files created in it or moved to it survive a power cut. */
export function syncFolder(path: string): void {
  let folder: number | null = null;
  try {
    folder = openSync(path, "r");
    fsyncSync(folder);
  } catch (error) {
    // Some file systems cannot sync folders, and a writable folder may be unreadable.
    if (!/^E(ACCES|PERM|INVAL|ISDIR|NOTSUP)$/.test((error as { code?: string }).code ?? "")) throw error;
  } finally {
    if (folder !== null) closeSync(folder);
  }
}
