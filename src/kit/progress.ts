/** Shows how far a part of long work is. */
export interface Progress {
  /** One more is done. */
  step(): void;
  /** The part is done: its line stays. */
  done(): void;
}

/** Where progress is shown. */
export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const bar_width = 30;
const label_width = 22;

/** A bar in one line on a terminal; elsewhere one plain line when the part is done, so that logs stay short. */
export function progress(label: string, total: number, terminal: Terminal): Progress {
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
