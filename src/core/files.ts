// Folders that processes of this machine make for a while, and what killed ones have left of them.
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

/** Makes a folder in another, under a name that begins so and tells whose it is. Removes those of ended processes. */
export function makeTemporaryFolder(within: string, beginning: string): string {
  for (const name of readdirSync(within)) {
    if (!name.startsWith(beginning)) continue;
    const pid = Number(/^(\d+)-/.exec(name.slice(beginning.length))?.[1]);
    if (Number.isNaN(pid) || pid === process.pid || isRunning(pid)) continue;
    try {
      rmSync(join(within, name), { recursive: true, force: true });
    } catch {
      // It is another user's, who has to remove it.
    }
  }
  return mkdtempSync(join(within, `${beginning}${process.pid}-`));
}

// Files that are kept. A power cut leaves of each the one before or the new one, whole: it is written beside its place,
// synced, put there, and its folder synced, without which nobody would find it.

/** A file that is being written. */
interface AtomicFile {
  write(text: string | Uint8Array): void;
  /** Puts it in its place, on the disk. */
  keep(): void;
  /** Leaves its place as it was. Nothing to do once it is kept. */
  drop(): void;
}

/** Writes a file whole. It can be read by its owner only, or as the one before it. */
export function writeAtomically(path: string, text: string | Uint8Array): void {
  const file = openAtomicFile(path);
  try {
    file.write(text);
    file.keep();
  } finally {
    file.drop();
  }
}

/** Begins a file that is written piece by piece. What is no file, such as a pipe, is written to as it is. */
export function openAtomicFile(path: string): AtomicFile {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before !== undefined && !before.isFile()) return openPipe(path);
  const place = before === undefined ? resolve(path) : realpathSync(path);
  if (before !== undefined) accessSync(place, constants.W_OK);
  const beside = `${place}.${process.pid}.part`;
  const file = openSync(beside, "w", 0o600);
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
      renameSync(beside, place);
      close();
      syncFolder(dirname(place));
    },
    drop: () => {
      if (!open) return;
      close();
      unlinkSync(beside);
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
    // Also when it existed: its creator may have ended before it was synced.
    syncFolder(dirname(folder));
    if (made === undefined || folder === resolve(made)) return made ?? null;
  }
}

/** Removes the folders that `makeFolder(path)` created and that are still empty. `made` is what it returned. */
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

/** Lets no power cut take away what was made in a folder, or put there. */
export function syncFolder(path: string): void {
  let folder: number | null = null;
  try {
    folder = openSync(path, "r");
    fsyncSync(folder);
  } catch (error) {
    // Some file systems know no such thing, and a folder may be closed to whoever may write in it.
    if (!/^E(ACCES|PERM|INVAL|ISDIR|NOTSUP)$/.test((error as { code?: string }).code ?? "")) throw error;
  } finally {
    if (folder !== null) closeSync(folder);
  }
}
