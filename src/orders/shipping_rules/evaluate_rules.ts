// Which rule decides each field of an order. Pure: the same order and rules always give the same decisions.
import { compare, type Fraction, readFraction } from "../../core/decimals.ts";
import { unitNanograms } from "../../core/weight_units.ts";
import { tagKey } from "../changes/order_tags.ts";
import { type RuleActions, type RuleConditions, rulesFor, type ShippingRule } from "./shipping_rule.ts";

/** The facts about an order that conditions compare. */
export interface RuledOrder {
  readonly merchant_id: number;
  readonly shipping_method: string | null;
  readonly shipping_method_code: string | null;
  readonly country: string;
  /** Its zone by distance; null when unknown. */
  readonly zone: string | null;
  /** The weight of its products, in nanograms; null when unknown. */
  readonly weight: Fraction | null;
  readonly value_cents: number;
  readonly currency: string;
  readonly skus: readonly string[];
  /** Its units, without cancelled ones. */
  readonly units: number;
  readonly platform: string;
  readonly tags: readonly string[];
  readonly requires_cold_storage: boolean;
}

export const ruleFields = [
  "service",
  "carton",
  "insurance",
  "warehouse_id",
  "hold",
  "priority",
  "packing_note",
] as const;
/** A field that rules decide. `service` is a carrier with its service, or how to choose one. */
export type RuleField = (typeof ruleFields)[number];

/** The service that ships an order, or how to choose it. */
export type ServiceChoice = Pick<
  RuleActions,
  "carrier" | "service" | "choose" | "days_max" | "price_max_cents" | "currency"
>;

/** The value of each field that rules decide. */
interface FieldValues {
  readonly service: ServiceChoice;
  readonly carton: NonNullable<RuleActions["carton"]>;
  /** Whether the order is insured for its value. */
  readonly insurance: boolean;
  readonly warehouse_id: number;
  readonly hold: NonNullable<RuleActions["hold"]>;
  readonly priority: number;
  readonly packing_note: string;
}

/** A decision and the revision of the rule that made it. */
interface RuleDecision<Value> {
  readonly value: Value;
  readonly rule: Pick<ShippingRule, "id" | "revision" | "name">;
}

/** The decisions of rules about an order. Fields that no rule decides are missing. */
export type RuleDecisions = { readonly [Field in RuleField]?: RuleDecision<FieldValues[Field]> };

/** Decides each field by the first rule, of those for the order's merchant, that applies and decides it. */
export function evaluateRules(rules: readonly ShippingRule[], order: RuledOrder): RuleDecisions {
  const evaluation = evaluationOf(rules, order);
  let step = evaluation.next();
  while (!step.done) step = evaluation.next();
  return step.value;
}

/** As `evaluateRules`, but stops after each rule: many long rules take a while for an order with many lines. */
export function* evaluationOf(rules: readonly ShippingRule[], order: RuledOrder): Generator<void, RuleDecisions> {
  const decisions: { -readonly [Field in RuleField]?: RuleDecision<unknown> } = {};
  for (const rule of rulesFor(rules, order.merchant_id)) {
    if (!rule.active) continue;
    const values = Object.entries(valuesOf(rule.actions, order)) as [RuleField, unknown][];
    const open = values.filter(([field, value]) => value !== null && decisions[field] === undefined);
    if (open.length === 0) continue;
    if (applies(rule.conditions, order)) for (const [field, value] of open) decisions[field] = { value, rule };
    yield;
  }
  return decisions as RuleDecisions;
}

/** What a rule's actions decide about an order; null for what they leave open. */
function valuesOf(actions: RuleActions, order: RuledOrder): { [Field in RuleField]: FieldValues[Field] | null } {
  const { carrier, service, choose, days_max, price_max_cents, insure_above_cents, currency, ...others } = actions;
  const chosen = { carrier, service, choose, days_max, price_max_cents, currency };
  const insures = insure_above_cents !== null && order.currency === currency;
  return {
    service: carrier === null && choose === null ? null : chosen,
    insurance: insures ? order.value_cents > insure_above_cents : null,
    ...others,
  };
}

function applies(conditions: RuleConditions, order: RuledOrder): boolean {
  const { shipping_methods, countries, zones, skus, platforms, tags, one_unit, requires_cold_storage } = conditions;
  return (
    (shipping_methods === null || anyMatches(methodsOf(order), shipping_methods)) &&
    (countries === null || countries.includes(order.country)) &&
    (zones === null || (order.zone !== null && zones.includes(order.zone))) &&
    (skus === null || anyMatches(order.skus, skus)) &&
    (platforms === null || platforms.includes(order.platform)) &&
    (tags === null || hasAny(order.tags, tags)) &&
    (one_unit === null || one_unit === (order.units === 1)) &&
    (requires_cold_storage === null || requires_cold_storage === order.requires_cold_storage) &&
    isWeightWithin(conditions, order) &&
    isValueWithin(conditions, order)
  );
}

/** The active rules for a merchant that name a shipping method, by its text or code. Rules for any method do not. */
export function rulesNaming<
  Rule extends Pick<ShippingRule, "for_merchant_id" | "position" | "id" | "active" | "conditions">,
>(rules: readonly Rule[], order: Pick<RuledOrder, "merchant_id" | "shipping_method" | "shipping_method_code">): Rule[] {
  return rulesFor(rules, order.merchant_id).filter(
    ({ active, conditions: { shipping_methods } }) =>
      active && shipping_methods !== null && anyMatches(methodsOf(order), shipping_methods),
  );
}

/** The texts that name an order's shipping method: what the buyer saw, and the shop's code. */
const methodsOf = ({
  shipping_method,
  shipping_method_code,
}: Pick<RuledOrder, "shipping_method" | "shipping_method_code">): string[] =>
  shipping_method_code === null ? [shipping_method ?? ""] : [shipping_method ?? "", shipping_method_code];

function hasAny(tags: readonly string[], wanted: readonly string[]): boolean {
  const keys = wanted.map(tagKey);
  return tags.some((tag) => keys.includes(tagKey(tag)));
}

function isWeightWithin({ weight_min, weight_max, weight_unit }: RuleConditions, { weight }: RuledOrder): boolean {
  if (weight_min === null && weight_max === null) return true;
  if (weight === null) return false;
  const unit = unitNanograms[weight_unit ?? "lb"];
  const [least, most] = [weight_min, weight_max].map((text) => (text === null ? null : readFraction(text, unit)));
  return (!least || compare(weight, least) >= 0) && (!most || compare(weight, most) <= 0);
}

function isValueWithin(
  { value_min_cents, value_max_cents, currency }: RuleConditions,
  { value_cents, ...order }: RuledOrder,
): boolean {
  if (value_min_cents === null && value_max_cents === null) return true;
  if (order.currency !== currency) return false;
  return value_cents >= (value_min_cents ?? 0) && value_cents <= (value_max_cents ?? Number.MAX_SAFE_INTEGER);
}

/** Patterns in lower case: those without `*`, and the pieces around the `*` of the others. */
interface ReadPatterns {
  readonly plain: ReadonlySet<string>;
  readonly pieces: readonly (readonly string[])[];
}

// A rule may have hundreds of patterns, and is compared with many orders.
const read_patterns = new WeakMap<readonly string[], ReadPatterns>();

function readPatterns(patterns: readonly string[]): ReadPatterns {
  const pieces = patterns.map((pattern) => pattern.toLowerCase().split("*"));
  const plain = new Set(pieces.flatMap(([first = "", ...rest]) => (rest.length === 0 ? first : [])));
  return { plain, pieces: pieces.filter(({ length }) => length > 1) };
}

/** Whether one of the texts, in any case, has the form of a pattern, in which `*` stands for any text. */
function anyMatches(texts: readonly string[], patterns: readonly string[]): boolean {
  const { plain, pieces } = read_patterns.getOrInsertComputed(patterns, () => readPatterns(patterns));
  const lower = texts.map((text) => text.toLowerCase());
  if (lower.some((text) => plain.has(text))) return true;
  // Most patterns have a piece that occurs in no text.
  const all = lower.join(" ");
  return pieces.some(
    (parts) => parts.every((piece) => all.includes(piece)) && lower.some((one) => matches(one, parts)),
  );
}

/** Whether a text consists of these pieces in their order, with any text between them. */
function matches(text: string, [first = "", ...rest]: readonly string[]): boolean {
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? "";
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
