import type { Environment } from "../../core/environment.ts";

/**
 * The bytes of a migrated, empty database. The binary contains one per environment, so that a first start runs no
 * migrations; `scripts/build.ts` replaces this file. From source there is none.
 */
export function emptyDatabase(_mode: Environment): Uint8Array | null {
  return null;
}
