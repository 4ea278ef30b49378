// A chain of segments: reads new commits from a write-ahead log into the spool, a folder of the data directory where
// segments wait to be archived. Every call waits for the disk.
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fdatasyncSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../../core/environment.ts";
import { makeFolder, writeAtomically } from "../../core/files.ts";
import type { FoundDatabase } from "../../storage/sqlite/commit_log.ts";
import { type CommitRow, commitRowIn } from "../../storage/sqlite/commit_number.ts";
import {
  type CommitFrames,
  framesOf,
  holdsPosition,
  type LogHead,
  type LogPosition,
  positionBehind,
  readCommits,
  readLogHead,
  startOf,
} from "../../storage/sqlite/log_frames.ts";
import type { LogHoldFacts } from "../../storage/sqlite/log_hold.ts";
import {
  type ChainEnd,
  endOf,
  makeSegment,
  nameOf,
  newChain,
  readName,
  readSegment,
  type SegmentName,
} from "./segment.ts";

/** Size of a segment before compression, unless a single commit is larger. */
const segment_bytes = 16 * 1024 * 1024;

/** The log or database does not continue the chain. The message is the reason. */
export class ChainBroken extends Error {}

/** Returns the spool folder of a data directory. */
export const spoolOf = (data: string): string => join(data, "continuous");

/** Lists the waiting segments in order. */
export function waitingIn(spool: string, mode: Environment): SegmentName[] {
  const folder = join(spool, mode);
  if (!existsSync(folder)) return [];
  const names = (readdirSync(folder, { recursive: true }) as string[]).sort();
  return names.flatMap((name) => readName(`${mode}/${name.replaceAll("\\", "/")}`) ?? []);
}

export class LogChain {
  readonly #spool: string;
  readonly #mode: Environment;
  readonly #place: string;
  #end: ChainEnd | null = null;
  /** Whether the log may have been restarted, without losses, since the position of the end. */
  #is_restarted = false;

  /** The chain of an environment for one destination. Another destination needs a new chain. */
  constructor(spool: string, mode: Environment, place: string) {
    this.#spool = spool;
    this.#mode = mode;
    this.#place = place;
  }

  /** The end of the chain; null if there is none. */
  get end(): ChainEnd | null {
    return this.#end;
  }

  /** Continues the chain of an earlier run. Returns null if there is none that can be read. */
  load(): ChainEnd | null {
    const kept = this.#readState();
    if (kept !== null && kept.place !== this.#place) {
      // Segments for another destination have no base at this one.
      rmSync(join(this.#spool, this.#mode), { recursive: true, force: true });
    }
    if (kept === null || kept.place !== this.#place) {
      this.#end = null;
      this.#is_restarted = false;
      return null;
    }
    const { is_emptied, place: _, ...end } = kept;
    this.#end = end;
    this.#is_restarted = is_emptied;
    const { chain, index } = end;
    // A segment that was stored just before the process ended.
    const next = waitingIn(this.#spool, this.#mode).findLast((name) => name.chain === chain && name.index > index);
    const segment = next === undefined ? null : readSegment(readFileSync(join(this.#spool, next.name)));
    if (segment === null) return this.#end;
    this.#is_restarted = false;
    this.#end = endOf(segment);
    return this.#end;
  }

  /**
   * Reads the commits that an earlier run left in the log, and returns the end of the chain. Throws `ChainBroken` if
   * the database does not continue it.
   */
  takeRemaining({ path, number, at, schema_version, migrates, untouched }: FoundDatabase): ChainEnd {
    const before = this.#end;
    if (before === null) throw new ChainBroken("there is no chain yet");
    let is_proven = false;
    if (existsSync(`${path}-wal`)) {
      const file = openSync(`${path}-wal`, "r");
      try {
        const head = readLogHead(file);
        is_proven = head !== null && holdsPosition(file, head, before.position);
        this.take(file);
      } finally {
        closeSync(file);
      }
    }
    const end = this.#end ?? before;
    if (!is_proven && !untouched) throw new ChainBroken("the files were changed after the last server stopped");
    if (end.number !== number || end.at !== at) throw new ChainBroken("it was written to without archiving");
    if (end.schema_version !== schema_version) throw new ChainBroken("its schema was changed");
    if (migrates) throw new ChainBroken("this version changes its schema");
    // The log is emptied now, even if the process ends before it reads from the next one.
    this.#saveState(end, true);
    return end;
  }

  /** Reads all complete commits after the end of the chain. Throws `ChainBroken` if the log does not continue it. */
  take(file: number): void {
    for (;;) {
      const end = this.#end;
      const head = end === null ? null : readLogHead(file);
      if (end === null || head === null) return;
      const from = startIn(file, head, end.position, this.#is_restarted);
      const commits = readCommits(file, head, from, segment_bytes);
      if (commits.length === 0) return;
      // The archive must never be newer than this disk.
      fdatasyncSync(file);
      this.#store({ ...end, position: from }, head, commits);
    }
  }

  /** Starts a chain after the last commit of a database whose log is held. */
  begin(file: number, { number, at, sequence_page, schema_version }: LogHoldFacts, now: number): void {
    const head = readLogHead(file);
    if (head === null) throw new ChainBroken("its log has no head");
    let position = startOf(head);
    behind: for (;;) {
      const commits = readCommits(file, head, position, segment_bytes);
      if (commits.length === 0) break;
      for (const commit of commits) {
        const row = contentsOf(commit, head.page_bytes, sequence_page).row;
        if (row !== null && row.number > number) break behind;
        position = positionBehind(position, commit);
      }
    }
    const chain = newChain(now, randomBytes(4));
    this.#saveState({ chain, index: -1, digest: null, number, at, sequence_page, schema_version, position });
  }

  /** Forgets the chain. Waiting segments stay in the spool. */
  forget(): void {
    this.#end = null;
    rmSync(this.#stateFile(), { force: true });
  }

  /** Stores the commits that continue `end`, up to the first that does not, as a segment in the spool. */
  #store(end: ChainEnd, { page_bytes }: LogHead, commits: readonly CommitFrames[]): void {
    const { follows, last, least_at, most_at, broken } = following(end, commits, page_bytes);
    if (follows.length > 0) {
      const { digest: previous, number, at } = end;
      const facts = { mode: this.#mode, previous, after: { number, at }, least_at, most_at, page_bytes };
      const { digest: _, ...place } = last;
      const segment = makeSegment({ ...facts, ...place }, joined(follows));
      const name = nameOf({
        mode: this.#mode,
        chain: end.chain,
        index: last.index,
        number: last.number,
        least_at,
        most_at,
      });
      makeFolder(dirname(join(this.#spool, name)));
      writeAtomically(join(this.#spool, name), segment.bytes);
      this.#saveState({ ...last, digest: segment.digest });
    }
    if (broken !== null) throw new ChainBroken(broken);
  }

  #stateFile(): string {
    return join(this.#spool, `${this.#mode}.json`);
  }

  #saveState(end: ChainEnd, is_emptied = false): void {
    makeFolder(this.#spool);
    writeAtomically(this.#stateFile(), `${JSON.stringify({ place: this.#place, is_emptied, ...end })}\n`);
    this.#end = end;
    this.#is_restarted = is_emptied;
  }

  #readState(): (ChainEnd & { readonly place: string; readonly is_emptied: boolean }) | null {
    try {
      return { is_emptied: false, ...JSON.parse(readFileSync(this.#stateFile(), "utf8")) };
    } catch {
      return null;
    }
  }
}

/** Returns where to continue reading a log: after the last position, or at the start if the log was restarted. */
function startIn(file: number, head: LogHead, position: LogPosition, is_restarted: boolean): LogPosition {
  if (holdsPosition(file, head, position)) return position;
  const is_same = head.salts[0] === position.salts[0] && head.salts[1] === position.salts[1];
  if (is_same) throw new ChainBroken("its log lacks commits that were read from it");
  const is_next = head.salts[0] === (position.salts[0] + 1) >>> 0 && head.round === position.round + 1;
  if (is_restarted || is_next) return startOf(head);
  throw new ChainBroken("its log was emptied before all of it was read");
}

/** Returns a commit's row, if it is numbered, and the schema version in its frames. */
function contentsOf(commit: CommitFrames, page_bytes: number, sequence_page: number) {
  let row: CommitRow | null = null;
  let schema_version: number | null = null;
  for (const { page, content } of framesOf(commit.bytes, page_bytes)) {
    if (page === sequence_page) {
      row = commitRowIn(content);
      if (row === null) throw new ChainBroken("the row that counts the commits was moved");
    }
    if (page === 1) schema_version = new DataView(content.buffer, content.byteOffset).getUint32(schema_version_at);
  }
  return { row, schema_version };
}

/** Offset in the first page of a database (SQLite file format). */
const schema_version_at = 40;

/** Returns the commits that continue `end`, the new end, and why the next commit does not continue it. */
function following(end: ChainEnd, commits: readonly CommitFrames[], page_bytes: number) {
  let { number, at, position } = end;
  const follows: CommitFrames[] = [];
  const moments: number[] = [];
  let broken: string | null = null;
  for (const commit of commits) {
    const { row, schema_version } = contentsOf(commit, page_bytes, end.sequence_page);
    if (schema_version !== null && schema_version !== end.schema_version) broken = "its schema was changed";
    else if (row !== null && row.number > number + 1) broken = "commits are missing from its log";
    else if (row !== null && row.number < number) broken = "its commits differ from those that were read";
    if (broken !== null) break;
    if (row !== null && row.number > number) {
      ({ number, at } = row);
      moments.push(at);
    }
    position = positionBehind(position, commit);
    follows.push(commit);
  }
  const last = { ...end, index: end.index + 1, number, at, position };
  if (moments.length === 0) moments.push(at);
  return { follows, last, broken, least_at: Math.min(...moments), most_at: Math.max(...moments) };
}

function joined(commits: readonly CommitFrames[]): Uint8Array {
  return Buffer.concat(commits.map(({ bytes }) => bytes));
}
