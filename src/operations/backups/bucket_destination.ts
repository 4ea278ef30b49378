// Backups in an S3-compatible bucket.

import { type BucketSettings, folderKey, openBucket } from "../../outbound/s3.ts";
import {
  erasures_file,
  erasuresText,
  type LoggedErasure,
  mergedErasures,
  parseErasures,
} from "../../storage/erasures.ts";
import { archive_beginning, archiveName, momentOfName } from "./archive.ts";
import type { BackupDraft, Destination } from "./destination.ts";

/** Part size of an upload. A file may have ten thousand parts, so large files switch to larger parts. */
const part_bytes = 8 * 1024 * 1024;
const large_part_bytes = 64 * 1024 * 1024;
const small_parts_max = 1000;
/** Age after which an unfinished upload counts as abandoned. */
const abandoned_ms = 24 * 60 * 60 * 1000;

/**
 * Stores backups in a bucket under keys that begin with `prefix`. `place` is the location as the operator wrote it. A
 * key exists only once its upload is complete.
 */
export function bucketDestination(settings: BucketSettings, prefix: string, place: string): Destination {
  const bucket = openBucket(settings);
  const folder = folderKey(prefix);
  const list = async () => {
    // Archived segments have the same prefix; there may be very many.
    const found = (await bucket.list(`${folder}${archive_beginning}`)).map(({ key, size_bytes }) => ({
      name: key.slice(folder.length),
      size_bytes,
    }));
    return found
      .filter(({ name }) => momentOfName(name) !== null)
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  };
  return {
    place,
    list,
    remove: (name) => bucket.remove(folder + name),
    keepErasures: async (erasures) => {
      const known = await erasuresIn(bucket, folder);
      const all = mergedErasures([known, erasures]);
      if (all.length > known.length) await bucket.write(folder + erasures_file, Buffer.from(erasuresText(all)));
    },
    begin: async (at) => {
      const before = new Set((await list()).map(({ name }) => name));
      let moment = at;
      while (before.has(archiveName(moment))) moment += 1000;
      await sweep(bucket, folder, at);
      const key = folder + archiveName(moment);
      return openDraft(bucket, key, `s3://${settings.bucket}/${key}`);
    },
  };
}

type BackupBucket = ReturnType<typeof openBucket>;

/** Reads the erasures that are stored with the backups under a prefix. */
export async function erasuresIn(
  bucket: Pick<BackupBucket, "list" | "read">,
  folder: string,
): Promise<LoggedErasure[]> {
  return parseErasures((await textIn(bucket, folder + erasures_file)) ?? "");
}

/** Reads the text under a key; null if the key does not exist. */
export async function textIn(bucket: Pick<BackupBucket, "list" | "read">, key: string): Promise<string | null> {
  if (!(await bucket.list(key)).some((found) => found.key === key)) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of bucket.read(key)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function openDraft(bucket: BackupBucket, key: string, place: string): Promise<BackupDraft> {
  let upload: string | null = await bucket.begin(key);
  const tags: string[] = [];
  let gathered: Uint8Array[] = [];
  let length = 0;
  const send = async () => {
    if (upload === null || length === 0) return;
    const part = Buffer.concat(gathered, length);
    [gathered, length] = [[], 0];
    tags.push(await bucket.sendPart(key, upload, tags.length + 1, part));
  };
  return {
    place,
    write: async (bytes) => {
      gathered.push(bytes);
      length += bytes.length;
      if (length >= (tags.length < small_parts_max ? part_bytes : large_part_bytes)) await send();
    },
    keep: async () => {
      await send();
      if (upload !== null) await bucket.complete(key, upload, tags);
      upload = null;
    },
    drop: async () => {
      const left = upload;
      upload = null;
      // A later run removes what cannot be removed now. The reason of the failed backup matters more.
      if (left !== null) await bucket.abort(key, left).catch(() => {});
    },
  };
}

/** Aborts uploads that killed runs left more than a day ago. Newer ones may still be in progress. */
async function sweep(bucket: BackupBucket, folder: string, at: number): Promise<void> {
  // Some services do not list uploads, or deny it. A lifecycle rule of the bucket should remove leftovers then.
  for (const { key, id, begun_at } of await bucket.listUploads(folder).catch(() => [])) {
    const is_ours = momentOfName(key.slice(folder.length)) !== null;
    if (is_ours && at - begun_at > abandoned_ms) await bucket.abort(key, id);
  }
}
