// Holds a write-ahead log: a view of the data that ends in it lets no writer, of whatever process, begin it anew.
import { Database } from "bun:sqlite";
import type { CommitRow } from "./commit_number.ts";
import { checkpointPragmas } from "./sqlite_connection.ts";

export interface LogHold {
  /** What the database says of itself, as the view sees it that holds the log now. */
  facts(): LogHoldFacts;
  /** Holds the log from now on; false when all of it has been copied, so that a view would not look into it. */
  hold(): boolean;
  /** Lets the log be copied as far as it has come, and goes on holding it. */
  move(): void;
  letGo(): void;
  close(): void;
}

/** The last commit, and what is needed to find the next ones in the log. */
export interface LogHoldFacts extends CommitRow {
  /** The page that holds the row which counts the commits. */
  readonly sequence_page: number;
  readonly schema_version: number;
}

/** Opens connections of its own to a database that is there. They change nothing in it. */
export function openLogHold(path: string): LogHold {
  const open = () => {
    const raw = new Database(path, { create: false, readwrite: true, strict: true });
    for (const pragma of checkpointPragmas) raw.run(`pragma ${pragma}`);
    return raw;
  };
  const look = open();
  let [holds, other] = [open(), open()];
  /** No view that holds the log ends behind so many frames. */
  let most_held = 0;
  const begin = (raw: Database) => {
    raw.run("begin");
    ask(raw, "select number from commit_sequence");
    most_held = framesIn(look).held;
  };
  const end = (raw: Database) => {
    if (raw.inTransaction) raw.run("commit");
  };
  return {
    facts: () => {
      const [number, at] = ask(holds, "select number, at from commit_sequence");
      const [sequence_page] = ask(holds, "select rootpage from sqlite_schema where name = 'commit_sequence'");
      const [schema_version] = ask(holds, "pragma schema_version");
      return { number, at, sequence_page, schema_version } as LogHoldFacts;
    },
    hold: () => {
      end(holds);
      const { held, copied } = framesIn(look);
      if (copied >= held) return false;
      begin(holds);
      // Else it was copied as a whole just before the view was taken.
      return framesIn(look).copied < held;
    },
    move: () => {
      // A view of a log that has been copied as a whole does not hold it: one is taken only when more has been written
      // than the present one lets be copied.
      if (framesIn(look).held <= most_held) return;
      begin(other);
      end(holds);
      [holds, other] = [other, holds];
    },
    letGo: () => {
      end(holds);
      end(other);
    },
    close: () => {
      for (const raw of [holds, other, look]) {
        end(raw);
        raw.close();
      }
    },
  };
}

function framesIn(raw: Database): { held: number; copied: number } {
  for (let tries = 0; ; tries++) {
    const [, held = -1, copied = -1] = ask(raw, "pragma wal_checkpoint(noop)");
    if (held >= 0 && copied >= 0) return { held, copied };
    // A commit was just changing what is asked for.
    if (tries >= tries_max) throw new Error("the log could not be looked at");
    Bun.sleepSync(1);
  }
}

const tries_max = 1000;

/** The numbers of the first row. A statement that is kept would keep the connection open. */
function ask(raw: Database, query: string): number[] {
  const asked = raw.prepare(query);
  try {
    return (asked.values()[0] ?? []) as number[];
  } finally {
    asked.finalize();
  }
}
