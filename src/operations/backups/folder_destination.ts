// Backups in a local folder, or as a single file.
import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  write,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../../core/clock.ts";
import { makeFolder, removeMadeFolders, syncFolder } from "../../core/files.ts";
import { isRunning } from "../../core/process.ts";
import { erasures_file, recordErasures } from "../../storage/erasures.ts";
import { startRefused } from "../../storage/start_refused.ts";
import { archiveName, momentOfName } from "./archive.ts";
import type { BackupDraft, Destination } from "./destination.ts";

const [writeTo, syncData] = [promisify(write), promisify(fdatasync)];

/** Bytes to write between syncs. More at once would delay the commits of a server. */
const sync_bytes = 4 * 1024 * 1024;
/** Age of its last write after which a draft counts as abandoned. */
const abandoned_ms = 60 * 60 * 1000;

/** Stores backups in a folder, which is created if needed. */
export function folderDestination(folder: string): Destination {
  const path = resolve(folder);
  return {
    place: folder,
    begin: async (at) => {
      const made = makeFolder(path);
      sweep(path);
      // If two start in the same second, the one that finishes later is named after a later second.
      return openDraft((times) => join(path, archiveName(at + times * 1000)), made);
    },
    list: async () => {
      const names = existsSync(path) ? readdirSync(path).filter((name) => momentOfName(name) !== null) : [];
      return names.sort().map((name) => ({ name, size_bytes: statSync(join(path, name)).size }));
    },
    keepErasures: async (erasures) => recordErasures(join(path, erasures_file), erasures),
    remove: async (name) => {
      rmSync(join(path, name), { force: true });
      syncFolder(path);
    },
  };
}

/** Writes one backup to a file. Refuses a file that exists. */
export function fileDestination(file: string): Destination {
  const path = resolve(file);
  return {
    place: file,
    begin: async () => {
      const isThere = () => startRefused("unsuitable", `${file} already exists. Name another file, or a folder.`);
      if (existsSync(path)) throw isThere();
      const made = makeFolder(dirname(path));
      sweep(dirname(path));
      return openDraft((times) => {
        if (times > 0) throw isThere();
        return path;
      }, made);
    },
    list: async () => [],
    keepErasures: async (erasures) => recordErasures(join(dirname(path), erasures_file), erasures),
    remove: async () => {},
  };
}

/**
 * Opens a draft. `nameOf` returns its name after `times` earlier names were taken. `made` is the topmost folder that
 * was created for it, or null; dropping the draft removes it again.
 */
function openDraft(nameOf: (times: number) => string, made: string | null): BackupDraft {
  let path = nameOf(0);
  const beside = join(dirname(path), `.${basename(path)}.${thisProcess()}.part`);
  const file = openSync(beside, "w", 0o600);
  let open = true;
  let unsynced = 0;
  return {
    get place() {
      return path;
    },
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await writeTo(file, bytes, at, bytes.length - at).catch((error) => {
          if (error.code !== "ENOSPC") throw error;
          throw startRefused("storage", `Not enough space for the backup in ${dirname(path)}.`);
        });
        at += bytesWritten;
      }
      unsynced += bytes.length;
      if (unsynced < sync_bytes) return;
      unsynced = 0;
      await syncData(file);
    },
    keep: async () => {
      fsyncSync(file);
      closeSync(file);
      open = false;
      for (let times = 1; !isNamed(beside, path); times += 1) path = nameOf(times);
      syncFolder(dirname(path));
    },
    drop: async () => {
      if (open) closeSync(file);
      open = false;
      rmSync(beside, { force: true });
      removeMadeFolders(dirname(path), made);
    },
  };
}

/** Renames a file unless the name is taken. Returns whether it was renamed. */
function isNamed(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    unlinkSync(file);
  } catch (error) {
    if ((error as { code?: string }).code === "EEXIST" || existsSync(name)) return false;
    // Some file systems have no hard links.
    renameSync(file, name);
  }
  return true;
}

const thisProcess = () => `${hostname().replace(/[^\w-]/g, "_")}-${process.pid}`;
const part = /^\..+\.tar\.zst\.(?<machine>[\w-]+)-(?<pid>\d+)\.part$/;

/** Removes drafts that killed runs of this machine left, and those untouched for an hour. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const found = part.exec(name)?.groups;
    if (found === undefined) continue;
    const here = thisProcess() === `${found["machine"]}-${process.pid}`;
    const written_at = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const quiet = systemClock().now() - written_at > abandoned_ms;
    if (quiet || (here && !isRunning(Number(found["pid"])))) unlinkSync(join(folder, name));
  }
}
