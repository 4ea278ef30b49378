// Where a backup goes, by what the operator wrote.
import { createReadStream } from "node:fs";
import { dirname } from "node:path";
import { momentOfName } from "./backups/archive/names.ts";
import { bucketPlace, folderPlace, type ShippedPlace } from "./backups/continuous/place.ts";
import { bucketDestination } from "./backups/destinations/bucket.ts";
import type { Destination } from "./backups/destinations/destination.ts";
import { fileDestination, folderDestination } from "./backups/destinations/folder.ts";
import { bucketSource, fileSource, type Source } from "./backups/restoring/source.ts";
import { type Given, variable, WrongUse } from "./config.ts";
import { startRefused } from "./database/exit.ts";
import type { BackupPlan, Keeping } from "./kit/backup_plan.ts";
import { iso } from "./kit/clock.ts";
import { keepSecret } from "./kit/redact.ts";
import { openBucket } from "./outbound/s3.ts";
import type { backupFlags } from "./serve_settings.ts";

/** What may be written for a place, as help tells it. */
export const place_forms = "a folder, a file that ends in .tar.zst, or s3://bucket/prefix";

/**
 * The place that a text names: `s3://bucket/prefix`, a file that ends in `.tar.zst`, or else a folder. A bucket needs
 * `PACKHOUSE_S3_ACCESS_KEY_ID` and `PACKHOUSE_S3_SECRET_ACCESS_KEY`; refuses with `WrongUse` one without them.
 */
export function destinationOf(to: string): Destination {
  const [, bucket, prefix = ""] = inBucket.exec(to) ?? [];
  if (bucket !== undefined) return bucketDestination({ ...bucketAccess(), bucket }, prefix, to);
  if (to === "-" || /^\w+:\/\//.test(to)) throw new WrongUse(`${to} is no place for a backup: name ${place_forms}.`);
  return to.endsWith(".tar.zst") ? fileDestination(to) : folderDestination(to);
}

/**
 * How many backups are kept, as `24,30,12`: of so many hours, days and months the last of each. Refuses what is not of
 * this form, and to keep none.
 */
export function keepingOf(text: string, flag: string): Keeping {
  const [, hours, days, months] = /^(\d{1,4}),(\d{1,4}),(\d{1,4})$/.exec(text) ?? [];
  if (months === undefined) {
    throw new WrongUse(`--${flag} must be three numbers, of hours, days and months, such as 24,30,12.`);
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
export async function sourceOf(from: string): Promise<Source> {
  if (from === "-") {
    throw new WrongUse("A backup is restored and verified from its place, not from standard input: name the file.");
  }
  const [, bucket, key = ""] = inBucket.exec(from) ?? [];
  if (bucket === undefined) return fileSource(from);
  return bucketSource(openBucket({ ...bucketAccess(), bucket }), key, from);
}

/** Where the commits are that were shipped to the place of backups which a text names: a folder or a bucket. */
export function shippedPlaceOf(to: string): ShippedPlace {
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
    throw new WrongUse("PACKHOUSE_S3_ENDPOINT must be an address such as https://s3.eu-central-1.amazonaws.com.");
  }
  const access_key_id = variable("PACKHOUSE_S3_ACCESS_KEY_ID");
  const secret_access_key = variable("PACKHOUSE_S3_SECRET_ACCESS_KEY");
  if (access_key_id === null || secret_access_key === null) {
    throw new WrongUse("A bucket needs PACKHOUSE_S3_ACCESS_KEY_ID and PACKHOUSE_S3_SECRET_ACCESS_KEY.");
  }
  keepSecret(secret_access_key);
  return { region, endpoint, access_key_id, secret_access_key };
}

/** What the flags of `serve` say of backups; null when it is to make none. */
export function backupPlan(given: Given<typeof backupFlags>): BackupPlan | null {
  const to = given["backup-to"];
  if (to === undefined) return null;
  if (to.endsWith(".tar.zst")) throw new WrongUse("--backup-to must be a folder or s3://bucket/prefix, not a file.");
  // What is wrong with it is said at the start, not at night.
  destinationOf(to);
  const text = given["backup-every"] ?? "";
  const every_minutes = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(every_minutes >= 5 && every_minutes <= 10_080)) {
    throw new WrongUse("--backup-every must be a number of minutes from 5 to 10080.");
  }
  const keep = keepingOf(given["backup-keep"] ?? "", "backup-keep");
  return { to, every_minutes, keep, with_key: given["backup-with-key"] };
}
