// Contents of files in an S3-compatible bucket, which all servers share.
import { type BucketSettings, folderKey, openBucket } from "../outbound/s3.ts";
import { type FileContents, isContentKey } from "../storage/file_contents.ts";

/** Keeps contents in a bucket under keys that begin with `prefix`. `location` is the place as the operator wrote it. */
export function bucketContents(settings: BucketSettings, prefix: string, location: string): FileContents {
  const bucket = openBucket(settings);
  const folder = folderKey(prefix);
  return {
    location,
    folder: null,
    write: (mode, key, bytes) => bucket.write(`${folder}${mode}/${key}`, bytes),
    async read(mode, key) {
      const path = `${folder}${mode}/${key}`;
      const chunks: Uint8Array[] = [];
      try {
        for await (const chunk of bucket.read(path)) chunks.push(chunk);
      } catch (error) {
        // The storage's refusal does not say whether the key is missing.
        if ((await bucket.list(path)).some((found) => found.key === path)) throw error;
        return null;
      }
      return Buffer.concat(chunks);
    },
    remove: (mode, key) => bucket.remove(`${folder}${mode}/${key}`),
    async list(mode) {
      const within = `${folder}${mode}/`;
      return (await bucket.list(within)).map(({ key }) => key.slice(within.length)).filter(isContentKey);
    },
  };
}
