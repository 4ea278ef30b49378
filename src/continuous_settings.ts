// The flags of `serve` by which what is committed is shipped.
import { type Flags, type Given, WrongUse } from "./config.ts";

/** The flags of `serve` that are for shipping. */
export const continuousFlags = {
  "backup-to": { type: "string", value: "TO", help: "where backups are kept: a folder, or s3://bucket/prefix" },
  continuous: {
    type: "boolean",
    help: "ship what is committed to --backup-to every 10 s, so that a lost disk costs at most that",
  },
} as const satisfies Flags;

/** Where what is committed is shipped to, by the flags; null when it is not. Refuses with `WrongUse` half of them. */
export function readContinuous(given: Given<typeof continuousFlags>, database_url: string | null): string | null {
  if (!given.continuous) return null;
  if (database_url !== null) {
    throw new WrongUse("--continuous is for the embedded database: PostgreSQL archives its log itself.");
  }
  const to = given["backup-to"];
  if (to === undefined) throw new WrongUse("--continuous needs --backup-to TO, where backups are kept.");
  if (to.endsWith(".tar.zst")) throw new WrongUse("--continuous needs a folder as --backup-to, not one file.");
  return to;
}
