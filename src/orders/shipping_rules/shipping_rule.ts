import { iso } from "../../core/clock.ts";
import { wireId, wireIdOrNull } from "../../core/ids.ts";
import { money } from "../../core/money.ts";
import type { WeightUnit } from "../../core/weight_units.ts";
import type { LengthUnit } from "../../products/product.ts";
import type { ClientHoldReason } from "../order.transitions.ts";

/** How a service is chosen from the offers for a parcel, if the rule names none. */
export const choiceModes = ["cheapest_in_time", "fastest_under"] as const;
type ChoiceMode = (typeof choiceModes)[number];

/** What an order must have for a rule to apply. Null: anything. All conditions must hold. */
export interface RuleConditions {
  /** Patterns of the shipping method, in which `*` stands for any text. One must match. */
  readonly shipping_methods: readonly string[] | null;
  readonly countries: readonly string[] | null;
  /** Zones by the distance from the warehouse, `1` to `9`. */
  readonly zones: readonly string[] | null;
  /** Decimal text in `weight_unit`, inclusive, as the maximum. */
  readonly weight_min: string | null;
  readonly weight_max: string | null;
  readonly weight_unit: WeightUnit | null;
  /** In cents of `currency`, inclusive, as the maximum. */
  readonly value_min_cents: number | null;
  readonly value_max_cents: number | null;
  readonly currency: string | null;
  /** Patterns of SKUs. One must match one of the order. */
  readonly skus: readonly string[] | null;
  readonly platforms: readonly string[] | null;
  /** The order has at least one of these, in any case. */
  readonly tags: readonly string[] | null;
  readonly one_unit: boolean | null;
  readonly requires_cold_storage: boolean | null;
}

/** The carton that an order is packed into. */
export interface RuleCarton {
  readonly length: number;
  readonly width: number;
  readonly height: number;
  readonly unit: LengthUnit;
  /** The weight of the empty carton, as decimal text in `weight_unit`; null if it does not count. */
  readonly weight: string | null;
  readonly weight_unit: WeightUnit | null;
}

/** What a rule decides. Null: it leaves the decision to the next rule. */
export interface RuleActions {
  /** The carrier and service come together, or `choose` does. */
  readonly carrier: string | null;
  readonly service: string | null;
  readonly choose: ChoiceMode | null;
  /** The most delivery days that keep the promise, for `cheapest_in_time`; null for any number. */
  readonly days_max: number | null;
  /** The highest price for `fastest_under`, in cents of `currency`. */
  readonly price_max_cents: number | null;
  /** Orders of a greater value are insured, in cents of `currency`. */
  readonly insure_above_cents: number | null;
  readonly currency: string;
  readonly carton: RuleCarton | null;
  readonly warehouse_id: number | null;
  readonly hold: { readonly reason: ClientHoldReason; readonly note: string | null } | null;
  readonly priority: number | null;
  readonly packing_note: string | null;
}

/** What a request sets of a rule. */
export interface RuleContent {
  /** The merchant whose orders it applies to; null for those of all merchants. */
  readonly for_merchant_id: number | null;
  readonly name: string;
  readonly active: boolean;
  readonly conditions: RuleConditions;
  readonly actions: RuleActions;
}

/** A rule that decides how orders are shipped. */
export interface ShippingRule extends RuleContent {
  readonly id: number;
  /** Its place among the rules for the same merchant, lowest first. */
  readonly position: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The content of a rule, as its history stores it. */
export function contentOf({ for_merchant_id, name, active, conditions, actions }: RuleContent): RuleContent {
  return { for_merchant_id, name, active, conditions, actions };
}

/** The rules for a merchant in the order in which they apply: its own, then those for all merchants. */
export function rulesFor<Rule extends Pick<ShippingRule, "for_merchant_id" | "position" | "id">>(
  rules: readonly Rule[],
  merchant_id: number,
): Rule[] {
  return rules
    .filter(({ for_merchant_id }) => for_merchant_id === null || for_merchant_id === merchant_id)
    .sort(
      (a, b) =>
        Number(a.for_merchant_id === null) - Number(b.for_merchant_id === null) ||
        a.position - b.position ||
        a.id - b.id,
    );
}

const moneyOrNull = (cents: number | null, currency: string | null) =>
  cents === null || currency === null ? null : money(cents, currency);

const numberOrNull = (text: string | null) => (text === null ? null : Number(text));

/** The content of a rule as the API shows it. */
export function contentView({ for_merchant_id, name, active, conditions, actions }: RuleContent) {
  const { value_min_cents, value_max_cents, weight_min, weight_max, ...matched } = conditions;
  const { price_max_cents, insure_above_cents, warehouse_id, carton, ...decided } = actions;
  return {
    merchant_id: wireIdOrNull("merchant", for_merchant_id),
    name,
    active,
    conditions: {
      ...matched,
      weight_min: numberOrNull(weight_min),
      weight_max: numberOrNull(weight_max),
      value_min: moneyOrNull(value_min_cents, conditions.currency),
      value_max: moneyOrNull(value_max_cents, conditions.currency),
    },
    actions: {
      ...decided,
      price_max: moneyOrNull(price_max_cents, actions.currency),
      insure_above: moneyOrNull(insure_above_cents, actions.currency),
      carton: carton === null ? null : cartonView(carton),
      warehouse_id: wireIdOrNull("warehouse", warehouse_id),
    },
  };
}

/** A carton as the API shows it. */
export function cartonView({ weight, ...same }: RuleCarton) {
  return { ...same, weight: numberOrNull(weight) };
}

/** A rule as the API shows it. */
export function ruleView(rule: ShippingRule) {
  return {
    id: wireId("shipping_rule", rule.id),
    position: rule.position,
    ...contentView(rule),
    revision: rule.revision,
    created_at: iso(rule.created_at),
    updated_at: iso(rule.updated_at),
  };
}
