import { distance } from "fastest-levenshtein";

// Longer words are not typing errors, and comparing them would be slow.
const letters_max = 64;

/** Returns ` (did you mean quantity?)` when one of the choices is likely meant, else an empty text. */
export function didYouMean(word: string, choices: Iterable<string>): string {
  const meant = closest(word, choices);
  return meant === null ? "" : ` (did you mean ${meant}?)`;
}

/**
 * The choice that was most likely meant by an unknown word: one spelled differently (`orderNumber`), one that is a few
 * letters off (`quantty`), or the only one that contains the word (`items` in `line_items`). Null otherwise.
 */
export function closest(word: string, choices: Iterable<string>): string | null {
  const all = [...choices].filter((choice) => choice !== word);
  const near = all
    .map((choice) => ({ choice, off: slipsBetween(word, choice) }))
    .filter(({ off }) => off !== null)
    .sort((a, b) => (a.off ?? 0) - (b.off ?? 0))[0];
  if (near !== undefined) return near.choice;
  const plain = plainOf(word);
  const holding = all.filter((choice) =>
    choice
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .includes(plain),
  );
  return holding.length === 1 ? (holding[0] ?? null) : null;
}

/** The number of mistyped letters if `meant` was intended; null when that is unlikely. */
function slipsBetween(word: string, meant: string): number | null {
  const [typed, known] = [plainOf(word), plainOf(meant)];
  if (typed === "" || typed.length > letters_max) return null;
  if (typed === known) return 0;
  if (lettersOf(typed) === lettersOf(known)) return 1;
  const off = distance(typed, known);
  return off <= Math.min(typed.length, known.length) / 3 ? off : null;
}

const plainOf = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const lettersOf = (word: string) => [...word].sort().join("");
