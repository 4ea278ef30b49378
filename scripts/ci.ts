// `bun run test [long] [step …]`: everything but the marathons, or the named steps and what they need. `long` adds the
// marathons. Imports no package: it installs them.

import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { minute_ms } from "../src/core/time.ts";
import { binary } from "./build.ts";
import { ensureChromium, howToGetChromium } from "./chromium.ts";
import { type Counts, complaintsIn, countTests, sumOf, timesOf, unheardOf } from "./count_tests.ts";
import { install, root } from "./install.ts";
import { startPostgres } from "./postgres.ts";
import {
  growsInLongRun,
  isIn,
  isLater,
  isPure,
  type Run,
  readTimes,
  type Times,
  testFiles,
  writeTimes,
} from "./test_files.ts";

/** The result of a step. A step that runs no tests counts nothing when it succeeds, and one failure otherwise. */
interface Outcome extends Counts {
  readonly output: string;
  /** Printed even though nothing failed. */
  readonly notes?: string;
}

interface Step {
  readonly name: string;
  /** Steps that must have succeeded before. */
  readonly needs: readonly string[];
  /** Steps that must have ended before, successfully or not, since they would disturb this one. */
  readonly after?: readonly string[];
  run(): Promise<Outcome>;
}

const bun = process.execPath;
const folder = mkdtempSync(join(roomiestFolder(), "packhouse-ci-"));
const done: Counts = { passed: 0, failed: 0, skipped: 0 };
const running = new Set<{ kill(signal: NodeJS.Signals): void }>();

const steps: readonly Step[] = [
  { name: "install", needs: [], run: installed },
  {
    name: "lint",
    needs: ["install"],
    run: () => command("node_modules/@biomejs/biome/bin/biome", "ci", "--colors=off", "."),
  },
  { name: "types", needs: ["install"], run: types },
  { name: "browser", needs: ["install"], run: browser },
  { name: "build", needs: ["install"], run: () => command("scripts/build.ts") },
  { name: "smoke", needs: ["build"], run: () => command("scripts/smoke.ts") },
  // Tests that kill programs and wait for them need a machine without other work.
  {
    name: "sqlite",
    needs: ["build", "browser"],
    after: ["lint", "types", "smoke"],
    run: async () => withNotes(await tests("sqlite", around), leftToLongRun()),
  },
  { name: "postgres", needs: ["build"], after: ["sqlite", "lint", "types", "smoke"], run: testsOnPostgres },
];

/** What `long` adds. */
const marathons: readonly Step[] = [
  {
    name: "long_sqlite",
    needs: ["build", "browser"],
    after: steps.map(({ name }) => name),
    run: () => tests("long_sqlite", { ...around, ...at_volume }),
  },
  {
    name: "long_postgres",
    needs: ["build"],
    after: [...steps.map(({ name }) => name), "long_sqlite"],
    run: () => onPostgres((env) => tests("long_postgres", { ...env, ...at_volume })),
  },
];

/** In memory where there is enough of it: no test depends on a disk that survives a power cut. */
function roomiestFolder(): string {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize < 4 * 1024 ** 3 ? tmpdir() : memory;
}

async function installed(): Promise<Outcome> {
  await install("testing");
  return { ...done, output: "" };
}

/** The service and its front end, which runs in a browser and has other globals. */
async function types(): Promise<Outcome> {
  const check = (project: string) => command("node_modules/typescript/bin/tsc", "--noEmit", "-p", project);
  const service = await check(".");
  const web = await check("src/dashboard/web");
  return { ...done, failed: service.failed + web.failed, output: service.output + web.output };
}

/** Finds or installs Chromium for the tests of the dashboard, which are skipped without it. */
async function browser(): Promise<Outcome> {
  return { ...done, output: (await ensureChromium()) === null ? `SKIPPED browser: ${howToGetChromium}\n` : "" };
}

/** Runs a program of the project or of a package with this Bun. */
async function command(...words: readonly string[]): Promise<Outcome> {
  const { code, output } = await run(words, {}, 10 * minute_ms);
  return { ...done, failed: code === 0 ? 0 : 1, output };
}

// On a machine with other work a test may take long. The limit is for tests that hang.
const testing = ["test", "--no-orphans", "--timeout=60000"];
// Test files are distributed among the cores. More workers than that would exceed the connections of PostgreSQL.
const workers = Math.min(8, Math.max(2, availableParallelism()));
// A worker loads the program once, not for each of its files, which would take a third of the time.
const sharing = [`--parallel=${workers}`, "--no-isolate"];

/** Where tests store their files, and the program for tests that start a service: the binary starts faster. */
const around = { TMPDIR: folder, PACKHOUSE_PROGRAM: binary };

/** Tells `test/volume.ts` that this is the long run. */
const at_volume = { TEST_VOLUME: "long" };

/** Writes a file with which Bun starts the slowest files first. Otherwise one of them would run alone at the end. */
function timings(run: Run): string {
  const file = join(folder, `timings_${run}.json`);
  const times = readTimes(run);
  // A file without a time would start before all others.
  const files = Object.fromEntries(testFiles().map((path) => [path, Math.ceil((times[path] ?? 0.5) * 1000)]));
  writeFileSync(file, JSON.stringify({ version: 1, files }));
  return file;
}

/** Lists the slowest files, from loading to the last hook, with other files running at the same time. */
function slowest(times: Times): string {
  const longest = Object.entries(times).sort(([, a], [, b]) => b - a);
  const line = ([path, seconds]: [string, number]) => `  ${seconds.toFixed(1).padStart(6)} s  ${path}\n`;
  const all = longest.reduce((sum, [, seconds]) => sum + seconds, 0).toFixed(0);
  const head = `The slowest of ${longest.length} files, which would take ${all} s one after another:\n`;
  return head + longest.slice(0, 20).map(line).join("");
}

type Env = Readonly<Record<string, string>>;

// These spend nearly all of their time waiting: for servers to close slow clients, for a slow disk, for receivers that
// do not respond, for leases of a killed server, for figures that a page renews every few seconds. They run in a lane
// of their own, alongside the workers, and need little of the cores.
const waiting = [
  ...["test/flows/{carriers,crash,hostile_traffic,slow_disk}.test.ts", "test/http/slow_client_limiter.test.ts"],
  ...["test/server/{shutdown,systemd}.test.ts", "test/webhooks/{bad_receivers,isolation,rotation}.test.ts"],
  ...["test/webhooks/deliveries/send_delivery.test.ts", "test/dashboard/server/hints.test.ts"],
  "test/dashboard/screens/today.test.ts",
].map((pattern) => new Bun.Glob(pattern));

/** Runs the test files of a run. Those that mostly wait have a lane of their own. */
async function tests(suite: Run, env: Env): Promise<Outcome> {
  const files = testFiles().filter((file) => isIn(suite, file));
  const waits = (file: string) => waiting.some((glob) => glob.match(file));
  const lanes = await Promise.all([
    lane(
      `${suite}_working`,
      [...sharing, `--timings=${timings(suite)}`],
      files.filter((file) => !waits(file)),
      env,
    ),
    lane(`${suite}_waiting`, [], files.filter(waits), env),
  ]);
  const report = lanes.map((one) => one.report).join("");
  const counts = sumOf(lanes.map((one) => countTests(one.report)));
  const unheard = unheardOf(report, files);
  // A lane without a report crashed as a whole. Running each of its files individually would take hours.
  const crashed = lanes.some((one) => one.report === "") ? unheard : await crashedFiles(unheard, env);
  const failed = counts.failed + crashed.length;
  const crashes = crashed.map((name) => `${name} ended before it reported.\n`).join("");
  const times = timesOf(report);
  writeTimes(suite, times);
  // An exit code that no failed test explains is a failure too.
  const unexplained = failed === 0 && lanes.some(({ code }) => code !== 0);
  const output = lanes.map((one) => one.output).join("\n") + crashes;
  return { ...counts, failed: unexplained ? 1 : failed, output, notes: slowest(times) };
}

const lane_limit_ms = 40 * minute_ms;

/** Runs the test runner once. The report is empty when it wrote none. */
async function lane(name: string, words: readonly string[], files: readonly string[], env: Env) {
  if (files.length === 0) return { code: 0, output: "", report: "<testsuites/>" };
  const file = join(folder, `${name}.xml`);
  const reporting = ["--reporter=junit", `--reporter-outfile=${file}`];
  const { code, output } = await run(
    [...testing, ...words, ...reporting, ...files.map((path) => `./${path}`)],
    env,
    lane_limit_ms,
  );
  return { code, output, report: existsSync(file) ? readFileSync(file, "utf8") : "" };
}

/** Finds test files that threw while loading: runs each individually. One without tests for this engine passes. */
async function crashedFiles(unheard: readonly string[], env: Env): Promise<readonly string[]> {
  const crashed: string[] = [];
  for (const file of unheard) {
    const { code } = await run([...testing, "--pass-with-no-tests", `./${file}`], env, minute_ms);
    if (code !== 0) crashed.push(file);
  }
  return crashed;
}

/** Runs tests with the address of a PostgreSQL that ends with them. */
async function onPostgres(run: (env: Env) => Promise<Outcome>): Promise<Outcome> {
  const server = await startPostgres();
  try {
    return await run({ ...around, PACKHOUSE_DATABASE_URL: server.url });
  } finally {
    await server.stop();
  }
}

async function testsOnPostgres(): Promise<Outcome> {
  const pure = testFiles().filter((file) => !isLater(file) && isPure(file));
  const once = `${pure.length} test files are independent of the engine and ran once, on SQLite.\n`;
  const later = testFiles().filter((file) => !isLater(file) && !isIn("postgres", file) && isIn("long_postgres", file));
  return withNotes(
    await onPostgres((env) => tests("postgres", env)),
    once + listed("On PostgreSQL in `bun run test long` only", later),
  );
}

/** Lists the test files that only the long run includes, and those that run at a small volume here. */
function leftToLongRun(): string {
  return (
    listed("In `bun run test long` only", testFiles().filter(isLater)) +
    listed("At a small volume here, at full volume in `bun run test long`", testFiles().filter(growsInLongRun))
  );
}

/** A heading, with the files below it by their folders. */
function listed(heading: string, files: readonly string[]): string {
  const folders = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf("/") + 1));
  const name = (file: string) => file.replace(/^.*\//, "").replace(/(?:\.long)?\.test\.tsx?$/, "");
  const lines = [...folders].map(([place, inside]) => `  ${place} ${inside.map(name).join(" ")}\n`);
  return `${heading} (${files.length} files):\n${lines.join("")}`;
}

const withNotes = (outcome: Outcome, notes: string): Outcome => ({ ...outcome, notes: notes + (outcome.notes ?? "") });

let run_count = 0;

/** Runs Bun with these arguments. Both its outputs go to one file, since a pipe could block it or outlive it. */
async function run(words: readonly string[], env: Readonly<Record<string, string>>, limit_ms: number) {
  run_count += 1;
  const file = join(folder, `output_${run_count}`);
  const output = openSync(file, "w");
  const settings = Object.entries(process.env).filter(([name]) => !name.startsWith("PACKHOUSE_"));
  const child = Bun.spawn([bun, ...words], {
    cwd: root,
    env: { ...Object.fromEntries(settings), ...env },
    stdio: ["ignore", output, output],
    timeout: limit_ms,
  });
  running.add(child);
  const code = await child.exited;
  running.delete(child);
  closeSync(output);
  const late =
    child.signalCode === null ? "" : `\nEnded by ${child.signalCode}; the limit is ${limit_ms / minute_ms} minutes.\n`;
  return { code, output: readFileSync(file, "utf8") + late };
}

/** The steps to run: all but the marathons, with `long` also the marathons, or the named steps and what they need. */
function chosen(words: readonly string[]): readonly Step[] {
  const all = [...steps, ...marathons];
  const names = words.filter((word) => word !== "long");
  const unknown = names.filter((name) => !all.some((step) => step.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(" ")}. Steps: ${all.map(({ name }) => name).join(" ")}; or long for all`);
    process.exit(2);
  }
  if (names.length === 0) return words.length === 0 ? steps : all;
  const wanted = new Set(names);
  for (const step of [...all].reverse()) if (wanted.has(step.name)) for (const need of step.needs) wanted.add(need);
  return all.filter(({ name }) => wanted.has(name));
}

async function outcomeOf(step: Step): Promise<Outcome> {
  try {
    return await step.run();
  } catch (error) {
    return { ...done, failed: 1, output: error instanceof Error ? error.message : String(error) };
  }
}

/** Runs a step when the steps that it needs have ended, and prints its line. Returns whether all of them succeeded. */
async function perform(step: Step, before: readonly Promise<boolean>[], sum: Writable<Counts>): Promise<boolean> {
  const fit = await Promise.all(before);
  const missing = step.needs[fit.indexOf(false)];
  if (missing !== undefined) {
    console.log(`SKIPPED ${step.name}: ${missing} failed`);
    sum.skipped += 1;
    return false;
  }
  const start = performance.now();
  const { passed, failed, skipped, output, notes = "" } = await outcomeOf(step);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (failed > 0) complaints.push(...complaintsIn(output).map((complaint) => `${step.name}: ${complaint}`));
  if (failed > 0) console.log(`\n${output.trimEnd()}\n`);
  else for (const [line] of output.matchAll(/^SKIPPED .*$/gm)) console.log(line);
  const counts = passed + skipped > 0 ? `  ${passed} passed, ${failed} failed, ${skipped} skipped` : "";
  const result = failed > 0 ? "FAILED" : "ok";
  console.log(`${step.name.padEnd(14)}${result.padEnd(7)}${seconds.padStart(7)} s${counts}\n${notes}`.trimEnd());
  sum.passed += passed;
  sum.failed += failed;
  sum.skipped += skipped;
  return failed === 0;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The message of each failed test, of all steps: their whole output may be too long to search. */
const complaints: string[] = [];

/** Runs the steps, each as soon as the steps that it needs are done, and prints the sum of all tests. */
async function main(): Promise<boolean> {
  const start = performance.now();
  const sum = { ...done };
  const begun = new Map<string, Promise<boolean>>();
  for (const step of chosen(process.argv.slice(2))) {
    const before = step.needs.map((need) => begun.get(need) ?? Promise.resolve(true));
    const beside = (step.after ?? []).map((name) => begun.get(name) ?? Promise.resolve(true));
    begun.set(
      step.name,
      Promise.all(beside).then(() => perform(step, before, sum)),
    );
  }
  await Promise.all(begun.values());
  for (const complaint of complaints) console.log(`\n${complaint}`);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`all in ${seconds} s`);
  console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
  return sum.failed === 0;
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill("SIGTERM");
    process.exit(code);
  });
}
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.exit((await main()) ? 0 : 1);
