import { type Static, Type } from "@sinclair/typebox";
import { closed, countField, idField, nullable, timestamp } from "../../core/schema.ts";
import { ShippingChoiceView } from "../../orders/shipping_rules/shipping_choice.schema.ts";
import { PackageField } from "../labels/labels.schema.ts";
import { ChoiceView, PricedParcelView, RateOfView } from "./quotes.schema.ts";

const orders_max = 500;

export const GetBulkRates = closed({
  order_ids: Type.Array(idField("order"), {
    minItems: 1,
    maxItems: orders_max,
    uniqueItems: true,
    description: "The orders by id, each once.",
  }),
  package: Type.Optional({
    ...PackageField,
    description: "The parcel, the same for all orders. Default: the weight of the products, and the chosen carton.",
  }),
});
export type GetBulkRates = Static<typeof GetBulkRates>;

const { carrier, service, choose, days_max, price_max, rule_id, rule_revision } = ShippingChoiceView.properties;

const Differing = closed({ carrier, service, choose, days_max, price_max, rule_id, rule_revision });

const BulkRate = closed({
  order_id: Type.String({ description: "The order, such as `ord_1001`." }),
  order_number: nullable(Type.String({ description: "Its number; null if there is no such order." })),
  choice: nullable({ ...ChoiceView, description: "What its choice picks; null if its rates are unknown." }),
  rate: nullable({ ...RateOfView, description: "The rate that it picks; null if none." }),
  cheapest: nullable({ ...RateOfView, description: "The cheapest rate; null if there is none." }),
  rule_rate: nullable({ ...RateOfView, description: "The rate that the rules pick now; null if none." }),
  ship_by: nullable(timestamp("When the order should leave; null without a promise.")),
  in_time: nullable(Type.Boolean({ description: "Whether the picked rate leaves by then; null if unknown." })),
  differs: nullable({
    ...Differing,
    description: "What the rules would choose now, if the order has another choice; null if they agree.",
  }),
  parcel: nullable({ ...PricedParcelView, description: "The parcel that was priced; null if its weight is unknown." }),
  error: nullable({
    ...closed({
      code: Type.String({ description: "The error code, such as `validation_failed` or `carrier_timeout`." }),
      message: Type.String(),
    }),
    description: "Why it has no rate: the refusal, or the failure of carriers. Null if it has one.",
  }),
});

export const BulkRatesView = closed({
  orders: Type.Array(BulkRate, { description: "One entry for each order, in the order of the request." }),
  totals: Type.Array(
    closed({
      currency: Type.String({ description: "The currency of the rates." }),
      count: countField("The orders whose picked rate is in this currency."),
      total: Type.Number({ description: "The sum of those rates." }),
    }),
    { description: "The sum of the picked rates, for each currency." },
  ),
  picked: countField("The orders with a picked rate."),
  open: countField("The orders without one."),
});
