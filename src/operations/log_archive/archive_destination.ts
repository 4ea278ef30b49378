// Destinations of archived segments: a folder or an S3-compatible bucket.
import { type Dirent, existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { folderKey, type openBucket } from "../../outbound/s3.ts";

/** A store of files. Names contain slashes. */
export interface ArchiveDestination {
  /** The location as the operator wrote it, without secrets. */
  readonly place: string;
  /** Lists the names below a folder. */
  list(folder: string): Promise<string[]>;
  read(name: string): Promise<Uint8Array>;
  /** Stores a file atomically: it is durable when this resolves, and until then there is no partial file. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The folder of all segments at the destination of the backups. */
export const archive_folder = "continuous";

/** Stores segments in a folder, which is created if needed. */
export function folderPlace(folder: string): ArchiveDestination {
  const root = join(folder, archive_folder);
  return {
    place: folder,
    list: async (below) => {
      const path = join(root, below);
      if (!existsSync(path)) return [];
      const found = (await readdir(path, { recursive: true, withFileTypes: true })) as Dirent[];
      const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return files.map((file) => file.slice(root.length + 1).replaceAll("\\", "/")).sort();
    },
    read: (name) => readFile(join(root, name)),
    write: async (name, bytes) => {
      const path = join(root, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const beside = `${path}.part`;
      const file = await open(beside, "w", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, path);
      await synced(dirname(path));
    },
    remove: (name) => rm(join(root, name), { force: true }),
  };
}

type ArchiveBucket = Pick<ReturnType<typeof openBucket>, "list" | "read" | "write" | "remove">;

/** Stores segments in a bucket under keys with `prefix`. `place` is the location as the operator wrote it. */
export function bucketPlace(bucket: ArchiveBucket, prefix: string, place: string): ArchiveDestination {
  const root = `${folderKey(prefix)}${archive_folder}/`;
  return {
    place,
    list: async (below) => {
      const found = await bucket.list(below === "" ? root : `${root}${below}/`);
      return found.map(({ key }) => key.slice(root.length)).sort();
    },
    read: async (name) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of bucket.read(root + name)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    write: (name, bytes) => bucket.write(root + name, bytes),
    remove: (name) => bucket.remove(root + name),
  };
}

/** Syncs a folder, so that its entries survive a power cut, on file systems that support it. */
async function synced(folder: string): Promise<void> {
  const opened = await open(folder, "r").catch(() => null);
  await opened?.sync().catch(() => {});
  await opened?.close();
}
