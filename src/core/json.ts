/**
 * Parses JSON from other systems. An integer that a number cannot hold exactly, such as an id of 64 bits, becomes text
 * with its digits. Throws on text that is not JSON.
 */
export function parseWithLargeIntegers(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name, value: unknown, { source = "" }: { source?: string } = {}) => {
    const is_rounded = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    return is_rounded ? source : value;
  });
}
