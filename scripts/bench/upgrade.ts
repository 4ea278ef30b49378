// How long a million orders of the schema before merchants take on PostgreSQL: to be upgraded, with the snapshot of
// before, and to go back. The baseline is PostgreSQL's own dump of the same database.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { emptyBefore, putBefore } from "../../test/database/before_merchants.ts";
import { startPostgres } from "../postgres.ts";
import { usual_secret_key, usualProgram } from "../service.ts";

const orders = 1_000_000;
/** Beyond all ids of the rows that are copied. */
const first_id = 10_000_000;
const most_seconds = 60;

/** Measures an upgrade and the way back; answers how many goals are missed. */
export async function measureUpgrade(): Promise<number> {
  console.log(`\n${orders.toLocaleString("en")} orders of the schema 0003 on PostgreSQL, upgraded and taken back`);
  const postgres = await startPostgres(undefined, true);
  const data = mkdtempSync(join(tmpdir(), "packhouse-upgrade-"));
  try {
    await seed(postgres.url);
    const dumped = await seconds([
      "pg_dump",
      "--format=custom",
      "--compress=1",
      `--file=${join(data, "dump")}`,
      postgres.url,
    ]);
    const packhouse = (...words: string[]) =>
      seconds([...usualProgram, ...words, "--database-url", postgres.url, "--data", data]);
    const upgraded = await packhouse("upgrade");
    const back = await packhouse("rollback");
    const told = (took: number) => `${took.toFixed(1)} s, ${(took / dumped).toFixed(2)} of a plain pg_dump`;
    console.log(`  upgraded in ${told(upgraded)} (goal: a minute at most); back in ${told(back)}`);
    return upgraded > most_seconds ? 1 : 0;
  } finally {
    await postgres.stop();
    rmSync(data, { recursive: true });
  }
}

/** Copies one delivered order a million times, with its lines and history, in plain SQL. */
async function seed(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await putBefore(url, client, "live");
  await emptyBefore(url);
  const { rows } = await client.query<{ id: number }>(
    "select min(id)::int as id from orders where status = 'delivered'",
  );
  const id = rows[0]?.id;
  const copy = async (table: string, key: string, changes: Readonly<Record<string, string>>) => {
    const { rows: columns } = await client.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_schema = 'live' and table_name = $1 and is_generated = 'NEVER' order by ordinal_position`,
      [table],
    );
    const names = columns.map(({ name }) => `"${name}"`);
    const values = columns.map(({ name }) => changes[name] ?? `one."${name}"`);
    await client.query(
      `insert into ${table} (${names}) overriding system value
         select ${values} from ${table} one cross join generate_series(1, ${orders}) nth where one.${key} = ${id}`,
    );
  };
  await client.query("set session_replication_role = replica");
  await copy("orders", "id", { id: `${first_id} + nth`, order_number: "'M-' || nth" });
  for (const table of ["order_lines", "order_history"]) {
    await copy(table, "order_id", { id: `${first_id} + row_number() over ()`, order_id: `${first_id} + nth` });
  }
  await client.query("analyze");
  await client.end();
}

/** How long a program takes, which has to end well. */
async function seconds(words: readonly string[]): Promise<number> {
  const begun_at = performance.now();
  const env = { ...process.env, PACKHOUSE_SECRET_KEY: usual_secret_key, PACKHOUSE_DATABASE_URL: "" };
  const child = Bun.spawn([...words], { env, stdout: "ignore", stderr: "pipe" });
  const said = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`${words.slice(0, 3).join(" ")}: ${said}`);
  return (performance.now() - begun_at) / 1000;
}
