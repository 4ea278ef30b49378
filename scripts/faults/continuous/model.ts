// The contents of a database as one comparable line, and copies of it as a backup makes them.
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { type Environment, environments } from "../../../src/core/environment.ts";
import { openLogHold } from "../../../src/storage/sqlite/log_hold.ts";

/** A database after one of its commits. */
export interface State {
  readonly number: number;
  readonly at: number;
  /** A checksum of all rows of all tables. */
  readonly hash: string;
}

export interface Point extends State {
  readonly mode: Environment;
}

/** The last commit of a database and a checksum of its contents, from one consistent read. */
export function stateOf(path: string): State {
  const raw = new Database(path, { readonly: true, strict: true });
  try {
    raw.run("begin");
    const [number, at] = values(raw, "select number, at from commit_sequence")[0] as [number, number];
    const tables = values(raw, "select name from sqlite_schema where type = 'table' order by name").map(String);
    const hash = createHash("sha256");
    for (const table of tables) {
      // An index stores its table's data in its own form.
      if (/_(?:data|idx|content|docsize|config)$/.test(table)) continue;
      for (const row of values(raw, `select * from "${table}" order by 1`))
        hash.update(`${table} ${JSON.stringify(row)}`);
    }
    raw.run("commit");
    return { number, at, hash: hash.digest("hex") };
  } finally {
    raw.close();
  }
}

function values(raw: Database, query: string): unknown[][] {
  const statement = raw.prepare(query);
  try {
    return statement.values();
  } finally {
    statement.finalize();
  }
}

/** The folder of the copies in an archive. */
export const basesOf = (place: string): string => join(place, "bases");

/**
 * Copies both databases with their logs while they are in use, as a backup does. The log is held meanwhile, so that the
 * frames of every page that a checkpoint writes into the copied file are in the copied log. It uses a process of its
 * own, since closing the file in this one would release SQLite's locks.
 */
export async function copyBase(data: string, place: string, name: string): Promise<void> {
  const draft = join(basesOf(place), `${name}.part`);
  mkdirSync(draft, { recursive: true });
  for (const mode of environments) {
    const path = join(data, `${mode}.db`);
    const hold = openLogHold(path);
    try {
      // A log that has been checkpointed completely cannot be held until something is committed.
      while (!hold.hold()) await Bun.sleep(5);
      for (const file of [path, `${path}-wal`]) {
        const copying = Bun.spawn(["cp", file, draft]);
        if ((await copying.exited) !== 0) throw new Error(`${file} could not be copied`);
      }
    } finally {
      hold.close();
    }
  }
  renameSync(draft, join(basesOf(place), name));
}
