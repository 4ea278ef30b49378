import { DrizzleQueryError } from "drizzle-orm/errors";
import { Fault } from "../core/faults.ts";

// Classifies errors of both engines: broken constraints, and failures of the storage itself.

/** A broken constraint. `rule` is the name of the constraint or index, where the engine reports it. */
interface BrokenConstraint {
  readonly kind: "unique" | "foreign_key" | "check" | "not_null";
  readonly rule: string | null;
  readonly table: string | null;
  /** The columns of a unique constraint, or the column that must not be null, in the engine's order. */
  readonly columns: readonly string[];
}

interface DriverError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly constraint?: unknown;
  readonly table?: unknown;
  readonly column?: unknown;
  readonly detail?: unknown;
  readonly cause?: unknown;
}

const kinds: Readonly<Record<string, BrokenConstraint["kind"]>> = {
  "23505": "unique",
  "23503": "foreign_key",
  "23514": "check",
  "23502": "not_null",
  SQLITE_CONSTRAINT_UNIQUE: "unique",
  SQLITE_CONSTRAINT_PRIMARYKEY: "unique",
  SQLITE_CONSTRAINT_ROWID: "unique",
  SQLITE_CONSTRAINT_FOREIGNKEY: "foreign_key",
  SQLITE_CONSTRAINT_CHECK: "check",
  SQLITE_CONSTRAINT_NOTNULL: "not_null",
};

/** The errors in a chain of causes, outermost first. Drizzle wraps what the driver throws. */
function* chain(error: unknown): Generator<DriverError> {
  const seen = new Set<unknown>();
  for (let at = error; typeof at === "object" && at !== null && !seen.has(at); at = (at as DriverError).cause) {
    seen.add(at);
    yield at as DriverError;
  }
}

/** The engine's code of an error: an SQLSTATE or a name like `SQLITE_FULL`; null when there is none. */
export function databaseCode(error: unknown): string | null {
  for (const { code } of chain(error)) if (typeof code === "string") return code;
  return null;
}

/** The broken constraint behind an error; null for other errors. */
export function conflict(error: unknown): BrokenConstraint | null {
  for (const link of chain(error)) {
    const kind = typeof link.code === "string" ? kinds[link.code] : undefined;
    if (kind !== undefined)
      return String(link.code).startsWith("SQLITE") ? onSqlite(kind, link) : onPostgres(kind, link);
  }
  return null;
}

/** Whether an error is a broken unique constraint with exactly these columns (in any order) or this name. */
export function isDuplicate(error: unknown, table: string, rule: string, columns: readonly string[]): boolean {
  const broken = conflict(error);
  if (broken?.kind !== "unique" || (broken.table !== null && broken.table !== table)) return false;
  if (broken.rule !== null) return broken.rule === rule;
  return broken.columns.length === columns.length && columns.every((column) => broken.columns.includes(column));
}

function onSqlite(kind: BrokenConstraint["kind"], error: DriverError): BrokenConstraint {
  // "UNIQUE constraint failed: orders.order_number, orders.mode", "… failed: index 'name'", "CHECK … failed: name"
  const detail = String(error.message).replace(/^.*constraint failed:? ?/, "");
  const index = /^index '(.*)'$/.exec(detail);
  if (index !== null) return { kind, rule: index[1] ?? null, table: null, columns: [] };
  if (kind === "check") return { kind, rule: detail || null, table: null, columns: [] };
  const places = detail ? detail.split(", ").map((place) => place.split(".")) : [];
  return { kind, rule: null, table: places[0]?.[0] ?? null, columns: places.map((place) => place[1] ?? "") };
}

function onPostgres(kind: BrokenConstraint["kind"], error: DriverError): BrokenConstraint {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const key = /^Key \((.*?)\)=/.exec(String(error.detail ?? ""))?.[1];
  const columns = key !== undefined ? key.split(", ").map((name) => name.replace(/^"|"$/g, "")) : [];
  const column = text(error.column);
  return {
    kind,
    rule: text(error.constraint),
    table: text(error.table),
    columns: column !== null ? [column] : columns,
  };
}

/** Whether a trigger of this name refused a statement. */
export function brokeRule(error: unknown, rule: string): boolean {
  return [...chain(error)].some(({ code, message }) => {
    return (code === "23P01" || code === "SQLITE_CONSTRAINT_TRIGGER") && message === rule;
  });
}

// Failures of the storage: wait for space, wait for the database, or stop at once.

/** `full` and `unavailable` are temporary; after `fatal`, the storage cannot be trusted. */
type StorageError = "full" | "unavailable" | "fatal";

const temporary_errors: Readonly<Record<string, StorageError>> = {
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

/** The kind of storage failure behind an error; null for other errors. */
export function storageErrorOf(error: unknown): StorageError | null {
  for (const { code, message } of chain(error)) {
    if (typeof code === "string") {
      const known = temporary_errors[code] ?? errorClass(code);
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

/** The fault for a storage failure. */
export function storageFault(failure: StorageError, cause: unknown): Fault {
  const fault =
    failure === "full"
      ? new Fault("storage_full", "The server has no space left to store data. Nothing was changed; try again later.")
      : new Fault("storage_unavailable", "The database is temporarily unavailable. Try again later.");
  fault.cause = cause;
  return fault;
}

/**
 * The error that a caller sees: a `Fault` for a storage failure, other errors unchanged. Drizzle's own error is
 * replaced, because its message contains the query's values and messages are logged.
 */
export function withoutQuery(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const failure = storageErrorOf(error);
  if (failure !== null) return storageFault(failure, error);
  if (!(error instanceof DrizzleQueryError)) return error;
  return new Error(`${error.cause?.message ?? "the statement failed"} (${error.query})`, { cause: error.cause });
}

function errorClass(code: string): StorageError | null {
  if (/^SQLITE_(READONLY|BUSY|CANTOPEN|LOCKED)_/.test(code)) return "unavailable";
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code)) return "fatal";
  return /^(08|53)[0-9A-Z]{3}$/.test(code) ? "unavailable" : null;
}
