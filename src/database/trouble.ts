// What an error of the storage itself means: wait for room, wait for the database, or stop at once.
import { DrizzleQueryError } from "drizzle-orm/errors";
import { Fault } from "../kit/fault.ts";
import { chain } from "./conflict.ts";

/** `full` and `unavailable` pass by themselves; after `fatal` nothing the storage says can be believed. */
type Trouble = "full" | "unavailable" | "fatal";

const passing: Readonly<Record<string, Trouble>> = {
  SQLITE_FULL: "full",
  SQLITE_READONLY: "unavailable",
  SQLITE_IOERR_WRITE: "unavailable",
  SQLITE_IOERR_SHMSIZE: "unavailable",
  SQLITE_IOERR_SHMOPEN: "unavailable",
  SQLITE_BUSY: "unavailable",
  SQLITE_LOCKED: "unavailable",
  SQLITE_CANTOPEN: "unavailable",
  SQLITE_PROTOCOL: "unavailable",
  SQLITE_NOMEM: "unavailable",
  "53100": "full",
  "25006": "unavailable",
  "57014": "unavailable",
  "57P01": "unavailable",
  "57P02": "unavailable",
  "57P03": "unavailable",
  "57P05": "unavailable",
  "25P03": "unavailable",
  "55P03": "unavailable",
  ECONNREFUSED: "unavailable",
  ECONNRESET: "unavailable",
  ECONNABORTED: "unavailable",
  EPIPE: "unavailable",
  ETIMEDOUT: "unavailable",
  EHOSTUNREACH: "unavailable",
  ENETUNREACH: "unavailable",
  ENOTFOUND: "unavailable",
  EAI_AGAIN: "unavailable",
};

/** What kind of trouble with the storage an error tells of; null when it is no such error. */
export function troubleOf(error: unknown): Trouble | null {
  for (const { code, message } of chain(error)) {
    if (typeof code === "string") {
      const known = passing[code] ?? family(code);
      if (known !== null) return known;
    } else if (
      /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a conn)/.test(
        String(message),
      )
    ) {
      return "unavailable";
    }
  }
  return null;
}

/** The refusal a client is given for trouble with the storage. */
export function troubleFault(trouble: Trouble, cause: unknown): Fault {
  const fault =
    trouble === "full"
      ? new Fault("storage_full", "There is no room left to store anything. Nothing was changed; try again later.")
      : new Fault("storage_unavailable", "The storage cannot be used at the moment. Try again later.");
  fault.cause = cause;
  return fault;
}

/**
 * The error a caller sees: a `Fault` for trouble with the storage, anything else as it is; but Drizzle's own error,
 * whose message holds the values of the query, gives way to one without them, since messages are logged.
 */
export function told(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const trouble = troubleOf(error);
  if (trouble !== null) return troubleFault(trouble, error);
  if (!(error instanceof DrizzleQueryError)) return error;
  return new Error(`${error.cause?.message ?? "the statement failed"} (${error.query})`, { cause: error.cause });
}

function family(code: string): Trouble | null {
  if (/^SQLITE_(READONLY|BUSY|CANTOPEN|LOCKED)_/.test(code)) return "unavailable";
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code)) return "fatal";
  return /^(08|53)[0-9A-Z]{3}$/.test(code) ? "unavailable" : null;
}
