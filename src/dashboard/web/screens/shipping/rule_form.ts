// The form of a shipping rule.
import { clientHoldReasons } from "../../../../orders/order.transitions.ts";
import { merchants, several } from "../../api/merchants.ts";
import type { CarrierList, ShippingRule } from "../../api/types.ts";
import { wordOptions } from "../../components/badge.tsx";
import type { FormField, FormValues, Option } from "../../components/fields.tsx";
import { numberOrText, optionsOf } from "../../components/form_values.ts";
import { words } from "../../text/common.ts";
import { ruleTexts as texts } from "../../text/shipping_rules.ts";

const weight_units = optionsOf(["lb", "oz", "kg", "g"]);
const list = (name: string, label: string, help?: string): FormField => ({
  kind: "text",
  name: `conditions.${name}`,
  label,
  ...(help === undefined ? {} : { help }),
  entered: (value) => (value as readonly string[]).join(", "),
});
const yesOrNo = (name: string, label: string, yes: string, no: string): FormField => ({
  kind: "select",
  name: `conditions.${name}`,
  label,
  width: "half",
  options: optionsOf({ true: yes, false: no }),
  empty: texts.any,
  entered: String,
});
const size = (name: "length" | "width" | "height", label: string): FormField => {
  return { kind: "number", name: `actions.carton.${name}`, label, width: "third" };
};

/** What a rule decides about the service and the carton, or what an order has. */
type Choice = Pick<ShippingRule["actions"], "carrier" | "choose" | "carton">;

/** The values for `serviceFields` and `cartonFields` that are not fields of the record. */
export const firstChoice = (choice: Choice | null): FormValues => ({
  how: choice?.choose ?? (choice?.carrier == null ? "" : "named"),
  "actions.carton.unit": choice?.carton?.unit ?? "in",
  "actions.carton.weight_unit": choice?.carton?.weight_unit ?? "lb",
});

/** The values of a rule's form that are not fields of the rule. */
export const firstOf = (rule: ShippingRule | null): FormValues => ({
  ...firstChoice(rule?.actions ?? null),
  active: rule?.active ?? true,
  "conditions.weight_unit": rule?.conditions.weight_unit ?? "lb",
});

/** The fields of what an order must have. Amounts are in a currency. */
function conditionFields(currency: string): readonly FormField[] {
  const worth = { currency };
  return [
    { kind: "heading", name: "if", label: texts.when, help: texts.whenHelp },
    list("shipping_methods", texts.methods, texts.methodsHelp),
    list("countries", texts.countries, texts.countriesHelp),
    list("zones", texts.zones, texts.zonesHelp),
    list("skus", texts.skus),
    list("platforms", texts.platforms, texts.platformsHelp),
    list("tags", texts.tags),
    { kind: "number", name: "conditions.weight_min", label: texts.weightMin, width: "third" },
    { kind: "number", name: "conditions.weight_max", label: texts.weightMax, width: "third" },
    { kind: "select", name: "conditions.weight_unit", label: texts.weightUnit, width: "third", options: weight_units },
    { kind: "money", name: "conditions.value_min", label: texts.valueMin, width: "half", ...worth },
    { kind: "money", name: "conditions.value_max", label: texts.valueMax, width: "half", ...worth },
    yesOrNo("one_unit", texts.oneUnit, texts.one, texts.more),
    yesOrNo("requires_cold_storage", texts.cold, texts.needed, texts.notNeeded),
  ];
}

/** The fields of how the service is chosen. `open` is the option for leaving it open. */
export function serviceFields(
  carriers: CarrierList | undefined,
  currency: string,
  open: Pick<Extract<FormField, { kind: "select" }>, "empty" | "required">,
): readonly FormField[] {
  const carrierOptions = (carriers?.carriers ?? []).map(({ code, name }) => ({ value: code, title: name }));
  const isNamed = ({ how }: FormValues) => how === "named";
  const ways = { named: texts.named, cheapest_in_time: texts.cheapest, fastest_under: texts.fastest };
  const priced = { currency };
  return [
    { kind: "select", name: "how", label: texts.how, options: optionsOf(ways), ...open },
    {
      kind: "select",
      name: "actions.carrier",
      label: texts.carrier,
      options: carrierOptions,
      empty: "",
      width: "half",
      when: isNamed,
    },
    { kind: "text", name: "actions.service", label: texts.service, width: "half", mono: true, when: isNamed },
    {
      kind: "number",
      name: "actions.days_max",
      label: texts.daysMax,
      when: ({ how }) => how === "cheapest_in_time",
    },
    {
      kind: "money",
      name: "actions.price_max",
      label: texts.priceMax,
      ...priced,
      when: ({ how }) => how === "fastest_under",
    },
  ];
}

/** The fields of the carton. */
export const cartonFields: readonly FormField[] = [
  size("length", texts.length),
  size("width", texts.width),
  size("height", texts.height),
  {
    kind: "select",
    name: "actions.carton.unit",
    label: texts.cartonUnit,
    width: "third",
    options: optionsOf(["in", "cm"]),
  },
  { kind: "number", name: "actions.carton.weight", label: texts.cartonWeight, width: "third" },
  {
    kind: "select",
    name: "actions.carton.weight_unit",
    label: texts.cartonWeightUnit,
    width: "third",
    options: weight_units,
  },
];

/** The fields of everything else that a rule decides. */
function otherActionFields(warehouses: readonly Option[], currency: string): readonly FormField[] {
  const priced = { currency };
  return [
    { kind: "money", name: "actions.insure_above", label: texts.insureAbove, width: "half", ...priced },
    {
      kind: "select",
      name: "actions.warehouse_id",
      label: texts.warehouse,
      width: "half",
      options: warehouses,
      empty: texts.any,
    },
    {
      kind: "select",
      name: "actions.hold.reason",
      label: texts.hold,
      width: "half",
      options: wordOptions(clientHoldReasons),
      empty: words.none,
    },
    {
      kind: "text",
      name: "actions.hold.note",
      label: texts.holdNote,
      width: "half",
      when: (values) => isFilled(values["actions.hold.reason"]),
    },
    { kind: "number", name: "actions.priority", label: texts.priority, width: "half" },
    { kind: "text", name: "actions.packing_note", label: texts.packingNote, width: "half" },
  ];
}

/** The fields of a rule, or of a new one. Amounts keep the currency of the rule. */
export function ruleFields(
  carriers: CarrierList | undefined,
  warehouses: readonly Option[],
  rule: ShippingRule | null = null,
): readonly FormField[] {
  const owner: FormField = {
    kind: "select",
    name: "merchant_id",
    label: texts.merchant,
    options: merchants.value.map(({ id, name }) => ({ value: id, title: name })),
    empty: texts.everyone,
  };
  return [
    { kind: "text", name: "name", label: words.name, required: true },
    ...(several.value ? [owner] : []),
    ...conditionFields(rule?.conditions.currency ?? "USD"),
    { kind: "heading", name: "then", label: texts.decide, help: texts.decideHelp },
    ...serviceFields(carriers, rule?.actions.currency ?? "USD", { empty: words.none }),
    ...cartonFields,
    ...otherActionFields(warehouses, rule?.actions.currency ?? "USD"),
    { kind: "switch", name: "active", label: texts.active },
  ];
}

const isFilled = (value: unknown) => value !== undefined && value !== null && value !== "";
const textOf = (value: unknown) => (isFilled(value) ? String(value) : null);

/** How the service is chosen, as a request says it. */
export const serviceBody = ({ how, ...values }: FormValues) => ({
  ...(how === "named" && {
    carrier: textOf(values["actions.carrier"]),
    service: textOf(values["actions.service"]),
  }),
  ...(how === "cheapest_in_time" && { choose: how, days_max: numberOrText(values["actions.days_max"]) }),
  ...(how === "fastest_under" && { choose: how, price_max: textOf(values["actions.price_max"]) }),
});

/** The carton, as a request says it; null without a size. */
export function cartonBody(values: FormValues) {
  const at = (name: string) => values[`actions.carton.${name}`];
  const [length, width, height] = ["length", "width", "height"].map((side) => numberOrText(at(side)));
  if (length === null && width === null && height === null) return null;
  const weight = numberOrText(at("weight"));
  const box = { length, width, height, unit: at("unit") };
  return weight === null ? box : { ...box, weight, weight_unit: at("weight_unit") };
}

/** The request that saves a rule's form, without its merchant. */
export function ruleBody(values: FormValues, rule: ShippingRule | null = null) {
  const at = (name: string) => values[name];
  const listIn = (name: string) => {
    const entries = String(at(`conditions.${name}`) ?? "").split(",");
    const named = entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
    return named.length === 0 ? null : named;
  };
  const flag = (name: string) => {
    const chosen = textOf(at(`conditions.${name}`));
    return chosen === null ? null : chosen === "true";
  };
  const number = (name: string) => numberOrText(at(name));
  const { name, active } = values;
  const reason = textOf(at("actions.hold.reason"));
  return {
    name,
    active,
    conditions: {
      shipping_methods: listIn("shipping_methods"),
      countries: listIn("countries")?.map((country) => country.toUpperCase()) ?? null,
      zones: listIn("zones"),
      skus: listIn("skus"),
      platforms: listIn("platforms"),
      tags: listIn("tags"),
      weight_min: number("conditions.weight_min"),
      weight_max: number("conditions.weight_max"),
      weight_unit: at("conditions.weight_unit"),
      value_min: textOf(at("conditions.value_min")),
      value_max: textOf(at("conditions.value_max")),
      currency: rule?.conditions.currency ?? null,
      one_unit: flag("one_unit"),
      requires_cold_storage: flag("requires_cold_storage"),
    },
    actions: {
      ...serviceBody(values),
      ...(rule !== null && { currency: rule.actions.currency }),
      insure_above: textOf(at("actions.insure_above")),
      carton: cartonBody(values),
      warehouse_id: textOf(at("actions.warehouse_id")),
      hold: reason === null ? null : { reason, note: textOf(at("actions.hold.note")) },
      priority: number("actions.priority"),
      packing_note: textOf(at("actions.packing_note")),
    },
  };
}
