import type { Actor } from "../../src/core/actor.ts";
import type { FileKind, FileType } from "../../src/files/file.ts";
import { check, id, index, int, json, table, text, time, unique, where } from "../kit.ts";
import { owner } from "./merchants.ts";

/**
 * Uploaded files, such as logos. Their content is outside the database, under their `key`. A row is inserted before its
 * content is written, and deleted after its content was removed, so that no content is left without a row.
 */
export const files = table(
  "files",
  {
    id: id(),
    merchant_id: owner(),
    kind: text().$type<FileKind>().notNull(),
    content_type: text().$type<FileType>().notNull(),
    size_bytes: int().notNull(),
    /** SHA-256 of the content as hex. */
    sha256: text().notNull(),
    /** The name that the client gave it. */
    name: text(),
    width: int(),
    height: int(),
    /** A random name, under which the content is stored. */
    key: text().notNull(),
    created_by: json<Actor>().notNull(),
    created_at: time().notNull(),
    /** When the content was complete; null while it is being written, or if that failed. */
    stored_at: time(),
    /** When it was deleted; its content is removed later. */
    deleted_at: time(),
    /** When its content is removed, or a server's claim to remove it ends; null while a record uses the file. */
    remove_at: time(),
  },
  (t) => [
    unique("files_owner").on(t.merchant_id, t.id),
    unique("files_key").on(t.key),
    unique("files_content")
      .on(t.merchant_id, t.kind, t.sha256)
      .where(where("stored_at is not null and deleted_at is null")),
    index("files_created").on(t.created_at, t.id),
    index("files_removal").on(t.remove_at).where(where("remove_at is not null")),
    check("files_removed", "remove_at is not null or (stored_at is not null and deleted_at is null)"),
  ],
);
