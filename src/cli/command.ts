// What every command shares: its shape, common flags, output, and opening the data.
import { databaseUrl, type Flags, type FlagValues, UsageError } from "../core/config.ts";
import { type Environment, environments } from "../core/environment.ts";
import { openLog } from "../core/log.ts";
import { type OpenSettings, openStores, type Stores } from "../storage/open_stores.ts";
import { startRefused } from "../storage/start_refused.ts";

/** One command of the command line. */
export interface Command<F extends Flags = Flags> {
  readonly summary: string;
  readonly flags: F;
  /** Lines that its help shows below the flags. */
  readonly notes?: () => Promise<readonly string[]>;
  /** Resolves with the exit code. */
  readonly run: (options: FlagValues<F>) => Promise<number>;
}
/** Declares a command; its `run` is type-checked against its flags. */
export const command = <F extends Flags>(it: Command<F>): Command => it as unknown as Command;

/** The flags that locate the data. */
export const dataFlags = {
  data: { type: "string", value: "FOLDER", default: "./data", help: "folder of the embedded database" },
  "database-url": { type: "string", value: "URL", help: "PostgreSQL instead of the embedded database: postgres://…" },
} as const satisfies Flags;
/** The flag of commands that can print JSON. */
export const jsonFlag = { json: { type: "boolean", help: "print JSON for scripts" } } as const satisfies Flags;
/** The flag of commands that work on one environment. */
export const modeFlag = {
  mode: { type: "string", value: "live|test", default: "test", help: "environment: live or test" },
} as const satisfies Flags;

/** Where a command prints its results and its warnings. */
export interface CommandOutput {
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** A command that works on open stores. */
export interface DataCommand<F extends Flags = Flags> {
  readonly summary: string;
  readonly flags: F;
  readonly run: (stores: Stores, options: FlagValues<F>, output: CommandOutput) => Promise<void>;
}
/** Declares a command that works on open stores; its `run` is type-checked against its flags. */
export const dataCommand = <F extends Flags>(it: DataCommand<F>): DataCommand => it as unknown as DataCommand;

/** Prints a line to standard output. */
export const print = (line: string): void => console.log(line);

/** Commands by their words, such as `backup show`. */
export type Commands = Readonly<Record<string, Command>>;

/** The environment that `--mode` names. Throws `UsageError` for any other word. */
export function modeOf(word: string | undefined): Environment {
  const mode = environments.find((mode) => mode === word);
  if (mode === undefined) throw new UsageError("--mode must be live or test.");
  return mode;
}

/** The values of `dataFlags`. */
export type DataLocation = FlagValues<typeof dataFlags>;

/** A signal that aborts when the process is told to end or, with `attended`, when standard input closes. */
export function endingOf(attended: boolean): AbortSignal {
  const ending = new AbortController();
  const stopped = startRefused("storage", "Stopped before it finished. Nothing was left behind.");
  const end = () => ending.abort(stopped);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
  if (attended) process.stdin.once("end", end).once("error", end).resume();
  return ending.signal;
}

/** A log of JSON lines on standard error. */
export const commandLog = (level: "info" | "error") =>
  openLog({ level, format: "json", write: (line) => console.error(line) });

/**
 * Opens the data, runs `work` on it and closes it. A command can run alongside a server unless its purpose is `serve`.
 * It refuses data of an older version and, unless `must_exist` is false, a place without data: a typo in `--data` must
 * not create an installation. Returns the exit code that `work` returns.
 */
export async function withStores(
  options: DataLocation,
  work: (stores: Stores) => Promise<number>,
  opening: Partial<Pick<OpenSettings, "must_exist" | "clocks" | "purpose" | "check" | "older" | "moved">> = {},
): Promise<number> {
  const log = commandLog("info");
  const fatal = (error: unknown) => {
    throw error;
  };
  const data = options.data ?? "./data";
  const defaults = { purpose: "command", older: "refused", must_exist: true } as const;
  const stores = await openStores({ data, database_url: databaseUrl, ...defaults, log, fatal, ...opening });
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}
