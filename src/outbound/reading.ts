// Reads JSON from other parties, which may have any shape.

/** An object as it came. */
export type Fields = Readonly<Record<string, unknown>>;

const unprintable = /[\p{Cc}\u{fffd}]+/gu;

/** The object, or one without fields if it is anything else. */
export function fieldsOrNone(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** The objects in a list; other entries are left out, and anything but a list is an empty one. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
}

/** A text of one line without outer spaces, cut to its maximum; null when empty or not a text. */
export function readText(value: unknown, characters_max: number): string | null {
  if (typeof value !== "string") return null;
  const text = value.toWellFormed().replace(unprintable, " ").trim().slice(0, characters_max);
  return text.toWellFormed().replace(unprintable, "").trim() || null;
}
