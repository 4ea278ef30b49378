// Numbers in the cells of files. Some countries write 1.5 as 1,5 and 1,000 as 1.000: what both could be is refused.

/** What separates the whole part of a number from its decimals, as a file declares it. */
export const decimalSigns = [",", "."] as const;
export type DecimalSign = (typeof decimalSigns)[number];

/** A number in plain digits with a decimal point, or why a cell holds none. */
type CellNumber = { readonly digits: string } | { readonly problem: string };

const exact = /^([+-]?)(\d*)(?:\.(\d+))?$/;
// One to three digits and three more: a thousand in one country, a decimal in another. No thousands begin with a zero.
const ambiguous = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;
const powers = /^-?\d+(\.\d+)?e[+-]?\d+$/i;
const numeric = /^[+-]?[\d.,'’ \u00a0\u202f]*\d[\d.,'’ \u00a0\u202f]*$/;

const declared = {
  ",": /^([+-]?)(\d+|[1-9]\d{0,2}(?:([.'’ \u00a0\u202f])\d{3})(?:\3\d{3})*)?(?:,(\d+))?$/,
  ".": /^([+-]?)(\d+|[1-9]\d{0,2}(?:([,'’ \u00a0\u202f])\d{3})(?:\3\d{3})*)?(?:\.(\d+))?$/,
} as const;

const way = "Declare the decimal separator of the file: decimal=, or decimal=. (on the command line --decimal)";

/**
 * Reads the number in a cell by the decimal separator of its file. Without one, a number that could have another value
 * in another country is refused. Null for text that is no number at all.
 */
export function readCellNumber(text: string, decimal: DecimalSign | null): CellNumber | null {
  if (powers.test(text)) return { digits: text };
  if (decimal !== null) {
    const [, sign = "", whole = "", , part] = declared[decimal].exec(text) ?? [];
    if (whole !== "" || part !== undefined) return plain(sign, whole.replaceAll(/\D/g, ""), part);
    const sign_name = decimal === "," ? "comma" : "point";
    return numeric.test(text) ? { problem: `is ${text}, which is not a number with a decimal ${sign_name}` } : null;
  }
  if (ambiguous.test(text)) {
    const [one, thousands] = [String(Number(text)), text.replace(".", "")];
    return { problem: `is ${text}, which can mean ${thousands} or ${one}. ${way}` };
  }
  const [, sign = "", whole = "", part] = exact.exec(text) ?? [];
  if (whole !== "" || part !== undefined) return plain(sign, whole, part);
  if (!text.includes(",") || !numeric.test(text)) return null;
  return { problem: `is ${text}, in which the comma can separate decimals or thousands. ${way}` };
}

function plain(sign: string, whole: string, part: string | undefined): CellNumber {
  const digits = part === undefined ? whole : `${whole === "" ? "0" : whole}.${part}`;
  return { digits: `${sign === "-" ? "-" : ""}${digits}` };
}

/** An amount without zeros behind its second decimal, which say nothing: `12.500` is `12.50`. */
export const withoutZeros = (digits: string): string => digits.replace(/(\.\d\d\d*?)0+$/, "$1");

/** A number as a file writes it: with a zero at its end where it could be thousands, such as `1.1250`. */
export function numberText(value: number | string): number | string {
  return ambiguous.test(String(value)) ? `${value}0` : value;
}
