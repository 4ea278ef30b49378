import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, moneyField, nullable, textField, timestamp, weightUnitField } from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import { ShippingChoiceView } from "../../orders/shipping_rules/shipping_choice.schema.ts";
import {
  BreakdownView,
  CarrierView,
  CountryField,
  DeliveryDayView,
  DimensionsField,
  PackageDimensions,
  PackedItem,
  ServiceView,
  ShippingAddress,
  WeightField,
} from "../shipping.schema.ts";
import { pickCodes } from "./choose_rate.ts";

const zip = (which: string) =>
  Type.Optional(
    nullable(
      textField(20, {
        min: 0,
        description:
          `The ${which} postal code. The form 12345 implies the US, A1A 1A1 Canada. Countries without postal` +
          " codes, such as Hong Kong, need none.",
      }),
    ),
  );
const country = (which: string) =>
  Type.Optional({
    ...CountryField,
    description: `The ${which} country. Default: the one that the form of its postal code implies, else \`US\`.`,
  });
const codes = (which: string) =>
  Type.Optional(
    Type.Array(textField(100), {
      minItems: 1,
      maxItems: 100,
      description: `Only ${which}, by their codes in GET /shipping/carriers.`,
    }),
  );

export const GetRates = closed({
  from_zip: zip("sender's"),
  to_zip: zip("recipient's"),
  from_country: country("sender's"),
  to_country: country("recipient's"),
  from_address: Type.Optional({
    ...ShippingAddress,
    description: "The sender's address instead of `from_zip`. Some carriers need full addresses for exact rates.",
  }),
  to_address: Type.Optional({ ...ShippingAddress, description: "The recipient's address instead of `to_zip`." }),
  residential: Type.Optional(
    Type.Boolean({
      description: "Whether the recipient's address is residential. Some carriers charge more for it.",
    }),
  ),
  order_id: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
      hint: "must be an order id or an order number",
      description:
        "An order instead of postal codes and a weight: from its warehouse to its address, with the weight of its" +
        " unpacked units. Addresses and a weight in the request override those of the order.",
    }),
  ),
  items: Type.Optional(
    Type.Array(PackedItem, {
      minItems: 1,
      maxItems: 500,
      description: "The units of the order in the parcel; by default all unpacked units.",
    }),
  ),
  weight: Type.Optional({ ...WeightField, description: "The weight of the packed parcel. Required without an order." }),
  weight_unit: Type.Optional(weightUnitField("The default is lb.")),
  dimensions: Type.Optional(
    nullable({ ...DimensionsField, description: "The outer size. Without it, only the weight decides the rate." }),
  ),
  value: Type.Optional(nullable(moneyField("Declared value, in US dollars."))),
  insurance: Type.Optional(
    Type.Boolean({ description: "Whether rates include insurance for `value`, where it is offered. Default: false." }),
  ),
  carriers: codes("of these carriers"),
  services: codes("for these services"),
});
export type GetRates = Static<typeof GetRates>;

const account_id = nullable(
  Type.String({ description: "The carrier account; null for built-in carriers, and always null for merchants." }),
);

const { source, rule_id, rule_revision } = ShippingChoiceView.properties;

/** A rate with its quote. */
export const RateOfView = closed({
  quote_id: Type.String({
    maxLength: 40,
    description: "Buys a label at exactly this rate. It can be used once.",
  }),
  expires_at: Type.String({
    format: "date-time",
    description: "When the quote expires, 15 minutes after the request.",
  }),
  carrier: CarrierView,
  carrier_name: Type.String({ description: "The carrier's display name." }),
  service: ServiceView,
  service_name: Type.String({ description: "The display name of the service." }),
  account_id,
  rate: Type.Number({ description: "The total price, which a label bought with the quote costs." }),
  currency: Type.String({ description: "The currency of the rate and its breakdown." }),
  breakdown: BreakdownView,
  billable_weight: nullable(
    Type.Integer({ description: "The weight that decides the price, in whole pounds; null if unknown." }),
  ),
  billable_weight_unit: Type.Literal("lb", { description: "Always pounds." }),
  zone: nullable(Type.String({ description: "The zone that decides the price; null if the carrier names none." })),
  zone_estimated: Type.Boolean({ description: "Whether the zone is estimated, as for military addresses." }),
  delivery_days: nullable(Type.Integer({ description: "Delivery days after the ship date; null if unknown." })),
  ship_date: nullable(
    Type.String({ description: "The day it leaves if it is ready now, as a date; null if unknown." }),
  ),
  delivery_date: nullable(timestamp("The end of the expected delivery day; null if unknown.")),
  delivery_day: DeliveryDayView,
  sample: Type.Boolean({ description: "Whether the price comes from a sample rate card." }),
  chosen: Type.Boolean({ description: "Whether the order's `shipping_choice` picks it." }),
});

/** The rate that an order's choice picks. */
export const ChoiceView = closed({
  quote_id: nullable(Type.String({ description: "The quote of the rate; null if none fits." })),
  code: choice(pickCodes, {
    description:
      "`picked`; or why none is: nothing has chosen a service, the carrier does not offer it, or no rate keeps the" +
      " promise or is cheap enough.",
  }),
  reason: Type.String({ description: "The choice in words, and why no rate fits it." }),
  source,
  rule_id,
  rule_revision,
});

/** A parcel that was priced. */
export const PricedParcelView = closed({
  weight: Type.Number({ description: "The weight in `weight_unit`." }),
  weight_unit: choice(weightUnits),
  dimensions: nullable({ ...PackageDimensions, description: "The outer size; null if unknown." }),
});

export const RatesView = closed({
  rates: Type.Array(RateOfView, { description: "Sorted by currency, US dollars first, then by price." }),
  choice: nullable({
    ...ChoiceView,
    description: "The rate that the order's `shipping_choice` picks; null without an order.",
  }),
  rule_choice: nullable({
    ...ChoiceView,
    description:
      "The rate that the shipping rules pick now, whatever a person has chosen; null if no rule chooses a service.",
  }),
  messages: Type.Array(
    closed({
      carrier: Type.String({ description: "The carrier; for an account that failed, its connector." }),
      service: nullable(Type.String({ description: "The service that it concerns; null for all." })),
      account_id,
      level: choice(["info", "warning", "error"], {
        description: "`info`: no rate for this parcel. `warning`: check the rates. `error`: the carrier failed.",
      }),
      code: Type.String({
        description: "A code such as over_weight_limit, zip_unknown, sample_rates, carrier_timeout or carrier_error.",
      }),
      message: Type.String(),
    }),
    { description: "Messages of carriers, including failures and timeouts." },
  ),
  parcel: {
    ...PricedParcelView,
    description: "The parcel that was priced; for an order, with the weight of its products.",
  },
});

export const CarriersView = closed({
  carriers: Type.Array(
    closed({
      code: Type.String({ description: "The code to send as `carrier`." }),
      name: Type.String({ description: "The display name." }),
      services: Type.Array(Type.String(), {
        description: "The codes of its services. Empty if the account does not list them.",
      }),
      service_names: Type.Record(Type.String(), Type.String(), {
        description: "The display names of the services, by code.",
      }),
      connector: Type.String({ description: "The connector that provides its rates and labels." }),
      account_id,
    }),
    { description: "A carrier that several accounts sell is listed once for each." },
  ),
});
