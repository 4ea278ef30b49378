// Unpacks an archive into a folder. What lies there is to be believed only when this has ended without an error.
import { closeSync, existsSync, fsyncSync, openSync, statfsSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { startRefused } from "../../database/exit.ts";
import { makeFolder } from "../../kit/whole_file.ts";
import type { Manifest } from "../archive/manifest.ts";
import { type ArchiveEntry, openArchive } from "../archive/reader.ts";
import type { Source } from "./source.ts";

/** So much is left free at least, for what a server writes to the same disk while the data is looked over. */
const room_left_bytes = 256 * 1024 * 1024;
/** Names of files of a data directory, and of files in its folders. */
const plain_name = /^(?!\.)[\w.-]+(?:\/(?!\.)[\w.-]+)?$/;

type Engine = Manifest["engine"];

/**
 * Unpacks an archive into a folder that nobody else uses, each file on the disk when it resolves. `look` is given what
 * the archive says of itself, and may refuse it, before anything of it is read. Refuses with a `StartRefused` what is
 * no whole archive, one of another engine, and one for which there is no room.
 */
export async function unpack(
  source: Source,
  folder: string,
  engine: Engine,
  look: (manifest: Manifest) => void | Promise<void> = () => {},
): Promise<Manifest> {
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
