import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  currencyField,
  idField,
  moneyField,
  nameField,
  notesField,
  nullable,
  Timestamp,
  textField,
  weightUnitField,
} from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import { merchantName } from "../../storage/tenant.schema.ts";
import { tag } from "../changes/tags_and_notes.schema.ts";
import { clientHoldReasons } from "../order.transitions.ts";
import { HistoryView } from "../search/order_list.schema.ts";
import { ruleFields } from "./evaluate_rules.ts";
import { CartonField, CartonView } from "./shipping_choice.schema.ts";
import { choiceModes } from "./shipping_rule.ts";

const maybe = <Schema extends ReturnType<typeof Type.String>>(schema: Schema) => Type.Optional(nullable(schema));
const texts = (count: number, length: number, description: string) =>
  Type.Optional(nullable(Type.Array(textField(length), { minItems: 1, maxItems: count, description })));

const about = {
  merchant_id: "The merchant whose orders it applies to; null for the orders of all merchants.",
  name: "A name for people, such as `Express to Canada`.",
  active: "Whether it applies to orders.",
  conditions: "What an order must have. All conditions must hold; null or absent ones always do.",
  actions: "What the rule decides. The first active rule that applies and decides a field wins.",
  shipping_methods:
    "One must match the shipping method or its code, in any case; `*` stands for any text. Without a method, only `*`" +
    " matches.",
  countries: "The address is in one of these countries, by ISO 3166 codes.",
  zones:
    "The zone by distance from the order's warehouse, or else the first one: `1` to `9` within the US, `domestic`" +
    " within another country, `abroad` to all others.",
  weight_min: "The products weigh at least this. An order with an unknown weight does not match.",
  weight_max: "The products weigh at most this.",
  weight_unit: "The unit of both weights. Default: lb.",
  value_min: "The subtotal is at least this. Orders in another currency do not match.",
  value_max: "The subtotal is at most this.",
  value_currency: "The currency of both values. Default: `USD`.",
  skus: "One must match one of its SKUs, in any case; `*` stands for any text.",
  platforms: "It comes from one of these sources, such as `shopify` or `api`.",
  tags: "It has at least one of these tags, in any case.",
  one_unit: "True: it consists of exactly one unit. False: of more.",
  cold: "Whether it requires cold storage.",
  carrier: "The carrier by code, as `GET /shipping/carriers` lists it. Requires `service`.",
  service: "The carrier's service by code. Requires `carrier`.",
  choose:
    "Instead of a service. `cheapest_in_time`: the cheapest that leaves by `ship_by` and arrives within `days_max`." +
    " `fastest_under`: the first to arrive for at most `price_max`.",
  days_max: "The most delivery days for `cheapest_in_time`; null for any number.",
  price_max: "The highest price for `fastest_under`.",
  insure_above: "Orders with a greater subtotal are insured for it.",
  currency: "The currency of `price_max` and `insure_above`. Default: `USD`.",
  carton: "The outer size of the parcel, and the weight of the empty carton, which is added to that of the products.",
  warehouse_id: "The only warehouse that may ship it. Decided when the order is created, before it reserves stock.",
  hold: "Holds the order, once by each rule.",
  reason: "The reason of the hold.",
  note: "Details, shown with the hold.",
  priority: "Higher is served first when stock is short.",
  packing_note: "A note for the people who pack it.",
};

const weight = (description: string) =>
  Type.Optional(nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description })));
const amount = (description: string) => Type.Optional(nullable(moneyField(description)));

const RuleConditionsField = closed({
  shipping_methods: texts(50, 200, about.shipping_methods),
  countries: Type.Optional(
    nullable(
      Type.Array(Type.String({ pattern: "^[A-Z]{2}$", hint: "must be a two-letter country code, such as US" }), {
        minItems: 1,
        maxItems: 250,
        description: about.countries,
      }),
    ),
  ),
  zones: texts(20, 20, about.zones),
  weight_min: weight(about.weight_min),
  weight_max: weight(about.weight_max),
  weight_unit: Type.Optional(nullable(weightUnitField(about.weight_unit))),
  value_min: amount(about.value_min),
  value_max: amount(about.value_max),
  currency: Type.Optional(nullable(currencyField(about.value_currency))),
  skus: texts(200, 100, about.skus),
  platforms: texts(20, 40, about.platforms),
  tags: Type.Optional(nullable(Type.Array(tag, { minItems: 1, maxItems: 50, description: about.tags }))),
  one_unit: Type.Optional(nullable(Type.Boolean({ description: about.one_unit }))),
  requires_cold_storage: Type.Optional(nullable(Type.Boolean({ description: about.cold }))),
});
export type RuleConditionsField = Static<typeof RuleConditionsField>;

const hold_text = "A hold as in `POST /orders/:id/hold`.";
const RuleActionsField = closed({
  carrier: maybe(textField(100, { description: about.carrier })),
  service: maybe(textField(100, { description: about.service })),
  choose: Type.Optional(nullable(choice(choiceModes, { description: about.choose }))),
  days_max: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100, description: about.days_max }))),
  price_max: amount(about.price_max),
  insure_above: amount(about.insure_above),
  currency: Type.Optional(currencyField(about.currency)),
  carton: Type.Optional(nullable({ ...CartonField, description: about.carton })),
  warehouse_id: Type.Optional(nullable(idField("warehouse", about.warehouse_id))),
  hold: Type.Optional(
    nullable({
      ...closed({
        reason: Type.Optional(choice(clientHoldReasons, { description: `${about.reason} Default: \`manual\`.` })),
        note: Type.Optional(nullable({ ...notesField(500), description: about.note })),
      }),
      description: `${about.hold} ${hold_text}`,
    }),
  ),
  priority: Type.Optional(
    nullable(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, description: about.priority })),
  ),
  packing_note: Type.Optional(nullable({ ...notesField(500), description: about.packing_note })),
});
export type RuleActionsField = Static<typeof RuleActionsField>;

const content = {
  merchant_id: Type.Optional(nullable(merchantName(`${about.merchant_id} By id or code.`))),
  name: nameField(100, { description: about.name }),
  active: Type.Optional(Type.Boolean({ description: `${about.active} Default: true.` })),
  conditions: Type.Optional({ ...RuleConditionsField, description: about.conditions }),
  actions: { ...RuleActionsField, description: about.actions },
};
const readOnly = ["id", "position", "revision", "created_at", "updated_at"];

export const CreateShippingRule = closed(content, readOnly);
export type CreateShippingRule = Static<typeof CreateShippingRule>;

/** The most rules for one merchant, and for all merchants. */
export const rules_max = 200;

/** Rules to try out. */
export const TryShippingRules = closed({
  rules: Type.Optional(
    Type.Array(
      closed(
        { id: Type.Optional(idField("shipping_rule", "The rule that it would replace, if it exists.")), ...content },
        readOnly.filter((name) => name !== "id"),
      ),
      { maxItems: rules_max, description: "A draft of all rules, in their order. Default: the active rules." },
    ),
  ),
});
export type TryShippingRules = Static<typeof TryShippingRules>;

export const UpdateShippingRule = closed(
  {
    merchant_id: Type.Optional(nullable(merchantName("Cannot be changed: only the rule's own merchant is accepted."))),
    name: Type.Optional(content.name),
    active: Type.Optional(Type.Boolean({ description: about.active })),
    conditions: Type.Optional({ ...RuleConditionsField, description: "Replaces all conditions." }),
    actions: Type.Optional({ ...RuleActionsField, description: "Replaces all actions." }),
  },
  readOnly,
);
export type UpdateShippingRule = Static<typeof UpdateShippingRule>;

export const ReorderShippingRules = closed({
  rule_ids: Type.Array(idField("shipping_rule"), {
    minItems: 1,
    maxItems: rules_max,
    description:
      "Rules for the same merchant, or for all merchants, each once, in their new order. Others follow them.",
  }),
});
export type ReorderShippingRules = Static<typeof ReorderShippingRules>;

const text = (description: string) => nullable(Type.String({ description }));
const listOf = (description: string) => nullable(Type.Array(Type.String(), { description }));
const number = (description: string) => nullable(Type.Number({ description }));

const ConditionsView = closed({
  shipping_methods: listOf(about.shipping_methods),
  countries: listOf(about.countries),
  zones: listOf(about.zones),
  weight_min: number(about.weight_min),
  weight_max: number(about.weight_max),
  weight_unit: nullable(choice(weightUnits)),
  value_min: number(about.value_min),
  value_max: number(about.value_max),
  currency: text("The currency of both values."),
  skus: listOf(about.skus),
  platforms: listOf(about.platforms),
  tags: listOf(about.tags),
  one_unit: nullable(Type.Boolean({ description: about.one_unit })),
  requires_cold_storage: nullable(Type.Boolean({ description: about.cold })),
});

const ActionsView = closed({
  carrier: text("The carrier by code."),
  service: text("The carrier's service by code."),
  choose: nullable(choice(choiceModes, { description: about.choose })),
  days_max: nullable(Type.Integer({ description: about.days_max })),
  price_max: number(about.price_max),
  insure_above: number(about.insure_above),
  currency: Type.String({ description: "The currency of `price_max` and `insure_above`." }),
  carton: nullable({ ...CartonView, description: about.carton }),
  warehouse_id: text(about.warehouse_id),
  hold: nullable({
    ...closed({
      reason: choice(clientHoldReasons, { description: about.reason }),
      note: text(`${about.note} Null if none.`),
    }),
    description: about.hold,
  }),
  priority: nullable(Type.Integer({ description: about.priority })),
  packing_note: text(about.packing_note),
});

const contentFields = {
  merchant_id: text(about.merchant_id),
  name: Type.String({ description: about.name }),
  active: Type.Boolean({ description: about.active }),
  conditions: { ...ConditionsView, description: about.conditions },
  actions: { ...ActionsView, description: "What it decides; null where it leaves the decision to the next rule." },
};
const position = Type.Integer({ description: "Its place among the rules for the same merchant, from 1." });

export const ShippingRuleView = closed({
  id: Type.String(),
  position,
  ...contentFields,
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const ShippingRulesView = Type.Array(ShippingRuleView);

export const RuleHistoryView = closed({
  revision: Type.Integer({ description: "The revision of the rule after the change." }),
  position,
  rule: { ...closed(contentFields), description: "The rule after the change." },
  actor: HistoryView.properties.actor,
  request_id: text("The request that changed it; null if none did."),
  created_at: Timestamp,
});

const field = choice(ruleFields, { description: "The field; `service` includes the carrier, and how it is chosen." });
const rule_id = text("The rule that decides it; null for a draft without an id, and if no rule does.");

export const TrialView = closed({
  orders: Type.Integer({ description: "The newest orders that were evaluated, at most 500." }),
  changed: Type.Integer({ description: "How many of them would change." }),
  rules: Type.Array(
    closed({
      id: text("The rule; null for a draft without an id."),
      name: Type.String({ description: "Its name for people." }),
      orders: Type.Integer({ description: "Orders with at least one field that this rule decides." }),
    }),
    { description: "The rules that were tried, in the order in which they apply." },
  ),
  changes: Type.Array(
    closed({
      order_id: Type.String({ description: "The order, such as `ord_1001`." }),
      order_number: Type.String({ description: "Its number." }),
      fields: Type.Array(
        closed({
          field,
          from: Type.String({ description: "What it has, in words." }),
          to: Type.String({ description: "What the rules decide, in words." }),
          rule_id,
          rule: text("The name of that rule."),
        }),
        { description: "The fields that would change." },
      ),
    }),
    { description: "The orders that would be different if they were created now, newest first." },
  ),
});

export const EvaluateShippingRules = closed({
  order_id: textField(100, { description: "The order, by id or order number." }),
});

export const EvaluationView = closed({
  order_id: Type.String({ description: "The order, such as `ord_1001`." }),
  order_number: Type.String({ description: "Its number." }),
  fields: Type.Array(
    closed({
      field,
      value: Type.String({ description: "What the order has, in words." }),
      by: nullable(choice(["rule", "person"], { description: "What decided that; null for the default." })),
      rule_id: text("The rule that decided it; null if none did."),
      rule_revision: nullable(Type.Integer({ description: "The revision of that rule." })),
      now: nullable({
        ...closed({
          value: Type.String({ description: "What the rules decide now, in words." }),
          rule_id: Type.String({ description: "The first rule that applies and decides it." }),
          rule: Type.String({ description: "The name of that rule." }),
          rule_revision: Type.Integer({ description: "Its revision." }),
        }),
        description: "What the rules decide now; null if none decides the field.",
      }),
    }),
    { description: "Each field that rules can decide." },
  ),
});
