// Reads the archive to restore from a file or a bucket, and unpacks it.
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../../core/files.ts";
import type { openBucket } from "../../outbound/s3.ts";
import { erasures_file, type LoggedErasure, readErasures } from "../../storage/erasures.ts";
import { startRefused } from "../../storage/start_refused.ts";
import type { BackupManifest } from "./archive.ts";
import { erasuresIn, textIn } from "./bucket_destination.ts";
import { type ArchiveEntry, openArchive } from "./read_archive.ts";

type RestoreBucket = ReturnType<typeof openBucket>;

/** A file stored with the backups, with a line for each restore of one of them. */
const restores_file = "restores.jsonl";

/** An archive to restore, and the files stored with it. */
export interface BackupSource {
  /** The location as the operator wrote it. */
  readonly place: string;
  /** The file name without its folder. */
  readonly name: string;
  readonly size_bytes: number;
  open(): AsyncIterable<Uint8Array>;
  /** Reads the erasures of customers that are stored with it. */
  erasures(): Promise<LoggedErasure[]>;
  /** Appends a line to the durable list of restores. Returns which restore it is, counted from 1. */
  recordRestore(line: string): Promise<number>;
}

/** Opens an archive in a bucket. Refuses a key that does not exist. */
export async function bucketSource(bucket: RestoreBucket, key: string, place: string): Promise<BackupSource> {
  const found = (await bucket.list(key)).find((one) => one.key === key);
  if (found === undefined) throw startRefused("absent", `There is no backup at ${place}.`);
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  return {
    place,
    name: key.slice(folder.length),
    size_bytes: found.size_bytes,
    open: () => bucket.read(key),
    erasures: () => erasuresIn(bucket, folder),
    recordRestore: async (line) => {
      const key = folder + restores_file;
      const text = `${(await textIn(bucket, key)) ?? ""}${line}\n`;
      await bucket.write(key, Buffer.from(text));
      return positionOf(line, text);
    },
  };
}

/** Opens an archive in a local file. Refuses anything but a file. */
export function fileSource(path: string): BackupSource {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw startRefused("absent", `There is no file ${path}.`);
  if (!found.isFile()) throw startRefused("absent", `${path} is not a file. Name one of the backups in it.`);
  const folder = dirname(path);
  return {
    place: path,
    name: basename(path),
    size_bytes: found.size,
    open: () => createReadStream(path, { highWaterMark: 1024 * 1024 }),
    erasures: async () => readErasures(join(folder, erasures_file)),
    recordRestore: async (line) => {
      const noted = join(folder, restores_file);
      const file = openSync(noted, "a", 0o600);
      try {
        writeSync(file, `${line}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      return positionOf(line, readFileSync(noted, "utf8"));
    },
  };
}

/** The position of a line, counted from 1. Lines appended at once have different positions. */
const positionOf = (line: string, text: string) => text.split("\n").indexOf(line) + 1;

/** Disk space that must remain free, for a server that writes to the same disk during the checks. */
const room_left_bytes = 256 * 1024 * 1024;
/** Names of files in a data directory and its folders. */
const plain_name = /^(?!\.)[\w.-]+(?:\/(?!\.)[\w.-]+){0,3}$/;

type Engine = BackupManifest["engine"];

/**
 * Unpacks an archive into a private folder and syncs each file. Use the files only if this succeeds. `checkManifest`
 * gets the manifest first and may refuse it. Refuses with a `StartRefused` incomplete archives, those of another
 * engine, and those for which there is not enough space.
 */
export async function unpack(
  source: BackupSource,
  folder: string,
  engine: Engine,
  checkManifest: (manifest: BackupManifest) => void | Promise<void> = () => {},
): Promise<BackupManifest> {
  makeFolder(folder);
  // The unpacked files take more space than this.
  refuseWithoutRoom(folder, source.size_bytes);
  const archive = await openArchive(source.open(), source.place);
  try {
    if (archive.manifest.engine !== engine) throw otherEngine(source.place, archive.manifest.engine);
    await checkManifest(archive.manifest);
    for await (const entry of archive.entries) {
      if (!plain_name.test(entry.name)) {
        throw startRefused("foreign", `${source.place} is not a Packhouse backup (it contains ${entry.name}).`);
      }
      refuseWithoutRoom(folder, entry.size_bytes);
      await write(entry, join(folder, entry.name));
    }
    return archive.manifest;
  } finally {
    archive.close();
  }
}

async function write({ content }: ArchiveEntry, path: string): Promise<void> {
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  const file = openSync(path, "wx", 0o600);
  try {
    for await (const chunk of content) {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function refuseWithoutRoom(folder: string, needed: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= needed + room_left_bytes) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  const problem = `Not enough space in ${dirname(folder)}: at least ${megabytes(needed + room_left_bytes)} are needed`;
  throw startRefused("storage", `${problem}, and ${megabytes(free)} are free.`);
}

function otherEngine(place: string, engine: Engine) {
  const advice =
    engine === "postgres"
      ? "Restore it into a PostgreSQL database (--database-url), then use packhouse move."
      : "Restore it without --database-url, then use packhouse move.";
  const held = engine === "postgres" ? "a PostgreSQL database" : "the embedded database";
  return startRefused("unsuitable", `${place} is a backup of ${held}. ${advice}`);
}
