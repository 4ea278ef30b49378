/** Whether the number that a JSON text says is shown again as the same: `0.1` and `1e3` are, 20 digits are not. */
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
