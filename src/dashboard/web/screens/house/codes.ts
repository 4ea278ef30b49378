// Codes of bins as people enter many of them at once.

/** How many bins one request may name. */
export const bins_max = 1000;

/** The codes that a text means: parted by commas or lines, `A-01..A-12` for twelve of them. Each once. */
export function codesIn(text: string): string[] {
  const parts = text
    .split(/[\n,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return [...new Set(parts.flatMap(spread))];
}

/** A range is from one number to a greater one behind the same letters; what is none is a code itself. */
function spread(part: string): string[] {
  const [, before = "", first = "", again = "", last = ""] = /^(.*?)(\d+)\s*\.\.\s*(.*?)(\d+)$/.exec(part) ?? [];
  const count = Number(last) - Number(first) + 1;
  if (first === "" || (again !== before && again !== "") || !(count >= 1 && count <= bins_max + 1)) return [part];
  return Array.from({ length: count }, (_, at) => before + String(Number(first) + at).padStart(first.length, "0"));
}
