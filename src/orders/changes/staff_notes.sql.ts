// Notes of staff on orders.
import { and, asc, eq, gt, type SQL } from "drizzle-orm";
import { staff_notes } from "../../../db/schema/orders.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { ascending, recordList } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insertIds } from "../../storage/statements.ts";
import { getOrderId } from "../lifecycle/order_lookup.sql.ts";
import { deleteWords, insertWords } from "../search/order_tags.sql.ts";

/** A note as it is stored. */
export type StaffNote = typeof staff_notes.$inferSelect;

/** The notes of an order, oldest first. */
const notesThat = (condition?: SQL) =>
  recordList(staff_notes, {
    within: async (db, _, parent) => and(eq(staff_notes.order_id, await getOrderId(db, parent)), condition),
    order: ascending(staff_notes.created_at),
  });
export const [allNotes, sharedNotes] = [notesThat(), notesThat(eq(staff_notes.shared, true))];

/** The next notes that merchants may see, across all orders, after a given one. */
export async function nextSharedNotes(db: Db, last: StaffNote | null, limit: number): Promise<StaffNote[]> {
  return db.sql
    .select()
    .from(staff_notes)
    .where(and(eq(staff_notes.shared, true), gt(staff_notes.id, last?.id ?? 0)))
    .orderBy(asc(staff_notes.id))
    .limit(limit);
}

/** Locks a note. Refuses: resource_missing. */
export const { lock: lockNote } = recordLookup(staff_notes, "note");

/** Stores a note and its search words. */
export async function insertNote(tx: Tx, note: Omit<StaffNote, "id">): Promise<StaffNote> {
  const [id = 0] = await insertIds(tx, staff_notes, [note]);
  await insertWords(tx, { order_id: note.order_id, note_id: id, internal: !note.shared }, note.text);
  return { id, ...note };
}

/** Removes a note. */
export async function removeNote(tx: Tx, { id, order_id }: StaffNote): Promise<void> {
  await tx.sql.delete(staff_notes).where(eq(staff_notes.id, id));
  await deleteWords(tx, { order_id, note_id: id });
}
