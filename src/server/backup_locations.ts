// Locations of backups and of the log archive, as named in flags: a folder, a file or a bucket.
import { createReadStream, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { iso, systemClock } from "../core/clock.ts";
import { ownProgram, UsageError, variable } from "../core/config.ts";
import { type Log, registerSecret } from "../core/log.ts";
import { bucketContents } from "../files/file_bucket.ts";
import { momentOfName } from "../operations/backups/archive.ts";
import { type BackupSource, bucketSource, fileSource } from "../operations/backups/backup_source.ts";
import { bucketDestination } from "../operations/backups/bucket_destination.ts";
import type { Destination } from "../operations/backups/destination.ts";
import { fileDestination, folderDestination } from "../operations/backups/folder_destination.ts";
import { type ArchiveDestination, bucketPlace, folderPlace } from "../operations/log_archive/archive_destination.ts";
import { type LogArchiving, startLogArchiving } from "../operations/log_archive/archive_logs.ts";
import { openBucket } from "../outbound/s3.ts";
import { erasures_file, readErasures } from "../storage/erasures.ts";
import { type FileContents, files_folder, folderContents } from "../storage/file_contents.ts";
import { startRefused } from "../storage/start_refused.ts";

/** The forms of a backup location, for help texts. */
export const location_forms = "a folder, a file that ends in .tar.zst, or s3://bucket/prefix";

/**
 * Parses a location: `s3://bucket/prefix`, a file that ends in `.tar.zst`, otherwise a folder. A bucket requires
 * `PACKHOUSE_S3_ACCESS_KEY_ID` and `PACKHOUSE_S3_SECRET_ACCESS_KEY`. Throws `UsageError` for anything else.
 */
export function destinationOf(to: string): Destination {
  const [, bucket, prefix = ""] = inBucket.exec(to) ?? [];
  if (bucket !== undefined) return bucketDestination({ ...bucketAccess(), bucket }, prefix, to);
  if (to === "-" || /^\w+:\/\//.test(to))
    throw new UsageError(`${to} is not a backup location. Use ${location_forms}.`);
  return to.endsWith(".tar.zst") ? fileDestination(to) : folderDestination(to);
}

/** The bytes of a backup: a file, `s3://bucket/key`, or `-` for standard input. */
export function readBackup(from: string): AsyncIterable<Uint8Array> {
  const [, bucket, key = ""] = inBucket.exec(from) ?? [];
  if (from === "-") return process.stdin;
  return bucket === undefined ? createReadStream(from) : openBucket({ ...bucketAccess(), bucket }).read(key);
}

/** A backup to restore: a file or `s3://bucket/key`. Refuses a missing one, and standard input. */
export async function sourceOf(from: string): Promise<BackupSource> {
  if (from === "-") {
    throw new UsageError("A backup cannot be restored from standard input. Name its file.");
  }
  const [, bucket, key = ""] = inBucket.exec(from) ?? [];
  if (bucket === undefined) return fileSource(from);
  return bucketSource(openBucket({ ...bucketAccess(), bucket }), key, from);
}

/** The log archive at a location of backups: a folder or `s3://bucket/prefix`. */
export function archiveLocationOf(to: string): ArchiveDestination {
  const [, bucket, prefix = ""] = inBucket.exec(to) ?? [];
  return bucket === undefined ? folderPlace(to) : bucketPlace(openBucket({ ...bucketAccess(), bucket }), prefix, to);
}

/**
 * The backups from which a time (ms) can be restored, newest first, and their location. `from` is one backup, or a
 * location: then all that were begun by that time. Refuses a location without such a backup.
 */
export async function backupsBy(
  from: string,
  moment: number,
): Promise<{ readonly files: readonly string[]; readonly to: string }> {
  const bare = from.replace(/\/+$/, "");
  if (bare.endsWith(".tar.zst")) {
    return { files: [bare], to: inBucket.test(bare) ? bare.slice(0, bare.lastIndexOf("/")) : dirname(bare) };
  }
  const names = (await destinationOf(bare).list()).map(({ name }) => name);
  const early = names.filter((name) => (momentOfName(name) ?? Number.POSITIVE_INFINITY) <= moment);
  if (early.length > 0) return { files: early.reverse().map((name) => `${bare}/${name}`), to: bare };
  const when = Number.isFinite(moment) ? ` from ${iso(moment)} or earlier` : "";
  throw startRefused("absent", `There is no backup${when} in ${from}.`);
}

/**
 * The contents of uploaded files at a location: `s3://bucket/prefix`, or a folder; by default in the data directory.
 * Throws `UsageError` for anything else.
 */
export function contentsAt(location: string | undefined, data: string): FileContents {
  if (location === undefined) return folderContents(join(data, files_folder));
  const [, bucket, prefix = ""] = inBucket.exec(location) ?? [];
  if (bucket !== undefined) return bucketContents({ ...bucketAccess(), bucket }, prefix, location);
  if (/^\w+:\/\//.test(location)) {
    throw new UsageError(`--files must be a folder or s3://bucket/prefix (got ${location}).`);
  }
  return folderContents(location, location);
}

const inBucket = /^s3:\/\/([^/]+)\/?(.*)$/;

function bucketAccess() {
  const region = variable("PACKHOUSE_S3_REGION") ?? "us-east-1";
  const endpoint = (variable("PACKHOUSE_S3_ENDPOINT") ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, "");
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) {
    throw new UsageError("PACKHOUSE_S3_ENDPOINT must be a URL such as https://s3.eu-central-1.amazonaws.com.");
  }
  const access_key_id = variable("PACKHOUSE_S3_ACCESS_KEY_ID");
  const secret_access_key = variable("PACKHOUSE_S3_SECRET_ACCESS_KEY");
  if (access_key_id === null || secret_access_key === null) {
    throw new UsageError("A bucket requires PACKHOUSE_S3_ACCESS_KEY_ID and PACKHOUSE_S3_SECRET_ACCESS_KEY.");
  }
  registerSecret(secret_access_key);
  return { region, endpoint, access_key_id, secret_access_key };
}

/** Prepares log archiving of a data directory to a location. `with_key`: its backups include the secret key. */
export function openLogArchiving(to: string, with_key: boolean, data: string, log: Log): LogArchiving {
  const clock = systemClock();
  const backUp = async () => {
    const words = ["backup", to, ...(with_key ? ["--with-key"] : []), "--data", resolve(data)];
    // A separate process, because closing a descriptor of a database in this one would drop SQLite's locks.
    const child = Bun.spawn([...ownProgram, ...words], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const errors = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(errors.trim());
  };
  const backups = async () => {
    const all = await destinationOf(to).list();
    return all.flatMap(({ name }) => momentOfName(name) ?? []);
  };
  const erasures = join(data, erasures_file);
  let copied_ms = 0;
  const copyErasures = async () => {
    const changed_ms = statSync(erasures, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changed_ms === copied_ms) return;
    await destinationOf(to).keepErasures(readErasures(erasures));
    copied_ms = changed_ms;
  };
  return startLogArchiving({
    data,
    place: archiveLocationOf(to),
    log,
    now: () => clock.now(),
    backUp,
    backups,
    beforeSending: copyErasures,
  });
}
