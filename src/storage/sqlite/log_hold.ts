// Holds a write-ahead log: while a view ends in it, no process can restart it.
import { Database } from "bun:sqlite";
import type { CommitRow } from "./commit_number.ts";
import { checkpointPragmas } from "./sqlite_connection.ts";

export interface LogHold {
  /** The facts of the database in the view that currently holds the log. */
  facts(): LogHoldFacts;
  /** Holds the log; false if it was copied completely, so that a view would not use it. */
  hold(): boolean;
  /** Lets the log be copied up to its present end, and continues to hold it. */
  move(): void;
  letGo(): void;
  close(): void;
}

/** The last commit, and what is needed to find later ones in the log. */
export interface LogHoldFacts extends CommitRow {
  /** The page with the row that counts the commits. */
  readonly sequence_page: number;
  readonly schema_version: number;
}

/** Opens its own connections to an existing database. They change nothing. */
export function openLogHold(path: string): LogHold {
  const open = () => {
    const raw = new Database(path, { create: false, readwrite: true, strict: true });
    for (const pragma of checkpointPragmas) raw.run(`pragma ${pragma}`);
    return raw;
  };
  const look = open();
  let [holds, other] = [open(), open()];
  /** No view that holds the log ends after this many frames. */
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
      // Otherwise it was copied completely just before the view was taken.
      return framesIn(look).copied < held;
    },
    move: () => {
      // A view of a completely copied log does not hold it, so a new view is taken only if more has been written than
      // the present one allows to be copied.
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
    // A commit was changing these figures.
    if (tries >= tries_max) throw new Error("the log could not be read");
    Bun.sleepSync(1);
  }
}

const tries_max = 1000;

/** The numbers of the first row. A cached statement would keep the connection open. */
function ask(raw: Database, query: string): number[] {
  const asked = raw.prepare(query);
  try {
    return (asked.values()[0] ?? []) as number[];
  } finally {
    asked.finalize();
  }
}
