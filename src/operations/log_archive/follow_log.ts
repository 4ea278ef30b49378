// The serving thread's view of following one environment's log: the reading thread does all the work.
import { existsSync } from "node:fs";
import type { Environment } from "../../core/environment.ts";
import type { Log } from "../../core/log.ts";
import type { FoundDatabase, LogFollower } from "../../storage/sqlite/commit_log.ts";
import type { FollowerAction, FollowerRequest, FollowerState } from "./follow_thread.ts";
import { ChainBroken, LogChain, waitingIn } from "./log_chain.ts";

/** The longest that a commit waits for frames to be read. */
const take_within_ms = 10_000;

/** The state of a chain. */
export interface FollowedChain {
  /** The name of the chain; null if none is followed. */
  readonly chain: string | null;
  /** The index of the last segment, from 0; -1 if there is none. */
  readonly index: number;
  /** The last commit that was read, and its time (ms). */
  readonly number: number;
  readonly at: number;
  /** Everything committed before this time (ms) was read; null before the first time. */
  readonly taken_until: number | null;
  /** Why and when (ms) the previous chain ended. */
  readonly broken: { readonly at: number; readonly reason: string } | null;
  /** Why frames currently cannot be read. */
  readonly failing: string | null;
}

interface FollowerSettings {
  readonly mode: Environment;
  readonly spool: string;
  readonly place: string;
  readonly log: Log;
  readonly now: () => number;
  /** Sends a request to the reading thread. Resolves to null if the thread has died. */
  readonly send: (request: Omit<FollowerRequest, "id">) => Promise<FollowerState | null>;
  /** Called when a chain has ended, with the reason. */
  readonly broke: (mode: Environment, reason: string) => void;
}

export class EnvironmentFollower implements LogFollower {
  readonly #settings: FollowerSettings;
  #path = "";
  /** Whether the chain of the last run continues with the current database. */
  #continues = false;
  /** `failed`: the log could not be opened, and may be tried again. `closed`: before opening and at the end. */
  #state: "closed" | "opening" | "failed" | "following" | "given_up" = "closed";
  #opened: Promise<void> = Promise.resolve();
  #known: FollowedChain = { chain: null, index: -1, number: 0, at: 0, taken_until: null, broken: null, failing: null };

  constructor(settings: FollowerSettings) {
    this.#settings = settings;
  }

  get known(): FollowedChain {
    return this.#known;
  }

  found(database: FoundDatabase): void {
    const { spool, mode, place, log } = this.#settings;
    const chain = new LogChain(spool, mode, place);
    try {
      const waiting = waitingIn(spool, mode).length;
      const known = chain.load();
      const dropped = waiting - waitingIn(spool, mode).length;
      if (dropped > 0) log.warn("segments for another archive destination were dropped", { mode, segments: dropped });
      if (known === null) return;
      chain.takeRemaining(database);
      this.#continues = true;
    } catch (error) {
      if (!(error instanceof ChainBroken)) this.#settings.log.warn("the rest of a log was not archived", facts(error));
      this.#broke(error instanceof Error ? error.message : String(error));
      try {
        chain.forget();
      } catch (worse) {
        this.#settings.log.warn("the last chain of archived commits could not be removed", facts(worse));
      }
    }
  }

  begin(path: string): void {
    this.#path = path;
    this.#state = "opening";
    this.#opened = this.#open();
  }

  async take(): Promise<boolean> {
    if (this.#state === "opening") await this.#opened;
    // A log that is not followed has nothing to wait for.
    if (this.#state !== "following") return true;
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), take_within_ms);
    const response = await Promise.race([this.#request("take"), late.promise]).finally(() => clearTimeout(timer));
    return response !== null && response.failed === null;
  }

  async release(): Promise<void> {
    if (this.#state === "following") await this.#request("let_go");
  }

  async hold(): Promise<void> {
    if (this.#state === "following") await this.#request("hold");
  }

  abandon(): void {
    this.endChain("its log grew too long before it was read");
  }

  /** Ends the chain, and stops following the log until `resume`. */
  endChain(reason: string): void {
    if (this.#state !== "following") return;
    this.#state = "given_up";
    this.#broke(reason);
    void this.#request("give_up");
  }

  /** Follows the log again with a new chain, after `endChain`. */
  resume(): void {
    if (this.#state === "given_up") this.#state = "following";
    else if (this.#state === "failed" && existsSync(`${this.#path}-wal`)) this.begin(this.#path);
  }

  async close(): Promise<void> {
    await this.#opened;
    const was_begun = this.#state !== "closed";
    this.#state = "closed";
    if (was_begun) await this.#request("close");
  }

  async #open(): Promise<void> {
    const response = await this.#request("open");
    const is_open = response !== null && response.chain !== null;
    this.#state = is_open ? "following" : "failed";
  }

  async #request(action: FollowerAction): Promise<FollowerState | null> {
    const { mode, spool, place, send, now, log } = this.#settings;
    const requested_at = now();
    const continues = action === "open" && this.#continues;
    const response = await send({ mode, action, spool, place, path: this.#path, continues });
    const failing = response === null ? "the thread that reads the logs has died" : response.failed;
    if (failing !== null && this.#known.failing === null) {
      log.warn("commits cannot be read for archiving", { mode, reason: failing });
    }
    if (response !== null) {
      const { chain, index, number, at, broken } = response;
      const is_taken = failing === null && chain !== null && (action === "take" || action === "close");
      const taken_until = is_taken ? requested_at : chain === this.#known.chain ? this.#known.taken_until : null;
      this.#known = { ...this.#known, chain, index, number, at, taken_until };
      if (broken !== null) this.#broke(broken);
    }
    this.#known = { ...this.#known, failing };
    return response;
  }

  #broke(reason: string): void {
    const { mode, now, broke } = this.#settings;
    this.#known = { ...this.#known, broken: { at: now(), reason } };
    broke(mode, reason);
  }
}

const facts = (error: unknown) => ({ reason: error instanceof Error ? error.message : String(error) });
