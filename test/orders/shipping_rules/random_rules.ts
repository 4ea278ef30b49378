// Random tables of rules, and random orders which they often match.
import type { Random } from "../../../src/core/random.ts";
import type { OracleOrder } from "./oracle.ts";

const methods = [null, "Express", "express saver", "Standard", "2-Day Air", "a.b*c"];
const patterns = ["*express*", "EXPRESS", "*", "2-day*", "*air", "stand*rd", "standard*dard", "a.b*c", "nothing"];
const countries = ["US", "CA", "DE"];
export const skus = ["TEA-1", "TEA-2", "CUP-10", "HAT"];
const sku_patterns = ["TEA-*", "cup-*", "HAT", "*-2", "*"];
const platforms = ["api", "shopify"];
export const tags = ["vip", "Gift", "ÉTÉ"];
const tag_words = ["VIP", "gift", "été", "gif"];

const some = <T>(random: Random, all: readonly T[]): T[] => {
  const chosen = all.filter(() => random.chance(0.4));
  return chosen.length === 0 ? [random.pick(all)] : chosen;
};
const maybe = <T>(random: Random, share: number, value: () => T): T | null => (random.chance(share) ? value() : null);

/** Random conditions and actions, as a request sends them. */
export function randomRule(random: Random, zones: readonly string[] = ["1", "2", "8", "abroad"]) {
  const weight = maybe(random, 0.3, () => random.integer(1, 40) / 4);
  const value = maybe(random, 0.3, () => random.integer(0, 300) / 4);
  const choice = random.integer(0, 3);
  const conditions = {
    shipping_methods: maybe(random, 0.4, () => some(random, patterns)),
    countries: maybe(random, 0.3, () => some(random, countries)),
    zones: maybe(random, 0.2, () => some(random, zones)),
    weight_min: weight,
    weight_max: weight === null ? null : maybe(random, 0.5, () => weight + random.integer(0, 8) / 4),
    weight_unit: weight === null ? null : random.pick(["lb", "kg", "oz", "g"] as const),
    value_min: value,
    value_max: value === null ? null : maybe(random, 0.5, () => value + random.integer(0, 100) / 4),
    currency: value === null ? null : random.pick(["USD", "EUR"]),
    skus: maybe(random, 0.3, () => some(random, sku_patterns)),
    platforms: maybe(random, 0.15, () => some(random, platforms)),
    tags: maybe(random, 0.2, () => some(random, tag_words)),
    one_unit: maybe(random, 0.2, () => random.chance(0.5)),
    requires_cold_storage: maybe(random, 0.15, () => random.chance(0.5)),
  };
  const actions = {
    ...(choice === 1 && { carrier: random.pick(["local", "post"]), service: random.pick(["standard", "express"]) }),
    ...(choice === 2 && {
      choose: "cheapest_in_time" as const,
      days_max: maybe(random, 0.5, () => random.integer(1, 5)),
    }),
    ...(choice === 3 && { choose: "fastest_under" as const, price_max: random.integer(4, 90) / 4 }),
    insure_above: maybe(random, 0.3, () => random.integer(0, 200) / 4),
    currency: random.pick(["USD", "USD", "EUR"]),
    carton: maybe(random, 0.3, () => ({ length: random.integer(1, 30), width: 4, height: 3 })),
    hold: maybe(random, 0.15, () => ({ reason: random.pick(["fraud", "payment"] as const), note: "By rule" })),
    priority: random.integer(-3, 9),
    packing_note: maybe(random, 0.3, () => `Note ${random.integer(1, 9)}`),
  };
  return { name: `Rule ${random.integer(1, 1000)}`, active: random.chance(0.9), conditions, actions };
}

/** A random order, and the weights of its lines in grams. */
export function randomOrder(random: Random): OracleOrder {
  const own = some(random, skus);
  return {
    merchant_id: `mer_${random.integer(1, 2)}`,
    method: random.pick(methods),
    country: random.pick(countries),
    zone: random.pick([null, "1", "2", "8", "abroad"]),
    grams: maybe(random, 0.9, () => random.integer(1, 4000)),
    value: random.integer(0, 400) / 4,
    currency: random.pick(["USD", "USD", "EUR"]),
    skus: own,
    units: random.chance(0.3) ? 1 : random.integer(1, 5),
    platform: random.pick(platforms),
    tags: tags.filter(() => random.chance(0.4)),
    cold: random.chance(0.2),
  };
}
