export const weightUnits = ["lb", "oz", "kg", "g"] as const;
export type WeightUnit = (typeof weightUnits)[number];

/** The size of each unit in nanograms, so that weights are exact. */
export const unitNanograms = {
  lb: 453_592_370_000n,
  oz: 28_349_523_125n,
  kg: 1_000_000_000_000n,
  g: 1_000_000_000n,
} as const satisfies Record<WeightUnit, bigint>;

// Other spellings of each unit.
const spellings: Readonly<Record<string, WeightUnit>> = {
  lb: "lb",
  lbs: "lb",
  pound: "lb",
  pounds: "lb",
  oz: "oz",
  ounce: "oz",
  ounces: "oz",
  kg: "kg",
  kgs: "kg",
  kilogram: "kg",
  kilograms: "kg",
  g: "g",
  gram: "g",
  grams: "g",
};

/** A pattern for every spelling of a unit, in either case and with surrounding whitespace. */
export const weightUnitPattern = `^\\s*(?:${Object.keys(spellings).map(eitherCase).join("|")})\\s*$`;

function eitherCase(word: string): string {
  return [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join("");
}

/** The unit of a spelling (`lbs`, `Pound`, `KG`); null for an unknown one. */
export function weightUnit(word: string): WeightUnit | null {
  const plain = word.trim().toLowerCase();
  return Object.hasOwn(spellings, plain) ? (spellings[plain] ?? null) : null;
}
