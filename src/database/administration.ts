// Statements to a PostgreSQL database that belong to no world: which schemas there are, databases that are made.
import pg from "pg";

/** A connection for such statements. */
export interface Administration {
  ask(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Works over a connection of its own, which is closed afterwards. */
export async function administered<T>(url: string, work: (admin: Administration) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work({ ask: async (text, values = []) => (await client.query(text, [...values])).rows });
  } finally {
    await client.end();
  }
}
