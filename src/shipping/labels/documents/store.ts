import { and, eq } from "drizzle-orm";
import { label_documents } from "../../../../db/schema/shipments.ts";
import { type Args, insert, prepared, preparedOf } from "../../../database/statements.ts";
import type { Db, Tx } from "../../../database/store.ts";
import { assert } from "../../../kit/assert.ts";
import type { CarrierDocument } from "../../offer.ts";
import type { StoredDocument } from "./document.ts";

const { label_id, position, kind, content_type, bytes } = label_documents;

const ofLabels = preparedOf((sql, isOf) =>
  sql
    .select({ label_id, position, kind, content_type })
    .from(label_documents)
    .where(isOf(label_id))
    .orderBy(label_id, position),
);

const bytesOf = prepared((sql, a: Args<{ label_id: number; position: number }>) =>
  sql
    .select({ bytes })
    .from(label_documents)
    .where(and(eq(label_id, a.label_id), eq(position, a.position))),
);

/** What carriers drew for some labels, in their order, without the bytes. */
export async function listDocuments(db: Db, label_ids: readonly number[]): Promise<StoredDocument[]> {
  return label_ids.length === 0 ? [] : ofLabels(db, { ids: label_ids });
}

/** The bytes of a document that is known to be stored. */
export async function readDocument(db: Db, document: StoredDocument): Promise<Uint8Array> {
  const [row] = await bytesOf(db, document);
  assert(row !== undefined, "a document is never taken away from its label");
  return row.bytes;
}

/** Stores what a carrier drew for a label. */
export async function insertDocuments(tx: Tx, label_id: number, documents: readonly CarrierDocument[]): Promise<void> {
  const rows = documents.map((document, position) => ({ label_id, position, ...document }));
  await insert(tx, label_documents, rows);
}
