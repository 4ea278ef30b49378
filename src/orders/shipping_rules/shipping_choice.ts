import { wireId, wireIdOrNull } from "../../core/ids.ts";
import { default_currency, money } from "../../core/money.ts";
import { type RuleDecisions, type RuleField, ruleFields, type ServiceChoice } from "./evaluate_rules.ts";
import { cartonView, type RuleCarton } from "./shipping_rule.ts";

/** How an order is to be shipped. */
export interface ShippingChoice extends ServiceChoice {
  readonly carton: RuleCarton | null;
  /** Whether it is insured for the value of its goods. */
  readonly insured: boolean;
}

/** What decided a field: a person or client, or the revision of a rule. */
type Decider = "person" | { readonly rule_id: number; readonly revision: number };

/** What decided each field of an order. A field that has its default is missing. */
export type DecidedBy = { readonly [Field in RuleField]?: Decider };

/** The fields of an order that rules decide. */
export interface RuledFields {
  readonly priority: number;
  readonly warehouse_id: number | null;
  readonly packing_note: string | null;
  readonly shipping_choice: ShippingChoice | null;
  readonly decided_by: DecidedBy | null;
}

/** A choice that leaves everything open. */
export const openChoice: ShippingChoice = {
  carrier: null,
  service: null,
  choose: null,
  days_max: null,
  price_max_cents: null,
  currency: default_currency,
  carton: null,
  insured: false,
};

/** The choice; null if it leaves everything open. */
export function choiceOrNull(choice: ShippingChoice): ShippingChoice | null {
  const { carrier, choose, carton, insured } = choice;
  return carrier === null && choose === null && carton === null && !insured ? null : choice;
}

/** The part of a choice that selects the service. */
export function serviceOf(choice: ShippingChoice | null): ServiceChoice {
  const { carton: _carton, insured: _insured, ...service } = choice ?? openChoice;
  return service;
}

/** The fields of an order after rules have decided, and the decisions that changed one. */
export interface RuleEffects {
  readonly fields: RuledFields;
  readonly changed: readonly RuleField[];
  /** The hold to place, if the rule has not held the order before. */
  readonly hold: RuleDecisions["hold"] | null;
}

/** Text that is equal for equal values, whatever the order of their fields. */
const keyOf = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/**
 * Applies the decisions of rules to an order. What a person decided stays. A field that no rule decides any more gets
 * its default back. The warehouse is only decided while the order is `new`, before it has stock.
 */
export function ruleEffects(before: RuledFields, decisions: RuleDecisions, is_new: boolean): RuleEffects {
  const decided: { -readonly [Field in RuleField]?: Decider } = { ...before.decided_by };
  const changed: RuleField[] = [];
  const next = <Value>(field: Exclude<RuleField, "hold">, value: Value, none: Value): Value => {
    const decision = decisions[field];
    // Orders from before there were rules record no decisions.
    const known = decided[field] ?? (keyOf(value) === keyOf(none) ? undefined : "person");
    if (known === "person" || (decision === undefined && known === undefined)) return value;
    const wanted = decision === undefined ? none : (decision.value as Value);
    const same = keyOf(wanted) === keyOf(value);
    if (decision === undefined) delete decided[field];
    else if (!same || known === undefined) decided[field] = deciderOf(decision.rule);
    if (!same || (known === undefined && decision !== undefined)) changed.push(field);
    return same ? value : wanted;
  };
  const choice = before.shipping_choice ?? openChoice;
  const service = next("service", serviceOf(choice), serviceOf(null));
  const carton = next("carton", choice.carton, null);
  const insured = next("insurance", choice.insured, false);
  const fields = {
    priority: next("priority", before.priority, 0),
    packing_note: next("packing_note", before.packing_note, null),
    warehouse_id: is_new ? next("warehouse_id", before.warehouse_id, null) : before.warehouse_id,
    shipping_choice: choiceOrNull({ ...service, carton, insured }),
  };
  const hold = newHold(decided.hold, decisions);
  if (hold !== null) {
    decided.hold = deciderOf(hold.rule);
    changed.push("hold");
  }
  const decided_by = Object.keys(decided).length === 0 ? null : decided;
  return { fields: { ...fields, decided_by }, changed, hold };
}

const deciderOf = ({ id, revision }: { readonly id: number; readonly revision: number }) => ({ rule_id: id, revision });

/** The hold that a rule decides, unless the same rule has held the order before: a person may have released it. */
function newHold(known: Decider | undefined, { hold }: RuleDecisions) {
  if (hold === undefined) return null;
  return typeof known === "object" && known.rule_id === hold.rule.id ? null : hold;
}

const ruleText = ({ rule_id, revision }: Exclude<Decider, "person">) =>
  `${wireId("shipping_rule", rule_id)} revision ${revision}`;

/** The value of a field in words, such as `priority 5`. A hold is that which the rules place now. */
export function fieldText(field: RuleField, { fields, hold }: Pick<RuleEffects, "fields" | "hold">): string {
  const { shipping_choice, warehouse_id, priority, packing_note } = fields;
  if (field === "service") return serviceText(serviceOf(shipping_choice));
  if (field === "carton") return cartonText(shipping_choice?.carton ?? null);
  if (field === "insurance") return shipping_choice?.insured === true ? "insured" : "not insured";
  if (field === "warehouse_id") return `warehouse ${wireIdOrNull("warehouse", warehouse_id) ?? "any"}`;
  if (field === "hold") return hold == null ? "no hold" : `hold ${hold.value.reason}`;
  if (field === "priority") return `priority ${priority}`;
  return packing_note === null ? "no packing note" : `packing note ${packing_note}`;
}

const note_max = 500;

/** The history entry of effects: what changed, and which revisions of rules decided it. */
export function effectsEntry(effects: RuleEffects) {
  const { fields, changed } = effects;
  const of = (field: RuleField) => {
    const decider = fields.decided_by?.[field];
    return decider === undefined || decider === "person" ? "no rule" : ruleText(decider);
  };
  const rules = [...new Set(changed.map(of))].filter((text) => text !== "no rule");
  const note = changed.map((field) => `${fieldText(field, effects)} (${of(field)})`).join(", ");
  return { event: "shipping_rule", reason: rules.join(", ") || null, note: note.slice(0, note_max) };
}

/** A choice of a service in words, such as `local express`. */
export function serviceText({ carrier, service, choose, days_max, price_max_cents, currency }: ServiceChoice): string {
  if (carrier !== null) return `${carrier} ${service}`;
  if (choose === "fastest_under") return `fastest under ${money(price_max_cents ?? 0, currency)} ${currency}`;
  if (choose === null) return "no service";
  return `cheapest in time${days_max === null ? "" : `, within ${days_max} days`}`;
}

const cartonText = (carton: RuleCarton | null) =>
  carton === null ? "no carton" : `carton ${carton.length} × ${carton.width} × ${carton.height} ${carton.unit}`;

/** The choice of an order as the API shows it. `source` says what decided the service. */
export function choiceView({ shipping_choice, decided_by }: Pick<RuledFields, "shipping_choice" | "decided_by">) {
  if (shipping_choice === null) return null;
  const { carrier, service, choose, days_max, price_max_cents, currency, carton, insured } = shipping_choice;
  return {
    carrier,
    service,
    choose,
    days_max,
    price_max: price_max_cents === null ? null : money(price_max_cents, currency),
    currency,
    carton: carton === null ? null : cartonView(carton),
    insured,
    ...sourceView(decided_by),
  };
}

/** What decided the service of an order, as the API shows it. */
export function sourceView(decided_by: DecidedBy | null) {
  const { service: decider = null } = decided_by ?? {};
  const rule = decider === "person" ? null : decider;
  return {
    source: decider === null ? null : decider === "person" ? ("person" as const) : ("rule" as const),
    rule_id: wireIdOrNull("shipping_rule", rule?.rule_id ?? null),
    rule_revision: rule?.revision ?? null,
  };
}

/** What decided each field, as the API shows it. */
export function decidedByView(decided_by: DecidedBy | null) {
  return ruleFields.flatMap((field) => {
    const decider = decided_by?.[field];
    if (decider === undefined) return [];
    if (decider === "person") return { field, by: "person" as const, rule_id: null, rule_revision: null };
    const { rule_id, revision } = decider;
    return { field, by: "rule" as const, rule_id: wireId("shipping_rule", rule_id), rule_revision: revision };
  });
}
