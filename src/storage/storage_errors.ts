import { DrizzleQueryError } from "drizzle-orm/errors";
import { Fault } from "../core/faults.ts";

// Which rule of the database a refused statement broke, read from either engine's error.

/** A broken rule: `rule` is the name of the constraint or index, where the engine tells it. */
interface BrokenConstraint {
  readonly kind: "unique" | "foreign_key" | "check" | "not_null";
  readonly rule: string | null;
  readonly table: string | null;
  /** The columns of a broken unique rule or the column that may not be null, in the engine's order. */
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

/** The errors of a chain of causes, outermost first; Drizzle wraps what the driver throws. */
function* chain(error: unknown): Generator<DriverError> {
  const seen = new Set<unknown>();
  for (let at = error; typeof at === "object" && at !== null && !seen.has(at); at = (at as DriverError).cause) {
    seen.add(at);
    yield at as DriverError;
  }
}

/** The code of the engine under an error: an SQLSTATE or a name like `SQLITE_FULL`; null when there is none. */
export function databaseCode(error: unknown): string | null {
  for (const { code } of chain(error)) if (typeof code === "string") return code;
  return null;
}

/** The broken rule under an error, or null when the error is none of the kinds a schema can refuse. */
export function conflict(error: unknown): BrokenConstraint | null {
  for (const link of chain(error)) {
    const kind = typeof link.code === "string" ? kinds[link.code] : undefined;
    if (kind !== undefined)
      return String(link.code).startsWith("SQLITE") ? onSqlite(kind, link) : onPostgres(kind, link);
  }
  return null;
}

/** Whether an error is a broken unique rule over exactly these columns (in any order) or of this name. */
export function isDuplicate(error: unknown, table: string, rule: string, columns: readonly string[]): boolean {
  const broken = conflict(error);
  if (broken?.kind !== "unique" || (broken.table !== null && broken.table !== table)) return false;
  if (broken.rule !== null) return broken.rule === rule;
  return broken.columns.length === columns.length && columns.every((column) => broken.columns.includes(column));
}

function onSqlite(kind: BrokenConstraint["kind"], error: DriverError): BrokenConstraint {
  // "UNIQUE constraint failed: orders.order_number, orders.mode", "… failed: index 'name'", "CHECK … failed: name"
  const said = String(error.message).replace(/^.*constraint failed:? ?/, "");
  const index = /^index '(.*)'$/.exec(said);
  if (index !== null) return { kind, rule: index[1] ?? null, table: null, columns: [] };
  if (kind === "check") return { kind, rule: said || null, table: null, columns: [] };
  const places = said ? said.split(", ").map((place) => place.split(".")) : [];
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

/** Whether a trigger of this name has refused a statement. */
export function brokeRule(error: unknown, rule: string): boolean {
  return [...chain(error)].some(({ code, message }) => {
    return (code === "23P01" || code === "SQLITE_CONSTRAINT_TRIGGER") && message === rule;
  });
}

// What an error of the storage itself means: wait for room, wait for the database, or stop at once.

/** `full` and `unavailable` pass by themselves; after `fatal` nothing the storage says can be believed. */
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

/** What kind of trouble with the storage an error tells of; null when it is no such error. */
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

/** The refusal a client is given for trouble with the storage. */
export function storageFault(trouble: StorageError, cause: unknown): Fault {
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
export function withoutQuery(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const trouble = storageErrorOf(error);
  if (trouble !== null) return storageFault(trouble, error);
  if (!(error instanceof DrizzleQueryError)) return error;
  return new Error(`${error.cause?.message ?? "the statement failed"} (${error.query})`, { cause: error.cause });
}

function errorClass(code: string): StorageError | null {
  if (/^SQLITE_(READONLY|BUSY|CANTOPEN|LOCKED)_/.test(code)) return "unavailable";
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code)) return "fatal";
  return /^(08|53)[0-9A-Z]{3}$/.test(code) ? "unavailable" : null;
}
