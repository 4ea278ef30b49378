import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { forUpdate, isOneOf } from "../../db/kit.ts";
import { platform_connections } from "../../db/schema/platforms.ts";
import { missing } from "../core/faults.ts";
import { isCallbackKey, readId } from "../core/ids.ts";
import type { Db, Tx } from "../storage/database.ts";
import { recordList, search } from "../storage/record_list.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import type { StoreConnection } from "./platform.ts";
import { type Platform, workingConnections } from "./platforms.transitions.ts";

const isNotDeleted = isNull(platform_connections.deleted_at);

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql
    .select()
    .from(platform_connections)
    .where(and(eq(platform_connections.id, a.id), isNotDeleted)),
);
const byKey = prepared((sql, a: StatementArgs<{ key: string }>) =>
  sql
    .select()
    .from(platform_connections)
    .where(and(eq(platform_connections.key, a.key), isNotDeleted)),
);
const active = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select()
    .from(platform_connections)
    .where(and(isOneOf(platform_connections.status, workingConnections), isNotDeleted))
    .orderBy(asc(platform_connections.id)),
);

/** Finds a connection by its identifier, `plt_1001` or `1001`. Refuses: resource_missing. */
export async function getConnection(db: Db, id: string | number): Promise<StoreConnection> {
  const connection = await findConnection(db, readId("connection", id) ?? 0);
  if (connection === null) throw missing("connection", id);
  return connection;
}

/** Like `getConnection`, but locks the connection until the transaction ends. Refuses: resource_missing. */
export async function lockConnection(tx: Tx, id: string | number): Promise<StoreConnection> {
  const query = tx.sql
    .select()
    .from(platform_connections)
    .where(and(eq(platform_connections.id, readId("connection", id) ?? 0), isNotDeleted));
  const [row] = await forUpdate(query);
  if (row === undefined) throw missing("connection", id);
  return row;
}

/** Finds a connection by its id; null if it does not exist or was deleted. */
export async function findConnection(db: Db, id: number): Promise<StoreConnection | null> {
  const [row] = await byId(db, { id });
  return row ?? null;
}

/** Finds the connection that a callback URL names, or null. */
export async function findConnectionByKey(db: Db, key: string): Promise<StoreConnection | null> {
  if (!isCallbackKey(key)) return null;
  const [row] = await byKey(db, { key });
  return row ?? null;
}

/** Finds the connections of a platform to stores with these names. */
export async function findConnectionsOfStores(
  db: Db,
  platform: Platform,
  stores: readonly string[],
): Promise<StoreConnection[]> {
  if (stores.length === 0) return [];
  const { platform: platform_column, store_id } = platform_connections;
  return db.sql
    .select()
    .from(platform_connections)
    .where(and(eq(platform_column, platform), inArray(store_id, [...stores]), isNotDeleted));
}

/** Lists all active connections, ordered by id. */
export async function listActiveConnections(db: Db): Promise<StoreConnection[]> {
  return active(db, {});
}

/** Connections, newest first. */
export const connectionList = recordList(platform_connections, {
  filters: {
    q: search("Part of the name or the store's id.", [platform_connections.name, platform_connections.store_id]),
  },
  within: isNotDeleted,
});

/** Inserts a connection and returns its id; null if its store is or was connected. */
export async function insertConnection(tx: Tx, fields: Omit<StoreConnection, "id">): Promise<number | null> {
  const [row] = await tx.sql
    .insert(platform_connections)
    .values({ ...fields, deleted_at: null })
    .onConflictDoNothing({
      target: [platform_connections.platform, platform_connections.store_id, platform_connections.merchant_id],
    })
    .returning({ id: platform_connections.id });
  return row?.id ?? null;
}

/** Locks the connection to a store, even if it was deleted; null if there is none. */
export async function lockConnectionOfStore(
  tx: Tx,
  { platform, store_id }: Pick<StoreConnection, "platform" | "store_id">,
): Promise<(StoreConnection & { readonly deleted_at: number | null }) | null> {
  const { platform: platform_column, store_id: store } = platform_connections;
  const query = tx.sql
    .select()
    .from(platform_connections)
    .where(and(eq(platform_column, platform), eq(store, store_id)));
  const [row] = await forUpdate(query);
  return row ?? null;
}

/** Saves a changed connection. */
export async function saveConnection(
  tx: Tx,
  { id, merchant_id: _owner, ...fields }: StoreConnection,
  deleted_at: number | null = null,
): Promise<void> {
  await tx.sql
    .update(platform_connections)
    .set({ ...fields, deleted_at })
    .where(eq(platform_connections.id, id));
}
