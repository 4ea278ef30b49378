// A shipping rule as a sentence: if …, then ….
import type { ShippingRule } from "../../api/types.ts";
import { money, weight } from "../../text/format.ts";
import { ruleTexts as texts } from "../../text/shipping_rules.ts";
import { stateWords } from "../../text/states.ts";

const listed = (words: readonly string[]) => words.join(texts.if.or);

function range(least: string | null, most: string | null): string {
  if (least !== null && most !== null) return texts.if.between(least, most);
  return most === null ? texts.if.atLeast(least ?? "") : texts.if.atMost(most);
}

/** What an order must have, as text. */
function conditionText({ conditions }: Pick<ShippingRule, "conditions">): string {
  const { weight_min, weight_max, weight_unit, value_min, value_max, currency, one_unit } = conditions;
  const { shipping_methods, countries, zones, skus, platforms, tags, requires_cold_storage } = conditions;
  const heavy = (value: number | null) => (value === null ? null : weight(value, weight_unit ?? "lb"));
  const worth = (value: number | null) => (value === null ? null : money(value, currency ?? "USD"));
  const parts = [
    shipping_methods && texts.if.methods(listed(shipping_methods)),
    countries && texts.if.countries(listed(countries)),
    zones && texts.if.zones(listed(zones)),
    skus && texts.if.skus(listed(skus)),
    platforms && texts.if.platforms(listed(platforms)),
    tags && texts.if.tags(listed(tags)),
    (weight_min ?? weight_max) !== null && texts.if.weight(range(heavy(weight_min), heavy(weight_max))),
    (value_min ?? value_max) !== null && texts.if.value(range(worth(value_min), worth(value_max))),
    one_unit !== null && (one_unit ? texts.if.one : texts.if.several),
    requires_cold_storage !== null && (requires_cold_storage ? texts.if.cold : texts.if.warm),
  ].filter((part) => part !== null && part !== false);
  return parts.length === 0 ? texts.if.always : texts.if.start + parts.join(texts.if.and);
}

/** The names of warehouses by id, and of carriers by code. */
export interface RuleNames {
  readonly warehouse: (id: string) => string;
  readonly carrier: (code: string) => string;
}

/** A rule as a sentence. */
export function ruleSentence(rule: Pick<ShippingRule, "conditions" | "actions">, names: RuleNames): string {
  return `${conditionText(rule)}: ${actionText(rule, names)}.`;
}

/** What a rule decides, as text. */
function actionText({ actions }: Pick<ShippingRule, "actions">, names: RuleNames): string {
  const { carrier, service, choose, days_max, price_max, insure_above, currency } = actions;
  const { carton, warehouse_id, hold, priority, packing_note } = actions;
  const cheapest = days_max === null ? texts.do.cheapest : texts.do.within(days_max);
  return [
    carrier !== null && texts.do.service(names.carrier(carrier), service ?? ""),
    choose === "cheapest_in_time" && cheapest,
    choose === "fastest_under" && texts.do.fastest(money(price_max ?? 0, currency)),
    carton && texts.do.carton(`${carton.length} × ${carton.width} × ${carton.height} ${carton.unit}`),
    insure_above !== null && texts.do.insure(money(insure_above, currency)),
    warehouse_id !== null && texts.do.warehouse(names.warehouse(warehouse_id)),
    hold && texts.do.hold(stateWords(hold.reason).toLowerCase()),
    priority !== null && texts.do.priority(priority),
    packing_note !== null && texts.do.note(packing_note),
  ]
    .filter((part) => part !== null && part !== false)
    .join(", ");
}
