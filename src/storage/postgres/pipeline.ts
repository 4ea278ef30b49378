// A pipeline of statements to PostgreSQL. A round trip costs both sides more than most statements do, so statements
// that need no immediate result are sent with the next one that does. `pg` handles the connection and its protocol; its
// own queries would go one by one and describe their columns each time.
import pg from "pg";
import { assert } from "../../core/faults.ts";

/** A statement with its prepared name. Without a name, it is planned each time. */
export interface PostgresStatement {
  readonly text: string;
  readonly name: string;
}

/** The result of a statement: rows as lists of values, and the column names. */
export interface StatementResult {
  /** Such as `COMMIT` or `INSERT 0 1`. */
  readonly command: string;
  readonly columns: readonly string[];
  readonly rows: unknown[][];
}

/** A statement to send, and its callbacks. */
interface PendingQuery {
  readonly statement: PostgresStatement;
  readonly values: readonly unknown[];
  /** If it throws, all statements after it in the batch fail. */
  readonly done: (answer: StatementResult) => void;
  readonly fail: (error: unknown) => void;
}

interface ResultColumns {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

/** The parts of `pg` that are used here. Its types are for older versions. */
interface PgConnection {
  readonly stream: { cork(): void; uncork(): void };
  parse(of: { name: string; text: string }): void;
  bind(of: { statement: string; values: readonly unknown[] }): void;
  describe(of: { type: "P"; name: string }): void;
  execute(): void;
  close(of: { type: "S"; name: string }): void;
  sync(): void;
}

/** The maximum number of prepared statements per connection. Each takes memory in a PostgreSQL process. */
const statements_max = 1000;

const no_columns: ResultColumns = { names: [], parsers: [] };
const ignore = () => {};

/** A position among the held statements. */
export interface SavepointMark {
  readonly batch: number;
  readonly at: number;
}

/** The statements of one connection, in the order they were submitted. */
export class QueryPipeline {
  readonly #client: pg.ClientBase;
  /** The result columns of prepared statements. */
  readonly #prepared = new Map<string, ResultColumns>();
  /** The text of each statement name that was used. */
  readonly #texts = new Map<string, string>();
  #held: PendingQuery[] = [];
  /**
   * Whether a caller waits for the held statements. They are sent once all callers of this tick have submitted theirs.
   */
  #isAwaited = false;
  #batches = 0;
  /** When the batch in progress was sent (monotonic ms); null when there is none. */
  #sent_at: number | null = null;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  /** The position of the next held statement. */
  mark(): SavepointMark {
    this.#sendAwaited();
    return { batch: this.#batches, at: this.#held.length };
  }

  /** Whether the statements held at a position have not been sent yet. */
  holds({ batch }: SavepointMark): boolean {
    this.#sendAwaited();
    return batch === this.#batches;
  }

  /** How many statements are held for the next batch. */
  get held(): number {
    return this.#held.length;
  }

  /** Holds a statement for the next batch. If it fails, the rest of that batch fails with the same error. */
  hold(
    statement: PostgresStatement,
    values: readonly unknown[] = [],
    done: (answer: StatementResult) => void = ignore,
  ): void {
    this.#sendAwaited();
    this.#checkName(statement);
    this.#held.push({ statement, values: values.map(sent), done, fail: ignore });
  }

  /** Drops the statements held since a position. */
  forget(since: SavepointMark): void {
    this.#held.length = this.holds(since) ? since.at : 0;
  }

  /**
   * Sends a statement after all held ones and returns its result. Statements submitted in the same tick share a batch.
   */
  ask(statement: PostgresStatement, values: readonly unknown[] = []): Promise<StatementResult> {
    return new Promise((done, fail) => {
      this.#checkName(statement);
      this.#held.push({ statement, values: values.map(sent), done, fail });
      if (this.#isAwaited) return;
      this.#isAwaited = true;
      queueMicrotask(() => this.#sendAwaited());
    });
  }

  /** Checks that a name always has the same text: the server would run the first statement with that name. */
  #checkName({ name, text }: PostgresStatement): void {
    if (name === "") return;
    const known = this.#texts.get(name);
    if (known === text) return;
    assert(known === undefined, `the statement ${name} must have one text per connection`);
    this.#texts.set(name, text);
  }

  /**
   * Sends awaited statements first: those held from here on must not share their batch, at whose end they could fail
   * unseen.
   */
  #sendAwaited(): void {
    if (this.#isAwaited) this.send();
  }

  /** How long the database has owed a response, in milliseconds. */
  get unanswered_ms(): number {
    return this.#sent_at === null ? 0 : performance.now() - this.#sent_at;
  }

  /** Sends the held statements, if any, without waiting for them. */
  send(): void {
    this.#isAwaited = false;
    if (this.#held.length === 0) return;
    const batch = new QueryBatch(this.#held, this.#prepared, (at) => {
      this.#sent_at = at;
    });
    this.#held = [];
    this.#batches += 1;
    this.#client.query(batch as unknown as pg.Submittable);
  }
}

/** Encodes a value for sending: text, bytes or null. */
function sent(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value === "object") throw new TypeError("a statement's value must be text, a number or bytes");
  return String(value);
}

/** Statements that are sent together and end with one sync. When one fails, the server skips the rest. */
class QueryBatch {
  readonly #queries: readonly PendingQuery[];
  readonly #prepared: Map<string, ResultColumns>;
  /** The rows so far of the statement in progress. */
  #rows: unknown[][] = [];
  #columns: ResultColumns = no_columns;
  #next = 0;
  #refusal: { readonly error: unknown } | null = null;
  /** Called with the time when it is sent (ms), and with null when it ends. */
  readonly #note: (at: number | null) => void;

  constructor(
    queries: readonly PendingQuery[],
    prepared: Map<string, ResultColumns>,
    note: (at: number | null) => void,
  ) {
    this.#queries = queries;
    this.#prepared = prepared;
    this.#note = note;
  }

  submit(connection: PgConnection): null {
    this.#note(performance.now());
    connection.stream.cork();
    this.#makeRoom(connection);
    const fresh = new Set<string>();
    for (const { statement, values } of this.#queries) {
      const { name, text } = statement;
      const isReady = name !== "" && (this.#prepared.has(name) || fresh.has(name));
      // A statement whose first run failed may already be prepared.
      if (!isReady && name !== "") connection.close({ type: "S", name });
      if (!isReady) connection.parse({ name, text });
      connection.bind({ statement: name, values });
      if (!this.#prepared.has(name)) connection.describe({ type: "P", name: "" });
      connection.execute();
      if (name !== "") fresh.add(name);
    }
    connection.sync();
    connection.stream.uncork();
    this.#begin();
    return null;
  }

  /** Makes room for this batch's statements: the oldest prepared ones are closed, but none of its own. */
  #makeRoom(connection: PgConnection): void {
    if (this.#prepared.size + this.#queries.length <= statements_max) return;
    const own = new Set(this.#queries.map(({ statement }) => statement.name));
    let over = this.#prepared.size + [...own].filter((name) => !this.#prepared.has(name)).length - statements_max;
    for (const name of [...this.#prepared.keys()]) {
      if (over <= 0) return;
      if (own.has(name)) continue;
      this.#prepared.delete(name);
      connection.close({ type: "S", name });
      over -= 1;
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    const parsers = fields.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID, "text"));
    this.#columns = { names: fields.map(({ name }) => name), parsers };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { parsers } = this.#columns;
    const row: unknown[] = [];
    for (let at = 0; at < fields.length; at += 1) {
      const text = fields[at] ?? null;
      const parse = parsers[at];
      row.push(text === null || parse === undefined ? null : parse(text));
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const query = this.#queries[this.#next] as PendingQuery;
    const { name } = query.statement;
    if (name !== "") this.#prepared.set(name, this.#columns);
    const answer = { command: text, columns: this.#columns.names, rows: this.#rows };
    this.#next += 1;
    this.#begin();
    if (this.#refusal !== null) query.fail(this.#refusal.error);
    else {
      try {
        query.done(answer);
      } catch (error) {
        this.#refusal = { error };
      }
    }
  }

  /** The statement in progress has failed, or the connection is lost. */
  handleError(error: unknown): void {
    const { error: reason } = this.#refusal ?? { error };
    for (; this.#next < this.#queries.length; this.#next += 1) this.#queries[this.#next]?.fail(reason);
  }

  handleReadyForQuery(): void {
    this.#note(null);
  }

  #begin(): void {
    const name = this.#queries[this.#next]?.statement.name ?? "";
    this.#columns = this.#prepared.get(name) ?? no_columns;
    this.#rows = [];
  }
}
