// What every command of the line is: its help, its flags, what it does; and the data that most of them work on.
import { databaseUrl, type Flags, type FlagValues, UsageError } from "../core/config.ts";
import { type Environment, environments } from "../core/environment.ts";
import { openLog } from "../core/log.ts";
import { type OpenSettings, openStores, type Stores } from "../storage/open_stores.ts";
import { startRefused } from "../storage/start_refused.ts";

/** One command: its line in `--help`, its flags, what it does. */
export interface Command<F extends Flags = Flags> {
  readonly summary: string;
  readonly flags: F;
  /** What its help says beside the flags. */
  readonly notes?: () => Promise<readonly string[]>;
  /** Resolves with the exit code. */
  readonly run: (given: FlagValues<F>) => Promise<number>;
}
/** A command whose flags are checked against what it does with them. */
export const command = <F extends Flags>(it: Command<F>): Command => it as unknown as Command;

/** The flags that say where the data is. */
export const dataFlags = {
  data: { type: "string", value: "FOLDER", default: "./data", help: "folder of the embedded database" },
  "database-url": { type: "string", value: "URL", help: "PostgreSQL instead of the embedded database: postgres://…" },
} as const satisfies Flags;
/** The flag of a command that scripts read. */
export const jsonFlag = { json: { type: "boolean", help: "print JSON for scripts" } } as const satisfies Flags;
/** The flag of a command that works on one world. */
export const modeFlag = {
  mode: { type: "string", value: "live|test", default: "test", help: "which of the two worlds" },
} as const satisfies Flags;

/** Prints a line for who runs a command. */
export const print = (line: string): void => console.log(line);

/** The commands of the line, by their words. */
export type Commands = Readonly<Record<string, Command>>;

/** The world that a flag names; `WrongUse` where it names none. */
export function modeOf(word: string | undefined): Environment {
  const mode = environments.find((mode) => mode === word);
  if (mode === undefined) throw new UsageError("--mode must be live or test.");
  return mode;
}

/** Where the data is, as the flags say. */
export type DataLocation = FlagValues<typeof dataFlags>;

/** Aborted when the process is asked to end, or, when it is attended, when its input ends. */
export function endingOf(attended: boolean): AbortSignal {
  const ending = new AbortController();
  const stopped = startRefused("storage", "It was stopped before its end; nothing of it was left.");
  const end = () => ending.abort(stopped);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
  if (attended) process.stdin.once("end", end).once("error", end).resume();
  return ending.signal;
}

/** Where a command's log goes: beside what it prints. */
export const commandLog = (level: "info" | "error") =>
  openLog({ level, format: "json", write: (line) => console.error(line) });

/**
 * Opens the data, runs `work` on it and closes it. A command can run alongside a server unless its purpose is `serve`.
 * It refuses data of an older version and, unless `must_exist` is false, a place without data: a typing error in
 * `--data` must not create an installation. Returns the exit code that `work` returns.
 */
export async function withStores(
  given: DataLocation,
  work: (stores: Stores) => Promise<number>,
  opening: Partial<Pick<OpenSettings, "must_exist" | "clocks" | "purpose" | "check" | "older" | "moved">> = {},
): Promise<number> {
  const log = commandLog("info");
  const fatal = (error: unknown) => {
    throw error;
  };
  const data = given.data ?? "./data";
  const usual = { purpose: "command", older: "refused", must_exist: true } as const;
  const stores = await openStores({ data, database_url: databaseUrl, ...usual, log, fatal, ...opening });
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}
