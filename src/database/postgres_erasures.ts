// Which customers were erased, as a PostgreSQL database tells it: each server's own file has only its own erasures.
import pg from "pg";
import type { Mode } from "../kit/mode.ts";
import type { Erasure } from "./erasures.ts";
import { sessionSettings } from "./postgres.ts";

/** The customers of a world who were erased by now, or are about to be. None where its schema is of before erasures. */
export async function erasuresIn(url: string, mode: Mode): Promise<Erasure[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // Its loss fails the query.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(sessionSettings(mode));
    const { rows: found } = await client.query<{ there: boolean }>(
      "select to_regclass('erasures') is not null as there",
    );
    if (found[0]?.there !== true) return [];
    const { rows } = await client.query<Omit<Erasure, "mode">>(
      `select c.id::float8 as customer_id, c.created_at::float8 as created_at,
           coalesce(e.finished_at, floor(extract(epoch from clock_timestamp()) * 1000))::float8 as erased_at
         from erasures e cross join jsonb_array_elements_text(e.customers::jsonb) as one(id)
         join customers c on c.id = one.id::bigint
         where e.status <> 'waiting'`,
    );
    return rows.map((row) => ({ mode, ...row }));
  } finally {
    await client.end();
  }
}
