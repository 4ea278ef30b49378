// Writes archived frames of a log into a database that no other process uses.
import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { CommitRow } from "./commit_number.ts";
import { openCommitFile } from "./commit_number.ts";
import { framesOf } from "./log_frames.ts";

export interface FrameWriter {
  /** Writes frames up to the end of a commit, after which the database has `pages` pages. */
  write(frames: Uint8Array, pages: number): void;
  /** Waits for the disk, closes the file and returns the last commit of the database. */
  finish(): CommitRow;
  /** Closes the file, which may be an inconsistent database. */
  drop(): void;
}

/** Copies the log of an idle database into it, removes the log and returns the last commit. */
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

/** Opens a database without a log, to write frames into it. */
export function openFrameWriter(path: string, page_bytes: number): FrameWriter {
  const file = openSync(path, "r+");
  return {
    write: (frames, pages) => {
      // The last frame of a page counts.
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
