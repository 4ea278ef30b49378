/** Whether a JSON number keeps its value when it is parsed: `0.1` and `1e3` do, 20 digits do not. */
export function isExactNumber(text: string): boolean {
  return canonical(text) === canonical(String(Number(text)));
}

/** A decimal number without leading and trailing zeros, with the power of ten of its last digit. Null when invalid. */
function canonical(text: string): string | null {
  const [, sign = "", whole = "", part = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === "") return null;
  const digits = (whole + part).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${Number(power) - part.length + digits.length - kept.length}`;
}

/** An exact positive fraction. Prices are computed without rounding the client's measurements. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const longest_text = 32;
const greatest_exponent = 30;
const decimal = /^(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/**
 * Reads a number, or its decimal text, without rounding, as a multiple of the smallest unit; `unit` is how many of
 * those one unit has. Null when it is zero, negative, not finite, not a number, longer than 32 characters or beyond an
 * exponent of 30.
 */
export function readFraction(amount: string | number, unit: bigint): Fraction | null {
  const text = String(amount);
  // A long text or a huge exponent would cost seconds as a BigInt.
  if (text.length > longest_text) return null;
  const [, whole = "", part = "", exponent_text = "0"] = decimal.exec(text) ?? [];
  const exponent = Number(exponent_text) - part.length;
  if (whole + part === "" || Math.abs(Number(exponent_text)) > greatest_exponent) return null;
  const digits = BigInt(whole + part) * unit;
  if (digits === 0n) return null;
  return exponent < 0
    ? { numerator: digits, denominator: 10n ** BigInt(-exponent) }
    : { numerator: digits * 10n ** BigInt(exponent), denominator: 1n };
}

/** Compares two fractions: negative when `a` is less, zero when they are equal, positive when `a` is greater. */
export function compare(a: Fraction, b: Fraction): number {
  const [one, other] = [a.numerator * b.denominator, b.numerator * a.denominator];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** The sum of two fractions. */
export function add(a: Fraction, b: Fraction): Fraction {
  return a.denominator === b.denominator
    ? { numerator: a.numerator + b.numerator, denominator: a.denominator }
    : {
        numerator: a.numerator * b.denominator + b.numerator * a.denominator,
        denominator: a.denominator * b.denominator,
      };
}

/** Converts to units of `unit` smallest units each, rounded up. */
export function startedUnits({ numerator, denominator }: Fraction, unit: bigint): bigint {
  const one = unit * denominator;
  return (numerator + one - 1n) / one;
}

/** Converts to units of `unit` smallest units each, rounded half up. */
export function roundedUnits({ numerator, denominator }: Fraction, unit: bigint): bigint {
  const one = unit * denominator;
  return (2n * numerator + one) / (2n * one);
}

/** The fraction in lowest terms, so that equal fractions have equal parts. */
export function reduced({ numerator, denominator }: Fraction): Fraction {
  let [one, other] = [numerator, denominator];
  while (other > 0n) [one, other] = [other, one % other];
  return { numerator: numerator / one, denominator: denominator / one };
}

/** A fraction multiplied by a count. */
export function times({ numerator, denominator }: Fraction, count: number): Fraction {
  return { numerator: numerator * BigInt(count), denominator };
}

/** Converts to units of `unit` smallest units each, as exact decimal text; null when the decimals do not end. */
export function decimalText(fraction: Fraction, unit: bigint): string | null {
  const { numerator, denominator } = reduced({ ...fraction, denominator: fraction.denominator * unit });
  let [decimals, scale] = [0, 1n];
  while (scale % denominator !== 0n) {
    if (decimals === longest_text) return null;
    decimals += 1;
    scale *= 10n;
  }
  const digits = String((numerator * scale) / denominator).padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
