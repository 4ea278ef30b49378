/** A source of random numbers that repeats for the same seed: for plans and samples, never for secrets. */
export interface Random {
  /** A number from 0 up to but not including 1. */
  next(): number;
  /** A whole number from `least` to `most`, inclusive. */
  integer(least: number, most: number): number;
  /** True with this probability, from 0 to 1. */
  chance(probability: number): boolean;
  /** One of the items, with equal probability. */
  pick<T>(items: readonly T[]): T;
  /** The index of one of the weights, with a probability proportional to its weight. */
  weighted(weights: readonly number[]): number;
}

/** Creates a source from a 32-bit seed, using the mulberry32 generator: small, fast and even enough for samples. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick: <T>(items: readonly T[]) => items[Math.floor(next() * items.length)] as T,
    weighted: (weights) => {
      let left = next() * weights.reduce((sum, weight) => sum + weight, 0);
      const found = weights.findIndex((weight) => {
        left -= weight;
        return left < 0;
      });
      return found < 0 ? weights.length - 1 : found;
    },
  };
}

/** Zipf weights: the item of rank r (from 1) has weight 1 / r^skew. */
export function zipf(count: number, skew: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => 1 / (index + 1) ** skew);
}
