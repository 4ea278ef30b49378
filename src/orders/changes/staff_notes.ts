// Notes of staff on orders. Those of the operator are internal, unless they are shared with the merchant. Those of a
// merchant are always shared.
import type { Actor } from "../../core/actor.ts";
import { Fault, invalid, missing } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import { getOrderId, ownerOfOrder } from "../lifecycle/order_lookup.sql.ts";
import { insertNote, lockNote, removeNote, type StaffNote } from "./staff_notes.sql.ts";
import type { AddNote } from "./tags_and_notes.schema.ts";

/** Who writes or deletes a note, and whether for a merchant. */
interface NoteWriter {
  readonly actor: Actor;
  readonly of_merchant: boolean;
}

/** Adds a note to an order. Refuses: resource_missing, validation_failed (an internal note of a merchant). */
export async function addNote(
  tx: Tx,
  order: string,
  input: AddNote,
  { actor, of_merchant }: NoteWriter,
): Promise<StaffNote> {
  const { text, shared = of_merchant } = input;
  if (of_merchant && !shared) throw invalid("shared", "must be true: the operator reads all notes of merchants");
  const order_id = await getOrderId(tx, order);
  const merchant_id = await ownerOfOrder(tx, order_id);
  const { type: actor_type, id: actor_id, name: actor_name } = actor;
  return insertNote(tx, { merchant_id, order_id, text, shared, actor_type, actor_id, actor_name, created_at: tx.now });
}

/** Deletes a note of the actor. Refuses: resource_missing, insufficient_permission (a note of someone else). */
export async function deleteNote(
  tx: Tx,
  order: string,
  id: string,
  { actor, of_merchant }: NoteWriter,
): Promise<StaffNote> {
  const order_id = await getOrderId(tx, order);
  const note = await lockNote(tx, id);
  if (note.order_id !== order_id || (of_merchant && !note.shared)) throw missing("note", id);
  if (note.actor_type !== actor.type || note.actor_id !== actor.id) {
    throw new Fault("insufficient_permission", "Only the author of a note can delete it.");
  }
  await removeNote(tx, note);
  return note;
}
