// The test files: which of them an engine makes a difference to, and how long each took. Imports no package.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./install.ts";

export type Engine = "sqlite" | "postgres";

/** All test files, by their paths in the project. */
export const testFiles = (): string[] =>
  [...new Bun.Glob("test/**/*.test.ts").scanSync({ cwd: root })].map((file) => file.replaceAll("\\", "/")).sort();

// Whoever is to know the engine, or the address of PostgreSQL, reads it from the first; the second starts the program.
const doors = ["src/core/config.ts", "scripts/service.ts"];

const readers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };
const imported = new Map<string, readonly string[]>();

/** The files of the project that a file imports, other than for their types. */
function importsOf(file: string): readonly string[] {
  const known = imported.get(file);
  if (known !== undefined) return known;
  const reader = file.endsWith(".tsx") ? readers.tsx : readers.ts;
  const found = reader
    .scanImports(readFileSync(join(root, file), "utf8"))
    .filter(({ path }) => /^\..*\.tsx?$/.test(path))
    .map(({ path }) => relative(root, join(root, dirname(file), path)).replaceAll("\\", "/"));
  imported.set(file, found);
  return found;
}

/** A file with all that it imports, and that those import, of the project. */
export function reachedFrom(file: string): ReadonlySet<string> {
  const reached = new Set([file]);
  for (const one of reached) for (const next of importsOf(one)) reached.add(next);
  return reached;
}

/** Whether a test file comes to the same on every engine: nothing of what it imports can know of one. */
export function isPure(file: string): boolean {
  const reached = reachedFrom(file);
  return !doors.some((door) => reached.has(door));
}

/** Seconds that test files took, by their paths. */
export type Times = Readonly<Record<string, number>>;

// What this machine measured last goes before what is kept with the code.
const last = (engine: Engine) => join(root, `node_modules/.cache/packhouse/times_${engine}.json`);
const kept = join(root, "scripts/test_times.json");

/** How long test files took when they last ran on this machine, or else on the one that the kept times are from. */
export function readTimes(engine: Engine): Times {
  const kept_times = (JSON.parse(readFileSync(kept, "utf8")) as Record<Engine, Times>)[engine];
  return {
    ...kept_times,
    ...(existsSync(last(engine)) ? (JSON.parse(readFileSync(last(engine), "utf8")) as Times) : {}),
  };
}

/** Remembers how long test files took. */
export function writeTimes(engine: Engine, times: Times): void {
  mkdirSync(dirname(last(engine)), { recursive: true });
  writeFileSync(last(engine), JSON.stringify(times));
}

/** The kept times anew, from the last of this machine: what takes longer than a second, the longest first. */
function keepTimes(): void {
  const long = (engine: Engine) =>
    Object.fromEntries(
      Object.entries(readTimes(engine))
        .filter(([file, seconds]) => seconds >= 1 && existsSync(join(root, file)))
        .map(([file, seconds]): [string, number] => [file, Math.round(seconds)])
        .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1)),
    );
  writeFileSync(kept, `${JSON.stringify({ sqlite: long("sqlite"), postgres: long("postgres") }, null, 2)}\n`);
}

// `bun scripts/test_files.ts`, after `bun run test`, renews the kept times.
if (import.meta.main) keepTimes();
