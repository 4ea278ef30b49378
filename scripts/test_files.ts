// The test files: which of them each run includes, and how long each took. Imports no package.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./install.ts";

/** All test files, by their paths in the project. */
export const testFiles = (): string[] =>
  [...new Bun.Glob("test/**/*.test.ts").scanSync({ cwd: root })].map((file) => file.replaceAll("\\", "/")).sort();

// The first file has the engine and the address of PostgreSQL. The second starts the program.
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

/** Whether a test file is independent of the engine: none of its imports can learn which one runs. */
export function isPure(file: string): boolean {
  const reached = reachedFrom(file);
  return !doors.some((door) => reached.has(door));
}

/** The runs of `bun run test long`; without `long`, the first two. */
export const runs = ["sqlite", "postgres", "long_sqlite", "long_postgres"] as const;
export type Run = (typeof runs)[number];

/** Whether a test file does more in the long run. */
export const growsInLongRun = (file: string): boolean => !isLater(file) && reachedFrom(file).has("test/volume.ts");

// These open SQLite themselves, or test the command line, the dashboard or HTTP parsing: they run on SQLite only.
const on_sqlite = [
  ...[
    "test/main.test.ts",
    "test/server/systemd.test.ts",
    "test/{scripts/packages,server/openapi/document_lint,server/openapi/generators}.long.test.ts",
  ],
  ...["test/flows/slow_disk.test.ts", "test/flows/tls.test.ts"],
  ...["test/storage/sqlite/**", "test/dashboard/screens/**"],
];

// Kills, and screens that few people need every day and that share their parts with those of every run.
const later_on_sqlite = [
  ...[
    "test/flows/crash.test.ts",
    "test/dashboard/floor/{bad_input,menu}.test.ts",
    "test/dashboard/server/hints.test.ts",
  ],
  "test/dashboard/screens/{badges,product_packs,users,waves}.test.ts",
  "test/dashboard/screens/{bins,branding,customers,developer,imports,kept_place,mail,opening_environment}.test.ts",
  "test/dashboard/screens/{order_print,order_tags,order_undo,privacy,products,reports,retention,servers}.test.ts",
  "test/dashboard/screens/{shipping,shipping_rules,today,warehouses}.test.ts",
];

// Whole processes, protocols, other servers, the reference, and records that are written as others are. The other tests
// run the same statements, so these run on PostgreSQL in the long run only.
const later_on_postgres = [
  ...["test/*.test.ts", "test/{cli,contract,core,dashboard,documents,http,identity,operations,outbound}/**"],
  "test/{scripts,server,flows,isolation,merchants,platforms,reports}/**",
  "test/{addresses,customers,imports,lists,products,returns,tracking,webhooks}/**",
  "test/orders/{transitions,fulfillment/printing.routes}.test.ts",
  ...["test/floor/printing/**", "test/{billing/crash,privacy/killed,simulation/crowd}.test.ts", "test/shipping/**"],
  "test/orders/{lifecycle/order_lookup,lifecycle/adopt_reservation,order_amounts}.test.ts",
];
// Exceptions, which run on PostgreSQL each time: they reach every table, or depend on its locks.
const always_on_postgres = [
  ...["test/flows/{order_to_delivery,oversell,races,repeated_requests}.test.ts"],
  ...["test/http/{idempotency,preconditions}.test.ts"],
  "test/webhooks/deliveries/claim_deliveries.test.ts",
  "test/server/{lease_takeover,openapi/story}.test.ts",
];

const isOf = (patterns: readonly string[]) => {
  const globs = patterns.map((pattern) => new Bun.Glob(pattern));
  return (file: string) => globs.some((glob) => glob.match(file));
};
const isOnSqlite = isOf(on_sqlite);
const isLaterOnPostgres = isOf(later_on_postgres);
const isAlwaysOnPostgres = isOf(always_on_postgres);

/** Whether only the long run includes a test file. */
export const isLater: (file: string) => boolean = isOf(["test/**/*.long.test.ts", ...later_on_sqlite]);

const isOnPostgres = (file: string) => file.startsWith("test/storage/postgres/");

/** Whether a run includes a test file. */
export function isIn(run: Run, file: string): boolean {
  switch (run) {
    case "sqlite":
      return !isLater(file) && !isOnPostgres(file);
    case "long_sqlite":
      return (isLater(file) || growsInLongRun(file)) && !isOnPostgres(file);
    case "postgres":
      return !isLater(file) && canMeetPostgres(file) && (isAlwaysOnPostgres(file) || !isLaterOnPostgres(file));
    case "long_postgres":
      return canMeetPostgres(file) && (isLater(file) || growsInLongRun(file) || !isIn("postgres", file));
  }
}

const canMeetPostgres = (file: string) => !isPure(file) && !isOnSqlite(file);

/** Seconds that test files took, by their paths. */
export type Times = Readonly<Record<string, number>>;

// What this machine measured last takes precedence over the times in the repository.
const last = (run: Run) => join(root, `node_modules/.cache/packhouse/times_${run}.json`);
const kept = join(root, "scripts/test_times.json");

/** How long test files took when they last ran on this machine, or else in the times of the repository. */
export function readTimes(run: Run): Times {
  const kept_times = (JSON.parse(readFileSync(kept, "utf8")) as Record<Run, Times>)[run];
  return {
    ...kept_times,
    ...(existsSync(last(run)) ? (JSON.parse(readFileSync(last(run), "utf8")) as Times) : {}),
  };
}

/** Stores how long test files took. */
export function writeTimes(run: Run, times: Times): void {
  mkdirSync(dirname(last(run)), { recursive: true });
  writeFileSync(last(run), JSON.stringify(times));
}

/** Writes the times of the repository from this machine's: files that take longer than a second, slowest first. */
function keepTimes(): void {
  const long = (run: Run) =>
    Object.fromEntries(
      Object.entries(readTimes(run))
        .filter(([file, seconds]) => seconds >= 1 && existsSync(join(root, file)) && isIn(run, file))
        .map(([file, seconds]): [string, number] => [file, Math.round(seconds)])
        .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1)),
    );
  writeFileSync(kept, `${JSON.stringify(Object.fromEntries(runs.map((run) => [run, long(run)])), null, 2)}\n`);
}

// `bun scripts/test_files.ts`, after `bun run test`, renews the times of the repository.
if (import.meta.main) keepTimes();
