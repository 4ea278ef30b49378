import { describe, expect, test } from "bun:test";
import { readSide, readWeight, sidesOf } from "../../../src/shipping/parcel.ts";
import { priceParcel, type ReadyTerms, readyTerms } from "../../../src/shipping/rates/price_parcel.ts";
import type { Amount, CardTerms, Surcharge } from "../../../src/shipping/rates/rate_card.ts";
import { sampleCards } from "../../../src/shipping/rates/sample_rate_cards.ts";
import { type Question, type Tariff, workOut } from "./oracle.ts";

/** Pseudorandom numbers, the same in each run. */
function dice(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return { int, of: <One>(...some: readonly One[]) => some[int(0, some.length - 1)] as One };
}
type Dice = ReturnType<typeof dice>;

const [sample] = sampleCards("local");
const amount = ([price_cents, cost_cents]: readonly [number, number]): Amount => ({ price_cents, cost_cents });

function termsOf(tariff: Tariff): CardTerms {
  const rows = tariff.breaks.map((row) => ({ zone: "4", up_to_pounds: row.pounds, ...amount(row.amount) }));
  const extra = tariff.extra === null ? [] : [{ zone: "4", up_to_pounds: null, ...amount(tariff.extra) }];
  const fixed = (index: number, cents: readonly [number, number]): Surcharge => {
    return { ...amount(cents), fuelable: tariff.fuelable[index] ?? false };
  };
  const none = { longest_over: null, second_over: null, length_and_girth_over: null, volume_over: null };
  if (sample === undefined) throw new Error("no sample");
  return {
    ...sample.terms,
    prices: [...extra, ...rows.reverse()],
    minimum: amount(tariff.minimum),
    limits: { billed_pounds: tariff.limit, longest: null, length_and_girth: null },
    dimensional: { divisor: tariff.divisor, over: tariff.over },
    side_rounding: tariff.rounding,
    surcharges: {
      residential: fixed(0, tariff.residential),
      additional_handling: {
        ...fixed(1, tariff.handling),
        ...none,
        longest_over: "48",
        second_over: "30",
        volume_over: "10368",
        weight_over: "50",
      },
      large_package: {
        ...fixed(2, tariff.large),
        ...none,
        longest_over: "96",
        length_and_girth_over: "130",
        volume_over: "17280",
        weight_over: "110",
        billed_pounds: 90,
      },
      remote_area: { ...fixed(3, tariff.remote), places: [] },
    },
    fuel_basis_points: tariff.fuel_basis_points,
    declared_value: {
      included_cents: tariff.insurance.included,
      per_hundred: amount(tariff.insurance.unit),
      minimum: amount(tariff.insurance.minimum),
    },
  };
}

function randomTariff({ int, of }: Dice): Tariff {
  const cents = (most: number): [number, number] => [int(0, most), int(0, most)];
  const breaks: { pounds: number; amount: [number, number] }[] = [];
  for (let pounds = int(1, 3), price = int(100, 900), rows = int(1, 12); rows > 0; rows--) {
    breaks.push({ pounds, amount: [price, price - int(0, 90)] });
    pounds += int(1, 20);
    price += int(0, 900);
  }
  return {
    breaks,
    extra: of(null, cents(200)),
    minimum: cents(1500),
    limit: of(null, 70, 150, 500),
    divisor: of(139, 166, 194),
    over: of(0, 1728, 1728),
    rounding: of("ceil", "half"),
    residential: cents(700),
    handling: cents(3000),
    large: cents(12_000),
    remote: cents(5000),
    fuelable: [of(true, false), of(true, false), of(true, false), of(true, false)],
    fuel_basis_points: of(0, 1, 1250, int(1, 4000)),
    insurance: { included: of(0, 10_000), unit: cents(155), minimum: cents(465) },
  };
}

function randomQuestion({ int, of }: Dice): Question {
  const decimal = (most: number) => `${int(0, most)}.${String(int(1, 10 ** int(1, 6)))}`;
  const near = (edges: readonly string[], most: number) => of(decimal(most), decimal(most), of(...edges));
  const weight_unit = of("lb", "oz", "kg", "g");
  const weight: Record<string, string> = {
    lb: near(["1", "5", "50", "50.0000001", "70", "110", "110.00001", "1e1"], 160),
    oz: near(["16", "80", "1120", "1120.1", "0.001"], 2600),
    kg: near(["0.45359237", "0.453592370001", "2.26796185", "22.6796185"], 70),
    g: near(["453.59237", "453.592370000001", "22679.6185", "4.5359237e2"], 70_000),
  };
  const side = () => near(["12", "12.0", "48", "48.01", "30", "30.5", "96", "0.4", "121.92"], of(20, 60, 130));
  return {
    weight: weight[weight_unit] as string,
    weight_unit,
    sides: of(null, [side(), side(), side()], [side(), side(), side()], ["12", "12", of("12", "12.01", "11.5")]),
    side_unit: of("in", "in", "cm"),
    residential: of(true, false),
    remote: of(true, false),
    insured_cents: of(null, 10_000, 10_001, 20_000, int(1, 500_000)),
  };
}

type Unit = "lb" | "oz" | "kg" | "g";

function ask(ready: ReadyTerms, question: Question) {
  const weight = readWeight(question.weight, question.weight_unit as Unit);
  if (weight === null) throw new Error(`no weight: ${question.weight}`);
  const [one, two, three] = (question.sides ?? []).map((text) => readSide(text, question.side_unit as "in" | "cm"));
  const sides = one && two && three ? sidesOf(one, two, three) : null;
  const { residential, remote, insured_cents } = question;
  return priceParcel(ready, { weight, sides }, { zone: "4", residential, remote, insured_cents });
}

const told = (answer: ReturnType<typeof ask>) =>
  "refused" in answer
    ? null
    : {
        billed: answer.billable_pounds,
        lines: answer.lines.map(({ code, amount_cents, cost_cents }) => [code, amount_cents, cost_cents]),
      };

test("fuel on the most expensive possible parcel is exact to the cent", () => {
  const tariff: Tariff = {
    ...randomTariff(dice(1)),
    breaks: [{ pounds: 1, amount: [99_999_999, 99_999_997] }],
    extra: [99_999_999, 99_999_997],
    limit: null,
    fuelable: [false, false, false, false],
    fuel_basis_points: 99_999,
  };
  const ready = readyTerms(termsOf(tariff));
  // Just below, at and above half a cent.
  for (const pounds of [94_999, 95_000, 95_001, 84_999]) {
    const question: Question = {
      weight: `${pounds}`,
      weight_unit: "lb",
      sides: null,
      side_unit: "in",
      residential: false,
      remote: false,
      insured_cents: null,
    };
    expect(told(ask(ready, question))).toEqual(workOut(tariff, question) as never);
  }
});

describe("20,000 random parcels", () => {
  test("cost the same as in an independent computation with fractions, line by line", () => {
    const roll = dice(20_261_122);
    const met = new Map<string, number>();
    for (let card = 0; card < 400; card++) {
      const tariff = randomTariff(roll);
      const ready = readyTerms(termsOf(tariff));
      for (let parcel = 0; parcel < 50; parcel++) {
        const question = randomQuestion(roll);
        const [mine, theirs] = [told(ask(ready, question)), workOut(tariff, question)];
        if (!Bun.deepEquals(mine, theirs))
          expect({ question, tariff, mine }).toEqual({ question, tariff, mine: theirs as never });
        for (const code of mine === null ? ["refused"] : mine.lines.map(([line]) => String(line))) {
          met.set(code, (met.get(code) ?? 0) + 1);
        }
      }
    }
    // Every kind of line occurs often enough to be tested.
    for (const code of ["base", "residential", "additional_handling", "large_package", "remote_area"]) {
      expect([code, (met.get(code) ?? 0) > 1000]).toEqual([code, true]);
    }
    for (const code of ["fuel", "declared_value", "refused"])
      expect([code, (met.get(code) ?? 0) > 1000]).toEqual([code, true]);
  });

  test("never get cheaper at twice the weight", () => {
    const roll = dice(7);
    for (let card = 0; card < 100; card++) {
      const ready = readyTerms(termsOf(randomTariff(roll)));
      for (let parcel = 0; parcel < 20; parcel++) {
        const question = randomQuestion(roll);
        const twice = { ...question, weight: String(Number(question.weight) * 2) };
        const [light, heavy] = [told(ask(ready, question)), told(ask(ready, twice))];
        if (light === null || heavy === null) continue;
        const total = (answer: typeof light) => answer.lines.reduce((sum, [, cents]) => sum + Number(cents), 0);
        expect(total(heavy)).toBeGreaterThanOrEqual(total(light));
      }
    }
  });
});

describe("edges", () => {
  const zero = [0, 0] as const;
  const plain: Tariff = {
    breaks: [
      { pounds: 1, amount: [700, 500] },
      { pounds: 5, amount: [1000, 800] },
    ],
    extra: [100, 90],
    minimum: zero,
    limit: 150,
    divisor: 139,
    over: 1728,
    rounding: "ceil",
    residential: zero,
    handling: [2000, 1500],
    large: [9000, 8000],
    remote: zero,
    fuelable: [true, true, true, true],
    fuel_basis_points: 0,
    insurance: { included: 10_000, unit: [115, 100], minimum: [345, 300] },
  };
  const ready = readyTerms(termsOf(plain));
  const usual: Question = {
    weight: "1",
    weight_unit: "lb",
    sides: null,
    side_unit: "in",
    residential: false,
    remote: false,
    insured_cents: null,
  };
  const price = (changes: Partial<Question>) => told(ask(ready, { ...usual, ...changes }));
  const base = (changes: Partial<Question>) => price(changes)?.lines[0]?.[1];
  const codes = (changes: Partial<Question>) => price(changes)?.lines.map(([code]) => code);
  const cube = (side: string): Question["sides"] => ["12", "12", side];

  test("a break includes its upper edge, and beyond the last one each pound is added", () => {
    expect([base({ weight: "5" }), base({ weight: "5.0000001" }), base({ weight: "7" })]).toEqual([1000, 1100, 1200]);
    expect(price({ weight: "150.1" })).toBeNull();
  });

  test("1,728 cubic inches are not dimensional, 1,729 are", () => {
    expect(price({ sides: cube("12") })?.billed).toBe(1);
    expect(price({ sides: ["19", "13", "7"] })?.billed).toBe(13);
    expect(price({ sides: cube("12.01") })?.billed).toBe(14);
    expect(price({ sides: ["30.48", "30.48", "30.48"], side_unit: "cm" })?.billed).toBe(1);
  });

  test("limits are strict: 48 in is allowed, 48.01 in is too long; 48 in in centimeters is allowed", () => {
    const long = (side: string, side_unit = "in") => codes({ sides: [side, "1", "1"], side_unit });
    expect(long("48")).toEqual(["base"]);
    expect(long("48.01")).toEqual(["base", "additional_handling"]);
    expect(codes({ sides: ["121.92", "1", "1"], side_unit: "cm" })).toEqual(["base"]);
    expect(codes({ sides: ["121.9200001", "1", "1"], side_unit: "cm" })).toEqual(["base", "additional_handling"]);
    expect(codes({ weight: "50.0001" })).toEqual(["base", "additional_handling"]);
  });

  test("a large package bills at least ninety pounds", () => {
    const large = price({ sides: ["96.5", "1", "1"] });
    expect([large?.billed, large?.lines[0]?.[1]]).toEqual([90, 1000 + 85 * 100]);
  });

  test("the included value is insured for free, and a cent more costs the minimum", () => {
    const insured = (insured_cents: number) => price({ insured_cents })?.lines[1]?.[1];
    expect([insured(10_000), insured(10_001), insured(40_001)]).toEqual([undefined, 345, 460]);
  });

  test.each([
    ["JPY", 1000n],
    ["USD", 10n],
    ["KWD", 1n],
  ] as const)("each hundred of %s that is begun beyond what is included is charged once", (currency, thousandths) => {
    const roll = dice(7);
    const { declared_value } = termsOf(plain);
    if (declared_value === null) throw new Error("no terms of insurance");
    const unitsOf = (included_cents: number, insured_cents: number) => {
      const per_hundred = amount([1, 1]);
      const terms = { ...termsOf(plain), currency, declared_value: { included_cents, per_hundred, minimum: null } };
      return told(ask(readyTerms(terms), { ...usual, insured_cents }))?.lines[1]?.[1] ?? 0;
    };
    for (let round = 0; round < 3000; round += 1) {
      const included = roll.int(0, 100_000);
      // About half of the time a whole number of hundreds beyond it.
      const exact = Number((BigInt(included) * thousandths) / 10n) + 10_000 * roll.int(0, 9);
      const insured = roll.of(exact, exact + 1, roll.int(1, 5_000_000));
      const beyond = BigInt(insured) * 10n - BigInt(included) * thousandths;
      const units = BigInt(unitsOf(included, insured));
      const isRight = beyond <= 0n ? units === 0n : beyond <= units * 100_000n && beyond > (units - 1n) * 100_000n;
      expect([included, insured, units, isRight]).toEqual([included, insured, units, true]);
    }
    if (currency === "USD") expect(unitsOf(12_814, 22_814)).toBe(1);
  });

  test("equal kilograms and pounds weigh the same", () => {
    expect(base({ weight: "0.45359237", weight_unit: "kg" })).toBe(700);
    expect(base({ weight: "0.453592370000001", weight_unit: "kg" })).toBe(1000);
  });

  test("invalid numbers are not dimensions", () => {
    const bad = ["0", "-1", "NaN", "Infinity", "1e31", "1e3000000", "9".repeat(33), "", "1,5", "0x10"];
    for (const text of bad) expect([text, readSide(text, "in"), readWeight(text, "lb")]).toEqual([text, null, null]);
  });
});
