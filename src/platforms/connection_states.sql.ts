import { eq } from "drizzle-orm";
import { forUpdate } from "../../db/kit.ts";
import { platform_states } from "../../db/schema/platforms.ts";
import type { Db, Tx } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import type { ConnectionState } from "./connection_state.ts";

const byConnection = prepared((sql, a: StatementArgs<{ connection_id: number }>) =>
  sql.select().from(platform_states).where(eq(platform_states.connection_id, a.connection_id)),
);

/** Finds the state of a connection; null if nothing is known yet. */
export async function findState(db: Db, connection_id: number): Promise<ConnectionState | null> {
  const [row] = await byConnection(db, { connection_id });
  return row ?? null;
}

/** Locks the state of a connection, which is created if there is none. */
export async function lockState(tx: Tx, connection_id: number): Promise<ConnectionState> {
  await tx.sql.insert(platform_states).values({ connection_id }).onConflictDoNothing();
  const query = tx.sql.select().from(platform_states).where(eq(platform_states.connection_id, connection_id));
  const [row] = await forUpdate(query);
  return row as ConnectionState;
}

/** Saves fields of a connection's state. */
export async function saveState(
  tx: Tx,
  connection_id: number,
  fields: Partial<Omit<ConnectionState, "connection_id">>,
): Promise<void> {
  await tx.sql
    .insert(platform_states)
    .values({ connection_id, ...fields })
    .onConflictDoUpdate({ target: platform_states.connection_id, set: fields });
}
