// What an archive says of itself, in its first entry.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** The form of the archives that this program writes. A reader refuses later ones. */
export const archive_format = 1;

const world = Type.Object({
  /** The moment at which the copy of this world is consistent: that of its last commit, ISO 8601. */
  at: Type.String(),
  /** The number of that commit; null on PostgreSQL, which has no such number. */
  commit: Type.Union([Type.Integer(), Type.Null()]),
});

const manifest = Type.Object({
  format: Type.Integer(),
  /** The version of the Packhouse that wrote it. */
  packhouse: Type.String(),
  engine: Type.Union([Type.Literal("sqlite"), Type.Literal("postgres")]),
  /** The names of the migrations that each world has. */
  migrations: Type.Object({ live: Type.Array(Type.String()), test: Type.Array(Type.String()) }),
  worlds: Type.Object({ live: world, test: world }),
  made_at: Type.String(),
  secret_key: Type.Object({
    /** Whether `secret.key` is in the archive. */
    included: Type.Boolean(),
    /** By what the key is known again; null when it was not at hand. */
    fingerprint: Type.Union([Type.String(), Type.Null()]),
  }),
});

/** What an archive holds, and of when. */
export type BackupManifest = Static<typeof manifest>;

/** Reads a manifest. Answers why it is none: damaged, of another program, or of a form that this one does not read. */
export function readManifest(text: string): BackupManifest | { readonly problem: "damaged" | "foreign" | "newer" } {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { problem: "damaged" };
  }
  const { format } = (read ?? {}) as { format?: unknown };
  if (typeof format === "number" && format > archive_format) return { problem: "newer" };
  return Value.Check(manifest, read) ? read : { problem: "foreign" };
}

/** By what a secret key is known again, without a word of it: the beginning of its SHA-256, as hex. */
export function keyFingerprint(key: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update("packhouse secret key\0").update(key).digest("hex").slice(0, 16);
}

// What the files of backups are called, and what lies in them.

/** The entries that every archive begins and ends with. */
export const manifest_entry = "manifest.json";
export const sums_entry = "SHA256SUMS";

/** How the names of all archives begin. */
export const archive_beginning = "packhouse-";

const form = /^packhouse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst$/;

/** The name of an archive that is begun at a moment in milliseconds: `packhouse-20261124T173000Z.tar.zst`. */
export function archiveName(at: number): string {
  const moment = new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
  return `${archive_beginning}${moment.replace(/[-:]/g, "")}.tar.zst`;
}

/** The moment that the name of an archive tells, in milliseconds; null when the name is none of an archive. */
export function momentOfName(name: string): number | null {
  const [, year, month, day, hour, minute, second] = form.exec(name) ?? [];
  if (second === undefined) return null;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}
