import { assert } from "../kit/assert.ts";
import { invalid } from "../kit/fault.ts";
import { type WeightUnit, weightUnit } from "../kit/weight_unit.ts";
import type { LengthUnit } from "../products/status.ts";
import { readWeight, type Weight } from "./weight.ts";

/** The sides of a parcel. */
export interface Dimensions {
  readonly length: number;
  readonly width: number;
  readonly height: number;
  readonly unit: LengthUnit;
}

/** A parcel as the client described it. `weight` is decimal text in `weight_unit`. */
export interface Package {
  readonly weight: string;
  readonly weight_unit: WeightUnit;
  readonly dimensions: Dimensions | null;
}

/** A parcel in a request. */
interface ParcelInput {
  readonly weight: string | number;
  readonly weight_unit?: string | undefined;
  readonly dimensions?:
    | (Omit<Dimensions, "unit"> & { readonly unit?: Dimensions["unit"] | undefined })
    | null
    | undefined;
}

/** A weighed parcel: as the client described it, with its exact weight. */
export interface Parcel {
  readonly package: Package;
  readonly weight: Weight;
}

/** Reads a parcel; `path` is its place in the request, as in `package.`. Refuses: validation_failed. */
export function readParcel(input: ParcelInput, path: "" | "package."): Parcel {
  const unit = weightUnit(input.weight_unit ?? "lb");
  assert(unit !== null, "a unit of weight is checked before");
  const weight = readWeight(input.weight, unit);
  if (weight === null) throw invalid(`${path}weight`, "must be a decimal number above zero");
  const { dimensions } = input;
  const sides = dimensions ? { ...dimensions, unit: dimensions.unit ?? "in" } : null;
  return { package: { weight: String(input.weight), weight_unit: unit, dimensions: sides }, weight };
}
