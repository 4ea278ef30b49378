// Which rule of the database a refused statement broke, read from either engine's error.

/** A broken rule: `rule` is the name of the constraint or index, where the engine tells it. */
interface Conflict {
  readonly kind: "unique" | "foreign_key" | "check" | "not_null";
  readonly rule: string | null;
  readonly table: string | null;
  /** The columns of a broken unique rule or the column that may not be null, in the engine's order. */
  readonly columns: readonly string[];
}

interface DatabaseError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly constraint?: unknown;
  readonly table?: unknown;
  readonly column?: unknown;
  readonly detail?: unknown;
  readonly cause?: unknown;
}

const kinds: Readonly<Record<string, Conflict["kind"]>> = {
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
export function* chain(error: unknown): Generator<DatabaseError> {
  const seen = new Set<unknown>();
  for (let at = error; typeof at === "object" && at !== null && !seen.has(at); at = (at as DatabaseError).cause) {
    seen.add(at);
    yield at as DatabaseError;
  }
}

/** The code of the engine under an error: an SQLSTATE or a name like `SQLITE_FULL`; null when there is none. */
export function databaseCode(error: unknown): string | null {
  for (const { code } of chain(error)) if (typeof code === "string") return code;
  return null;
}

/** The broken rule under an error, or null when the error is none of the kinds a schema can refuse. */
export function conflict(error: unknown): Conflict | null {
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

function onSqlite(kind: Conflict["kind"], error: DatabaseError): Conflict {
  // "UNIQUE constraint failed: orders.order_number, orders.mode", "… failed: index 'name'", "CHECK … failed: name"
  const said = String(error.message).replace(/^.*constraint failed:? ?/, "");
  const index = /^index '(.*)'$/.exec(said);
  if (index !== null) return { kind, rule: index[1] ?? null, table: null, columns: [] };
  if (kind === "check") return { kind, rule: said || null, table: null, columns: [] };
  const places = said ? said.split(", ").map((place) => place.split(".")) : [];
  return { kind, rule: null, table: places[0]?.[0] ?? null, columns: places.map((place) => place[1] ?? "") };
}

function onPostgres(kind: Conflict["kind"], error: DatabaseError): Conflict {
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
