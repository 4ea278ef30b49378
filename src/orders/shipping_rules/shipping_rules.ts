import { isDeepStrictEqual } from "node:util";
import type { Actor } from "../../core/actor.ts";
import { compare, readFraction } from "../../core/decimals.ts";
import { Fault, type FieldProblem, invalid, invalidFields, ofFields } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { centsOf, default_currency } from "../../core/money.ts";
import { isCountry } from "../../core/postal_address.ts";
import { unitNanograms, weightUnit } from "../../core/weight_units.ts";
import { findWarehouse } from "../../inventory/warehouses/warehouses.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { noSuch } from "../order_lines.ts";
import type { CartonField } from "./shipping_choice.schema.ts";
import {
  contentOf,
  type RuleActions,
  type RuleCarton,
  type RuleConditions,
  type RuleContent,
  type ShippingRule,
} from "./shipping_rule.ts";
import {
  type CreateShippingRule,
  type ReorderShippingRules,
  type RuleActionsField,
  type RuleConditionsField,
  rules_max,
  type UpdateShippingRule,
} from "./shipping_rules.schema.ts";
import { getRule, insertRule, lockRule, lockRulesFor, removeRule, saveRule } from "./shipping_rules.sql.ts";

const required = (field: string, message: string): FieldProblem => ({ field, code: "required", message });
const bad = (field: string, message: string): FieldProblem => ({ field, code: "invalid_value", message });

/** Reads the conditions of a rule. `path` precedes their fields in messages. Refuses: validation_failed. */
function readConditions(input: RuleConditionsField, path: string): RuleConditions {
  const has_weight = input.weight_min != null || input.weight_max != null;
  const has_value = input.value_min != null || input.value_max != null;
  const weight_unit = has_weight ? (weightUnit(input.weight_unit ?? "lb") ?? "lb") : null;
  const currency = has_value ? (input.currency ?? default_currency) : null;
  const textOf = (value: number | null | undefined) => (value == null ? null : String(value));
  const centsIn = (value: string | number | null | undefined, field: string) =>
    value == null || currency === null ? null : centsOf(value, currency, path + field);
  const conditions: RuleConditions = {
    shipping_methods: input.shipping_methods ?? null,
    countries: input.countries ?? null,
    zones: input.zones ?? null,
    weight_min: textOf(input.weight_min),
    weight_max: textOf(input.weight_max),
    weight_unit,
    value_min_cents: centsIn(input.value_min, "value_min"),
    value_max_cents: centsIn(input.value_max, "value_max"),
    currency,
    skus: input.skus ?? null,
    platforms: input.platforms ?? null,
    tags: input.tags ?? null,
    one_unit: input.one_unit ?? null,
    requires_cold_storage: input.requires_cold_storage ?? null,
  };
  const problems = conditionProblems(conditions, path);
  if (problems.length > 0) throw invalidFields(problems);
  return conditions;
}

function conditionProblems(conditions: RuleConditions, path: string): FieldProblem[] {
  const { countries, weight_min, weight_max, weight_unit, value_min_cents, value_max_cents } = conditions;
  const unknown = (countries ?? []).flatMap((country, at) =>
    isCountry(country) ? [] : [bad(`${path}countries[${at}]`, `is no country: ${country}`)],
  );
  const unit = unitNanograms[weight_unit ?? "lb"];
  const [least, most] = [weight_min, weight_max].map((text) => (text === null ? null : readFraction(text, unit)));
  if (least && most && compare(least, most) > 0) unknown.push(bad(`${path}weight_max`, "is less than weight_min"));
  if (value_min_cents !== null && value_max_cents !== null && value_min_cents > value_max_cents) {
    unknown.push(bad(`${path}value_max`, "is less than value_min"));
  }
  return unknown;
}

/** Reads a carton. */
export function readCarton({ length, width, height, unit, weight, weight_unit }: CartonField): RuleCarton {
  return {
    length,
    width,
    height,
    unit: unit ?? "in",
    weight: weight == null ? null : String(weight),
    weight_unit: weight == null ? null : weightUnit(weight_unit ?? "lb"),
  };
}

/** Reads the actions of a rule. Refuses: validation_failed, resource_missing (an unknown warehouse). */
async function readActions(db: Db, input: RuleActionsField, path: string): Promise<RuleActions> {
  const problems = serviceProblems(input, path);
  if (problems.length > 0) throw invalidFields(problems);
  const { currency = default_currency } = input;
  const cents = (value: string | number | null | undefined, field: string) =>
    value == null ? null : centsOf(value, currency, path + field);
  const warehouse = input.warehouse_id == null ? null : await findWarehouse(db, input.warehouse_id);
  if (input.warehouse_id != null && warehouse === null) {
    throw ofFields("resource_missing", [noSuch(`${path}warehouse_id`, "names no warehouse")]);
  }
  const actions: RuleActions = {
    carrier: input.carrier ?? null,
    service: input.service ?? null,
    choose: input.choose ?? null,
    days_max: input.days_max ?? null,
    price_max_cents: cents(input.price_max, "price_max"),
    insure_above_cents: cents(input.insure_above, "insure_above"),
    currency,
    carton: input.carton == null ? null : readCarton(input.carton),
    warehouse_id: warehouse?.id ?? null,
    hold: input.hold == null ? null : { reason: input.hold.reason ?? "manual", note: input.hold.note ?? null },
    priority: input.priority ?? null,
    packing_note: input.packing_note ?? null,
  };
  const { currency: _currency, ...decisions } = actions;
  if (Object.values(decisions).every((value) => value === null)) {
    throw invalidFields([required(path.replace(/\.$/, ""), "must decide at least one field")]);
  }
  return actions;
}

/** The fields that choose a service: a carrier with its service, or a way to choose with its limits. */
type ServiceInput = Pick<RuleActionsField, "carrier" | "service" | "choose" | "days_max" | "price_max">;

/** The problems of fields that do not choose one service. `path` precedes the fields. */
export function serviceProblems(input: ServiceInput, path: string): FieldProblem[] {
  const { carrier = null, service = null, choose = null, days_max = null, price_max = null } = input;
  const problems: FieldProblem[] = [];
  if (carrier !== null && service === null) problems.push(required(`${path}service`, "is required with carrier"));
  if (service !== null && carrier === null) problems.push(required(`${path}carrier`, "is required with service"));
  if (choose !== null && carrier !== null) problems.push(bad(`${path}choose`, "cannot be combined with carrier"));
  if (choose === "fastest_under" && price_max === null) {
    problems.push(required(`${path}price_max`, "is required for fastest_under"));
  }
  if (choose !== "fastest_under" && price_max !== null) {
    problems.push(bad(`${path}price_max`, "requires choose: fastest_under"));
  }
  if (choose !== "cheapest_in_time" && days_max !== null) {
    problems.push(bad(`${path}days_max`, "requires choose: cheapest_in_time"));
  }
  return problems;
}

/** A rule in a request, with all of its content. */
type RuleInput = Pick<CreateShippingRule, "name" | "active" | "conditions" | "actions">;

/**
 * Reads the content of a rule. `path` precedes its fields in messages.
 * Refuses: validation_failed, resource_missing.
 */
export async function readRule(
  db: Db,
  for_merchant_id: number | null,
  { name, active = true, conditions = {}, actions }: RuleInput,
  path = "",
): Promise<RuleContent> {
  return {
    for_merchant_id,
    name,
    active,
    conditions: readConditions(conditions, `${path}conditions.`),
    actions: await readActions(db, actions, `${path}actions.`),
  };
}

/**
 * The merchant of a rule in a request: the one it names, else the one that the request is limited to, else all (null).
 */
function merchantOfRule({ scope }: Tx, merchant_id: CreateShippingRule["merchant_id"]): number | null {
  if (merchant_id === null) return null;
  return merchant_id === undefined ? scope.visible : scope.owner;
}

/** Creates a rule after the others for the same merchant. Refuses: validation_failed, resource_missing. */
export async function createRule(tx: Tx, input: CreateShippingRule, actor: Actor): Promise<ShippingRule> {
  const merchant_id = merchantOfRule(tx, input.merchant_id);
  const content = await readRule(tx, merchant_id, input);
  const others = await lockRulesFor(tx, merchant_id);
  if (others.length >= rules_max) {
    throw invalid("merchant_id", `has ${rules_max} rules already; delete one that is not used`, "too_large");
  }
  return insertRule(tx, content, (others.at(-1)?.position ?? 0) + 1, actor);
}

/** Changes a rule. Equal values change nothing. Refuses: resource_missing, validation_failed, immutable_field. */
export async function updateRule(tx: Tx, id: string, input: UpdateShippingRule, actor: Actor): Promise<ShippingRule> {
  const before = await lockRule(tx, id);
  const { merchant_id, name = before.name, active = before.active, conditions, actions } = input;
  if (merchant_id !== undefined && merchantOfRule(tx, merchant_id) !== before.for_merchant_id) {
    throw new Fault("immutable_field", "The merchant of a rule cannot change. Create another rule.", {
      fields: [{ field: "merchant_id", code: "immutable_field", message: "cannot change" }],
    });
  }
  const content: RuleContent = {
    for_merchant_id: before.for_merchant_id,
    name,
    active,
    conditions: conditions === undefined ? before.conditions : readConditions(conditions, "conditions."),
    actions: actions === undefined ? before.actions : await readActions(tx, actions, "actions."),
  };
  return isDeepStrictEqual(content, contentOf(before)) ? before : saveRule(tx, before, content, actor);
}

/** Deletes a rule. Orders keep what it decided until they change. Refuses: resource_missing. */
export async function deleteRule(tx: Tx, id: string): Promise<ShippingRule> {
  const rule = await lockRule(tx, id);
  await removeRule(tx, rule);
  return rule;
}

/**
 * Puts rules for one merchant, or for all, first in this order. The others follow in theirs. A rule that moves gets a
 * new revision.
 * Refuses: resource_missing, validation_failed (duplicates, or rules for different merchants).
 */
export async function reorderRules(
  tx: Tx,
  { rule_ids }: ReorderShippingRules,
  actor: Actor,
): Promise<readonly ShippingRule[]> {
  const ids = rule_ids.map((rule_id) => readId("shipping_rule", rule_id) ?? 0);
  const { for_merchant_id } = await getRule(tx, ids[0] ?? 0);
  const rules = await lockRulesFor(tx, for_merchant_id);
  const again = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (again >= 0) throw invalid(`rule_ids[${again}]`, "is a duplicate", "duplicate");
  const other = ids.findIndex((id) => rules.every((rule) => rule.id !== id));
  if (other >= 0) throw invalid(`rule_ids[${other}]`, "is no rule for the same merchant as the first", "unknown");
  const moved = ids.flatMap((id) => rules.filter((rule) => rule.id === id));
  const sorted: ShippingRule[] = [];
  for (const [at, rule] of [...moved, ...rules.filter(({ id }) => !ids.includes(id))].entries()) {
    sorted.push(rule.position === at + 1 ? rule : await saveRule(tx, rule, { position: at + 1 }, actor));
  }
  return sorted;
}
