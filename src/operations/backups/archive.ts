// The archive format of backups: file names, entries and the manifest, which is the first entry.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/**
 * The latest version of the archive format. Readers refuse later versions. Version 2 has contents of files; an archive
 * without them has version 1, which earlier programs read.
 */
export const archive_format = 2;

const environment_copy = Type.Object({
  /** The time (ISO 8601) of the last commit in the copy of this environment. */
  at: Type.String(),
  /** The number of that commit; null on PostgreSQL, which does not number commits. */
  commit: Type.Union([Type.Integer(), Type.Null()]),
});

const manifest = Type.Object({
  format: Type.Integer(),
  /** The version of Packhouse that wrote the archive. */
  packhouse: Type.String(),
  engine: Type.Union([Type.Literal("sqlite"), Type.Literal("postgres")]),
  /** The names of each environment's migrations. */
  migrations: Type.Object({ live: Type.Array(Type.String()), test: Type.Array(Type.String()) }),
  modes: Type.Object({ live: environment_copy, test: environment_copy }),
  made_at: Type.String(),
  secret_key: Type.Object({
    /** Whether `secret.key` is in the archive. */
    included: Type.Boolean(),
    /** The fingerprint of the key (see `keyFingerprint`); null if the key was not available. */
    fingerprint: Type.Union([Type.String(), Type.Null()]),
  }),
  /** Uploaded files; absent in backups of versions without them, and before upgrades. */
  files: Type.Optional(
    Type.Object({
      /** Where their contents were, as the operator wrote it; null for the data directory. */
      place: Type.Union([Type.String(), Type.Null()]),
      /** Whether their contents are in the archive. Those in a bucket are not. */
      included: Type.Boolean(),
      count: Type.Integer(),
    }),
  ),
});

/** The manifest of an archive: its contents, and the times of the copies. */
export type BackupManifest = Static<typeof manifest>;

/** Parses a manifest. Returns a problem if it is damaged, from another program, or in a newer format. */
export function readManifest(text: string): BackupManifest | { readonly problem: "damaged" | "foreign" | "newer" } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { problem: "damaged" };
  }
  const { format } = (parsed ?? {}) as { format?: unknown };
  if (typeof format === "number" && format > archive_format) return { problem: "newer" };
  return Value.Check(manifest, parsed) ? parsed : { problem: "foreign" };
}

/** Returns a fingerprint that identifies a secret key without revealing it: 16 hex digits of a SHA-256. */
export function keyFingerprint(key: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update("packhouse secret key\0").update(key).digest("hex").slice(0, 16);
}

/** The first and the last entry of every archive. */
export const manifest_entry = "manifest.json";
export const sums_entry = "SHA256SUMS";

/** The prefix of all archive names. */
export const archive_beginning = "packhouse-";

const form = /^packhouse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst$/;

/** Returns the name of an archive started at `at` (ms): `packhouse-20261124T173000Z.tar.zst`. */
export function archiveName(at: number): string {
  const moment = new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
  return `${archive_beginning}${moment.replace(/[-:]/g, "")}.tar.zst`;
}

/** Returns the time (ms) in an archive's name, or null if it is not the name of an archive. */
export function momentOfName(name: string): number | null {
  const [, year, month, day, hour, minute, second] = form.exec(name) ?? [];
  if (second === undefined) return null;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}
