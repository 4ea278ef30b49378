// The clock of a store: one time for its transactions and its timers.
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";

/** Smaller steps of the clock are smoothed: other clocks and people may not even notice them. */
export const step_min_ms = 5 * 60_000;
/** The speed of time after a smaller step back: waits take a ninth longer. */
const slowed = 0.9;

interface SteadySettings {
  /** The machine's clock. Its elapsed time cannot be set. */
  readonly source: Clock;
  /** The reference time of the machine, in milliseconds; null while it is unknown. */
  readonly read: () => number | null;
  readonly log: Log;
  /** Called when the clock was set by so much that pending due times must be shifted: see `stepped_ms`. */
  readonly onStep: () => void;
}

/**
 * A clock that never goes back by less than five minutes: it runs slower until the machine's has caught up. A larger
 * step, ahead or back, is followed, and `stepped_ms` reports it so that pending due times can be shifted.
 */
export class SteadyClock implements Clock {
  readonly #settings: SteadySettings;
  /** The last time returned, and the elapsed time at that moment. */
  #last: { readonly at: number; readonly elapsed: number } | null = null;
  #stepped_ms = 0;

  constructor(settings: SteadySettings) {
    this.#settings = settings;
  }

  now(): number {
    return this.machine() + this.ahead_ms;
  }

  /** The time without the manual advance of the sandbox clock. */
  machine(): number {
    const { source, read } = this.#settings;
    const read_at = read();
    if (read_at === null) return source.now() - source.ahead_ms;
    const elapsed = source.elapsed();
    const at = this.#last === null ? read_at : this.#after(this.#last, read_at, elapsed);
    this.#last = { at, elapsed };
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

  /** Continues from the last time before a restart, if the machine's clock is behind it. */
  recall(at: number): void {
    const now = this.machine();
    if (at > now) this.#last = { at, elapsed: this.#settings.source.elapsed() };
  }

  /** How far the machine's clock was set without pending due times being shifted yet. */
  get stepped_ms(): number {
    return this.#stepped_ms;
  }

  /** Records that pending due times were shifted by this much. */
  shifted(by_ms: number): void {
    this.#stepped_ms -= by_ms;
  }

  #after(last: { readonly at: number; readonly elapsed: number }, read_at: number, elapsed: number): number {
    const passed = elapsed - last.elapsed;
    const drift_ms = Math.round(read_at - (last.at + passed));
    if (Math.abs(drift_ms) < step_min_ms) return Math.max(read_at, last.at + passed * slowed);
    this.#stepped_ms += drift_ms;
    this.#settings.log.warn(drift_ms < 0 ? "the clock was set back" : "the clock was set ahead", {
      by_ms: Math.abs(drift_ms),
    });
    this.#settings.onStep();
    return read_at;
  }
}
