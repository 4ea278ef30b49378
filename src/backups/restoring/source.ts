// The file that is restored, wherever it lies.
import { createReadStream, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Erasure, erasures_file, readErasures } from "../../database/erasures.ts";
import { startRefused } from "../../database/exit.ts";
import type { openBucket } from "../../outbound/s3.ts";
import { erasuresIn } from "../destinations/bucket.ts";

type Bucket = Pick<ReturnType<typeof openBucket>, "list" | "read">;

/** An archive to be read, and what lies beside it. */
export interface Source {
  /** As the operator wrote it. */
  readonly place: string;
  /** The name of the file alone. */
  readonly name: string;
  readonly size_bytes: number;
  open(): AsyncIterable<Uint8Array>;
  /** The erasures of customers that are kept beside it. */
  erasures(): Promise<Erasure[]>;
}

/** An archive in a bucket. Refuses a key under which there is nothing. */
export async function bucketSource(bucket: Bucket, key: string, place: string): Promise<Source> {
  const found = (await bucket.list(key)).find((one) => one.key === key);
  if (found === undefined) throw startRefused("absent", `There is no backup at ${place}.`);
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  return {
    place,
    name: key.slice(folder.length),
    size_bytes: found.size_bytes,
    open: () => bucket.read(key),
    erasures: () => erasuresIn(bucket, folder),
  };
}

/** An archive in a file of this machine. Refuses what is no file. */
export function fileSource(path: string): Source {
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
  };
}
