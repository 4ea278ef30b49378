// Weights and lengths as the APIs of carriers want them: decimal text, exact as far as it goes, never too little.
import type { WeightUnit } from "../../kit/weight_unit.ts";
import type { Carriage } from "../offer.ts";
import { readWeight, type Weight } from "../weight.ts";

/** A weight in a unit as decimal text of so many decimals at most, rounded up: nobody pays too little for it. */
export function weightText({ numerator, denominator }: Weight, unit: WeightUnit, decimals: number): string {
  return roundedUp(numerator, denominator * nanogramsOf(unit), decimals);
}

/** As `weightText`, of goods in a parcel: rounded down, since together they weigh no more than it. Never nothing. */
export function goodsWeightText({ numerator, denominator }: Weight, unit: WeightUnit, decimals: number): string {
  const scaled = (numerator * 10n ** BigInt(decimals)) / (denominator * nanogramsOf(unit));
  return decimalText(scaled > 0n ? scaled : 1n, decimals);
}

const nanogramsOf = (unit: WeightUnit): bigint => readWeight(1, unit)?.numerator ?? 1n;

type Dimensions = NonNullable<Carriage["package"]["dimensions"]>;

/** The sides of a parcel in inches as decimal texts of so many decimals at most, rounded up. */
export function inchTexts({ unit, ...sides }: Dimensions, decimals: number) {
  const inches = (side: number) => {
    // As a number of units, whatever they are.
    const { numerator, denominator } = readWeight(side, "g") ?? { numerator: 0n, denominator: 1n };
    const [of_inch, per_inch] = unit === "in" ? [1n, 1n] : [100n, 254n];
    return roundedUp(numerator * of_inch, denominator * per_inch * nanogramsOf("g"), decimals);
  };
  return { length: inches(sides.length), width: inches(sides.width), height: inches(sides.height) };
}

function roundedUp(numerator: bigint, denominator: bigint, decimals: number): string {
  return decimalText((numerator * 10n ** BigInt(decimals) + denominator - 1n) / denominator, decimals);
}

/** A number of the smallest steps, as decimal text without zeros at its end. */
function decimalText(steps: bigint, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const part = String(steps % scale)
    .padStart(decimals, "0")
    .replace(/0+$/, "");
  return part === "" ? String(steps / scale) : `${steps / scale}.${part}`;
}
