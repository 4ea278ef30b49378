// What rules would change about orders that exist. Pure.
import { wireId } from "../../core/ids.ts";
import type { Order } from "../order.ts";
import {
  evaluateRules,
  evaluationOf,
  type RuleDecisions,
  type RuledOrder,
  type RuleField,
  ruleFields,
} from "./evaluate_rules.ts";
import { decidedByView, fieldText, ruleEffects } from "./shipping_choice.ts";
import type { RuleContent, ShippingRule } from "./shipping_rule.ts";

/** A rule that may be a draft: then its id is negative. */
export type TriedRule = ShippingRule;

/** The rule of a draft, at its place in the table. `id` is that of the rule that it replaces, or null. */
export function draftRule(content: RuleContent, id: number | null, at: number): TriedRule {
  return { id: id ?? -1 - at, ...content, position: at + 1, revision: 1, created_at: 0, updated_at: 0 };
}

const idOf = ({ id }: { readonly id: number }) => (id < 0 ? null : wireId("shipping_rule", id));

/** Evaluates rules for orders, a few at a time, and counts what they would change. */
export class RuleTrial {
  readonly #rules: readonly TriedRule[];
  readonly #decided = new Map<number, number>();
  readonly #changes: ReturnType<typeof changeOf>[] = [];
  #orders = 0;

  constructor(rules: readonly TriedRule[]) {
    this.#rules = rules;
  }

  /** Evaluates the rules for an order as if it were created now. Stops after each rule. */
  *add(order: Order, facts: RuledOrder): Generator<void, void> {
    this.#orders += 1;
    const { hold, ...others } = yield* evaluationOf(this.#rules, facts);
    // A rule has held it before: whether it would again depends on that rule alone.
    const decisions: RuleDecisions =
      hold === undefined || order.decided_by?.hold !== undefined ? others : { ...others, hold };
    const rules = new Set(Object.values(decisions).map(({ rule }) => rule.id));
    for (const id of rules) this.#decided.set(id, (this.#decided.get(id) ?? 0) + 1);
    const effects = ruleEffects(order, decisions, true);
    const fields = effects.changed.flatMap((field) => {
      const [from, to] = [fieldText(field, { fields: order, hold: null }), fieldText(field, effects)];
      const rule = decisions[field]?.rule;
      return from === to ? [] : { field, from, to, rule_id: rule ? idOf(rule) : null, rule: rule?.name ?? null };
    });
    if (fields.length > 0) this.#changes.push(changeOf(order, fields));
  }

  /** The result as the API shows it. */
  view() {
    return {
      orders: this.#orders,
      changed: this.#changes.length,
      rules: this.#rules.map((rule) => ({ id: idOf(rule), name: rule.name, orders: this.#decided.get(rule.id) ?? 0 })),
      changes: this.#changes,
    };
  }
}

interface ChangedField {
  readonly field: RuleField;
  readonly from: string;
  readonly to: string;
  readonly rule_id: string | null;
  readonly rule: string | null;
}

const changeOf = ({ id, order_number }: Order, fields: readonly ChangedField[]) => {
  return { order_id: wireId("order", id), order_number, fields };
};

/** Each field of an order: what it has, what decided that, and what the rules decide now. */
export function evaluationView(order: Order, rules: readonly ShippingRule[], facts: RuledOrder) {
  const decisions = evaluateRules(rules, facts);
  // What rules decide, regardless of what a person set.
  const open = { priority: 0, warehouse_id: null, packing_note: null, shipping_choice: null, decided_by: null };
  const effects = ruleEffects(open, decisions, true);
  const known = new Map(decidedByView(order.decided_by).map(({ field, ...decided }) => [field, decided]));
  const fields = ruleFields.map((field) => {
    const { by = null, rule_id = null, rule_revision = null } = known.get(field) ?? {};
    const decision = decisions[field];
    const value = field === "hold" ? holdText(order) : fieldText(field, { fields: order, hold: null });
    const now = decision && {
      value: fieldText(field, effects),
      rule_id: wireId("shipping_rule", decision.rule.id),
      rule: decision.rule.name,
      rule_revision: decision.rule.revision,
    };
    return { field, value, by, rule_id, rule_revision, now: now ?? null };
  });
  return { order_id: wireId("order", order.id), order_number: order.order_number, fields };
}

const holdText = ({ holds }: Order) =>
  holds.length === 0 ? "no hold" : `hold ${holds.map(({ reason }) => reason).join(", ")}`;
