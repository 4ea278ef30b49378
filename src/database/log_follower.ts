// The seam between a database's write-ahead log and whoever keeps its frames elsewhere.

/** A database as it lies in its folder before a server uses it, with the log that was left beside it. */
export interface FoundDatabase {
  readonly path: string;
  /** The number of its last commit and its moment (ms). */
  readonly number: number;
  readonly at: number;
  /** SQLite's count of the changes of its schema. */
  readonly schema_version: number;
  /** Whether a migration is about to change it outside of any commit that is numbered. */
  readonly migrates: boolean;
  /** Whether the files are those that the last server left, as far as can be known. */
  readonly untouched: boolean;
}

/**
 * Keeps the frames of one log. As long as it holds the log, SQLite lets no writer begin it anew, in no process, so that
 * no frame is lost that was not taken.
 */
export interface LogFollower {
  /** Takes what an earlier run has left in the log, before that is emptied. Waits for the disk. Never throws. */
  found(database: FoundDatabase): void;
  /** Begins to follow the log of a database that is open from now on. */
  begin(path: string): void;
  /**
   * Takes all frames that were committed before this call. False when that failed or took too long: then the log should
   * be left as it is.
   */
  take(): Promise<boolean>;
  /** Lets the log begin anew. To be called when all was taken and nothing is committed. */
  letGo(): Promise<void>;
  /** Holds the log again, whether it began anew or not. */
  hold(): Promise<void>;
  /** Lets go of the log, although not all of it was taken, since it has grown too long. */
  giveUp(): void;
  /** Takes the last frames, and lets go of the log. */
  close(): Promise<void>;
}
