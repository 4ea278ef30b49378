// The file that is restored, wherever it lies.
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

/** The file beside backups that has a line for each restore of one of them. */
const restores_file = "restores.jsonl";

/** An archive to be read, and what lies beside it. */
export interface BackupSource {
  /** As the operator wrote it. */
  readonly place: string;
  /** The name of the file alone. */
  readonly name: string;
  readonly size_bytes: number;
  open(): AsyncIterable<Uint8Array>;
  /** The erasures of customers that are kept beside it. */
  erasures(): Promise<LoggedErasure[]>;
  /** Notes beside the backups that this one is restored, on the disk when it returns: which restore of them it is. */
  noteRestore(line: string): Promise<number>;
}

/** An archive in a bucket. Refuses a key under which there is nothing. */
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
    noteRestore: async (line) => {
      const key = folder + restores_file;
      const text = `${(await textIn(bucket, key)) ?? ""}${line}\n`;
      await bucket.write(key, Buffer.from(text));
      return placeOf(line, text);
    },
  };
}

/** An archive in a file of this machine. Refuses what is no file. */
export function fileSource(path: string): BackupSource {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw startRefused("absent", `There is no file ${path}.`);
  if (!found.isFile()) throw startRefused("absent", `${path} is not a file: name one of the backups in it.`);
  const folder = dirname(path);
  return {
    place: path,
    name: basename(path),
    size_bytes: found.size,
    open: () => createReadStream(path, { highWaterMark: 1024 * 1024 }),
    erasures: async () => readErasures(join(folder, erasures_file)),
    noteRestore: async (line) => {
      const noted = join(folder, restores_file);
      const file = openSync(noted, "a", 0o600);
      try {
        writeSync(file, `${line}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      return placeOf(line, readFileSync(noted, "utf8"));
    },
  };
}

/** Which of the lines it is, counted from 1. Two that are noted at once have two places. */
const placeOf = (line: string, text: string) => text.split("\n").indexOf(line) + 1;

// Unpacks an archive into a folder. What lies there is to be believed only when this has ended without an error.

/** So much is left free at least, for what a server writes to the same disk while the data is looked over. */
const room_left_bytes = 256 * 1024 * 1024;
/** Names of files of a data directory, and of files in its folders. */
const plain_name = /^(?!\.)[\w.-]+(?:\/(?!\.)[\w.-]+)?$/;

type Engine = BackupManifest["engine"];

/**
 * Unpacks an archive into a folder that nobody else uses, each file on the disk when it resolves. `look` is given what
 * the archive says of itself, and may refuse it, before anything of it is read. Refuses with a `StartRefused` what is
 * no whole archive, one of another engine, and one for which there is no room.
 */
export async function unpack(
  source: BackupSource,
  folder: string,
  engine: Engine,
  look: (manifest: BackupManifest) => void | Promise<void> = () => {},
): Promise<BackupManifest> {
  makeFolder(folder);
  // What is packed takes more room than this when it is unpacked.
  refuseWithoutRoom(folder, source.size_bytes);
  const archive = await openArchive(source.open(), source.place);
  try {
    if (archive.manifest.engine !== engine) throw otherEngine(source.place, archive.manifest.engine);
    await look(archive.manifest);
    for await (const entry of archive.entries) {
      if (!plain_name.test(entry.name)) {
        throw startRefused("foreign", `${source.place} is not a backup of Packhouse (it holds ${entry.name}).`);
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
    for await (const piece of content) {
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
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
  const said = `There is no room in ${dirname(folder)}: ${megabytes(needed + room_left_bytes)} are needed at least`;
  throw startRefused("storage", `${said}, and ${megabytes(free)} are free.`);
}

function otherEngine(place: string, engine: Engine) {
  const advice =
    engine === "postgres"
      ? "Restore it into a PostgreSQL database (--database-url), and move it from there by packhouse move."
      : "Restore it without --database-url, and move it from there by packhouse move.";
  const held = engine === "postgres" ? "a PostgreSQL database" : "the embedded database";
  return startRefused("unsuitable", `${place} is a backup of ${held}. ${advice}`);
}
