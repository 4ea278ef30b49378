// Statements on their way to PostgreSQL. Each trip to the server and back costs both sides more than most statements
// do, so what need not be answered at once travels with what must be. `pg` keeps the connection and its protocol; its
// own queries would go one by one, and read what columns there are anew each time.
import pg from "pg";
import { assert } from "../../core/faults.ts";

/** A statement with the name that it is prepared under; without one it is planned anew each time. */
export interface PostgresStatement {
  readonly text: string;
  readonly name: string;
}

/** What a statement brought: its rows, each a list of values, and the names of those. */
export interface StatementResult {
  /** Such as `COMMIT` or `INSERT 0 1`. */
  readonly command: string;
  readonly columns: readonly string[];
  readonly rows: unknown[][];
}

/** A statement that is to travel, and who waits for it. */
interface PendingQuery {
  readonly statement: PostgresStatement;
  readonly values: readonly unknown[];
  /** What throws here fails all that travels behind it. */
  readonly done: (answer: StatementResult) => void;
  readonly fail: (error: unknown) => void;
}

interface ResultColumns {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

/** What this needs of `pg`, whose types tell of older versions. */
interface PgConnection {
  readonly stream: { cork(): void; uncork(): void };
  parse(of: { name: string; text: string }): void;
  bind(of: { statement: string; values: readonly unknown[] }): void;
  describe(of: { type: "P"; name: string }): void;
  execute(): void;
  close(of: { type: "S"; name: string }): void;
  sync(): void;
}

/** How many statements a connection keeps prepared. Each of them takes memory of a process of PostgreSQL. */
const statements_max = 1000;

const no_columns: ResultColumns = { names: [], parsers: [] };
const ignore = () => {};

/** A place among what is held. */
export interface SavepointMark {
  readonly trip: number;
  readonly at: number;
}

/** The statements of one connection, in the order in which they were asked. */
export class QueryPipeline {
  readonly #client: pg.ClientBase;
  /** The columns of what is prepared on this connection. */
  readonly #prepared = new Map<string, ResultColumns>();
  /** What each name that was asked by means. */
  readonly #texts = new Map<string, string>();
  #held: PendingQuery[] = [];
  /** Whether somebody waits for the held statements: they are sent once everyone who asks at this moment has asked. */
  #isAwaited = false;
  #trips = 0;
  /** When the trip that is under way was sent, by the monotonic clock; null while none is. */
  #sent_at: number | null = null;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  /** The place of what is held next. */
  mark(): SavepointMark {
    this.#settle();
    return { trip: this.#trips, at: this.#held.length };
  }

  /** Whether what was held at a place has not been sent yet. */
  holds({ trip }: SavepointMark): boolean {
    this.#settle();
    return trip === this.#trips;
  }

  /** How many statements wait for the next trip. */
  get held(): number {
    return this.#held.length;
  }

  /** Keeps a statement for the next trip. What fails it fails the rest of that trip, with the same error. */
  hold(
    statement: PostgresStatement,
    values: readonly unknown[] = [],
    done: (answer: StatementResult) => void = ignore,
  ): void {
    this.#settle();
    this.#know(statement);
    this.#held.push({ statement, values: values.map(sent), done, fail: ignore });
  }

  /** Forgets what is held since a place. */
  forget(since: SavepointMark): void {
    this.#held.length = this.holds(since) ? since.at : 0;
  }

  /**
   * Sends a statement behind all that is held, and answers what it brought. What is asked at the same moment travels
   * together.
   */
  ask(statement: PostgresStatement, values: readonly unknown[] = []): Promise<StatementResult> {
    return new Promise((done, fail) => {
      this.#know(statement);
      this.#held.push({ statement, values: values.map(sent), done, fail });
      if (this.#isAwaited) return;
      this.#isAwaited = true;
      queueMicrotask(() => this.#settle());
    });
  }

  /** The server runs what it knows by a name: under a name of another statement, it would answer that one. */
  #know({ name, text }: PostgresStatement): void {
    if (name === "") return;
    const known = this.#texts.get(name);
    if (known === text) return;
    assert(known === undefined, `the statement ${name} has one text on a connection`);
    this.#texts.set(name, text);
  }

  /** What is held from here on does not travel with what was asked before, at whose end it could fail unseen. */
  #settle(): void {
    if (this.#isAwaited) this.send();
  }

  /** For how many milliseconds the database has owed an answer. */
  get silent_ms(): number {
    return this.#sent_at === null ? 0 : performance.now() - this.#sent_at;
  }

  /** Sends what is held, if anything, without waiting for it. */
  send(): void {
    this.#isAwaited = false;
    if (this.#held.length === 0) return;
    const trip = new QueryBatch(this.#held, this.#prepared, (at) => {
      this.#sent_at = at;
    });
    this.#held = [];
    this.#trips += 1;
    this.#client.query(trip as unknown as pg.Submittable);
  }
}

/** A value as it is sent: text, bytes or null. */
function sent(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value === "object") throw new TypeError("a value of a statement is no text, number or bytes");
  return String(value);
}

/** Some statements that are sent at once and end at one mark: when one fails, the server passes over the rest. */
class QueryBatch {
  readonly #travellers: readonly PendingQuery[];
  readonly #prepared: Map<string, ResultColumns>;
  /** What the statement whose turn it is has brought so far. */
  #rows: unknown[][] = [];
  #columns: ResultColumns = no_columns;
  #turn = 0;
  #refusal: { readonly error: unknown } | null = null;
  /** Is told when it is sent (ms), and of its end by null. */
  readonly #note: (at: number | null) => void;

  constructor(
    travellers: readonly PendingQuery[],
    prepared: Map<string, ResultColumns>,
    note: (at: number | null) => void,
  ) {
    this.#travellers = travellers;
    this.#prepared = prepared;
    this.#note = note;
  }

  submit(connection: PgConnection): null {
    this.#note(performance.now());
    connection.stream.cork();
    this.#makeRoom(connection);
    const fresh = new Set<string>();
    for (const { statement, values } of this.#travellers) {
      const { name, text } = statement;
      const isReady = name !== "" && (this.#prepared.has(name) || fresh.has(name));
      // One whose first run failed may be prepared already.
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

  /** Makes room for the statements of this trip: of too many, the first that were prepared go, but none of its own. */
  #makeRoom(connection: PgConnection): void {
    if (this.#prepared.size + this.#travellers.length <= statements_max) return;
    const own = new Set(this.#travellers.map(({ statement }) => statement.name));
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
    const traveller = this.#travellers[this.#turn] as PendingQuery;
    const { name } = traveller.statement;
    if (name !== "") this.#prepared.set(name, this.#columns);
    const answer = { command: text, columns: this.#columns.names, rows: this.#rows };
    this.#turn += 1;
    this.#begin();
    if (this.#refusal !== null) traveller.fail(this.#refusal.error);
    else {
      try {
        traveller.done(answer);
      } catch (error) {
        this.#refusal = { error };
      }
    }
  }

  /** The statement whose turn it is has failed, or the connection is lost. */
  handleError(error: unknown): void {
    const { error: reason } = this.#refusal ?? { error };
    for (; this.#turn < this.#travellers.length; this.#turn += 1) this.#travellers[this.#turn]?.fail(reason);
  }

  handleReadyForQuery(): void {
    this.#note(null);
  }

  #begin(): void {
    const name = this.#travellers[this.#turn]?.statement.name ?? "";
    this.#columns = this.#prepared.get(name) ?? no_columns;
    this.#rows = [];
  }
}
