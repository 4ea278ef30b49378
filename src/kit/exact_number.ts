/** Whether a number in JSON text keeps its value when it is parsed: `0.1` and `1e3` do, 20 digits do not. */
export function isExactNumber(text: string): boolean {
  return canonical(text) === canonical(String(Number(text)));
}

/** A decimal number without zeros at its ends: digits, and the power of ten of the last of them. */
function canonical(text: string): string | null {
  const [, sign = "", whole = "", part = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === "") return null;
  const digits = (whole + part).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${Number(power) - part.length + digits.length - kept.length}`;
}
