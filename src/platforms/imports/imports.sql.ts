import { and, asc, eq, isNotNull, lt, or } from "drizzle-orm";
import { amongTexts, forUpdate, isOneOf, list } from "../../../db/kit.ts";
import { platform_import_parts, platform_imports } from "../../../db/schema/platforms.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { choice, textField } from "../../core/schema.ts";
import { minute_ms } from "../../core/time.ts";
import { bulkTransition } from "../../core/transitions.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { queueOf } from "../../storage/queue.ts";
import { equals, recordList } from "../../storage/record_list.ts";
import { changeBatch } from "../../storage/row_batches.ts";
import { prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import { getConnection } from "../connections.sql.ts";
import {
  importStatuses,
  importTransitions,
  queuedImports,
  unfinishedImports,
  unreservedImports,
} from "../platforms.transitions.ts";
import type { ImportPart, OrderImport } from "./import.ts";
import { giveUpAt, ignored_by_choice } from "./import.ts";

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

/** Finds the import that created an order, with what it knows of that order, or null. */
export async function findImportByOrder(db: Db, order_id: number): Promise<OrderImport | null> {
  const [row] = (await byOrder(db, { order_id })) as OrderImport[];
  if (row !== undefined) return row;
  const [part] = await partByOrder(db, { order_id });
  if (part === undefined) return null;
  const [record] = (await byId(db, { id: part.import_id })) as OrderImport[];
  return record === undefined ? null : { ...record, order_id, seen: part.seen, lines: part.lines };
}

const partByOrder = prepared((sql, a: StatementArgs<{ order_id: number }>) =>
  sql.select().from(platform_import_parts).where(eq(platform_import_parts.order_id, a.order_id)),
);
const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select().from(platform_imports).where(eq(platform_imports.id, a.id)),
);
const partsOf = preparedOf((sql, isOf) =>
  sql
    .select()
    .from(platform_import_parts)
    .where(isOf(platform_import_parts.import_id))
    .orderBy(asc(platform_import_parts.part)),
);

/** Lists the further orders of imports, by their place. */
export async function listPartsOf(db: Db, import_ids: readonly number[]): Promise<ImportPart[]> {
  return import_ids.length === 0 ? [] : partsOf(db, { ids: import_ids });
}

/** Saves a further order of a locked import. */
export async function savePart(
  tx: Tx,
  { id: import_id, merchant_id }: OrderImport,
  { part, destination, order_id, seen, lines }: Omit<ImportPart, "import_id">,
): Promise<void> {
  const changed = { seen: seen === null ? null : { ...seen }, lines: [...lines] };
  await tx.sql
    .insert(platform_import_parts)
    .values({ import_id, merchant_id, part, destination, order_id, ...changed, created_at: tx.now })
    .onConflictDoUpdate({ target: [platform_import_parts.import_id, platform_import_parts.part], set: changed });
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

const unreserved = prepared((sql, a: StatementArgs<{ connection_id: number }>) =>
  sql
    .select({
      external_id: platform_imports.external_id,
      status: platform_imports.status,
      payload: platform_imports.payload,
      lines: platform_imports.lines,
      imported_at: platform_imports.imported_at,
    })
    .from(platform_imports)
    .where(
      and(eq(platform_imports.connection_id, a.connection_id), isOneOf(platform_imports.status, unreservedImports)),
    ),
);

/** An import whose units the shop has subtracted, and which no order here reserves yet. */
export type UnreservedImport = Pick<OrderImport, "external_id" | "status" | "payload" | "lines" | "imported_at">;

/** Lists a store's imports that are queued, waiting or failed. */
export async function listUnreserved(db: Db, connection_id: number): Promise<UnreservedImport[]> {
  return (await unreserved(db, { connection_id })) as UnreservedImport[];
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

/**
 * The queued imports, one at a time of each connection. `leased_until` identifies a claim: unlike `next_at`, it stays
 * when the clock is set.
 */
export const importQueue = queueOf<OrderImport>(platform_imports, {
  kind: "imports",
  job: "platforms.import",
  due: platform_imports.next_at,
  waiting: isQueued,
  lane: platform_imports.connection_id,
  moved: [platform_imports.give_up_at],
  lease_ms: 3 * minute_ms,
  claimed: ({ attempts }, leased_until) => ({ attempts: attempts + 1, leased_until }),
});

const reconnected = bulkTransition(importTransitions, "reconnect");

/** Queues the failed imports of a connection again. */
export async function requeueFailed(tx: Tx, connection_id: number): Promise<void> {
  await tx.sql
    .update(platform_imports)
    .set({ status: reconnected.to, attempts: 0, next_at: tx.now, leased_until: null, give_up_at: giveUpAt(tx.now) })
    .where(and(eq(platform_imports.connection_id, connection_id), isOneOf(platform_imports.status, reconnected.from)));
}

const reconsidered = bulkTransition(importTransitions, "reconsider");

/** Queues the imports of a connection again that wait for a payment, or were ignored by another choice. */
export async function reconsiderImports(tx: Tx, connection_id: number): Promise<void> {
  const { status, error_code } = platform_imports;
  await tx.sql
    .update(platform_imports)
    .set({ status: reconsidered.to, attempts: 0, next_at: tx.now, leased_until: null, give_up_at: giveUpAt(tx.now) })
    .where(
      and(
        eq(platform_imports.connection_id, connection_id),
        isOneOf(status, reconsidered.from),
        or(isOneOf(status, [importTransitions.wait.to]), isOneOf(error_code, ignored_by_choice)),
      ),
    );
}

const isUnfinished = and(isNotNull(platform_imports.payload), isOneOf(platform_imports.status, unfinishedImports));

/**
 * Deletes up to `limit` received orders of unfinished imports that have not changed since a time (ms). Returns how
 * many.
 */
export async function deletePayloads(tx: Tx, before: number, limit: number): Promise<number> {
  const { updated_at } = platform_imports;
  const where = and(isUnfinished, lt(updated_at, before));
  const batch = { where, by: [updated_at], limit, still: isUnfinished };
  return changeBatch(tx, platform_imports, { payload: null }, batch);
}

/** The order imports of a connection, newest first. */
export const importList = recordList(platform_imports, {
  filters: {
    status: equals(platform_imports.status, choice(importStatuses)),
    external_id: equals(
      platform_imports.external_id,
      textField(100, { description: "The platform's id of the order." }),
    ),
  },
  within: async (db, _, connection) => eq(platform_imports.connection_id, (await getConnection(db, connection)).id),
  records: (rows) => rows as readonly OrderImport[],
});
