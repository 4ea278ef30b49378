// Tags of orders. They are kept as written, and compared without regard to case.
import { invalid } from "../../core/faults.ts";

/** The most tags of an order. */
export const tags_max = 20;
/** The most characters of a tag. */
export const tag_length_max = 40;

/** The form in which tags are compared. */
export const tagKey = (tag: string): string => tag.normalize("NFC").toLowerCase();

/** The tags of a request. Refuses: validation_failed (a tag that occurs twice). */
export function readTags(tags: readonly string[]): readonly string[] {
  const keys = tags.map(tagKey);
  const at = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (at >= 0) throw invalid(`tags[${at}]`, `repeats ${tags[keys.indexOf(keys[at] ?? "")]}`, "duplicate");
  return tags;
}

/** The tags with others added, except those that are there already. Refuses: validation_failed (too many). */
export function withTags(tags: readonly string[], added: readonly string[]): readonly string[] {
  const keys = new Set(tags.map(tagKey));
  const all = [...tags];
  for (const tag of added) {
    if (keys.has(tagKey(tag))) continue;
    keys.add(tagKey(tag));
    all.push(tag);
  }
  if (all.length > tags_max)
    throw invalid("tags", `would make ${all.length} tags: an order has at most ${tags_max}`, "too_many");
  return all;
}

/** The tags without some of them. */
export function withoutTags(tags: readonly string[], removed: readonly string[]): readonly string[] {
  const keys = new Set(removed.map(tagKey));
  return tags.filter((tag) => !keys.has(tagKey(tag)));
}
