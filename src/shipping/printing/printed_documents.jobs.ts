// Draws large documents, one at a time, and those whose server stopped. Deletes them after a day.
import type { Service } from "../../http/service.ts";
import { type Store, type Tx, writeChunks } from "../../storage/database.ts";
import { drawDocument, failDocument, isExhausted } from "./draw_document.ts";
import { deleteExpiredDocument, documentQueue } from "./printed_documents.sql.ts";

const ended = async () => {};

/** One round of the job `shipping.print`: draws the document that has waited longest. Returns the next time (ms). */
export async function drawDue(store: Store, { log, files, ending }: Service): Promise<number | null> {
  const { claims, next_at } = await store.write((tx) => documentQueue.claimNext(tx, 1));
  for (const document of claims) {
    const { merchant_id } = document;
    const theirs = merchant_id === null ? store : store.scoped({ visible: merchant_id, owner: null });
    if (isExhausted(document)) await store.write((tx) => failDocument(tx, document));
    else await drawDocument({ store: theirs, log, files, ending }, document, ended);
  }
  return next_at;
}

/** Deletes the documents whose day is over. */
export async function deleteExpiredDocuments(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, (tx: Tx) => deleteExpiredDocument(tx));
}
