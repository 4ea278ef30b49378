// The command line: `packhouse <command> [flags]`. Exit codes: 0 done, 1 failed, 2 wrong use; others name their reason.

import {
  type Command,
  type Commands,
  command,
  type DataLocation,
  dataCommand,
  dataFlags,
  jsonFlag,
  modeFlag,
  print,
  runCommand,
  withStores,
} from "./cli/command.ts";
import { iso, systemClock } from "./core/clock.ts";
import {
  commandLine,
  databaseUrl,
  databaseUrlProblem,
  forgetProxies,
  runtimeOptions,
  supervision,
  UsageError,
  variable,
  version,
} from "./core/config.ts";
import { closest, didYouMean } from "./core/did_you_mean.ts";
import { environments } from "./core/environment.ts";
import { Fault } from "./core/faults.ts";
import { writeAtomically } from "./core/files.ts";
import { type Flags, type FlagValues, int, text } from "./core/flags.ts";
import { LineWriter } from "./core/log.ts";
import { exitImmediately } from "./core/process.ts";
import type { ServerHandle } from "./server/serve.ts";
import { readServe, readSettings, type ServeFlags, serveFlags } from "./server/serve_settings.ts";
import { openSupervisor } from "./server/systemd.ts";
import type { Stores } from "./storage/open_stores.ts";
import { isStartRefused } from "./storage/start_refused.ts";
import type { VerifierDifference } from "./storage/verifier.ts";

process.umask(0o077);
forgetProxies();

const serving: Command = command({ summary: "serve the API", flags: serveFlags, run: runServe });

// Loading the whole service takes longer than most commands, so each command imports only what it needs.
async function allCommands(): Promise<Commands> {
  const { keyCommands } = await import("./cli/keys.ts");
  const { userCommands } = await import("./cli/users.ts");
  const { spreadsheetCommands } = await import("./cli/csv.ts");
  const { backupCommands, momentCommands } = await import("./cli/backup.ts");
  const { restoreCommands } = await import("./cli/restore.ts");
  const { moveCommands } = await import("./cli/move.ts");
  const { customerCommands } = await import("./cli/customers.ts");
  const { merchantCommands, wholeExport } = await import("./cli/merchants.ts");
  const { doctorCommands } = await import("./cli/doctor.ts");
  const { upgradeCommands } = await import("./cli/upgrade.ts");
  const { healthCommands } = await import("./cli/health.ts");
  return {
    serve: serving,
    ...keyCommands,
    ...userCommands,
    ...merchantCommands,
    ...customerCommands,
    ...others,
    ...healthCommands,
    ...doctorCommands(allCommands),
    ...backupCommands,
    ...restoreCommands,
    ...momentCommands,
    ...spreadsheetCommands,
    ...moveCommands,
    ...upgradeCommands,
    export: wholeExport,
  };
}

const demoFlags = {
  ...modeFlag,
  merchant: text({ value: "CODE", help: "load only the grocer's data, for this merchant" }),
  seed: int(0, 999_999_999, {
    value: "N",
    default: "1",
    help: "random seed; each number gives other sample data",
    refusal: () => "must be a number of up to 9 digits.",
  }),
  ...dataFlags,
};

const others: Commands = {
  verify: dataCommand({
    summary: "recompute stock and order counters from the ledger and print the differences",
    flags: { ...dataFlags, ...jsonFlag },
    opening: () => ({ check: true, moved: "allowed" }),
    run: runVerify,
  }),
  "new-secret-key": dataCommand({
    summary: "replace a lost secret key; the secrets that it encrypted have to be entered again",
    flags: {},
    // No server may run: it would continue with the old key.
    opening: () => ({ purpose: "serve" }),
    run: runNewSecretKey,
  }),
  demo: command({
    summary: "load sample data of three merchants into test (or live, with --mode live)",
    flags: demoFlags,
    run: runDemoCommand,
  }),
  openapi: command({
    summary: "print the OpenAPI 3.1 document",
    flags: { out: text({ value: "FILE", help: "write to a file instead of printing" }) },
    run: runOpenApi,
  }),
  version: command({
    summary: "print the version",
    flags: {},
    run: async () => print(`packhouse ${version}`),
  }),
};

async function runServe(options: ServeFlags): Promise<number> {
  const wanted = await readServe(options);
  const ended = Promise.withResolvers<number>();
  const lines = new LineWriter();
  process.on("exit", () => lines.finish());
  const exit = (code: number) => {
    lines.finish();
    exitImmediately(code);
  };
  const { serve } = await import("./server/serve.ts");
  const operation = readSettings(options, lines);
  if (runtimeOptions !== null) operation.log.warn("BUN_OPTIONS is set and affects the runtime");
  const manager = supervision();
  const supervisor = await openSupervisor(manager, operation.log);
  let running: ServerHandle | null = null;
  let is_stopping = false;
  const stop = () => {
    // A second signal, or one before it serves, ends the process without waiting for requests in progress.
    if (is_stopping || running === null) return process.exit(1);
    is_stopping = true;
    supervisor.stops();
    running.stop().then((all) => ended.resolve(all ? 0 : 1), ended.reject);
  };
  // Handlers are registered before the start is announced, because whoever reads that line may send a signal at once.
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  // A closing terminal sends SIGHUP too, and then it should end the server that was started in it.
  if ((wanted.tls !== null || manager !== null) && !process.stdout.isTTY)
    process.on("SIGHUP", () => supervisor.reloads(() => running?.checkCertificate()));
  running = await serve({ ...wanted, database_url: databaseUrl, ...operation, print, exit });
  supervisor.serves(running.url, running.probeStorage);
  return ended.promise.finally(() => lines.settled());
}

async function runVerify({ json, data }: DataLocation & { json: boolean }, stores: Stores): Promise<number> {
  let count = 0;
  const { secretKeyProblem } = await import("./server/secret_key.ts");
  const key_problem = await secretKeyProblem(stores, data, databaseUrl);
  if (key_problem !== null) {
    count += 1;
    print(json ? JSON.stringify({ rule: "the secret key is that of the data", problem: key_problem }) : key_problem);
  }
  const { verifyStore } = await import("./cli/verify.ts");
  for (const mode of environments) {
    const differences = await stores[mode].read(verifyStore);
    count += differences.length;
    for (const difference of differences) {
      if (json) print(JSON.stringify({ mode, ...difference }));
      else for (const line of linesOf(difference)) print(line);
    }
    await printAmounts(stores[mode], json);
    if (!json) print(`${mode}: ${differences.length} ${differences.length === 1 ? "difference" : "differences"}`);
  }
  return count === 0 ? 0 : 1;
}

/** Prints the amounts that an upgrade rounded, and records in unknown currencies. They are not differences. */
async function printAmounts(store: Stores["live"], json: boolean): Promise<void> {
  const { listRounded, listUnknownCurrencies } = await import("./operations/data_audit.sql.ts");
  const { mode } = store;
  for (const rounded of await store.read(listRounded)) {
    const { record, field, before, after, currency } = rounded;
    if (json) print(JSON.stringify({ mode, rounded }));
    else print(`${mode}: ${record} ${field}: ${before} ${currency} was rounded half up to ${after} by an upgrade`);
  }
  for (const unknown of await store.read(listUnknownCurrencies)) {
    const { records, currency, count } = unknown;
    if (json) print(JSON.stringify({ mode, unknown_currency: unknown }));
    else print(`${mode}: ${count} ${records} in ${currency}, which is not in ISO 4217: treated as having two decimals`);
  }
}

const cell = (name: string, value: unknown) => {
  if (name.endsWith("_at")) return iso(Number(value));
  return typeof value === "string" ? value : JSON.stringify(value);
};

/** A difference as lines to print: the expected and actual value, then the rows without their empty columns. */
function linesOf({ rule, subject, expected, actual, rows }: VerifierDifference): string[] {
  const shown = rows.map(({ table, id, ...columns }) => {
    const filled = Object.entries(columns).filter(([, value]) => value !== null);
    const values = filled.map(([name, value]) => `${name} ${cell(name, value)}`);
    return `  ${table}${id === undefined ? "" : ` ${id}`}: ${values.join(", ")}`;
  });
  return [`${rule}: ${subject}: expected ${expected}, found ${actual}`, ...shown];
}

async function runNewSecretKey({ data }: DataLocation, stores: Stores): Promise<void> {
  const { configuredSecretKey, renewSecretKey } = await import("./server/secret_key.ts");
  const key = configuredSecretKey(databaseUrl);
  const lines = await renewSecretKey(stores, data, key);
  for (const line of lines) print(line);
  print(`The data is now encrypted with ${key === null ? "the key in secret.key" : "PACKHOUSE_SECRET_KEY"}.`);
}

async function runDemoCommand(options: FlagValues<typeof demoFlags>): Promise<number> {
  const { runDemo, storyClock } = await import("./operations/demo/demo.jobs.ts");
  const clock = storyClock(systemClock());
  const work = async (stores: Stores) => {
    for (const line of await runDemo(stores, options, clock, process.stderr)) print(line);
    return 0;
  };
  return withStores(options, work, { clocks: { live: clock, test: clock }, must_exist: false });
}

async function runOpenApi({ out }: { out: string | undefined }): Promise<void> {
  const { describeApi } = await import("./cli/openapi.ts");
  const text = describeApi((variable("PACKHOUSE_BASE_URL") ?? "").replace(/\/+$/, ""));
  if (out && out !== "-") writeAtomically(out, `${text}\n`);
  else print(text);
}

/** The text of `--help` for all commands, or for those that start with `prefix`. */
function help(commands: Commands, prefix = ""): string {
  const shown = Object.entries(commands).filter(([name]) => name.startsWith(prefix));
  const width = Math.max(...shown.map(([name]) => name.length));
  const rows = shown.map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    `Packhouse ${version}: third-party-logistics fulfillment in one binary.`,
    "",
    "Usage: packhouse <command> [flags]",
    "",
    ...rows,
    "",
    "packhouse <command> --help shows a command's flags. Each flag can also be set by an environment variable:",
    "--database-url by PACKHOUSE_DATABASE_URL.",
  ].join("\n");
}

async function helpOf(name: string, { summary, flags, notes }: Command): Promise<string> {
  const entries = Object.entries(flags);
  const words = entries.flatMap(([, { type, value }]) => (type === "word" ? [` ${value}`] : [])).join("");
  const rows = entries.map(([flag, { type, value, help: text, default: fallback }]) => {
    const written = type === "word" ? `${value}` : `--${flag}${value === undefined ? "" : ` ${value}`}`;
    return `  ${written.padEnd(34)} ${text}${fallback === undefined ? "" : ` (${fallback})`}`;
  });
  return [
    `packhouse ${name}: ${summary}`,
    "",
    `Usage: packhouse ${name}${words} [flags]`,
    "",
    ...rows,
    ...((await notes?.()) ?? []),
  ].join("\n");
}

const oneOf = (words: readonly string[]) => words.join(", ").replace(/, ([^,]*)$/, " or $1");

async function main(words: readonly string[]): Promise<number> {
  const wantsHelp = words.includes("--help") || words.includes("-h");
  const first = words.filter((word) => !word.startsWith("-"));
  const commands = first[0] === "serve" ? { serve: serving } : await allCommands();
  const name = [first.slice(0, 2).join(" "), first[0] ?? ""].find((candidate) => candidate in commands);
  const chosen = name === undefined ? undefined : commands[name];
  if (name === undefined || chosen === undefined) {
    if (words[0] === "--version") return main(["version"]);
    const group = Object.keys(commands).filter((name) => name.startsWith(`${first[0]} `));
    const isGroup = group.length > 0;
    if (words.length === 0 || wantsHelp || first[0] === "help")
      return done(help(commands, isGroup ? `${first[0]} ` : ""), 0);
    if (isGroup) return done(`packhouse ${first[0]}: use ${oneOf(group)}${meantOf(first, group)}.`, 2);
    const groups = Object.keys(commands).map((name) => name.split(" ")[0] ?? name);
    const hint = meantOf(first, Object.keys(commands)) || didYouMean(first[0] ?? "", groups);
    return done(`packhouse: unknown command ${first[0] ?? words[0]}${hint}. See packhouse --help.`, 2);
  }
  if (wantsHelp) return done(await helpOf(name, chosen), 0);
  const rest = words.slice(name.split(" ").length);
  try {
    const problem = databaseUrl === null ? null : databaseUrlProblem(databaseUrl);
    if (problem !== null) throw new UsageError(problem);
    return await runCommand(chosen, rest);
  } catch (error) {
    if (error instanceof UsageError) return done(`packhouse ${name}: ${withHint(error.message, chosen.flags)}`, 2);
    if (isStartRefused(error)) return done(`packhouse ${name}: ${error.message}`, error.exit_code);
    if (error instanceof Fault) return done(`packhouse ${name}: ${refusalText(error)}`, 1);
    if (isOutside(error)) return done(`packhouse ${name}: ${error.message || error.code}`, 1);
    throw error;
  }
}

/** A hint such as ` (did you mean keys create?)` if the first words resemble a command, otherwise "". */
function meantOf(words: readonly string[], names: readonly string[]): string {
  return didYouMean(words.slice(0, 2).join(" "), names) || didYouMean(words[0] ?? "", names);
}

/** The message of a usage error. For an unknown flag it suggests the closest one. */
function withHint(message: string, flags: Flags): string {
  const unknown = /^Unknown option '--?([\w-]+)/.exec(message)?.[1];
  if (unknown === undefined) return message;
  const names = Object.keys(flags).filter((name) => flags[name]?.type !== "word");
  const meant = closest(unknown, names);
  return `Unknown flag --${unknown}${meant === null ? "" : ` (did you mean --${meant}?)`}. See --help.`;
}

/** Whether the system or PostgreSQL refused, e.g. a connection or a sign-in. Such a message needs no stack trace. */
function isOutside(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && /^(E[A-Z]+|28...|3D...|53...|57...)$/.test(String(error.code));
}

/** A refusal's message, then one line for each further field. */
function refusalText({ code, message, facts }: Fault): string {
  const { fields = [] } = facts;
  const further = fields.slice(code === "validation_failed" ? 1 : 0);
  return [message, ...further.map((problem) => `  ${problem.field} ${problem.message}`)].join("\n");
}

function done(text: string, code: number): number {
  if (code === 0) print(text);
  else console.error(text);
  return code;
}

process.exit(await main(commandLine));
