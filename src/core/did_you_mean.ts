import { distance } from "fastest-levenshtein";

// A longer word is no typing error, and comparing it would be slow.
const letters_max = 64;

/** ` (did you mean quantity?)` when one of the choices is likely to be what was meant, else nothing. */
export function didYouMean(word: string, choices: Iterable<string>): string {
  const meant = closest(word, choices);
  return meant === null ? "" : ` (did you mean ${meant}?)`;
}

/**
 * The choice that was most likely meant by a word that is none: one that is written otherwise (`orderNumber`), one a
 * few letters off (`quantty`), or the only one that has it among its words (`items` for `line_items`). Else null.
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

/** How many letters were mistyped if one word was meant by the other; null when that is not likely. */
function slipsBetween(word: string, meant: string): number | null {
  const [given, known] = [plainOf(word), plainOf(meant)];
  if (given === "" || given.length > letters_max) return null;
  if (given === known) return 0;
  if (lettersOf(given) === lettersOf(known)) return 1;
  const off = distance(given, known);
  return off <= Math.min(given.length, known.length) / 3 ? off : null;
}

const plainOf = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const lettersOf = (word: string) => [...word].sort().join("");
