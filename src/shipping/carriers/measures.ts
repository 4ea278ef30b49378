// Weights and lengths as carriers' APIs take them: decimal text, exact as far as it goes, never too little.
import { type Fraction, startedUnits } from "../../kit/fraction.ts";
import type { WeightUnit } from "../../kit/weight_unit.ts";
import type { Dimensions } from "../parcel.ts";
import { readSide } from "../side.ts";
import { readWeight, type Weight } from "../weight.ts";

/** A weight in a unit as decimal text with at most so many decimals, rounded up so that nobody pays too little. */
export function weightText(weight: Weight, unit: WeightUnit, decimals: number): string {
  return decimalText(startedSteps(weight, oneOf(unit), decimals), decimals);
}

/**
 * Like `weightText`, for goods inside a parcel: rounded down, since together they cannot weigh more than the parcel.
 * Never zero.
 */
export function goodsWeightText(weight: Weight, unit: WeightUnit, decimals: number): string {
  const steps = (weight.numerator * 10n ** BigInt(decimals)) / (weight.denominator * oneOf(unit));
  return decimalText(steps > 0n ? steps : 1n, decimals);
}

/** The sides of a parcel in inches as decimal texts of so many decimals at most, rounded up. */
export function inchTexts({ unit, ...sides }: Dimensions, decimals: number) {
  const inches = (side: number) => {
    const length = readSide(side, unit);
    return length === null ? "0" : decimalText(startedSteps(length, inch, decimals), decimals);
  };
  return { length: inches(sides.length), width: inches(sides.width), height: inches(sides.height) };
}

const inch = readSide(1, "in")?.numerator ?? 1n;
const oneOf = (unit: WeightUnit): bigint => readWeight(1, unit)?.numerator ?? 1n;

/** The amount in units of the last decimal, rounded up. */
const startedSteps = ({ numerator, denominator }: Fraction, unit: bigint, decimals: number): bigint =>
  startedUnits({ numerator: numerator * 10n ** BigInt(decimals), denominator }, unit);

/** A count of the last decimal as text without trailing zeros. */
function decimalText(steps: bigint, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const part = String(steps % scale)
    .padStart(decimals, "0")
    .replace(/0+$/, "");
  return part === "" ? String(steps / scale) : `${steps / scale}.${part}`;
}
