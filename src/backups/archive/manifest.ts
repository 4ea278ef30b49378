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
export type Manifest = Static<typeof manifest>;

/** Reads a manifest. Answers why it is none: damaged, of another program, or of a form that this one does not read. */
export function readManifest(text: string): Manifest | { readonly problem: "damaged" | "foreign" | "newer" } {
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
