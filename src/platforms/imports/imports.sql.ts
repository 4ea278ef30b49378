import { and, asc, desc, eq, isNotNull, lt, lte, sql as template } from "drizzle-orm";
import { among, amongTexts, amongThose, forUpdate, isOneOf, list, skipLocked } from "../../../db/kit.ts";
import { platform_imports } from "../../../db/schema/platforms.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { PageWindow } from "../../core/schema.ts";
import { bulkTransition } from "../../core/transitions.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { endOfClaims } from "../../storage/servers.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { importTransitions, queuedImports, unfinishedImports } from "../platforms.transitions.ts";
import type { OrderImport } from "./import.ts";
import { giveUpAt } from "./import.ts";

const isQueued = isOneOf(platform_imports.status, queuedImports);

const lockedOf = prepared((sql, a: StatementArgs<{ connection_id: number; external_id: string }>) =>
  forUpdate(
    sql
      .select()
      .from(platform_imports)
      .where(and(eq(platform_imports.connection_id, a.connection_id), eq(platform_imports.external_id, a.external_id))),
  ),
);
const locked = prepared((sql, a: StatementArgs<{ id: number }>) =>
  forUpdate(sql.select().from(platform_imports).where(eq(platform_imports.id, a.id))),
);
const byOrder = prepared((sql, a: StatementArgs<{ order_id: number }>) =>
  sql.select().from(platform_imports).where(eq(platform_imports.order_id, a.order_id)),
);

/** Locks the import of a store's order; null when the platform never sent the order. */
export async function lockImportOf(tx: Tx, connection_id: number, external_id: string): Promise<OrderImport | null> {
  const [row] = (await lockedOf(tx, { connection_id, external_id })) as OrderImport[];
  return row ?? null;
}

/** Locks an import by its id; null if there is none. */
export async function lockImport(tx: Tx, id: number): Promise<OrderImport | null> {
  const [row] = (await locked(tx, { id })) as OrderImport[];
  return row ?? null;
}

/** Locks an import by the identifiers in a path. Refuses: resource_missing. */
export async function lockImportIn(tx: Tx, connection_id: number, id: string): Promise<OrderImport> {
  const record = await lockImport(tx, readId("import", id) ?? 0);
  if (record === null || record.connection_id !== connection_id) throw missing("import", id);
  return record;
}

/** Finds the import that created an order, or null. */
export async function findImportByOrder(db: Db, order_id: number): Promise<OrderImport | null> {
  const [row] = (await byOrder(db, { order_id })) as OrderImport[];
  return row ?? null;
}

const byExternalIds = prepared((sql, a: StatementArgs<{ connection_id: number; external_ids: string }>) =>
  sql
    .select()
    .from(platform_imports)
    .where(
      and(
        eq(platform_imports.connection_id, a.connection_id),
        amongTexts(platform_imports.external_id, a.external_ids),
      ),
    ),
);

/** Finds the imports of a store's orders, unsorted. Unknown orders are omitted. */
export async function findImports(
  db: Db,
  connection_id: number,
  external_ids: readonly string[],
): Promise<OrderImport[]> {
  return (await byExternalIds(db, { connection_id, external_ids: list(external_ids) })) as OrderImport[];
}

/** Inserts an import; null if the order already has one. */
export async function insertImport(tx: Tx, fields: Omit<OrderImport, "id">): Promise<OrderImport | null> {
  const [row] = await tx.sql
    .insert(platform_imports)
    .values(writable(fields))
    .onConflictDoNothing({ target: [platform_imports.connection_id, platform_imports.external_id] })
    .returning({ id: platform_imports.id });
  return row === undefined ? null : { id: row.id, ...fields };
}

/** Saves changes of a locked import. */
export async function saveImport(tx: Tx, { id, merchant_id: _owner, ...fields }: OrderImport): Promise<void> {
  await tx.sql
    .update(platform_imports)
    .set({ ...writable(fields), updated_at: tx.now })
    .where(eq(platform_imports.id, id));
}

const writable = <Fields extends Pick<OrderImport, "seen" | "lines">>({ seen, lines, ...fields }: Fields) => ({
  ...fields,
  seen: seen === null ? null : { ...seen },
  lines: [...lines],
});

const due = prepared((sql: Tx["sql"], a: StatementArgs<{ connection_id: number; now: number }>) =>
  skipLocked(
    sql
      .select()
      .from(platform_imports)
      .where(and(eq(platform_imports.connection_id, a.connection_id), isQueued, lte(platform_imports.next_at, a.now)))
      .orderBy(asc(platform_imports.next_at), asc(platform_imports.id))
      .limit(1),
  ),
);

/** Locks the import of a connection that has been due longest; null if none is free. */
export async function lockDue(tx: Tx, connection_id: number): Promise<OrderImport | null> {
  const [row] = (await due(tx, { connection_id, now: tx.now })) as OrderImport[];
  return row ?? null;
}

const lease = prepared((sql: WriteStatements, a: StatementArgs<{ ids: string; until: number }>) =>
  sql
    .update(platform_imports)
    .set({
      leased_until: template`${a.until}`,
      next_at: template`${a.until}`,
      attempts: template`${platform_imports.attempts} + 1`,
    })
    .where(among(platform_imports.id, a.ids)),
);

/** Claims locked imports until a time (ms), when they are due again. */
export async function leaseImports(tx: Tx, ids: readonly number[], until: number): Promise<void> {
  await lease(tx, { ids: list(ids), until });
}

/** Ends the claims of servers that stopped, so that their imports are due again. */
export const endImportClaims = endOfClaims(platform_imports, platform_imports.next_at);

/**
 * Shifts the times of the next attempts by the amount by which the clock was set. Claims keep their ends, which
 * identify them.
 */
export async function shiftImports(tx: Tx, by_ms: number): Promise<void> {
  const { next_at, give_up_at } = platform_imports;
  await tx.sql
    .update(platform_imports)
    .set({ next_at: template`${next_at} + ${by_ms}`, give_up_at: template`${give_up_at} + ${by_ms}` })
    .where(isQueued);
}

const next = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({ at: template<number | null>`min(${platform_imports.next_at})`.mapWith(Number) })
    .from(platform_imports)
    .where(and(among(platform_imports.connection_id, a.ids), isQueued)),
);

/** Returns when the next import of these connections is due (ms); null if none is queued. */
export async function nextImportAt(db: Db, connection_ids: readonly number[]): Promise<number | null> {
  if (connection_ids.length === 0) return null;
  const [row] = await next(db, { ids: list(connection_ids) });
  return row?.at ?? null;
}

const reconnected = bulkTransition(importTransitions, "reconnect");

/** Queues the failed imports of a connection again. */
export async function requeueFailed(tx: Tx, connection_id: number): Promise<void> {
  await tx.sql
    .update(platform_imports)
    .set({ status: reconnected.to, attempts: 0, next_at: tx.now, leased_until: null, give_up_at: giveUpAt(tx.now) })
    .where(and(eq(platform_imports.connection_id, connection_id), isOneOf(platform_imports.status, reconnected.from)));
}

const isUnfinished = and(isNotNull(platform_imports.payload), isOneOf(platform_imports.status, unfinishedImports));

/**
 * Deletes up to `limit` received orders of unfinished imports that have not changed since a time (ms). Returns how
 * many.
 */
export async function deletePayloads(tx: Tx, before: number, limit: number): Promise<number> {
  const old = tx.sql
    .select({ id: platform_imports.id })
    .from(platform_imports)
    .where(and(isUnfinished, lt(platform_imports.updated_at, before)))
    .orderBy(asc(platform_imports.updated_at))
    .limit(limit);
  const emptied = await tx.sql
    .update(platform_imports)
    .set({ payload: null })
    .where(and(amongThose(platform_imports.id, old), isUnfinished))
    .returning({ id: platform_imports.id });
  return emptied.length;
}

/** The filters of a list of imports. */
interface ImportFilter {
  readonly status?: OrderImport["status"] | undefined;
  readonly external_id?: string | undefined;
}

const matching = (connection_id: number, { status, external_id }: ImportFilter) =>
  and(
    eq(platform_imports.connection_id, connection_id),
    status === undefined ? undefined : eq(platform_imports.status, status),
    external_id === undefined ? undefined : eq(platform_imports.external_id, external_id),
  );

/** Lists a page of a connection's imports, newest first. */
export async function listImports(
  db: Db,
  connection_id: number,
  filter: ImportFilter,
  { limit, offset, after }: PageWindow,
): Promise<OrderImport[]> {
  const { created_at, id } = platform_imports;
  const rows = await db.sql
    .select()
    .from(platform_imports)
    .where(
      and(
        matching(connection_id, filter),
        after ? template`(${created_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined,
      ),
    )
    .orderBy(desc(created_at), desc(id))
    .limit(limit)
    .offset(offset);
  return rows as OrderImport[];
}

/** Counts the imports of a connection that match. */
export async function countImports(db: Db, connection_id: number, filter: ImportFilter): Promise<number> {
  return db.sql.$count(platform_imports, matching(connection_id, filter));
}
