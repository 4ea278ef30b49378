// Runs Packhouse commands on installations that are moved, and classifies what they report about a place.
import { runCommand } from "../service.ts";

/** The flags that select the place a command works on. */
export const at = (place: string): string[] => (place.includes("://") ? ["--database-url", place] : ["--data", place]);

/** What a place reports to an operator: it serves, it is absent, half moved, moved, or something else. */
export async function told(place: string): Promise<string> {
  const { code, err } = await runCommand(["keys", "list", ...at(place)]);
  if (code === 0) return "serves";
  if (code === 66) return "absent";
  if (/has an unfinished move/.test(err) && /[Rr]un the same packhouse move again/.test(err)) return "half";
  if (/was moved to/.test(err)) return "moved";
  return `${code}: ${err}`;
}

/** The result of one move. */
export interface Round {
  /** What happened. */
  readonly line: string;
  /** The problem; empty if there was none. */
  readonly problems: readonly string[];
}

/** A fraction that a seed and a round determine. */
export const chance = (seed: number) => Number(Bun.hash(`move ${seed}`) % 1_000_003n) / 1_000_003;
