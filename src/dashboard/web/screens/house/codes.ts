// Reads the codes of many bins from one text.

/** How many bins one request may name. */
export const bins_max = 1000;

/** The codes in a text, separated by commas or lines, each once. `A-01..A-12` means twelve codes. */
export function codesIn(text: string): string[] {
  const parts = text
    .split(/[\n,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return [...new Set(parts.flatMap(spread))];
}

/** The codes of a range: the same letters and rising numbers. Other text is one code. */
function spread(part: string): string[] {
  const [, before = "", first = "", again = "", last = ""] = /^(.*?)(\d+)\s*\.\.\s*(.*?)(\d+)$/.exec(part) ?? [];
  const count = Number(last) - Number(first) + 1;
  if (first === "" || (again !== before && again !== "") || !(count >= 1 && count <= bins_max + 1)) return [part];
  return Array.from({ length: count }, (_, at) => before + String(Number(first) + at).padStart(first.length, "0"));
}
