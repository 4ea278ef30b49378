import type { Environment } from "../../core/environment.ts";

/**
 * The bytes of a database that all migrations have made and nobody has written to. The binary carries one of each mode
 * (`scripts/build.ts`), so that a first start need not run them; from source there is none.
 */
export function emptyDatabase(_mode: Environment): Uint8Array | null {
  return null;
}
