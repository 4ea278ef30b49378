// The backups that the service makes by itself: how old the last one is, and whether one was proven.
import { statSync } from "node:fs";
import { findLastBegun, findLastDone } from "../backups/schedule/store.ts";
import { type Finding, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const hour_ms = 3_600_000;
const old_ms = 26 * hour_ms;
const proof_old_ms = 8 * 24 * hour_ms;

/** When the last backup ended well, and whether one has been restored for a trial since. */
export async function lookAtBackups({ stores, data, database_url, now }: Patient): Promise<Finding[]> {
  if (stores === null) return [];
  const { done, begun, proof } = await stores.live.read(async (db) => ({
    done: await findLastDone(db, "backup"),
    begun: await findLastBegun(db, "backup"),
    proof: await findLastDone(db, "proof"),
  }));
  if (done === null || done.ended_at === null) {
    const advice = "Have the service make them (packhouse serve --help), or run packhouse backup, and look after it.";
    return [warning("backups", "the service has made none by itself", advice)];
  }
  const said = `the last one ended ${ageOf(done.ended_at, now())} ago and lies in ${done.place}`;
  const found: Finding[] = [];
  if (begun?.error != null) found.push(warning("backups", `the last one failed: ${begun.error}`, "See to its cause."));
  const advice = "Look at the log and the notices for why none was made since.";
  found.push(now() - done.ended_at > old_ms ? warning("backups", said, advice) : ok("backups", said));
  if (database_url === null) found.push(...lookAtPlace(done.place, data));
  const is_proven = proof?.ended_at != null && now() - proof.ended_at < proof_old_ms;
  if (!is_proven && now() - done.created_at > proof_old_ms) {
    found.push(warning("backups", "none was proven for a week", "Run packhouse backup verify on the last one."));
  }
  return found;
}

/** Whether a backup in a folder is still there, and on another disk than the data. Of buckets nothing is asked here. */
function lookAtPlace(place: string, data: string): Finding[] {
  if (place.startsWith("s3://")) return [];
  const [file, folder] = [place, data].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (file === undefined) {
    const advice = "Mount its disk: without it, the next backup lies on the disk on which it is missing.";
    return [warning("backups", `there is no file ${place}`, advice)];
  }
  if (file.dev !== folder?.dev) return [];
  const advice = "Keep them on another disk or in a bucket: a lost disk would take both.";
  return [warning("backups", "they lie on the same disk as the data", advice)];
}

function ageOf(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / 60_000));
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
