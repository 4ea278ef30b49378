import {
  add,
  compare,
  decimalText,
  type Fraction,
  readFraction,
  roundedUnits,
  startedUnits,
} from "../core/decimals.ts";
import { assert, invalid } from "../core/faults.ts";
import { unitNanograms, type WeightUnit, weightUnit } from "../core/weight_units.ts";
import type { LengthUnit } from "../products/product.ts";

/** A weight as an exact fraction of nanograms, so that 0.45359237 kg is exactly one pound. Always above zero. */
export type Weight = Fraction;

/**
 * Reads a weight from a number or decimal text without rounding. Null when it is zero, negative, not a finite number,
 * longer than 32 characters or beyond an exponent of 30.
 */
export function readWeight(amount: string | number, unit: WeightUnit): Weight | null {
  return readFraction(amount, unitNanograms[unit]);
}

/** Returns the weight in whole grams, rounded half up, at least 1. */
export function gramsOf(weight: Weight): number {
  return Math.max(1, Number(roundedUnits(weight, unitNanograms.g)));
}

/** Returns the billed weight in pounds: rounded up, at least 1. */
export function billedPounds(weight: Weight): number {
  return Number(startedUnits(weight, unitNanograms.lb));
}

/** Returns the weight in a unit as exact decimal text; null when it has no finite decimal form. */
export function weightText(weight: Weight, unit: WeightUnit): string | null {
  return decimalText(weight, unitNanograms[unit]);
}

/** The sides of a parcel. */
export interface ParcelDimensions {
  readonly length: number;
  readonly width: number;
  readonly height: number;
  readonly unit: LengthUnit;
}

/** A parcel as the client described it. `weight` is decimal text in `weight_unit`. */
export interface ParcelPackage {
  readonly weight: string;
  readonly weight_unit: WeightUnit;
  readonly dimensions: ParcelDimensions | null;
}

/** A parcel in a request. */
interface ParcelInput {
  readonly weight: string | number;
  readonly weight_unit?: string | undefined;
  readonly dimensions?:
    | (Omit<ParcelDimensions, "unit"> & { readonly unit?: ParcelDimensions["unit"] | undefined })
    | null
    | undefined;
}

/** A weighed parcel: as the client described it, with its exact weight. */
export interface WeighedParcel {
  readonly package: ParcelPackage;
  readonly weight: Weight;
}

/** Reads a parcel. `path` prefixes its fields in messages, as in `package.`. Refuses: validation_failed. */
export function readParcel(input: ParcelInput, path: "" | "package."): WeighedParcel {
  const unit = weightUnit(input.weight_unit ?? "lb");
  assert(unit !== null, "the weight unit was validated");
  const weight = readWeight(input.weight, unit);
  if (weight === null) throw invalid(`${path}weight`, "must be a decimal number greater than 0");
  const { dimensions } = input;
  const sides = dimensions ? { ...dimensions, unit: dimensions.unit ?? "in" } : null;
  return { package: { weight: String(input.weight), weight_unit: unit, dimensions: sides }, weight };
}

/** The length of a side as an exact fraction of micrometers, so that 2.54 cm is exactly one inch. Always above zero. */
type ParcelSide = Fraction;

const unitMicrometers = { in: 25_400n, cm: 10_000n } as const satisfies Record<LengthUnit, bigint>;

/**
 * Reads the length of a side from a number or decimal text without rounding. Null when it is zero, negative, not a
 * finite number, longer than 32 characters or beyond an exponent of 30.
 */
export function readSide(amount: string | number, unit: LengthUnit): ParcelSide | null {
  return readFraction(amount, unitMicrometers[unit]);
}

/** The three sides of a parcel, the longest first. */
export type Sides = readonly [longest: ParcelSide, second: ParcelSide, third: ParcelSide];

/** Sorts the three sides of a parcel, the longest first. */
export function sidesOf(a: ParcelSide, b: ParcelSide, c: ParcelSide): Sides {
  const [longest = a, second = b, third = c] = [a, b, c].sort((left, right) => compare(right, left));
  return [longest, second, third];
}

/** Returns the length plus girth of a parcel: its longest side plus twice the sum of the other two. */
export function lengthAndGirth([longest, second, third]: Sides): Fraction {
  const half = add(second, third);
  return add(longest, add(half, half));
}

export const sideRoundings = ["ceil", "half"] as const;
/** How a carrier rounds a side to whole inches: up, or half up. */
export type SideRounding = (typeof sideRoundings)[number];

/** Returns the volume in cubic inches, with each side rounded to whole inches. */
export function cubicInches(sides: Sides, rounding: SideRounding): bigint {
  const inches = rounding === "ceil" ? startedUnits : roundedUnits;
  return sides.reduce((volume, side) => volume * inches(side, unitMicrometers.in), 1n);
}
