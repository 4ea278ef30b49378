// What an upgrade would do to data, whichever engine keeps it.
import type { Named } from "../migrate.ts";

/** What an upgrade would do. */
export interface Plan {
  readonly migrations: readonly Named[];
  /** How long it is likely to take. */
  readonly seconds: number;
  /** What else is to be known. */
  readonly notes: readonly string[];
}
