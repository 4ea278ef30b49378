import { decimalText, type Fraction, readFraction, roundedUnits, startedUnits } from "../kit/fraction.ts";
import { unitNanograms, type WeightUnit } from "../kit/weight_unit.ts";

/** A weight as an exact fraction of nanograms, so that 0.45359237 kg is exactly one pound. Always above zero. */
export type Weight = Fraction;

/**
 * Reads a weight from a number or its decimal text, without rounding. Null when it is zero, negative, not finite, no
 * number, longer than 32 characters or beyond an exponent of 30.
 */
export function readWeight(amount: string | number, unit: WeightUnit): Weight | null {
  return readFraction(amount, unitNanograms[unit]);
}

/** The weight in whole grams, rounded half up, at least 1. */
export function gramsOf(weight: Weight): number {
  return Math.max(1, Number(roundedUnits(weight, unitNanograms.g)));
}

/** The billed pounds: rounded up, at least one. */
export function billedPounds(weight: Weight): number {
  return Number(startedUnits(weight, unitNanograms.lb));
}

/** The weight in a unit as exact decimal text; null when it has no finite decimals. */
export function weightText(weight: Weight, unit: WeightUnit): string | null {
  return decimalText(weight, unitNanograms[unit]);
}
