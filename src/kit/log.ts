import { iso, systemClock } from "./clock.ts";

const systemTime = systemClock();

/** One line of the log: listed fields only, never bodies, keys or secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A log of JSON lines on standard error; JSON escapes line breaks, so a value cannot forge a line. */
export function jsonLog(write: (line: string) => void = (line) => console.error(line)): Log {
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(JSON.stringify({ time: iso(systemTime.now()), level, message, ...fields }));
  return { info: line("info"), warn: line("warn"), error: line("error") };
}

/** A log that keeps nothing, for tests and one-off commands. */
export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} };
