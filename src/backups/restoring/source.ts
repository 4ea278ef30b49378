// The file that is restored, wherever it lies.
import { closeSync, createReadStream, fsyncSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Erasure, erasures_file, readErasures } from "../../database/erasures.ts";
import { startRefused } from "../../database/exit.ts";
import type { openBucket } from "../../outbound/s3.ts";
import { erasuresIn, textIn } from "../destinations/bucket.ts";

type Bucket = ReturnType<typeof openBucket>;

/** The file beside backups that has a line for each restore of one of them. */
const restores_file = "restores.jsonl";

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
  /** Notes beside the backups that this one is restored, on the disk when it returns: which restore of them it is. */
  noteRestore(line: string): Promise<number>;
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
    noteRestore: async (line) => {
      const key = folder + restores_file;
      const text = `${(await textIn(bucket, key)) ?? ""}${line}\n`;
      await bucket.write(key, Buffer.from(text));
      return placeOf(line, text);
    },
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
