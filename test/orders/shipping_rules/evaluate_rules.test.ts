import { describe, expect, test } from "bun:test";
import { readFraction } from "../../../src/core/decimals.ts";
import { type Random, seededRandom } from "../../../src/core/random.ts";
import { evaluateRules, type RuleDecisions } from "../../../src/orders/shipping_rules/evaluate_rules.ts";
import { ruleView, type ShippingRule } from "../../../src/orders/shipping_rules/shipping_rule.ts";
import { readRule } from "../../../src/orders/shipping_rules/shipping_rules.ts";
import type { Db } from "../../../src/storage/database.ts";
import { decide, type OracleOrder } from "./oracle.ts";
import { randomOrder, randomRule } from "./random_rules.ts";

// No rule here names a warehouse, so nothing is read.
const nothing = {} as Db;

async function tableOf(random: Random): Promise<ShippingRule[]> {
  const count = random.integer(0, 12);
  const rules: ShippingRule[] = [];
  for (let id = 1; id <= count; id += 1) {
    const merchant = random.pick([null, 1, 2]);
    const content = await readRule(nothing, merchant, randomRule(random));
    const stamps = { revision: random.integer(1, 9), created_at: 0, updated_at: 0 };
    rules.push({ id, ...content, position: random.integer(1, 6), ...stamps });
  }
  return rules;
}

const factsOf = (order: OracleOrder) => ({
  merchant_id: Number(order.merchant_id.slice(4)),
  shipping_method: order.method,
  shipping_method_code: null,
  country: order.country,
  zone: order.zone,
  weight: order.grams === null ? null : readFraction(order.grams, 1_000_000_000n),
  value_cents: Math.round(order.value * 100),
  currency: order.currency,
  skus: order.skus,
  units: order.units,
  platform: order.platform,
  tags: order.tags,
  requires_cold_storage: order.cold,
});

/** Decisions in the form of the oracle. */
function plain(decisions: RuleDecisions) {
  const { service, carton, hold } = decisions;
  const of = ({ carrier, service: code, choose, days_max, price_max_cents }: NonNullable<typeof service>["value"]) =>
    carrier === null
      ? [choose, days_max, price_max_cents === null ? null : price_max_cents / 100].join("/")
      : `${carrier}/${code}`;
  const values: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(decisions).map(([field, { value }]) => [field, value])),
    ...(service && { service: of(service.value) }),
    ...(carton && { carton: carton.value.length }),
    ...(hold && { hold: hold.value.reason }),
  };
  return Object.fromEntries(
    Object.entries(decisions).map(([field, { rule }]) => [field, [values[field], `rul_${rule.id}`, rule.revision]]),
  );
}

describe("evaluation", () => {
  test("agrees with the oracle on 5,000 random orders", async () => {
    const random = seededRandom(20_261_129);
    let decided = 0;
    for (let table = 0; table < 250; table += 1) {
      const rules = await tableOf(random);
      const shown = rules.map(ruleView);
      for (let turn = 0; turn < 20; turn += 1) {
        const order = randomOrder(random);
        const found = plain(evaluateRules(rules, factsOf(order)));
        expect({ order, found: sorted(found) }).toEqual({ order, found: sorted(decide(shown, order)) });
        decided += Object.keys(found).length;
      }
    }
    expect(decided).toBeGreaterThan(5000);
  });
});

const sorted = (record: object) => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
