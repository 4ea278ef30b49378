// Where a backup goes, by what the operator wrote.
import { createReadStream, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { iso, systemClock } from "../core/clock.ts";
import { type FlagValues, programWords, UsageError, variable } from "../core/config.ts";
import { type Log, registerSecret } from "../core/log.ts";
import type { BackupPlan, BackupRetention } from "../core/operator_settings.ts";
import { momentOfName } from "../operations/backups/archive.ts";
import { type BackupSource, bucketSource, fileSource } from "../operations/backups/backup_source.ts";
import { bucketDestination } from "../operations/backups/bucket_destination.ts";
import type { Destination } from "../operations/backups/destination.ts";
import { fileDestination, folderDestination } from "../operations/backups/folder_destination.ts";
import { type ArchiveDestination, bucketPlace, folderPlace } from "../operations/log_archive/archive_destination.ts";
import { type LogArchiving, startLogArchiving } from "../operations/log_archive/archive_logs.ts";
import { openBucket } from "../outbound/s3.ts";
import { erasures_file, readErasures } from "../storage/erasures.ts";
import { startRefused } from "../storage/start_refused.ts";
import type { backupFlags } from "./flags.ts";

/** What may be written for a place, as help tells it. */
export const location_forms = "a folder, a file that ends in .tar.zst, or s3://bucket/prefix";

/**
 * The place that a text names: `s3://bucket/prefix`, a file that ends in `.tar.zst`, or else a folder. A bucket needs
 * `PACKHOUSE_S3_ACCESS_KEY_ID` and `PACKHOUSE_S3_SECRET_ACCESS_KEY`; refuses with `WrongUse` one without them.
 */
export function destinationOf(to: string): Destination {
  const [, bucket, prefix = ""] = inBucket.exec(to) ?? [];
  if (bucket !== undefined) return bucketDestination({ ...bucketAccess(), bucket }, prefix, to);
  if (to === "-" || /^\w+:\/\//.test(to))
    throw new UsageError(`${to} is no place for a backup: name ${location_forms}.`);
  return to.endsWith(".tar.zst") ? fileDestination(to) : folderDestination(to);
}

/**
 * How many backups are kept, as `24,30,12`: of so many hours, days and months the last of each. Refuses what is not of
 * this form, and to keep none.
 */
export function backupRetentionOf(text: string, flag: string): BackupRetention {
  const [, hours, days, months] = /^(\d{1,4}),(\d{1,4}),(\d{1,4})$/.exec(text) ?? [];
  if (months === undefined) {
    throw new UsageError(`--${flag} must be three numbers, of hours, days and months, such as 24,30,12.`);
  }
  return { hours: Number(hours), days: Number(days), months: Number(months) };
}

/** The content of a backup that is named as `packhouse backup` names it: a file, or `s3://bucket/key`. */
export function readBackup(from: string): AsyncIterable<Uint8Array> {
  const [, bucket, key = ""] = inBucket.exec(from) ?? [];
  if (from === "-") return process.stdin;
  return bucket === undefined ? createReadStream(from) : openBucket({ ...bucketAccess(), bucket }).read(key);
}

/** A backup to be restored, named in the same way. Refuses one that is not there. */
export async function sourceOf(from: string): Promise<BackupSource> {
  if (from === "-") {
    throw new UsageError("A backup is restored and verified from its place, not from standard input: name the file.");
  }
  const [, bucket, key = ""] = inBucket.exec(from) ?? [];
  if (bucket === undefined) return fileSource(from);
  return bucketSource(openBucket({ ...bucketAccess(), bucket }), key, from);
}

/** Where the commits are that were shipped to the place of backups which a text names: a folder or a bucket. */
export function archiveLocationOf(to: string): ArchiveDestination {
  const [, bucket, prefix = ""] = inBucket.exec(to) ?? [];
  return bucket === undefined ? folderPlace(to) : bucketPlace(openBucket({ ...bucketAccess(), bucket }), prefix, to);
}

/**
 * The backups that may lead on to a moment (ms), newest first, and the place that they lie in. One is named by itself;
 * by the place alone, all are meant that were begun by the moment. Refuses a place without one.
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
  const when = Number.isFinite(moment) ? ` of ${iso(moment)} or before` : "";
  throw startRefused("absent", `There is no backup${when} in ${from}.`);
}

const inBucket = /^s3:\/\/([^/]+)\/?(.*)$/;

function bucketAccess() {
  const region = variable("PACKHOUSE_S3_REGION") ?? "us-east-1";
  const endpoint = (variable("PACKHOUSE_S3_ENDPOINT") ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, "");
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) {
    throw new UsageError("PACKHOUSE_S3_ENDPOINT must be an address such as https://s3.eu-central-1.amazonaws.com.");
  }
  const access_key_id = variable("PACKHOUSE_S3_ACCESS_KEY_ID");
  const secret_access_key = variable("PACKHOUSE_S3_SECRET_ACCESS_KEY");
  if (access_key_id === null || secret_access_key === null) {
    throw new UsageError("A bucket needs PACKHOUSE_S3_ACCESS_KEY_ID and PACKHOUSE_S3_SECRET_ACCESS_KEY.");
  }
  registerSecret(secret_access_key);
  return { region, endpoint, access_key_id, secret_access_key };
}

/** What the flags of `serve` say of backups; null when it is to make none. */
export function backupPlan(given: FlagValues<typeof backupFlags>): BackupPlan | null {
  const to = given["backup-to"];
  if (to === undefined) return null;
  if (to.endsWith(".tar.zst")) throw new UsageError("--backup-to must be a folder or s3://bucket/prefix, not a file.");
  // What is wrong with it is said at the start, not at night.
  destinationOf(to);
  const text = given["backup-every"] ?? "";
  const every_minutes = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(every_minutes >= 5 && every_minutes <= 10_080)) {
    throw new UsageError("--backup-every must be a number of minutes from 5 to 10080.");
  }
  const keep = backupRetentionOf(given["backup-keep"] ?? "", "backup-keep");
  return { to, every_minutes, keep, with_key: given["backup-with-key"] };
}

// How `serve` ships what is committed: where to, and by which backups.

/** Opens the shipping of a data directory to a place of backups, which hold the secret key where `with_key` says so. */
export function openLogArchiving(to: string, with_key: boolean, data: string, log: Log): LogArchiving {
  const clock = systemClock();
  const backUp = async () => {
    const words = ["backup", to, ...(with_key ? ["--with-key"] : []), "--data", resolve(data)];
    // A process of its own: closing a descriptor of a database in this one would drop the locks of SQLite.
    const child = Bun.spawn([...programWords, ...words], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const said = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(said.trim());
  };
  const backups = async () => {
    const all = await destinationOf(to).list();
    return all.flatMap(({ name }) => momentOfName(name) ?? []);
  };
  const erased = join(data, erasures_file);
  let kept_ms = 0;
  const beside = async () => {
    const changed_ms = statSync(erased, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changed_ms === kept_ms) return;
    await destinationOf(to).keepErasures(readErasures(erased));
    kept_ms = changed_ms;
  };
  return startLogArchiving({
    data,
    place: archiveLocationOf(to),
    log,
    now: () => clock.now(),
    backUp,
    backups,
    beside,
  });
}
