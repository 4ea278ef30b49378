// Where the contents of uploaded files are kept, outside the databases: in a folder, or elsewhere.
import { type FileHandle, mkdir, open, readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Environment } from "../core/environment.ts";

/** The folder of contents in a data directory, in a backup and in an export. */
export const files_folder = "files";

/** The contents of files by environment and key. A key is written once, and never with another content. */
export interface FileContents {
  /** The location as the operator wrote it; null for the data directory. */
  readonly location: string | null;
  /** Resolves once the content survives a power cut. */
  write(mode: Environment, key: string, bytes: Uint8Array): Promise<void>;
  /** The content, or null if there is none. */
  read(mode: Environment, key: string): Promise<Uint8Array | null>;
  /** Removes a content; one that does not exist is no error. */
  remove(mode: Environment, key: string): Promise<void>;
}

/** The path of a content below a folder of contents. */
const contentPath = (mode: Environment, key: string): string => join(mode, key.slice(0, 2), key);

const isAbsent = (error: unknown) => (error as { code?: string } | null)?.code === "ENOENT";

/** Keeps contents in a folder, which is created with the first one. Only its owner can read it. */
export function folderContents(folder: string, location: string | null = null): FileContents {
  const pathOf = (mode: Environment, key: string) => join(folder, contentPath(mode, key));
  return {
    location,
    async write(mode, key, bytes) {
      const path = pathOf(mode, key);
      await makePrivateFolder(dirname(path));
      const part_path = `${path}.${process.pid}.part`;
      try {
        await withHandle(await open(part_path, "w", 0o600), async (file) => {
          await file.writeFile(bytes);
          await file.sync();
        });
        await rename(part_path, path);
      } catch (error) {
        await rm(part_path, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    },
    async read(mode, key) {
      try {
        return await readFile(pathOf(mode, key));
      } catch (error) {
        if (isAbsent(error)) return null;
        throw error;
      }
    },
    async remove(mode, key) {
      try {
        await unlink(pathOf(mode, key));
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },
  };
}

async function withHandle(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

/** Creates a folder with its parents, and syncs the parents of those that it created. */
async function makePrivateFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  for (let folder = path; ; folder = dirname(folder)) {
    await syncFolder(dirname(folder));
    if (folder === made || dirname(folder) === folder) return;
  }
}

async function syncFolder(path: string): Promise<void> {
  try {
    await withHandle(await open(path, "r"), (file) => file.sync());
  } catch (error) {
    // Some file systems cannot sync folders.
    if (!/^E(ACCES|PERM|INVAL|ISDIR|NOTSUP)$/.test((error as { code?: string }).code ?? "")) throw error;
  }
}
