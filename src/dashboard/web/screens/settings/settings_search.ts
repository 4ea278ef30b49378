// Finding an entry of the settings by what users call it.

/** What the search reads of a screen. */
interface SearchedEntry {
  readonly title: string;
  readonly line?: string;
  readonly keywords?: readonly string[];
}

/** An entry that was found, with the keywords that contain a typed word which its title and line do not. */
interface FoundEntry<Entry> {
  readonly entry: Entry;
  readonly keywords: readonly string[];
}

const beginsIn = (text: string, word: string) => text.startsWith(word) || text.includes(` ${word}`);

/** How badly a word matches: a beginning of a word of the title is best. Null if it occurs nowhere. */
function distance({ title, line = "", keywords = [] }: SearchedEntry, word: string): number | null {
  const texts = [title, keywords.join(" "), line].map((text) => text.toLowerCase());
  const at = texts.findIndex((text) => beginsIn(text, word));
  if (at >= 0) return at;
  return texts.some((text) => text.includes(word)) ? texts.length : null;
}

const wordsOf = (typed: string) =>
  typed
    .toLowerCase()
    .split(/[\s-]+/)
    .filter(Boolean);

/** The entries that contain all typed words, best first. */
export function searchSettings<Entry extends SearchedEntry>(
  all: readonly Entry[],
  typed: string,
): readonly FoundEntry<Entry>[] {
  const wanted = wordsOf(typed);
  const found = all.flatMap((entry) => {
    const distances = wanted.map((word) => distance(entry, word));
    if (distances.includes(null)) return [];
    const shown = `${entry.title} ${entry.line ?? ""}`.toLowerCase();
    const hidden = wanted.filter((word) => !beginsIn(shown, word));
    const keywords = (entry.keywords ?? []).filter((text) => hidden.some((word) => text.toLowerCase().includes(word)));
    return [{ entry, keywords, sum: distances.reduce<number>((sum, one) => sum + (one ?? 0), 0) }];
  });
  return found.sort((one, other) => one.sum - other.sum).map(({ entry, keywords }) => ({ entry, keywords }));
}
