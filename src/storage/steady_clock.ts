// Time as a store tells it, to its transactions and to whoever sets a timer by it: one clock for both.
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";

/** What sets a clock by less than this, other clocks and people may not even notice. */
export const step_min_ms = 5 * 60_000;
/** How fast time goes while it waits for a clock that was set back by less: waits take a ninth longer. */
const slowed = 0.9;

interface SteadySettings {
  /** The machine's clock, whose elapsed time nobody can set. */
  readonly source: Clock;
  /** The time of the machine that counts, in milliseconds; null while it is not known. */
  readonly read: () => number | null;
  readonly log: Log;
  /** Called when the clock was set by so much that waits have to be moved: see `stepped_ms`. */
  readonly onStep: () => void;
}

/**
 * A clock that never goes back by less than five minutes: it goes slower until the machine's has caught up. When that
 * was set by more, forth or back, this follows, and says by how much, so that what waits can be moved by as much.
 */
export class SteadyClock implements Clock {
  readonly #settings: SteadySettings;
  /** The last moment told, and what time had elapsed by then. */
  #told: { readonly at: number; readonly elapsed: number } | null = null;
  #stepped_ms = 0;

  constructor(settings: SteadySettings) {
    this.#settings = settings;
  }

  now(): number {
    return this.machine() + this.ahead_ms;
  }

  /** The time without what the clock was moved ahead by hand. */
  machine(): number {
    const { source, read } = this.#settings;
    const read_at = read();
    if (read_at === null) return source.now() - source.ahead_ms;
    const elapsed = source.elapsed();
    const at = this.#told === null ? read_at : this.#after(this.#told, read_at, elapsed);
    this.#told = { at, elapsed };
    return Math.floor(at);
  }

  get ahead_ms(): number {
    return this.#settings.source.ahead_ms;
  }

  advance(by_ms: number): void {
    this.#settings.source.advance(by_ms);
  }

  elapsed(): number {
    return this.#settings.source.elapsed();
  }

  /** Goes on from the last moment that was told before the start, if the machine's clock is not as far yet. */
  recall(at: number): void {
    const now = this.machine();
    if (at > now) this.#told = { at, elapsed: this.#settings.source.elapsed() };
  }

  /** By how much the machine's clock was set, and nothing that waits was moved yet. */
  get stepped_ms(): number {
    return this.#stepped_ms;
  }

  /** Notes that what waits was moved by as much. */
  moved(by_ms: number): void {
    this.#stepped_ms -= by_ms;
  }

  #after(told: { readonly at: number; readonly elapsed: number }, read_at: number, elapsed: number): number {
    const passed = elapsed - told.elapsed;
    const off = Math.round(read_at - (told.at + passed));
    if (Math.abs(off) < step_min_ms) return Math.max(read_at, told.at + passed * slowed);
    this.#stepped_ms += off;
    this.#settings.log.warn(off < 0 ? "the clock went back" : "the clock went ahead", { by_ms: Math.abs(off) });
    this.#settings.onStep();
    return read_at;
  }
}
