// Reads what others send in JSON. Nothing of it is sure.

/** An object as it came. */
export type Fields = Readonly<Record<string, unknown>>;

const unprintable = /[\p{Cc}\u{fffd}]+/gu;

/** An object, or one without fields in place of anything else. */
export function fieldsOrNone(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** The objects of a list; what is no object among them is left out, and no list is an empty one. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
}

/** A text of one line without outer blanks, cut to its longest; null for an empty one and for what is none. */
export function readText(value: unknown, characters_max: number): string | null {
  if (typeof value !== "string") return null;
  const text = value.toWellFormed().replace(unprintable, " ").trim().slice(0, characters_max);
  return text.toWellFormed().replace(unprintable, "").trim() || null;
}
