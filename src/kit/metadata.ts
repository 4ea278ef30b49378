// What a client may keep with a record: pairs of names and values of its own, nested if it likes.

export const metadata_limits = { bytes: 32 << 10, levels: 5, names: 50, items: 100, name: 40, text: 500 };

/** Where in the metadata something cannot be kept, as `.box.sizes[2]`, and why. */
interface MetadataProblem {
  readonly at: string;
  readonly message: string;
}

/** The first thing that cannot be kept, or null. */
export function metadataProblem(value: unknown): MetadataProblem | null {
  if (!isObject(value)) return { at: "", message: "must be an object" };
  const problem = problemIn(value, "", 1);
  if (problem !== null) return problem;
  const { bytes } = metadata_limits;
  if (Buffer.byteLength(JSON.stringify(value)) <= bytes) return null;
  return { at: "", message: `must have at most ${bytes} bytes as JSON` };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const unprintable = /[\p{Cc}\ufffd]/u;
const unprintableButBreaks = /(?![\t\n\r])[\p{Cc}\ufffd]/u;

function problemIn(value: unknown, at: string, level: number): MetadataProblem | null {
  const { levels, names, items, text } = metadata_limits;
  const said = (message: string) => ({ at, message });
  if (typeof value === "string") {
    if (unprintableButBreaks.test(value)) return said("must not hold control characters but line breaks and tabs");
    return [...value].length > text ? said(`must have at most ${text} characters`) : null;
  }
  if (typeof value !== "object" || value === null) return null;
  if (level > levels) return said(`is nested more than ${levels} levels deep`);
  if (Array.isArray(value)) {
    if (value.length > items) return said(`must have at most ${items} items`);
    return firstOf(value.entries(), (index, item) => problemIn(item, `${at}[${index}]`, level + 1));
  }
  const fields = Object.entries(value);
  if (fields.length > names) return said(`must have at most ${names} names`);
  return firstOf(fields, (name, inner) => nameProblem(name, at) ?? problemIn(inner, `${at}.${name}`, level + 1));
}

function nameProblem(name: string, at: string): MetadataProblem | null {
  const length = [...name].length;
  if (length > 0 && length <= metadata_limits.name && !unprintable.test(name)) return null;
  return { at: `${at}.${name}`, message: `is a name that must have 1 to ${metadata_limits.name} printable characters` };
}

function firstOf<Key>(
  pairs: Iterable<[Key, unknown]>,
  find: (key: Key, value: unknown) => MetadataProblem | null,
): MetadataProblem | null {
  for (const [key, value] of pairs) {
    const problem = find(key, value);
    if (problem !== null) return problem;
  }
  return null;
}
