// A chain of segments: takes from a write-ahead log what was committed since, and lays it into the spool, a folder of
// the data directory in which segments wait to be shipped. Every call waits for the disk.
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fdatasyncSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../../core/environment.ts";
import { makeFolder, writeAtomically } from "../../core/files.ts";
import type { FoundDatabase } from "../../storage/sqlite/commit_log.ts";
import { type CommitRow, commitRowIn } from "../../storage/sqlite/commit_number.ts";
import {
  beginningOf,
  type CommitFrames,
  framesOf,
  holdsPosition,
  type LogHead,
  type LogPosition,
  positionBehind,
  readCommits,
  readLogHead,
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

/** So much of a log goes into one segment, before it is packed, unless one commit is longer. */
const segment_bytes = 16 * 1024 * 1024;

/** Says why what is in a log, or in a database, does not follow what was taken before. */
export class ChainBroken extends Error {}

/** The folder of a data directory in which segments wait. */
export const spoolOf = (data: string): string => join(data, "continuous");

/** The segments that wait, in the order in which they were taken. */
export function waitingIn(spool: string, world: Environment): SegmentName[] {
  const folder = join(spool, world);
  if (!existsSync(folder)) return [];
  const names = (readdirSync(folder, { recursive: true }) as string[]).sort();
  return names.flatMap((name) => readName(`${world}/${name.replaceAll("\\", "/")}`) ?? []);
}

export class LogChain {
  readonly #spool: string;
  readonly #world: Environment;
  readonly #place: string;
  #end: ChainEnd | null = null;
  /** Whether the log may be another one than that of the end's position, by a start that has lost nothing. */
  #begins_anew = false;

  /** The chain of a world whose segments are shipped to one place: in another is nothing that it leads on from. */
  constructor(spool: string, world: Environment, place: string) {
    this.#spool = spool;
    this.#world = world;
    this.#place = place;
  }

  /** Where the chain stands; null while there is none. */
  get end(): ChainEnd | null {
    return this.#end;
  }

  /** Goes on with the chain of an earlier run; null when there is none that can be read. */
  recall(): ChainEnd | null {
    const kept = this.#kept();
    if (kept !== null && kept.place !== this.#place) {
      // What waits to be shipped to another place leads on from nothing here.
      rmSync(join(this.#spool, this.#world), { recursive: true, force: true });
    }
    if (kept === null || kept.place !== this.#place) {
      this.#end = null;
      this.#begins_anew = false;
      return null;
    }
    const { is_emptied, place: _, ...end } = kept;
    this.#end = end;
    this.#begins_anew = is_emptied;
    const { chain, index } = end;
    // One that was laid into the spool just before the process ended.
    const next = waitingIn(this.#spool, this.#world).findLast((name) => name.chain === chain && name.index > index);
    const segment = next === undefined ? null : readSegment(readFileSync(join(this.#spool, next.name)));
    if (segment === null) return this.#end;
    this.#begins_anew = false;
    this.#end = endOf(segment);
    return this.#end;
  }

  /**
   * Takes what a run before has left in the log, and answers where the chain stands, which goes on with the database.
   * Throws `ChainBroken` when it does not.
   */
  takeLeft({ path, number, at, schema_version, migrates, untouched }: FoundDatabase): ChainEnd {
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
    if (!is_proven && !untouched) throw new ChainBroken("the files are not as the last server left them");
    if (end.number !== number || end.at !== at) throw new ChainBroken("it was written to without this");
    if (end.schema_version !== schema_version) throw new ChainBroken("its schema was changed");
    if (migrates) throw new ChainBroken("this version changes its schema");
    // The log is emptied now, also if the process ends before anything is taken from the next one.
    this.#keep(end, true);
    return end;
  }

  /** Takes all whole commits behind the chain's end. Throws `ChainBroken` when the log does not follow it. */
  take(file: number): void {
    for (;;) {
      const end = this.#end;
      const head = end === null ? null : readLogHead(file);
      if (end === null || head === null) return;
      const from = startIn(file, head, end.position, this.#begins_anew);
      const commits = readCommits(file, head, from, segment_bytes);
      if (commits.length === 0) return;
      // What is shipped is never newer than what this disk has.
      fdatasyncSync(file);
      this.#lay({ ...end, position: from }, head, commits);
    }
  }

  /** Begins a chain behind the last commit of a database whose log is held. */
  begin(file: number, { number, at, sequence_page, schema_version }: LogHoldFacts, now: number): void {
    const head = readLogHead(file);
    if (head === null) throw new ChainBroken("its log has no head");
    let position = beginningOf(head);
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
    this.#keep({ chain, index: -1, digest: null, number, at, sequence_page, schema_version, position });
  }

  /** Forgets the chain. What waits in the spool stays. */
  forget(): void {
    this.#end = null;
    rmSync(this.#stateFile(), { force: true });
  }

  /** Lays a segment of the commits that follow an end into the spool, or of those before one that does not follow. */
  #lay(end: ChainEnd, { page_bytes }: LogHead, commits: readonly CommitFrames[]): void {
    const { follows, last, least_at, most_at, broken } = following(end, commits, page_bytes);
    if (follows.length > 0) {
      const { digest: previous, number, at } = end;
      const facts = { world: this.#world, previous, after: { number, at }, least_at, most_at, page_bytes };
      const { digest: _, ...place } = last;
      const segment = makeSegment({ ...facts, ...place }, joined(follows));
      const name = nameOf({
        world: this.#world,
        chain: end.chain,
        index: last.index,
        number: last.number,
        least_at,
        most_at,
      });
      makeFolder(dirname(join(this.#spool, name)));
      writeAtomically(join(this.#spool, name), segment.bytes);
      this.#keep({ ...last, digest: segment.digest });
    }
    if (broken !== null) throw new ChainBroken(broken);
  }

  #stateFile(): string {
    return join(this.#spool, `${this.#world}.json`);
  }

  #keep(end: ChainEnd, is_emptied = false): void {
    makeFolder(this.#spool);
    writeAtomically(this.#stateFile(), `${JSON.stringify({ place: this.#place, is_emptied, ...end })}\n`);
    this.#end = end;
    this.#begins_anew = is_emptied;
  }

  #kept(): (ChainEnd & { readonly place: string; readonly is_emptied: boolean }) | null {
    try {
      return { is_emptied: false, ...JSON.parse(readFileSync(this.#stateFile(), "utf8")) };
    } catch {
      return null;
    }
  }
}

/** Where to read on in a log: behind what was read, or at its front when it began anew since. */
function startIn(file: number, head: LogHead, position: LogPosition, begins_anew: boolean): LogPosition {
  if (holdsPosition(file, head, position)) return position;
  const is_same = head.salts[0] === position.salts[0] && head.salts[1] === position.salts[1];
  if (is_same) throw new ChainBroken("its log does not hold what was taken from it");
  const is_next = head.salts[0] === (position.salts[0] + 1) >>> 0 && head.round === position.round + 1;
  if (begins_anew || is_next) return beginningOf(head);
  throw new ChainBroken("its log was emptied before all of it was taken");
}

/** What a commit's frames say of it: its row, if it is numbered, and the count of the schema's changes. */
function contentsOf(commit: CommitFrames, page_bytes: number, sequence_page: number) {
  let row: CommitRow | null = null;
  let schema_version: number | null = null;
  for (const { page, content } of framesOf(commit.bytes, page_bytes)) {
    if (page === sequence_page) {
      row = commitRowIn(content);
      if (row === null) throw new ChainBroken("the row that counts the commits is not where it was");
    }
    if (page === 1) schema_version = new DataView(content.buffer, content.byteOffset).getUint32(schema_version_at);
  }
  return { row, schema_version };
}

/** In the first page of a database, by SQLite's file format. */
const schema_version_at = 40;

/** Of some commits those that follow an end, where the chain stands behind them, and why the next does not follow. */
function following(end: ChainEnd, commits: readonly CommitFrames[], page_bytes: number) {
  let { number, at, position } = end;
  const follows: CommitFrames[] = [];
  const moments: number[] = [];
  let broken: string | null = null;
  for (const commit of commits) {
    const { row, schema_version } = contentsOf(commit, page_bytes, end.sequence_page);
    if (schema_version !== null && schema_version !== end.schema_version) broken = "its schema was changed";
    else if (row !== null && row.number > number + 1) broken = "commits are missing from its log";
    else if (row !== null && row.number < number) broken = "its commits are not those that were taken";
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
