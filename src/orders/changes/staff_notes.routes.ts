import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import type { Call } from "../../http/call.ts";
import { list, remove, routes, write } from "../../http/routes.ts";
import { viewerOf, withActorsFor } from "../../identity/actors.sql.ts";
import { allNotes, type StaffNote, sharedNotes } from "./staff_notes.sql.ts";
import { addNote, deleteNote } from "./staff_notes.ts";
import { AddNote, NoteView } from "./tags_and_notes.schema.ts";

/** Notes of staff on an order. */
export const noteRoutes = routes("Orders", [
  list("/orders/:id/notes", "orders.read", {
    id: "listOrderNotes",
    summary: "List the notes of staff on an order, oldest first",
    description: "Merchants see their own notes and those that the operator shares with them.",
    of: {
      query: allNotes.query,
      listing: async (input) => {
        const viewer = await viewerOf(input.call);
        const { rows, ...listing } = (viewer.merchant_id === null ? allNotes : sharedNotes).listing(input);
        return { ...listing, rows: async (db, window) => withActorsFor(db, viewer, await rows(db, window)) };
      },
    },
    view: NoteView,
    views: (rows) => rows.map(noteView),
  }),
  write("POST", "/orders/:id/notes", "orders.write", {
    id: "addOrderNote",
    summary: "Add a note to an order",
    description:
      "Possible in any status; the order itself does not change. Notes are found by `q` of `GET /orders`, by whoever" +
      " may read them. They cannot be changed.",
    body: AddNote,
    status: 201,
    view: NoteView,
    act: async (tx, { call, params, body }) => noteView(await addNote(tx, params.id, body, writerOf(call))),
  }),
  remove("/orders/:id/notes/:note_id", "orders.write", {
    id: "deleteOrderNote",
    summary: "Delete a note of your own",
    description: "Only the user or the key that wrote a note can delete it.",
    refuses: ["insufficient_permission"],
    noun: "note",
    act: (tx, { call, params }) => deleteNote(tx, params.id, params.note_id, writerOf(call)),
  }),
]);

const writerOf = ({ actor, merchant_id }: Call) => ({ actor, of_merchant: merchant_id !== null });

/** A note as the API shows it. */
export function noteView({ id, order_id, text, shared, actor_type, actor_id, actor_name, created_at }: StaffNote) {
  return {
    id: wireId("note", id),
    order_id: wireId("order", order_id),
    text,
    shared,
    author: { type: actor_type, id: actor_id, name: actor_name },
    created_at: iso(created_at),
  };
}
