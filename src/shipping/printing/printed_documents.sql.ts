import { and, asc, eq, getTableColumns, isNull, lte, sql as template } from "drizzle-orm";
import { forUpdate } from "../../../db/kit.ts";
import { document_chunks, document_orders, documents } from "../../../db/schema/documents.ts";
import { choice } from "../../core/schema.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { queueOf } from "../../storage/queue.ts";
import { equals, recordList } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { documentStatuses } from "./printed_document.transitions.ts";
import { type PlainDocument, type PrintedDocument, printFormats } from "./printed_document.ts";

/** Finds a document by its identifier. Refuses: resource_missing. */
export const { get: getPrintedDocument } = recordLookup(documents, "document", {
  record: (_db, row): PrintedDocument => row,
});

const { items: _items, printed: _printed, skipped: _skipped, ...plain } = getTableColumns(documents);

/** Documents without what they printed, newest first. */
export const documentList = recordList(documents, {
  select: (sql) => sql.select(plain).from(documents),
  filters: {
    status: equals(documents.status, choice(documentStatuses)),
    format: equals(documents.format, choice(printFormats, { description: "Only files of this format." })),
  },
  records: (rows): PlainDocument[] => rows as unknown as PlainDocument[],
});

/** How long a server has to report progress before another one starts over (ms). */
const lease_ms = 60_000;

const isClaimed = template`${documents.claimed_until} is not null`;

/** The documents that are being drawn. A claim that its server does not renew is due again. */
export const documentQueue = queueOf<PrintedDocument>(documents, {
  kind: "documents",
  job: "shipping.print",
  due: documents.claimed_until,
  waiting: isClaimed,
  lease_ms,
  claimed: ({ attempts }) => ({ attempts: attempts + 1 }),
});

/** A document before it is stored. */
type NewDocument = Pick<
  PrintedDocument,
  "merchant_id" | "status" | "format" | "sections" | "paper" | "items" | "total" | "created_by" | "expires_at"
>;

/** Inserts a document that this server draws. */
export async function insertDocument(tx: Tx, document: NewDocument): Promise<PrintedDocument> {
  const { sections, items, ...same } = document;
  const row = {
    ...same,
    sections: sections.map((section) => [...section]),
    items: [...items],
    ...{ done: 0, pages: null, size: null, printed: [], skipped: [], error_message: null },
    ...{ created_at: tx.now, completed_at: null, claimed_until: tx.now, attempts: 0 },
  };
  const [id = 0] = await insertIds(tx, documents, [row]);
  const order_ids = new Set(items.map(({ order_id }) => order_id));
  const named = [...order_ids].map((order_id) => ({ document_id: id, order_id }));
  await insert(tx, document_orders, named);
  return { ...row, id };
}

const lockedClaim = prepared((sql, a: StatementArgs<{ id: number; claimed_until: number }>) =>
  forUpdate(
    sql
      .select({ id: documents.id })
      .from(documents)
      .where(and(eq(documents.id, a.id), eq(documents.claimed_until, a.claimed_until))),
  ),
);

/** Locks a document that this server draws. Returns false if it has lost the claim. */
export async function lockClaim(tx: Tx, { id, claimed_until }: PlainDocument): Promise<boolean> {
  return claimed_until !== null && (await lockedClaim(tx, { id, claimed_until })).length === 1;
}

/** Renews the claim of a document with its progress. */
export async function renewClaim<D extends PlainDocument>(tx: Tx, document: D, done: number): Promise<D> {
  const claimed_until = await documentQueue.hold(tx, document.id);
  return saveDocument(tx, document, { done, claimed_until });
}

/** Saves changes of a document and returns the changed document. */
export async function saveDocument<D extends PlainDocument>(
  tx: Tx,
  document: D,
  change: Partial<PrintedDocument>,
): Promise<D> {
  await tx.sql
    .update(documents)
    .set(change as never)
    .where(eq(documents.id, document.id));
  return { ...document, ...change };
}

/** Adds a part to the content of a document. */
export async function insertChunk(tx: Tx, document_id: number, position: number, bytes: Uint8Array): Promise<void> {
  await insert(tx, document_chunks, [{ document_id, position, bytes }]);
}

const deleteChunksOf = prepared((sql: WriteStatements, a: StatementArgs<{ document_id: number }>) =>
  sql.delete(document_chunks).where(eq(document_chunks.document_id, a.document_id)),
);

/** Deletes the content of a document. */
export async function deleteContent(tx: Tx, document_id: number): Promise<void> {
  await deleteChunksOf(tx, { document_id });
}

const chunkOf = prepared((sql, a: StatementArgs<{ document_id: number; position: number }>) =>
  sql
    .select({ bytes: document_chunks.bytes })
    .from(document_chunks)
    .where(and(eq(document_chunks.document_id, a.document_id), eq(document_chunks.position, a.position))),
);

/** Reads a part of the content of a document; null if there is none at this position. */
export async function readChunk(db: Db, document_id: number, position: number): Promise<Uint8Array | null> {
  const [row] = await chunkOf(db, { document_id, position });
  return row?.bytes ?? null;
}

/** Deletes the expired document that is oldest, with its content. Returns false if there was none. */
export async function deleteExpiredDocument(tx: Tx): Promise<boolean> {
  const [expired] = await tx.sql
    .select({ id: documents.id })
    .from(documents)
    .where(and(lte(documents.expires_at, tx.now), isNull(documents.claimed_until)))
    .orderBy(asc(documents.expires_at))
    .limit(1);
  if (expired === undefined) return false;
  await deleteContent(tx, expired.id);
  await tx.sql.delete(document_orders).where(eq(document_orders.document_id, expired.id));
  await tx.sql.delete(documents).where(eq(documents.id, expired.id));
  return true;
}
