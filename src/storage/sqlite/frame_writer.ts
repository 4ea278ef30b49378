// Writes the frames of a log, as they were kept elsewhere, into a database that nobody else uses.
import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { CommitRow } from "./commit_number.ts";
import { openCommitFile } from "./commit_number.ts";
import { framesOf } from "./log_frames.ts";

export interface FrameWriter {
  /** Writes frames up to the end of a commit, after which the database has so many pages. */
  write(frames: Uint8Array, pages: number): void;
  /** Waits for the disk, lets go of the file and answers the last commit of the database. */
  finish(): CommitRow;
  /** Lets go of the file, which may be no database any more. */
  drop(): void;
}

/** The last commit of a database at rest. Its log is copied into it first, and is gone then. */
export function settle(path: string): CommitRow & { readonly page_bytes: number } {
  const raw = new Database(path, { create: false, readwrite: true, strict: true });
  try {
    const [busy] = (raw.query("pragma wal_checkpoint(truncate)").values()[0] ?? []) as number[];
    if (busy !== 0) throw new Error(`${path} is in use`);
    const [number, at] = raw.query("select number, at from commit_sequence").values()[0] as [number, number];
    return { number, at, page_bytes: Number(raw.query("pragma page_size").values()[0]?.[0]) };
  } finally {
    raw.close();
  }
}

/** Opens a database that has no log, to write frames into it. */
export function openFrameWriter(path: string, page_bytes: number): FrameWriter {
  const file = openSync(path, "r+");
  return {
    write: (frames, pages) => {
      // Of a page that was written several times the last counts.
      const last = new Map<number, Uint8Array>();
      for (const { page, content } of framesOf(frames, page_bytes)) last.set(page, content);
      for (const [page, content] of last) if (page <= pages) writeAll(file, content, (page - 1) * page_bytes);
      ftruncateSync(file, pages * page_bytes);
    },
    finish: () => {
      fsyncSync(file);
      closeSync(file);
      const { number, at } = settle(path);
      const kept = openCommitFile(`${path}.commit`);
      kept.write(number);
      kept.close();
      return { number, at };
    },
    drop: () => closeSync(file),
  };
}

function writeAll(file: number, bytes: Uint8Array, place: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, place + at);
}
