// Where the contents of uploaded files are kept, outside the databases: in a folder, or elsewhere.
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Environment, environments } from "../core/environment.ts";

/** The folder of contents in a data directory, in a backup and in an export. */
export const files_folder = "files";

/** The contents of files by environment and key. A key is written once, and never with another content. */
export interface FileContents {
  /** The location as the operator wrote it; null for the data directory. */
  readonly location: string | null;
  /** The folder in which they are; null if they are elsewhere. */
  readonly folder: string | null;
  /** Resolves once the content survives a power cut. */
  write(mode: Environment, key: string, bytes: Uint8Array): Promise<void>;
  /** The content, or null if there is none. */
  read(mode: Environment, key: string): Promise<Uint8Array | null>;
  /** Removes a content, also one whose writing was interrupted; one that does not exist is no error. */
  remove(mode: Environment, key: string): Promise<void>;
  /** The keys of all contents. */
  list(mode: Environment): Promise<string[]>;
}

/** The path of a content below a folder of contents. */
export const contentPath = (mode: Environment, key: string): string => join(mode, key.slice(0, 2), key);

/** The file of a content that is being written. It stays if the process is killed. */
const partOf = (path: string) => `${path}.part`;

const isAbsent = (error: unknown) => (error as { code?: string } | null)?.code === "ENOENT";

/** Keeps contents in a folder that only its owner can read. The first file creates it. */
export function folderContents(folder: string, location: string | null = null): FileContents {
  const pathOf = (mode: Environment, key: string) => join(folder, contentPath(mode, key));
  return {
    location,
    folder,
    async write(mode, key, bytes) {
      const path = pathOf(mode, key);
      await makePrivateFolder(dirname(path));
      const part_path = partOf(path);
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
      const path = pathOf(mode, key);
      await Promise.all([rm(partOf(path), { force: true }), rm(path, { force: true })]);
    },
    list: async (mode) => (await listContents(folder)).flatMap((one) => (one.mode === mode ? one.key : [])),
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

/** A content in a folder, with the name that it has in a backup. */
interface StoredContent {
  readonly mode: Environment;
  readonly key: string;
  readonly size_bytes: number;
}

/** Whether a name is that of a content: 16 random bytes as hex. Others are of files that are being written. */
export const isContentKey = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

/** Lists the contents in a folder of contents; none if there is no folder. */
export async function listContents(folder: string): Promise<StoredContent[]> {
  const found: StoredContent[] = [];
  for (const mode of environments) {
    for (const part of await namesIn(join(folder, mode))) {
      for (const key of await namesIn(join(folder, mode, part))) {
        if (!isContentKey(key)) continue;
        const { size } = await stat(join(folder, contentPath(mode, key))).catch(() => ({ size: -1 }));
        if (size >= 0) found.push({ mode, key, size_bytes: size });
      }
    }
  }
  return found;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (isAbsent(error) || (error as { code?: string }).code === "ENOTDIR") return [];
    throw error;
  }
}
