// Archives whose bytes follow from what they hold: no times, no owners, one order.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { run } from "./run.ts";

/** A file as it is put somewhere: what it holds, and who may do what with it. */
export interface Placed {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly mode: number;
}

/** Puts files into a folder, with the folders that they lie in. */
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

/** The words for GNU tar by which an archive depends on nothing but what it holds and a moment. */
const steady = (made_at: Date) => [
  ...["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"],
  `--mtime=@${Math.floor(made_at.getTime() / 1000)}`,
];

/** Packs a folder, by its name, as a tar that gzip has made smaller. */
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
