// A second implementation of prices from the notes, with its own fractions and nothing of the engine's.

/** A fraction in lowest terms. */
class Q {
  readonly n: bigint;
  readonly d: bigint;

  constructor(n: bigint, d = 1n) {
    const common = gcd(n < 0n ? -n : n, d);
    this.n = n / common;
    this.d = d / common;
  }

  static of(text: string): Q {
    const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
    const [whole = "", part = ""] = mantissa.split(".");
    let value = new Q(BigInt(`${whole}${part}` || "0"));
    const shift = Number(power) - part.length;
    const ten = new Q(10n);
    const tenth = new Q(1n, 10n);
    for (let at = 0; at < Math.abs(shift); at++) value = value.times(shift > 0 ? ten : tenth);
    return value;
  }

  plus = (other: Q) => new Q(this.n * other.d + other.n * this.d, this.d * other.d);
  times = (other: Q) => new Q(this.n * other.n, this.d * other.d);
  over = (other: Q) => new Q(this.n * other.d, this.d * other.n);
  isMoreThan = (other: Q) => this.n * other.d > other.n * this.d;
  floor = () => this.n / this.d;
  ceil = () => -(-this.n / this.d) + (this.n % this.d === 0n ? 0n : 1n);
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a || 1n : gcd(b, a % b);
}

const pounds: Record<string, Q> = {
  lb: new Q(1n),
  oz: new Q(1n, 16n),
  g: new Q(1n).over(Q.of("28.349523125").times(new Q(16n))),
  kg: new Q(1000n).over(Q.of("28.349523125").times(new Q(16n))),
};
const inches: Record<string, Q> = { in: new Q(1n), cm: new Q(1n).over(Q.of("2.54")) };

/** A rate card in the terms of the notes. An amount is a price and a cost, in cents. */
export interface Tariff {
  readonly breaks: readonly { readonly pounds: number; readonly amount: readonly [number, number] }[];
  readonly extra: readonly [number, number] | null;
  readonly minimum: readonly [number, number];
  readonly limit: number | null;
  readonly divisor: number;
  readonly over: number;
  readonly rounding: "ceil" | "half";
  readonly residential: readonly [number, number];
  readonly handling: readonly [number, number];
  readonly large: readonly [number, number];
  readonly remote: readonly [number, number];
  /** The fixed charges that fuel applies to. */
  readonly fuelable: readonly boolean[];
  readonly fuel_basis_points: number;
  readonly insurance: { included: number; unit: readonly [number, number]; minimum: readonly [number, number] };
}

export interface Question {
  readonly weight: string;
  readonly weight_unit: string;
  readonly sides: readonly [string, string, string] | null;
  readonly side_unit: string;
  readonly residential: boolean;
  readonly remote: boolean;
  readonly insured_cents: number | null;
}

/** The lines as `[code, price, cost]` and the billed pounds; null without a rate. */
export function workOut(tariff: Tariff, question: Question) {
  const weight = Q.of(question.weight).times(pounds[question.weight_unit] as Q);
  const sides = (question.sides ?? []).map((text) => Q.of(text).times(inches[question.side_unit] as Q));
  sides.sort((a, b) => (a.isMoreThan(b) ? -1 : 1));
  const [longest, second, third] = sides;
  const whole = (side: Q) => (tariff.rounding === "ceil" ? side.ceil() : side.plus(new Q(1n, 2n)).floor());
  const volume = sides.length === 0 ? null : sides.map(whole).reduce((product, side) => product * side, 1n);
  const more = (value: Q | undefined, limit: number) => value?.isMoreThan(new Q(BigInt(limit))) ?? false;
  const girth = longest && second && third && longest.plus(new Q(2n).times(second.plus(third)));
  const handling = more(longest, 48) || more(second, 30) || more(weight, 50) || (volume ?? 0n) > 10_368n;
  const large = more(longest, 96) || more(girth, 130) || (volume ?? 0n) > 17_280n || more(weight, 110);

  let billed = weight.ceil();
  if (billed < 1n) billed = 1n;
  if (volume !== null && volume > BigInt(tariff.over)) {
    const dimensional = new Q(volume, BigInt(tariff.divisor)).ceil();
    if (dimensional > billed) billed = dimensional;
  }
  if (large && billed < 90n) billed = 90n;
  if (tariff.limit !== null && billed > BigInt(tariff.limit)) return null;
  const row = tariff.breaks.find(({ pounds: up_to }) => billed <= BigInt(up_to));
  const last = tariff.breaks[tariff.breaks.length - 1];
  if (row === undefined && (last === undefined || tariff.extra === null)) return null;
  const at = (side: 0 | 1) => {
    const past = Number(billed) - (last?.pounds ?? 0);
    const price = row ? row.amount[side] : (last?.amount[side] ?? 0) + past * (tariff.extra?.[side] ?? 0);
    return Math.max(price, tariff.minimum[side]);
  };
  const lines: [string, number, number][] = [["base", at(0), at(1)]];
  const fixed = [
    ["residential", question.residential, tariff.residential],
    ["additional_handling", handling, tariff.handling],
    ["large_package", large, tariff.large],
    ["remote_area", question.remote, tariff.remote],
  ] as const;
  const fuelled = [at(0), at(1)];
  for (const [index, [code, applies, [price, cost]]] of fixed.entries()) {
    if (!applies) continue;
    lines.push([code, price, cost]);
    if (!tariff.fuelable[index]) continue;
    fuelled[0] = (fuelled[0] ?? 0) + price;
    fuelled[1] = (fuelled[1] ?? 0) + cost;
  }
  const share = (cents = 0) =>
    Number(new Q(BigInt(cents) * BigInt(tariff.fuel_basis_points), 10_000n).plus(new Q(1n, 2n)).floor());
  if (tariff.fuel_basis_points > 0) lines.push(["fuel", share(fuelled[0]), share(fuelled[1])]);
  const { included, unit, minimum } = tariff.insurance;
  if (question.insured_cents !== null && question.insured_cents > included) {
    const units = Number(new Q(BigInt(question.insured_cents - included), 10_000n).ceil());
    const priced = ([0, 1] as const).map((side) => Math.max(minimum[side], units * unit[side]));
    lines.push(["declared_value", priced[0] ?? 0, priced[1] ?? 0]);
  }
  return { billed: Number(billed), lines };
}
