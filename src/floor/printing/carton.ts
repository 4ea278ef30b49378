import { iso } from "../../core/clock.ts";
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { money } from "../../core/money.ts";
import { unitNanograms, type WeightUnit } from "../../core/weight_units.ts";
import type { LengthUnit } from "../../products/product.ts";

/** The size and the weights of a carton as the client sent them. */
export interface CartonDescription {
  /** The inner sides. */
  readonly length: number;
  readonly width: number;
  readonly height: number;
  readonly unit: LengthUnit;
  /** The weight of the empty carton. */
  readonly weight: number;
  /** The most that it can hold; null for any weight. */
  readonly max_weight: number | null;
  readonly weight_unit: WeightUnit;
}

/** The same in whole millimeters and grams, for comparisons. */
interface CartonSize {
  readonly length_mm: number;
  readonly width_mm: number;
  readonly height_mm: number;
  readonly tare_grams: number;
  readonly max_weight_grams: number | null;
}

/** A carton that goods are packed in. */
export interface Carton extends CartonSize {
  readonly id: number;
  readonly code: string;
  readonly name: string | null;
  readonly described: CartonDescription;
  readonly cost_cents: number | null;
  readonly currency: string | null;
  /** Whether it is suggested and can be chosen. */
  readonly active: boolean;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

const unitMillimeters = { in: 25.4, cm: 10 } as const satisfies Record<LengthUnit, number>;
// A product such as 12 × 25.4 may end in 0.0000000001.
const tolerance = 1e-6;
const grams_max = 1_000_000;

/**
 * Returns the size in whole millimeters and grams: the sides and the limit rounded down, the weight rounded up, so that
 * nothing is suggested that does not fit. Refuses: validation_failed.
 */
export function cartonSize(described: CartonDescription): CartonSize {
  const { unit, weight, max_weight, weight_unit } = described;
  const side = (field: "length" | "width" | "height") => {
    const millimeters = Math.floor(described[field] * unitMillimeters[unit] + tolerance);
    if (millimeters >= 1 && millimeters <= 10_000) return millimeters;
    throw invalid(field, "must be between 1 mm and 10 m");
  };
  const inGrams = (field: "weight" | "max_weight", amount: number) => {
    const grams = (amount * Number(unitNanograms[weight_unit])) / 1e9;
    if (grams <= grams_max) return grams;
    throw invalid(field, "must be at most 1,000 kg");
  };
  const tare_grams = Math.ceil(inGrams("weight", weight) - tolerance);
  const max_weight_grams = max_weight === null ? null : Math.floor(inGrams("max_weight", max_weight) + tolerance);
  if (max_weight_grams !== null && max_weight_grams < 1) throw invalid("max_weight", "must be at least 1 g");
  return {
    length_mm: side("length"),
    width_mm: side("width"),
    height_mm: side("height"),
    tare_grams,
    max_weight_grams,
  };
}

/** Returns a carton as the API shows it. */
export function cartonView({ id, code, name, described, active, revision, ...carton }: Carton) {
  const { length, width, height, unit, weight, max_weight, weight_unit } = described;
  const { cost_cents, currency } = carton;
  return {
    id: wireId("carton", id),
    ...{ code, name, length, width, height, unit, weight, max_weight, weight_unit },
    cost: cost_cents === null || currency === null ? null : money(cost_cents, currency),
    currency,
    active,
    revision,
    created_at: iso(carton.created_at),
    updated_at: iso(carton.updated_at),
  };
}
