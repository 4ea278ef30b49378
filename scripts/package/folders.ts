// Archives whose bytes depend only on their contents: no times, no owners, one order.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { run } from "./run.ts";

/** A file to be placed: its content and its mode. */
export interface Placed {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly mode: number;
}

/** Writes files into a folder, and creates their folders. */
export function place(folder: string, files: readonly Placed[]): void {
  for (const { path, content, mode } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, path), content, { mode });
  }
}

/** The files below a folder, by their paths from it. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
}

/** The arguments for GNU tar that make an archive depend only on its contents and one timestamp. */
const steady = (made_at: Date) => [
  ...["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"],
  `--mtime=@${Math.floor(made_at.getTime() / 1000)}`,
];

/** Packs a folder, by its name, as a gzipped tar. */
export async function tarGz(folder: string, out: string, made_at: Date): Promise<void> {
  const tar = `${out}.tar`;
  await run(["tar", ...steady(made_at), "-C", dirname(folder), "-cf", tar, basename(folder)]);
  writeFileSync(out, gzipSync(readFileSync(tar), { level: 6 }));
  await run(["rm", tar]);
}

/** Packs a folder, by its name, as a zip. */
export function zip(folder: string, out: string, made_at: Date): void {
  const entries = filesIn(folder).map((path) => {
    const { mode } = statSync(join(folder, path));
    const attributes = { os: 3, attrs: mode << 16, mtime: made_at } as const;
    return [`${basename(folder)}/${path}`, [readFileSync(join(folder, path)), attributes]] as const;
  });
  writeFileSync(
    out,
    zipSync(Object.fromEntries(entries.map(([path, [bytes, how]]) => [path, [bytes, how]])), { level: 6 }),
  );
}
