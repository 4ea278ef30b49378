import { add, compare, type Fraction, readFraction, roundedUnits, startedUnits } from "../kit/fraction.ts";
import type { LengthUnit } from "../products/status.ts";

/** The length of a side as an exact fraction of micrometers, so that 2.54 cm is exactly one inch. Always above zero. */
type Side = Fraction;

const unitMicrometers = { in: 25_400n, cm: 10_000n } as const satisfies Record<LengthUnit, bigint>;

/**
 * Reads the length of a side from a number or its decimal text, without rounding. Null when it is zero, negative, not
 * finite, no number, longer than 32 characters or beyond an exponent of 30.
 */
export function readSide(amount: string | number, unit: LengthUnit): Side | null {
  return readFraction(amount, unitMicrometers[unit]);
}

/** The three sides of a parcel, the longest first. */
export type Sides = readonly [longest: Side, second: Side, third: Side];

/** Sorts the sides of a parcel. */
export function sidesOf(one: Side, two: Side, three: Side): Sides {
  const [longest = one, second = two, third = three] = [one, two, three].sort((a, b) => compare(b, a));
  return [longest, second, third];
}

/** The length plus girth of a parcel: its longest side and the way around the two others. */
export function lengthAndGirth([longest, second, third]: Sides): Fraction {
  const half = add(second, third);
  return add(longest, add(half, half));
}

export const sideRoundings = ["ceil", "half"] as const;
/** How a carrier rounds a side to whole inches: up, or half up. */
export type SideRounding = (typeof sideRoundings)[number];

/** The cubic inches of a parcel whose sides are whole inches. */
export function cubicInches(sides: Sides, rounding: SideRounding): bigint {
  const inches = rounding === "ceil" ? startedUnits : roundedUnits;
  return sides.reduce((volume, side) => volume * inches(side, unitMicrometers.in), 1n);
}
