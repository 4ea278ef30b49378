import type { Clock } from "../../core/clock.ts";
import type { Environment } from "../../core/environment.ts";
import type { Log } from "../../core/log.ts";
import type { Site } from "../../core/operator_settings.ts";
import type { LogFollower } from "./commit_log.ts";

/** What a SQLite store is opened with. */
export interface SqliteSettings {
  /** The database file, which has been migrated. */
  readonly path: string;
  readonly mode: Environment;
  readonly clock: Clock;
  readonly log: Log;
  /** How the service is reached, once it is known; nothing leads to it when absent. */
  readonly site?: (() => Site) | undefined;
  /** Called once when nothing the storage says can be believed any more; the process must end within a second. */
  readonly fatal: (error: unknown) => void;
  /** Called when the database was found to be damaged. */
  readonly damaged?: () => void;
  /** Told the number of each commit, once it is durable. */
  readonly committed?: (sequence: number) => void;
  /**
   * Who waits for the disk. `nobody` that answers: neither commits nor checkpoints hold up reads. `checkpoints`, as by
   * default: a store too small to need one saves a thread. `commits`: each by itself, so that no other process that has
   * the database open sees what is not durable.
   */
  readonly waits?: "nobody" | "checkpoints" | "commits";
  /** Waits until what was written to an open file is on the disk. */
  readonly sync?: ((file: number) => Promise<void>) | undefined;
  /** Who keeps the frames of the log elsewhere; not where `waits` is `commits`. */
  readonly follower?: LogFollower | null | undefined;
}
