// A file that a client uploaded. Its content is outside the database; see `storage/file_contents.ts`.
import type { Actor } from "../core/actor.ts";
import { Fault } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { day_ms } from "../core/time.ts";

/** What files are for. */
export const fileKinds = ["logo", "label"] as const;
export type FileKind = (typeof fileKinds)[number];

/** The types of stored contents. */
export const fileTypes = ["image/png", "image/jpeg", "application/pdf", "application/zpl"] as const;
export type FileType = (typeof fileTypes)[number];

/** The extension of a file's name by its type. */
export const fileExtensions: Readonly<Record<FileType, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "application/pdf": "pdf",
  "application/zpl": "zpl",
};

/** The largest upload of each kind. */
export const upload_bytes_max: Readonly<Record<FileKind, number>> = { logo: 1 << 20, label: 5 << 20 };

/** How long a file is kept that no record uses, and the content of a deleted one, which a backup may be reading. */
export const unused_ms = day_ms;

/** An uploaded file. */
export interface StoredFile {
  readonly id: number;
  readonly merchant_id: number;
  readonly kind: FileKind;
  readonly content_type: FileType;
  readonly size_bytes: number;
  /** SHA-256 of the content as hex. */
  readonly sha256: string;
  readonly name: string | null;
  /** In pixels; null for a file that is no image. */
  readonly width: number | null;
  readonly height: number | null;
  /** The random name of the content. */
  readonly key: string;
  readonly created_by: Actor;
  readonly created_at: number;
  /** When its content was complete (ms); null until then. */
  readonly stored_at: number | null;
  readonly deleted_at: number | null;
  /** When its content is to be removed (ms); null while a record uses the file. */
  readonly remove_at: number | null;
}

/** What is known of a file before its content is stored. */
export type NewFile = Pick<
  StoredFile,
  "kind" | "content_type" | "size_bytes" | "sha256" | "name" | "width" | "height" | "key" | "created_by"
>;

/** Whether clients see a file: its content is complete, and it was not deleted. */
export const isVisible = ({ stored_at, deleted_at }: Pick<StoredFile, "stored_at" | "deleted_at">): boolean =>
  stored_at !== null && deleted_at === null;

/** Whether a record uses a file. */
export const isUsed = ({ remove_at }: Pick<StoredFile, "remove_at">): boolean => remove_at === null;

/** Refuses to delete a file that a record uses. Refuses: file_in_use. */
export function refuseUsed(file: StoredFile): void {
  if (!isUsed(file)) return;
  const id = wireId("file", file.id);
  throw new Fault("file_in_use", `${id} is the logo of its merchant. Choose another logo, or none, first.`, {
    file_id: id,
  });
}
