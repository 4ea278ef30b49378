import type { Clock } from "../../core/clock.ts";
import type { Environment } from "../../core/environment.ts";
import type { Log } from "../../core/log.ts";
import type { Site } from "../../core/operator_settings.ts";
import type { LogFollower } from "./commit_log.ts";

/** The settings of a SQLite store. They stand alone, since its parts share them. */
export interface SqliteSettings {
  /** The migrated database file. */
  readonly path: string;
  readonly mode: Environment;
  readonly clock: Clock;
  readonly log: Log;
  /** The service's public URL, once known; without it, nothing links to the service. */
  readonly site?: (() => Site) | undefined;
  /** Called once when the storage has failed. The process must end within a second. */
  readonly fatal: (error: unknown) => void;
  /** Called when damage is found. */
  readonly damaged?: () => void;
  /** Receives the number of each durable commit. */
  readonly committed?: (sequence: number) => void;
  /**
   * What blocks on the disk. `nobody`: neither commits nor checkpoints block reads. `checkpoints` (the default): small
   * stores need no extra thread. `commits`: each commit, so that other processes see only durable data.
   */
  readonly waits?: "nobody" | "checkpoints" | "commits";
  /** Waits until the data of an open file is on disk. */
  readonly sync?: ((file: number) => Promise<void>) | undefined;
  /** Archives the frames of the log; not with `waits: "commits"`. */
  readonly follower?: LogFollower | null | undefined;
}
