// Archives the commits of both environments' write-ahead logs every few seconds to the destination of the backups.

import { existsSync, readFileSync, statSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, environments } from "../../core/environment.ts";
import { makeFolder, writeAtomically } from "../../core/files.ts";
import type { Log } from "../../core/log.ts";
import { counter, gauge } from "../../core/metrics.ts";
import type { LogFollower } from "../../storage/sqlite/commit_log.ts";
import type { ArchiveDestination } from "./archive_destination.ts";
import { EnvironmentFollower, type FollowedChain } from "./follow_log.ts";
import { readingThread } from "./follow_thread.ts";
import { spoolOf, waitingIn } from "./log_chain.ts";
import { neededFrom, outlived, readName, type SegmentName } from "./segment.ts";

const archived_segments = counter("packhouse_shipped_segments_total", "Archived segments of commits.", ["mode"]);
const archived_bytes = counter("packhouse_shipped_bytes_total", "Bytes of archived segments.", ["mode"]);

const broken_chains = counter(
  "packhouse_shipping_restarts_total",
  "Times that archiving started again from a new backup.",
  ["mode"],
);

/** Seconds of commits that would be lost with the disk now. */
export const behind_seconds = gauge(
  "packhouse_shipping_behind_seconds",
  "Seconds since everything committed was last archived.",
  ["mode"],
);

const waiting_bytes = gauge("packhouse_shipping_waiting_bytes", "Bytes of segments that wait to be archived.");

/** Turns the increments of a gauge into absolute values. */
function level(shown: { add: (amount: number, ...values: string[]) => void }): typeof shown.add {
  const before = new Map<string, number>();
  return (amount, ...values) => {
    const key = values.join();
    shown.add(amount - (before.get(key) ?? 0), ...values);
    before.set(key, amount);
  };
}

/** The archiving interval. */
const archive_every_ms = 10_000;
/** When more than this waits because the destination is unavailable, the chain is abandoned to spare the disk. */
const waiting_max_bytes = 1024 ** 3;
/** Any time within this period can be restored, as far as there are backups. */
const keep_ms = 7 * 24 * 3600 * 1000;
const prune_every_ms = 3600 * 1000;
const retry_backup_ms = 60_000;

interface LogArchivingSettings {
  readonly data: string;
  readonly place: ArchiveDestination;
  readonly log: Log;
  readonly now: () => number;
  /** Makes a backup at the destination, as the base of a chain of segments. */
  readonly backUp: () => Promise<void>;
  /** Returns the times (ms) of the backups at the destination. */
  readonly backups: () => Promise<readonly number[]>;
  /** Stores other data that a restore needs; called before segments are sent. */
  readonly beforeSending?: () => Promise<void>;
  readonly every_ms?: number;
  readonly most_waiting_bytes?: number;
}

/** The state of one environment. */
interface ArchiverState extends FollowedChain {
  /** Everything committed before this time (ms) is archived; null before the first time. */
  readonly archived_until: number | null;
  /** Whether the chain has a backup as its base, so that it can be restored. */
  readonly is_based: boolean;
}

/** The state of archiving. */
interface LogArchivingState {
  readonly place: string;
  readonly every_ms: number;
  readonly modes: Readonly<Record<Environment, ArchiverState>>;
  readonly waiting_bytes: number;
  /** Why the destination was unavailable at the last attempt, or why there is no base backup. */
  readonly problem: string | null;
}

export interface LogArchiving {
  /** Pass these to the store before it opens the data. */
  readonly followers: Readonly<Record<Environment, LogFollower>>;
  /** Starts archiving, once the data is open. */
  start(): void;
  /** Archives everything committed so far. Resolves when that has succeeded or failed. */
  archive(): Promise<void>;
  state(): LogArchivingState;
  /** Archives the last segments, which are read when the data is closed, within `limit_ms`. */
  finish(limit_ms: number): Promise<void>;
}

/** Prepares archiving of a data directory that a server is about to open. */
export function startLogArchiving(settings: LogArchivingSettings): LogArchiving {
  return new LogArchiver(settings);
}

class LogArchiver implements LogArchiving {
  readonly followers: Readonly<Record<Environment, EnvironmentFollower>>;
  readonly #settings: LogArchivingSettings;
  readonly #spool: string;
  readonly #thread;
  readonly #showBehind = level(behind_seconds);
  readonly #showWaiting = level(waiting_bytes);
  readonly #archived_until: Record<Environment, number | null> = { live: null, test: null };
  #based: Partial<Record<Environment, string>>;
  #problem: string | null = null;
  #backup_problem: string | null = null;
  #waiting = 0;
  #timer: Timer | null = null;
  #archiving: Promise<void> | null = null;
  #backing_up: Promise<void> | null = null;
  #back_up_after = 0;
  #prune_after = 0;
  /** Chains for which the destination has other commits than this data. */
  readonly #forked = new Set<string>();
  #checked = false;
  #begun_at = 0;
  readonly #opened_at: number;
  #ending = false;

  constructor(settings: LogArchivingSettings) {
    const { data, log, now, place } = settings;
    this.#settings = settings;
    this.#opened_at = now();
    this.#spool = spoolOf(data);
    this.#thread = readingThread(log);
    const broke = (mode: Environment, reason: string) => {
      broken_chains.add(1, mode);
      this.#checked = false;
      log.warn("archiving starts again from a new backup", { mode, reason });
    };
    const of = (mode: Environment) => {
      return new EnvironmentFollower({
        mode,
        spool: this.#spool,
        place: place.place,
        log,
        now,
        send: this.#thread.send,
        broke,
      });
    };
    this.followers = { live: of("live"), test: of("test") };
    this.#based = this.#readBased(place.place);
  }

  start(): void {
    const { every_ms = archive_every_ms } = this.#settings;
    this.#timer = setInterval(() => void this.archive(), every_ms);
    void this.archive();
  }

  archive(): Promise<void> {
    this.#archiving ??= this.#archiveOnce().finally(() => {
      this.#archiving = null;
    });
    return this.#archiving;
  }

  state(): LogArchivingState {
    const { place, every_ms = archive_every_ms } = this.#settings;
    const of = (mode: Environment): ArchiverState => {
      const { known } = this.followers[mode];
      return { ...known, archived_until: this.#archived_until[mode], is_based: this.#isBased(mode) };
    };
    const modes = { live: of("live"), test: of("test") };
    const problem = this.#problem ?? this.#backup_problem;
    return { place: place.place, every_ms, modes, waiting_bytes: this.#waiting, problem };
  }

  async finish(limit_ms: number): Promise<void> {
    this.#ending = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, limit_ms);
    const last = async () => {
      await this.#archiving;
      await this.#sendAll();
    };
    await Promise.race([last(), late.promise]).finally(() => clearTimeout(timer));
    this.#thread.close();
    if (this.#waiting > 0) {
      this.#settings.log.warn("the last commits were not archived; the next start archives them", {
        bytes: this.#waiting,
      });
    }
  }

  async #archiveOnce(): Promise<void> {
    const { now, log, every_ms = archive_every_ms, most_waiting_bytes = waiting_max_bytes } = this.#settings;
    // A restored snapshot of a virtual machine shows only by a jump of its clock.
    if (Math.abs(now() - this.#begun_at) > 2 * every_ms) this.#checked = false;
    this.#begun_at = now();
    try {
      this.#measureWaiting();
      if (this.#waiting > most_waiting_bytes) {
        const reason = "too much waits to be archived: the destination was unavailable";
        for (const mode of environments) this.followers[mode].endChain(reason);
      }
      await Promise.all(environments.map((mode) => this.followers[mode].take()));
      await this.#sendAll();
      // An abandoned chain starts again once the destination is available.
      if (this.#problem === null) for (const mode of environments) this.followers[mode].resume();
      this.#backUpIfNeeded();
      await this.#prune();
    } catch (error) {
      log.warn("commits could not be archived", { reason: String(error) });
    }
    for (const mode of environments) {
      const until = this.#archived_until[mode] ?? this.#opened_at;
      this.#showBehind(Math.max(0, (now() - until) / 1000), mode);
    }
  }

  /** Sends waiting segments, by environment and in order, and removes them from the spool. */
  async #sendAll(): Promise<void> {
    const { place, log } = this.#settings;
    const taken = environments.map((mode) => ({ mode, ...this.followers[mode].known }));
    try {
      if (!this.#checked) await this.#checkPlace();
      for (const mode of environments) {
        for (const { name, chain } of waitingIn(this.#spool, mode)) {
          if (this.#forked.has(chain)) {
            await rm(join(this.#spool, name), { force: true });
            continue;
          }
          const bytes = await readFile(join(this.#spool, name));
          await place.write(name, bytes);
          await rm(join(this.#spool, name), { force: true });
          archived_segments.add(1, mode);
          archived_bytes.add(bytes.length, mode);
        }
      }
      for (const { mode, chain, taken_until } of taken) {
        if (taken_until !== null && chain !== null && this.#based[mode] === chain && !this.#forked.has(chain))
          this.#archived_until[mode] = taken_until;
      }
      await this.#settings.beforeSending?.();
      if (this.#problem !== null) log.info("the archive destination is available again", { place: place.place });
      this.#problem = null;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (this.#problem === null) log.warn("the archive destination is unavailable", { reason });
      this.#problem = reason;
    }
    this.#measureWaiting();
  }

  /**
   * Ends a chain if the destination lacks its segments, or has later ones. In the latter case the data was put back to
   * an earlier state, and its new commits do not continue the chain: none of them is sent under its name, not even
   * those that wait from an earlier run.
   */
  async #checkPlace(): Promise<void> {
    for (const mode of environments) {
      const { chain, index } = this.followers[mode].known;
      const waiting = waitingIn(this.#spool, mode);
      for (const name of new Set([...waiting.map((one) => one.chain), ...(chain === null ? [] : [chain])])) {
        const own = waiting.filter((one) => one.chain === name);
        const there = (await this.#settings.place.list(`${mode}/${name}`)).flatMap((found) => readName(found) ?? []);
        const next = own[0]?.index ?? index + 1;
        const known = new Set(own.map((one) => one.name));
        const is_ahead = there.some((found) => found.index >= next && !known.has(found.name));
        if (is_ahead) this.#forked.add(name);
        if (name !== chain) continue;
        if (is_ahead)
          this.#endChain(mode, "the destination has later commits, so this data was put back to an earlier state");
        else if ((there.at(-1)?.index ?? -1) < next - 1)
          this.#endChain(mode, "its last segment is missing at the destination");
      }
    }
    this.#checked = true;
  }

  /** Ends the chain of an environment, and starts another. */
  #endChain(mode: Environment, reason: string): void {
    // None of it counts as archived any longer.
    delete this.#based[mode];
    this.followers[mode].endChain(reason);
    this.followers[mode].resume();
  }

  /** Makes a base backup if a chain has none, while archiving continues. */
  #backUpIfNeeded(): void {
    const { now, log, backUp, place } = this.#settings;
    const chains = environments.map((mode) => [mode, this.followers[mode].known.chain] as const);
    const is_needed = chains.some(([mode, chain]) => chain !== null && this.#based[mode] !== chain);
    if (!is_needed || this.#ending || this.#backing_up !== null || now() < this.#back_up_after) return;
    const done = () => {
      this.#backup_problem = null;
      for (const [mode, chain] of chains) if (chain !== null) this.#based[mode] = chain;
      makeFolder(this.#spool);
      writeAtomically(this.#basedFile(), `${JSON.stringify({ place: place.place, ...this.#based })}\n`);
    };
    const failed = (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.#backup_problem = `The base backup for continuous archiving failed: ${reason}`;
      this.#back_up_after = now() + retry_backup_ms;
      log.warn("the base backup for continuous archiving failed", { reason });
    };
    this.#backing_up = backUp()
      .then(done)
      .catch(failed)
      .finally(() => {
        this.#backing_up = null;
        if (this.#backup_problem === null && !this.#ending) void this.archive();
      });
  }

  /** Removes segments that are no longer needed, once an hour. */
  async #prune(): Promise<void> {
    const { now, place, backups } = this.#settings;
    if (this.#problem !== null || now() < this.#prune_after) return;
    this.#prune_after = now() + prune_every_ms;
    const needed_from = neededFrom(await backups(), now(), keep_ms);
    if (needed_from === null) return;
    for (const mode of environments) {
      const { chain } = this.followers[mode].known;
      const names = (await place.list(mode)).flatMap((name) => readName(name) ?? []);
      // The last segment of a chain stays: it shows that the chain exists.
      const last = names.findLast((name) => name.chain === chain)?.name;
      for (const { name } of outlived(names, needed_from)) if (name !== last) await place.remove(name);
    }
  }

  #measureWaiting(): void {
    const size = ({ name }: SegmentName) => statSync(join(this.#spool, name), { throwIfNoEntry: false })?.size ?? 0;
    const all = environments.flatMap((mode) => waitingIn(this.#spool, mode));
    this.#waiting = all.reduce((sum, name) => sum + size(name), 0);
    this.#showWaiting(this.#waiting);
  }

  #isBased(mode: Environment): boolean {
    const { chain } = this.followers[mode].known;
    return chain !== null && this.#based[mode] === chain;
  }

  #basedFile(): string {
    return join(this.#spool, "backups.json");
  }

  /** Reads which chains have a base backup. Another destination has none. */
  #readBased(place: string): Partial<Record<Environment, string>> {
    if (!existsSync(this.#basedFile())) return {};
    try {
      const { place: known, ...based } = JSON.parse(readFileSync(this.#basedFile(), "utf8"));
      return known === place ? based : {};
    } catch {
      return {};
    }
  }
}
