// A data directory as the source or target of a move.
import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Environment, environments } from "../../core/environment.ts";
import { makeFolder, syncFolder } from "../../core/files.ts";
import {
  byName,
  type CopiedRow,
  type CopiedTable,
  type CopiedType,
  type CopiedValue,
  type EndPurpose,
  excluded_tables,
  type InstallationEnd,
  type InstallationFacts,
  type InstallationStore,
  inOrder,
  keyOf,
  own_columns,
} from "../installation_end.ts";
import { isLacking, migrateSqlite, migrationStateOnSqlite } from "../migrations/migrate.ts";
import { startRefused } from "../start_refused.ts";
import { checkFiles } from "./data_directory.ts";
import { lock } from "./directory_lock.ts";
import { isRestored, placeRestored, refuseUnfinished } from "./restored_files.ts";

/** Takes the lock of a data directory and opens its databases. Refuses one that is in use, absent or damaged. */
export function openSqliteEnd(folder: string, purpose: EndPurpose): InstallationEnd {
  const data = resolve(folder);
  const paths = environments.map((mode) => ({ mode, path: join(data, `${mode}.db`) }));
  if (purpose === "source" && !isRestored(data) && paths.some(({ path }) => !existsSync(path))) {
    throw startRefused("absent", `There is no Packhouse data in ${data}.`);
  }
  makeFolder(data);
  refuseUnfinished(data);
  const taken = lock(join(data, "instance.lock"));
  const stores: SqliteInstallationStore[] = [];
  try {
    placeRestored(data);
    for (const { mode, path } of paths) stores.push(openStore(mode, path, purpose));
    syncFolder(data);
  } catch (error) {
    for (const store of stores) store.close();
    taken.release();
    throw error;
  }
  const storeOf = (mode: Environment) => stores.find((one) => one.mode === mode) as SqliteInstallationStore;
  return {
    engine: "sqlite",
    place: data,
    environments: { live: storeOf("live"), test: storeOf("test") },
    lend: async (work) => {
      for (const one of stores) one.pause();
      try {
        return await work();
      } finally {
        for (const one of stores) one.resume();
      }
    },
    close: async () => {
      for (const one of stores) one.close();
      taken.release();
    },
  };
}

function openStore(mode: Environment, path: string, purpose: EndPurpose): SqliteInstallationStore {
  if (existsSync(path)) checkFiles(path, mode);
  prepare(path, mode, purpose);
  // Only a writer can read the log that a killed process left.
  const raw = new Database(path, { readwrite: true, strict: true, safeIntegers: true });
  try {
    for (const pragma of pragmas) raw.run(`pragma ${pragma}`);
    const store = new SqliteInstallationStore(mode, raw, purpose);
    store.resume();
    return store;
  } catch (error) {
    raw.close();
    throw error;
  }
}

const pragmas = [
  ...["busy_timeout=5000", "synchronous=full", "foreign_keys=off", "temp_store=memory"],
  ...["cache_size=-65536", "trusted_schema=off", "cell_size_check=on"],
];

/** Creates the tables if there are none. Refuses other versions. */
function prepare(path: string, mode: Environment, purpose: EndPurpose): void {
  const raw = new Database(path, { create: purpose === "target", readwrite: true, strict: true });
  try {
    for (const pragma of ["busy_timeout=5000", "journal_mode=wal", "synchronous=full"]) raw.run(`pragma ${pragma}`);
    const isNew = raw.query("select 1 from sqlite_schema").all().length === 0;
    if (isNew && purpose === "target") migrateSqlite(raw, mode, path);
    if (!isLacking(migrationStateOnSqlite(raw, path))) return;
    throw startRefused(
      "unsuitable",
      `${path} was created by an older Packhouse. Start this version on it once, then move it.`,
    );
  } finally {
    raw.close();
  }
}

const kinds: Readonly<Record<string, CopiedType>> = { INTEGER: "integer", TEXT: "text", BLOB: "bytes" };

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

type SqliteValue = bigint | number | string | Uint8Array | null;

class SqliteInstallationStore implements InstallationStore {
  readonly mode: Environment;
  readonly #raw: Database;
  readonly #purpose: EndPurpose;
  readonly #statements = new Map<string, Statement>();

  constructor(mode: Environment, raw: Database, purpose: EndPurpose) {
    this.mode = mode;
    this.#raw = raw;
    this.#purpose = purpose;
  }

  /** Keeps commands from writing to a source, since they may run alongside a server. */
  resume(): void {
    if (this.#purpose === "source") this.#raw.run("begin immediate");
  }

  pause(): void {
    if (this.#raw.inTransaction) this.#raw.run("rollback");
  }

  close(): void {
    this.pause();
    this.#finalize();
    if (this.#purpose === "target") this.#raw.run("pragma wal_checkpoint(truncate)");
    this.#raw.close();
  }

  async migrations(): Promise<readonly string[]> {
    return this.#texts("select name from migrations order by name");
  }

  async tables(): Promise<readonly CopiedTable[]> {
    const names = this.#texts(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite~_%' escape '~'",
    );
    const moved = names.filter((name) => !excluded_tables.includes(name));
    return moved.map((name) => this.#table(name)).sort(byName);
  }

  #table(name: string): CopiedTable {
    const found = this.#raw
      .query<{ name: string; type: string; pk: bigint; hidden: bigint }, []>(`pragma table_xinfo(${quoted(name)})`)
      .all()
      .sort(byName);
    const columns = found.map(({ name: column, type, hidden }) => {
      const kind = kinds[type];
      if (kind === undefined || hidden !== 0n)
        throw startRefused("unsuitable", `${name}.${column} is ${type}, which cannot be moved`);
      return { name: column, kind };
    });
    const keyed = found.map(({ pk }, at) => ({ at, pk: Number(pk) })).filter(({ pk }) => pk > 0);
    return { name, columns, key: keyed.sort((a, b) => a.pk - b.pk).map(({ at }) => at) };
  }

  async count({ name }: CopiedTable): Promise<number> {
    return Number(this.#one(`select count(*) from ${quoted(name)}`));
  }

  async page(table: CopiedTable, after: CopiedRow | null, limit: number): Promise<readonly CopiedRow[]> {
    const columns = table.columns.map(({ name }) => quoted(name)).join();
    const from = `select ${columns} from ${quoted(table.name)}`;
    if (table.key.length === 0) return inOrder(this.#rows(table, from, []));
    const key = this.#key(table);
    const places = table.key.map(() => "?").join();
    const behind = after === null ? "" : ` where (${key}) > (${places})`;
    const values = after === null ? [] : table.key.map((at, nth) => bound(table.columns[at]?.kind, after[nth] ?? null));
    return this.#rows(table, `${from}${behind} order by ${key} limit ?`, [...values, limit]);
  }

  async last(table: CopiedTable): Promise<CopiedRow | null> {
    const key = this.#key(table);
    const order = table.key.map((at) => `${quoted(table.columns[at]?.name ?? "")} desc`).join();
    const columns = table.columns.map(({ name }) => quoted(name)).join();
    if (key === "") return null;
    const rows = this.#rows(table, `select ${columns} from ${quoted(table.name)} order by ${order} limit 1`, []);
    return rows[0] === undefined ? null : keyOf(table, rows[0]);
  }

  async sequences(): Promise<ReadonlyMap<string, string>> {
    const rows = this.#raw.query("select name, seq from sqlite_sequence order by name").values() as [string, bigint][];
    return new Map(rows.map(([name, seq]) => [name, String(seq)]));
  }

  async time(): Promise<string> {
    return String(this.#one("select at from commit_sequence"));
  }

  async itself(): Promise<ReadonlyMap<string, CopiedValue>> {
    const { columns } = this.#table("installation");
    const told = columns.filter(({ name }) => !own_columns.includes(name));
    const names = told.map(({ name }) => quoted(name)).join();
    const [row = []] = this.#raw.query(`select ${names} from installation`).values() as SqliteValue[][];
    return new Map(told.map(({ name }, at) => [name, cell(row[at] ?? null)]));
  }

  async mark(): Promise<string | null> {
    return this.#one("select moving from installation") as string | null;
  }

  async setMark(mark: string | null): Promise<void> {
    this.#raw.run("update installation set moving = ?", [mark]);
    // A source has an open transaction that blocks other writers. Continue in a new one.
    if (!this.#raw.inTransaction) return;
    this.#raw.run("commit");
    this.resume();
  }

  async resting(): Promise<readonly { drop: string; restore: string }[]> {
    const rows = this.#raw
      .query("select type, name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null")
      .values() as [string, string, string][];
    // Triggers are created last. The rows come from a database that had them.
    const sorted = rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return sorted.map(([type, name, sql]) => ({ drop: `drop ${type} ${quoted(name)}`, restore: sql }));
  }

  async run(statements: readonly string[], mark: string | null): Promise<void> {
    // Tables cannot be changed while statements use them.
    this.#finalize();
    this.#whole(() => {
      for (const statement of statements) this.#raw.run(statement);
      this.#raw.run("update installation set moving = ?", [mark]);
    });
  }

  async clear(tables: readonly CopiedTable[]): Promise<void> {
    this.#whole(() => {
      for (const { name } of tables) this.#raw.run(`delete from ${quoted(name)}`);
    });
  }

  async put(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    const columns = table.columns.map(({ name }) => quoted(name)).join();
    const places = table.columns.map(() => "?").join();
    const insert = this.#prepared(`insert into ${quoted(table.name)} (${columns}) values (${places})`);
    this.#whole(() => {
      for (const row of rows) {
        insert.run(...(table.columns.map(({ kind }, at) => bound(kind, row[at] ?? null)) as SQLQueryBindings[]));
      }
    });
  }

  async settle({ sequences, time, itself }: InstallationFacts): Promise<void> {
    const broken = this.#raw.query("pragma foreign_key_check").values();
    if (broken.length > 0)
      throw startRefused(
        "unsuitable",
        `${broken.length} rows have dangling references, the first in ${broken[0]?.[0]}`,
      );
    this.#whole(() => {
      for (const [name, last] of sequences) {
        this.#raw.run("delete from sqlite_sequence where name = ?", [name]);
        this.#raw.run("insert into sqlite_sequence (name, seq) values (?, ?)", [name, BigInt(last)]);
      }
      this.#raw.run("update commit_sequence set at = ?, number = number + 1", [BigInt(time)]);
      for (const [name, value] of itself) this.#raw.run(`update installation set ${quoted(name)} = ?`, [value]);
    });
  }

  #key({ key, columns }: CopiedTable): string {
    return key.map((at) => quoted(columns[at]?.name ?? "")).join();
  }

  #rows({ name, columns }: CopiedTable, query: string, values: readonly SqliteValue[]): CopiedRow[] {
    const rows = this.#prepared(query).values(...(values as SQLQueryBindings[])) as SqliteValue[][];
    return rows.map((row) => {
      const cells = row.map(cell);
      const strange = cells.findIndex((text, at) => typeof row[at] === "string" && text?.includes("\ufffd"));
      if (strange >= 0) this.#checkText(name, columns[strange]?.name ?? "");
      return cells;
    });
  }

  /** Refuses text that is not UTF-8, which the driver would change. */
  #checkText(table: string, column: string): void {
    const name = quoted(column);
    const query = `select hex(${name}), ${name} from ${quoted(table)} where instr(${name}, ?) = 0`;
    for (const [hex, text] of this.#raw.query(query).values("\ufffd") as [string, string | null][]) {
      if (text?.includes("\ufffd") && Buffer.from(text).toString("hex") !== hex.toLowerCase()) {
        throw startRefused("unsuitable", `${table}.${column} holds text that is not UTF-8: ${text.slice(0, 40)}`);
      }
    }
  }

  #whole(work: () => void): void {
    this.#begin();
    try {
      work();
      this.#raw.run("commit");
    } catch (error) {
      if (this.#raw.inTransaction) this.#raw.run("rollback");
      throw error;
    } finally {
      this.resume();
    }
  }

  /** Starts a transaction, except for a source, which already has one. */
  #begin(): void {
    if (!this.#raw.inTransaction) this.#raw.run("begin immediate");
  }

  #prepared(query: string): Statement {
    return this.#statements.getOrInsertComputed(query, () => this.#raw.prepare(query));
  }

  #finalize(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
  }

  #one(query: string): unknown {
    return this.#raw.query(query).values()[0]?.[0] ?? null;
  }

  #texts(query: string): string[] {
    return this.#raw
      .query(query)
      .values()
      .map(([text]) => text as string);
  }
}

function cell(value: SqliteValue): CopiedValue {
  if (value === null || typeof value === "string") return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
}

function bound(kind: CopiedType | undefined, value: CopiedValue): SqliteValue {
  if (value === null || kind === "text") return value;
  return kind === "bytes" ? Buffer.from(value, "hex") : BigInt(value);
}
