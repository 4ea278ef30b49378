// What the thread that reads the logs is asked, and what it answers.
import type { Mode } from "../../kit/mode.ts";

/**
 * `open`: begin to follow a log that has just been opened. `take`: all that was committed, also a new chain where there
 * is none. `let_go`, `hold`: the log may begin anew, or may not. `give_up`: let go of it and forget the chain. `close`:
 * take the last frames and let go of the files.
 */
export type Act = "open" | "take" | "let_go" | "hold" | "give_up" | "close";

export interface Question {
  readonly id: number;
  readonly world: Mode;
  readonly act: Act;
  /** The spool, the place that its segments are shipped to, and the database's file. */
  readonly spool: string;
  readonly place: string;
  readonly path: string;
  /** For `open`: whether the chain of the last run goes on. */
  readonly goes_on: boolean;
}

/** Where the chain stands now. */
export interface Answer {
  readonly id: number;
  /** The chain and its last commit; null when there is none. */
  readonly chain: string | null;
  /** Its last segment, from 0; -1 while there is none. */
  readonly index: number;
  readonly number: number;
  readonly at: number;
  /** Why the chain before this one ended, if it did in this act. */
  readonly broken: string | null;
  /** Why the act failed, if it did: it may be tried again. */
  readonly failed: string | null;
}
