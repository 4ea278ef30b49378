// The source or target of a migration in a PostgreSQL database, whose schemas are the two environments.
import pg from "pg";
import { type Environment, environments } from "../../core/environment.ts";
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
import {
  type AppliedMigration,
  isLacking,
  known_migrations,
  migrationStateFrom,
  refuseOlder,
} from "../migrations/migrate.ts";
import { migratePostgresSchemas, refuseUnfinished } from "../migrations/migrate_postgres.ts";
import { startRefused } from "../start_refused.ts";
import { databaseLabel, sessionSettings } from "./postgres_store.ts";
import { holdSchemaExclusively, shareSchema } from "./schema_lock.ts";

/** Connects to both schemas exclusively. Refuses a database that is in use or missing. */
export async function openPostgresEnd(url: string, purpose: EndPurpose): Promise<InstallationEnd> {
  const stores: PostgresInstallationStore[] = [];
  const close = async () => {
    for (const store of stores) await store.close();
  };
  try {
    if (purpose === "target") await makeSchemas(url);
    for (const mode of environments) stores.push(await openStore(url, mode));
    for (const store of stores) await store.take();
  } catch (error) {
    await close();
    throw error;
  }
  const storeOf = (mode: Environment) => stores.find((one) => one.mode === mode) as PostgresInstallationStore;
  return {
    engine: "postgres",
    place: databaseLabel(url),
    environments: { live: storeOf("live"), test: storeOf("test") },
    lend: async (work) => {
      for (const one of stores) await one.release();
      try {
        return await work();
      } finally {
        for (const one of stores) await one.take();
      }
    },
    close,
  };
}

/** Creates missing schemas. Refuses an older database, since upgrading it is a separate step. */
async function makeSchemas(url: string): Promise<void> {
  const schemas = environments.map((mode) => ({ schema: mode, mode }));
  const refuse = async () => {
    throw refuseOlder(databaseLabel(url));
  };
  const around = { before: refuse, after: async () => {} };
  await migratePostgresSchemas(url, schemas, around, undefined, { moved: "allowed" });
}

async function openStore(url: string, mode: Environment): Promise<PostgresInstallationStore> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(sessionSettings(mode));
    // A step may take long, and the connection idles while the other side works.
    await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set jit = off");
    const store = new PostgresInstallationStore(mode, client);
    await refuseUnfinished(client);
    const where = `The schema ${mode} of ${databaseLabel(url)}`;
    if (!(await store.isThere())) throw startRefused("absent", `${where} holds no Packhouse data.`);
    if (isLacking(migrationStateFrom(known_migrations.postgres, await store.applied(), where))) {
      throw startRefused(
        "unsuitable",
        `${where} was created by an older Packhouse. Upgrade it first with packhouse upgrade, then move it.`,
      );
    }
    return store;
  } catch (error) {
    await client.end();
    throw error;
  }
}

const wait_ms = 2000;

interface TypedColumn {
  readonly kind: CopiedType;
  /** An SQL expression of the column as text. */
  readonly textOf: (column: string) => string;
  /** An SQL expression of the value from text. */
  readonly parsed: (text: string) => string;
}

const types: Readonly<Record<string, TypedColumn>> = {
  bigint: { kind: "integer", textOf: (column) => `${column}::text`, parsed: (text) => `${text}::bigint` },
  integer: { kind: "integer", textOf: (column) => `${column}::text`, parsed: (text) => `${text}::integer` },
  boolean: { kind: "integer", textOf: (column) => `${column}::int::text`, parsed: (text) => `${text}::int::boolean` },
  text: { kind: "text", textOf: (column) => column, parsed: (text) => text },
  json: { kind: "text", textOf: (column) => `${column}::text`, parsed: (text) => `${text}::json` },
  bytea: { kind: "bytes", textOf: (column) => `encode(${column}, 'hex')`, parsed: (text) => `decode(${text}, 'hex')` },
};

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

interface PostgresTable extends CopiedTable {
  readonly types: readonly TypedColumn[];
}

class PostgresInstallationStore implements InstallationStore {
  readonly mode: Environment;
  readonly #client: pg.Client;

  constructor(mode: Environment, client: pg.Client) {
    this.mode = mode;
    this.#client = client;
  }

  /** Keeps servers and commands out, which hold this lock shared while they are connected. */
  async take(): Promise<void> {
    // The database notices a closed connection with a delay.
    for (const until = performance.now() + wait_ms; performance.now() < until; await Bun.sleep(50)) {
      if (await holdSchemaExclusively(this.#client, this.mode)) return;
    }
    throw startRefused("in_use", `Packhouse is running on this database (${this.mode}). Stop all servers first.`);
  }

  async release(): Promise<void> {
    await shareSchema(this.#client, this.mode);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async isThere(): Promise<boolean> {
    return (await this.#ask("select to_regclass($1)", [`${this.mode}.installation`]))[0]?.[0] !== null;
  }

  async migrations(): Promise<readonly string[]> {
    return (await this.applied()).map(({ name }) => name);
  }

  async applied(): Promise<readonly AppliedMigration[]> {
    const { rows } = await this.#client.query<Partial<AppliedMigration>>(
      `select * from migrations order by name collate "C"`,
    );
    return rows.map(({ name = "", kind = null }) => ({ name, kind }));
  }

  async tables(): Promise<readonly PostgresTable[]> {
    const rows = await this.#ask(catalog, [this.mode]);
    const names = [...new Set(rows.map(([name]) => String(name)))].filter((name) => !excluded_tables.includes(name));
    return names.map((name) => tableOf(name, rows)).sort(byName);
  }

  async count({ name }: CopiedTable): Promise<number> {
    return Number((await this.#ask(`select count(*)::text from ${quoted(name)}`))[0]?.[0]);
  }

  async page(table: CopiedTable, after: CopiedRow | null, limit: number): Promise<readonly CopiedRow[]> {
    const from = `select ${this.#textOf(table)} from ${quoted(table.name)}`;
    if (table.key.length === 0) return inOrder((await this.#ask(from)) as CopiedRow[]);
    const { types: kinds } = table as PostgresTable;
    const key = this.#key(table).join();
    const places = table.key.map((at, nth) => kinds[at]?.parsed(`$${nth + 1}::text`)).join();
    const behind = after === null ? "" : ` where (${key}) > (${places})`;
    return (await this.#ask(`${from}${behind} order by ${key} limit ${limit}`, after ?? [])) as CopiedRow[];
  }

  async last(table: CopiedTable): Promise<CopiedRow | null> {
    if (table.key.length === 0) return null;
    const order = this.#key(table).map((column) => `${column} desc`);
    const rows = await this.#ask(
      `select ${this.#textOf(table)} from ${quoted(table.name)} order by ${order.join()} limit 1`,
    );
    return rows[0] === undefined ? null : keyOf(table, rows[0] as CopiedRow);
  }

  async sequences(): Promise<ReadonlyMap<string, string>> {
    const rows = (await this.#ask(allotted, [this.mode])) as [string, string | null][];
    return new Map(rows.map(([name, last]) => [name, last ?? "0"]));
  }

  async time(): Promise<string> {
    return String((await this.#ask("select coalesce((select at from store_clock where id = 1), 0)::text"))[0]?.[0]);
  }

  async itself(): Promise<ReadonlyMap<string, CopiedValue>> {
    const table = tableOf("installation", await this.#ask(catalog, [this.mode]));
    const textOf = table.columns.map(({ name }, at) => ({ name, type: table.types[at] as TypedColumn }));
    const own = textOf.filter(({ name }) => !own_columns.includes(name));
    const [row = []] = await this.#ask(
      `select ${own.map(({ name, type }) => type.textOf(quoted(name))).join()} from installation`,
    );
    return new Map(own.map(({ name }, at) => [name, (row[at] ?? null) as CopiedValue]));
  }

  async mark(): Promise<string | null> {
    return ((await this.#ask("select moving from installation"))[0]?.[0] ?? null) as string | null;
  }

  async setMark(mark: string | null): Promise<void> {
    await this.#ask("update installation set moving = $1", [mark]);
  }

  async resting(): Promise<readonly { drop: string; restore: string }[]> {
    const parts = (rows: unknown[][]) =>
      rows.map(([drop, restore]) => ({ drop: String(drop), restore: String(restore) }));
    const keys = parts(await this.#ask(foreign_keys, [this.mode]));
    const indexes = parts(await this.#ask(plain_indexes, [this.mode]));
    const triggers = parts(await this.#ask(with_triggers, [this.mode]));
    // Listed in the order of recreation; dropped in the reverse order.
    return [...indexes, ...keys, ...triggers];
  }

  async run(statements: readonly string[], mark: string | null): Promise<void> {
    await this.#atomically(async () => {
      for (const statement of statements) await this.#ask(statement);
      await this.setMark(mark);
    });
  }

  async clear(tables: readonly CopiedTable[]): Promise<void> {
    await this.#atomically(async () => {
      for (const { name } of tables) await this.#ask(`delete from ${quoted(name)}`);
    });
  }

  async put(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    const { types: kinds } = table as PostgresTable;
    const columns = table.columns.map(({ name }) => quoted(name)).join();
    const parsed = table.columns.map((_, at) => kinds[at]?.parsed(`given.v${at}`)).join();
    const arrays = table.columns.map((_, at) => `$${at + 1}::text[]`).join();
    const names = table.columns.map((_, at) => `v${at}`).join();
    const values = table.columns.map((_, at) => rows.map((row) => row[at] ?? null));
    refuseNul(table, values);
    const given = `unnest(${arrays}) as given (${names})`;
    const query = `insert into ${quoted(table.name)} (${columns}) select ${parsed} from ${given}`;
    await this.#ask(query, values);
  }

  async settle({ sequences, time, itself }: InstallationFacts): Promise<void> {
    await this.#atomically(async () => {
      for (const [name, last] of sequences)
        await this.#ask(set_sequence, [`${quoted(this.mode)}.${quoted(name)}`, last]);
      if (time !== "0") {
        await this.#ask("insert into store_clock values (1, $1) on conflict (id) do update set at = excluded.at", [
          time,
        ]);
      }
      const table = tableOf("installation", await this.#ask(catalog, [this.mode]));
      for (const [at, { name }] of table.columns.entries()) {
        if (!itself.has(name)) continue;
        const value = table.types[at]?.parsed("$1::text");
        await this.#ask(`update installation set ${quoted(name)} = ${value}`, [itself.get(name) ?? null]);
      }
    });
    // Plans made before the statistics exist would read whole tables.
    await this.#ask(`analyze ${(await this.tables()).map(({ name }) => quoted(name)).join()}`);
  }

  #textOf(table: CopiedTable): string {
    const { types: kinds } = table as PostgresTable;
    return table.columns.map(({ name }, at) => kinds[at]?.textOf(quoted(name))).join();
  }

  /** Qualified with the table's name: the column alone would be its text form, which sorts differently. */
  #key({ name, key, columns }: CopiedTable): string[] {
    return key.map((at) => `${quoted(name)}.${quoted(columns[at]?.name ?? "")}`);
  }

  async #atomically(work: () => Promise<void>): Promise<void> {
    await this.#ask("begin");
    try {
      await work();
      await this.#ask("commit");
    } catch (error) {
      await this.#ask("rollback").catch(() => {});
      throw error;
    }
  }

  async #ask(text: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    const { rows } = await this.#client.query({ text, values: [...values], rowMode: "array" });
    return rows as unknown[][];
  }
}

/** The columns of all tables of a schema: table, column, type, position in the primary key or null. */
const catalog = `
  select relname, attname, format_type(atttypid, null), array_position(indkey::int2[], attnum), attgenerated <> ''
  from pg_attribute
    join pg_class on pg_class.oid = attrelid and relkind = 'r' and relnamespace = $1::regnamespace
    left join pg_index on indrelid = pg_class.oid and indisprimary
  where attnum > 0 and not attisdropped`;

const allotted = `
  select pg_class.relname, pg_sequence_last_value(sequence.oid)::text
  from pg_class sequence
    join pg_depend on objid = sequence.oid and deptype in ('a', 'i') and classid = 'pg_class'::regclass
    join pg_class on pg_class.oid = refobjid
  where sequence.relkind = 'S' and sequence.relnamespace = $1::regnamespace
  order by 1`;

const set_sequence = `
  select setval(objid::regclass, greatest($2::bigint, 1), $2::bigint > 0)
  from pg_depend join pg_class on pg_class.oid = objid and relkind = 'S'
  where refobjid = $1::regclass and deptype in ('a', 'i') and classid = 'pg_class'::regclass`;

const foreign_keys = `
  select format('alter table %I drop constraint %I', relname, conname),
    format('alter table %I add constraint %I %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))
  from pg_constraint join pg_class on pg_class.oid = conrelid
  where contype = 'f' and connamespace = $1::regnamespace
  order by relname, conname`;

const plain_indexes = `
  select format('drop index %I', index.relname), pg_get_indexdef(indexrelid)
  from pg_index join pg_class index on index.oid = indexrelid
  where index.relnamespace = $1::regnamespace
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  order by index.relname`;

const with_triggers = `
  select format('alter table %I disable trigger user', relname), format('alter table %I enable trigger user', relname)
  from pg_class
  where relnamespace = $1::regnamespace
    and exists (select from pg_trigger where tgrelid = pg_class.oid and not tgisinternal and tgenabled <> 'D')
  order by relname`;

function tableOf(table: string, rows: readonly unknown[][]): PostgresTable {
  const found = rows
    .filter(([name]) => name === table)
    .map(([, name, type, place, generated]) => ({ name: String(name), type: String(type), place, generated }))
    .sort(byName);
  const typed = found.map(({ name, type, generated }) => {
    const known = types[type];
    if (known === undefined || generated)
      throw startRefused("unsuitable", `${table}.${name} is ${type}, which cannot be moved`);
    return known;
  });
  const keyed = found.map(({ place }, at) => ({ at, place })).filter(({ place }) => place !== null);
  return {
    name: table,
    columns: found.map(({ name }, at) => ({ name, kind: (typed[at] as TypedColumn).kind })),
    key: keyed.sort((a, b) => Number(a.place) - Number(b.place)).map(({ at }) => at),
    types: typed,
  };
}

/** Refuses U+0000, which PostgreSQL cannot store in text and would not locate. */
function refuseNul({ name, columns }: CopiedTable, values: readonly (readonly CopiedValue[])[]): void {
  const at = values.findIndex((column) => column.some((value) => value?.includes("\0")));
  if (at < 0) return;
  const row = values[at]?.findIndex((value) => value?.includes("\0")) ?? 0;
  const which = JSON.stringify(values.map((column) => column[row]?.slice(0, 40) ?? null));
  throw startRefused(
    "unsuitable",
    `${name}.${columns[at]?.name} contains U+0000, which PostgreSQL cannot store, in the row ${which}`,
  );
}
