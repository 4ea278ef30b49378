// What every command shares: its shape, common flags, output, and opening the data.
import { databaseUrl } from "../core/config.ts";
import { environments } from "../core/environment.ts";
import { choice, type Flags, type FlagValues, flag, readFlags, text } from "../core/flags.ts";
import { openLog } from "../core/log.ts";
import { type OpenSettings, openStores, type Stores } from "../storage/open_stores.ts";
import { startRefused } from "../storage/start_refused.ts";

/** Where a command prints its results and its warnings. */
export interface CommandOutput {
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** What a command has in common whether it works on open stores or not. */
interface CommandHead<F extends Flags> {
  readonly summary: string;
  readonly flags: F;
  /** Lines that its help shows below the flags. */
  readonly notes?: () => Promise<readonly string[]>;
}

/** Resolves with the exit code, or with nothing for 0. */
type Exit = Promise<number> | Promise<void>;

/** One command of the command line. */
export interface Command extends CommandHead<Flags> {
  /** How to open the data for `run`; absent if `run` uses no stores. */
  readonly opening?: (options: never) => Opening;
  readonly run: (options: never, stores: Stores, output: CommandOutput) => Exit;
}
/** Commands by their words, such as `backup show`. */
export type Commands = Readonly<Record<string, Command>>;

type Opening = Partial<Pick<OpenSettings, "must_exist" | "clocks" | "purpose" | "check" | "older" | "moved">>;

/** Declares a command; its `run` is type-checked against its flags. */
export const command = <F extends Flags>(
  it: CommandHead<F> & { readonly run: (options: FlagValues<F>) => Exit },
): Command => it;

/** Declares a command that works on open stores. It also takes the flags that locate the data. */
export const dataCommand = <F extends Flags>(
  it: CommandHead<F> & {
    readonly opening?: (options: FlagValues<F>) => Opening;
    readonly run: (options: FlagValues<F> & DataLocation, stores: Stores, output: CommandOutput) => Exit;
  },
): Command => ({ opening: () => ({}), ...it, flags: { ...it.flags, ...dataFlags } });

/** The flags that locate the data. */
export const dataFlags = {
  data: text({ value: "FOLDER", default: "./data", help: "folder of the embedded database" }),
  "database-url": text({ value: "URL", help: "PostgreSQL instead of the embedded database: postgres://…" }),
};
/** The values of `dataFlags`. */
export type DataLocation = FlagValues<typeof dataFlags>;

/** The flag of commands that can print JSON. */
export const jsonFlag = { json: flag("print JSON for scripts") };
/** The flag of commands that another program runs. */
export const attendedFlag = {
  attended: flag("stop when standard input closes, e.g. because the calling program exited"),
};
/** The refusal of `--mode`. */
const refusal = () => "must be live or test.";
/** The flag of commands that work on one environment. */
export const modeFlag = { mode: choice(environments, { default: "test", help: "environment: live or test", refusal }) };
/** The flag of commands whose environment has to be named. */
export const namedModeFlag = { mode: choice(environments, { help: "environment, required: live or test", refusal }) };
/** The flag of commands that work on both environments unless one is named. */
export const onlyModeFlag = { mode: choice(environments, { help: "only this environment", refusal }) };

/** Prints a line to standard output. */
export const print = (line: string): void => console.log(line);

/** Runs a command, on open stores if it works on them. Resolves with the exit code. */
export async function runCommand({ flags, opening, run }: Command, words: readonly string[]): Promise<number> {
  const output = { print, warn: (line: string) => console.error(line) };
  const options = readFlags(words, flags) as never;
  const work = async (stores: Stores) => {
    const code = await run(options, stores, output);
    return typeof code === "number" ? code : 0;
  };
  // A command that is declared without stores does not use them.
  return opening === undefined ? work(undefined as never) : withStores(options, work, opening(options));
}

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
  opening: Opening,
): Promise<number> {
  const log = commandLog("info");
  const fatal = (error: unknown) => {
    throw error;
  };
  const defaults = { purpose: "command", older: "refused", must_exist: true } as const;
  const stores = await openStores({
    data: options.data,
    database_url: databaseUrl,
    ...defaults,
    log,
    fatal,
    ...opening,
  });
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}
