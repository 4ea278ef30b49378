import type { WeightUnit } from "../kit/weight_unit.ts";

/** A weight as an exact fraction of nanograms, so that 0.45359237 kg is exactly one pound. Always above zero. */
export interface Weight {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const unitNanograms = {
  lb: 453_592_370_000n,
  oz: 28_349_523_125n,
  kg: 1_000_000_000_000n,
  g: 1_000_000_000n,
} as const satisfies Record<WeightUnit, bigint>;

const longestText = 32;
const greatestExponent = 30;
const decimal = /^(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/**
 * Reads a weight from a number or its decimal text, without rounding. Null when it is zero, negative, not finite, no
 * number, longer than 32 characters or beyond an exponent of 30.
 */
export function readWeight(amount: string | number, unit: WeightUnit): Weight | null {
  const text = String(amount);
  // A long text or a huge exponent would cost seconds as a BigInt, so it is refused unread.
  if (text.length > longestText) return null;
  const [, whole = "", part = "", exponentText = "0"] = decimal.exec(text) ?? [];
  const exponent = Number(exponentText) - part.length;
  if (whole + part === "" || Math.abs(Number(exponentText)) > greatestExponent) return null;
  const digits = BigInt(whole + part) * unitNanograms[unit];
  if (digits === 0n) return null;
  return exponent < 0
    ? { numerator: digits, denominator: 10n ** BigInt(-exponent) }
    : { numerator: digits * 10n ** BigInt(exponent), denominator: 1n };
}

/** The weight of a whole, positive number of grams. */
export function weightOfGrams(weight_grams: number): Weight {
  return { numerator: BigInt(weight_grams) * unitNanograms.g, denominator: 1n };
}

/** The weight in whole grams, rounded half up, at least 1. */
export function gramsOf(weight: Weight): number {
  const grams =
    (2n * weight.numerator + unitNanograms.g * weight.denominator) / (2n * unitNanograms.g * weight.denominator);
  return Math.max(1, Number(grams));
}

/** The pounds a carrier bills: every started pound counts, and at least one. */
export function billedPounds(weight: Weight): number {
  const pound = unitNanograms.lb * weight.denominator;
  return Number((weight.numerator + pound - 1n) / pound);
}
