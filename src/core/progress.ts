/** Shows the progress of a step. */
export interface ProgressBar {
  /** Counts one more item. */
  step(): void;
  /** Completes the step; its line stays. */
  done(): void;
}

export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const bar_width = 30;
const label_width = 22;

/**
 * A progress bar on one line of a terminal. Elsewhere, one plain line when the step completes, so that logs stay short.
 */
export function progressBar(label: string, total: number, terminal: Terminal): ProgressBar {
  const isTerminal = terminal.isTTY === true;
  let count = 0;
  let drawn = -1;
  const draw = () => {
    const filled = total === 0 ? bar_width : Math.floor((count / total) * bar_width);
    const bar = "█".repeat(filled) + "░".repeat(bar_width - filled);
    terminal.write(`\r${label.padEnd(label_width)} ${bar} ${count} of ${total}\u001b[K`);
  };
  return {
    step: () => {
      count += 1;
      const percent = Math.floor((count / total) * 100);
      if (!isTerminal || percent <= drawn) return;
      drawn = percent;
      draw();
    },
    done: () => {
      if (isTerminal) draw();
      terminal.write(isTerminal ? "\n" : `${label.padEnd(label_width)} ${count} of ${total}\n`);
    },
  };
}

// Progress of work on many rows: a bar on a terminal, a line every 10 seconds elsewhere.

const row_bar_width = 24;
const row_label_width = 22;
const terminal_every_ms = 100;
const lines_every_ms = 10_000;

/** Shows how many rows are done, rows per second, and the remaining time. */
export class RowProgress {
  readonly #label: string;
  readonly #total: number;
  readonly #terminal: Terminal;
  readonly #begun_at = performance.now();
  /** Rows done by an earlier run, which do not count towards the speed of this one. */
  #before = 0;
  #count = 0;
  #shown_at: number;

  constructor(label: string, total: number, terminal: Terminal) {
    this.#label = label;
    this.#total = total;
    this.#terminal = terminal;
    this.#shown_at = terminal.isTTY === true ? Number.NEGATIVE_INFINITY : this.#begun_at;
  }

  /** Counts rows that were done by an earlier run. */
  skip(rows: number): void {
    this.#before += rows;
    this.step(rows);
  }

  step(rows: number): void {
    this.#count += rows;
    const isTerminal = this.#terminal.isTTY === true;
    const now = performance.now();
    if (now - this.#shown_at < (isTerminal ? terminal_every_ms : lines_every_ms)) return;
    this.#shown_at = now;
    this.#show(isTerminal ? "" : "\n");
  }

  /** Completes the work; its line stays. */
  done(): void {
    this.#show("\n");
  }

  #show(end: string): void {
    const share = this.#total === 0 ? 1 : Math.min(1, this.#count / this.#total);
    const seconds = Math.max((performance.now() - this.#begun_at) / 1000, 0.001);
    const speed = (this.#count - this.#before) / seconds;
    const left = speed > 0 ? Math.max(0, this.#total - this.#count) / speed : 0;
    const facts = [
      `${String(Math.floor(share * 100)).padStart(3)} %`,
      `${this.#count} of ${this.#total} rows`,
      `${Math.round(speed)} rows/s`,
      left >= 0.5 ? `${clockTime(left)} left` : `${seconds.toFixed(1)} s`,
    ].join("  ");
    const label = this.#label.padEnd(row_label_width);
    if (this.#terminal.isTTY !== true) return void this.#terminal.write(`${label} ${facts}\n`);
    const filled = Math.floor(share * row_bar_width);
    const bar = "█".repeat(filled) + "░".repeat(row_bar_width - filled);
    this.#terminal.write(`\r${label} ${bar} ${facts}\u001b[K${end}`);
  }
}

/** `mm:ss`, or `h:mm:ss`. */
function clockTime(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}
