// The choice of how an order is shipped, in requests and responses.
import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, currencyField, moneyField, nullable, textField, weightUnitField } from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import { lengthUnits } from "../../products/product.ts";
import { ruleFields } from "./evaluate_rules.ts";
import { choiceModes } from "./shipping_rule.ts";

/** A carton in a request: its size, and its weight if it counts. */
export const CartonField = closed({
  length: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }),
  width: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }),
  height: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }),
  unit: Type.Optional(choice(lengthUnits, { description: "The unit of all three sides. Default: in." })),
  weight: Type.Optional(
    nullable(Type.Number({ minimum: 0.000_001, maximum: 1_000_000, description: "The weight of the empty carton." })),
  ),
  weight_unit: Type.Optional(nullable(weightUnitField("Default: lb."))),
});
export type CartonField = Static<typeof CartonField>;

const number = (description: string) => nullable(Type.Number({ description }));

/** A carton in responses. */
export const CartonView = closed({
  length: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
  unit: choice(lengthUnits, { description: "The unit of all three sides." }),
  weight: number("The weight of the empty carton; null if it does not count."),
  weight_unit: nullable(choice(weightUnits)),
});

const about = {
  carrier: "The carrier by code.",
  service: "The carrier's service by code.",
  choose: "How the service is chosen from the rates, as in shipping rules; null if it is named.",
  days_max: "The most delivery days for `cheapest_in_time`; null for any number.",
  price_max: "The highest price for `fastest_under`; null otherwise.",
  currency: "The currency of `price_max`.",
  carton: "The outer size of the parcel, and the weight of the empty carton.",
  insured: "Whether it is insured for its subtotal, where the service offers that.",
};

export const ShippingChoiceField = closed(
  {
    carrier: Type.Optional(nullable(textField(100, { description: about.carrier }))),
    service: Type.Optional(nullable(textField(100, { description: about.service }))),
    choose: Type.Optional(nullable(choice(choiceModes, { description: about.choose }))),
    days_max: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100, description: about.days_max }))),
    price_max: Type.Optional(nullable(moneyField(about.price_max))),
    currency: Type.Optional(currencyField(`${about.currency} Default: \`USD\`.`)),
    carton: Type.Optional(nullable({ ...CartonField, description: about.carton })),
    insured: Type.Optional(Type.Boolean({ description: about.insured })),
  },
  ["source", "rule_id", "rule_revision"],
);
export type ShippingChoiceField = Static<typeof ShippingChoiceField>;

const text = (description: string) => nullable(Type.String({ description }));
const rule_text = "The rule, such as `rul_1001`; null if it was no rule.";
const revision_text = "The revision of the rule that decided; null if it was no rule.";

export const ShippingChoiceView = closed({
  carrier: text(`${about.carrier} Null if none is named.`),
  service: text(`${about.service} Null if none is named.`),
  choose: nullable(choice(choiceModes, { description: about.choose })),
  days_max: nullable(Type.Integer({ description: about.days_max })),
  price_max: nullable(Type.Number({ description: about.price_max })),
  currency: Type.String({ description: about.currency }),
  carton: nullable({ ...CartonView, description: about.carton }),
  insured: Type.Boolean({ description: about.insured }),
  source: nullable(choice(["rule", "person"], { description: "What decided the service; null if nothing did." })),
  rule_id: text(rule_text),
  rule_revision: nullable(Type.Integer({ description: revision_text })),
});

export const DecidedByView = closed({
  field: choice(ruleFields, { description: "The field; `service` includes the carrier, and how it is chosen." }),
  by: choice(["rule", "person"], { description: "`person`: a person or client set it, so rules never change it." }),
  rule_id: text(rule_text),
  rule_revision: nullable(Type.Integer({ description: revision_text })),
});
