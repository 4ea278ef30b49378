import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, moneyField, nullable, Timestamp, textField, weightUnitField } from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import {
  BreakdownView,
  CountryField,
  DimensionsField,
  PackageDimensions,
  PackedItem,
  ShippingAddress,
  WeightField,
} from "../shipping.schema.ts";

const zip = (which: string) =>
  Type.Optional(
    nullable(
      textField(20, {
        min: 0,
        description:
          `The ${which} postal code. The form 12345 implies the US, A1A 1A1 Canada. Countries without postal` +
          " codes, such as" +
          " Hong Kong, need none.",
      }),
    ),
  );
const country = Type.Optional(CountryField);
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
  from_country: country,
  to_country: country,
  from_address: Type.Optional(ShippingAddress),
  to_address: Type.Optional(ShippingAddress),
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
  weight: Type.Optional(WeightField),
  weight_unit: Type.Optional(weightUnitField("The default is lb.")),
  dimensions: Type.Optional(nullable(DimensionsField)),
  value: Type.Optional(nullable(moneyField("Declared value, in US dollars."))),
  insurance: Type.Optional(Type.Boolean()),
  carriers: codes("of these carriers"),
  services: codes("for these services"),
});
export type GetRates = Static<typeof GetRates>;

const account_id = nullable(
  Type.String({ description: "The carrier account; null for built-in carriers, and always null for merchants." }),
);

export const RatesView = closed({
  rates: Type.Array(
    closed({
      quote_id: Type.String({
        maxLength: 40,
        description: "Buys a label at exactly this rate. It can be used once.",
      }),
      expires_at: Type.String({
        format: "date-time",
        description: "When the quote expires, 15 minutes after the request.",
      }),
      carrier: Type.String(),
      carrier_name: Type.String(),
      service: Type.String(),
      service_name: Type.String(),
      account_id,
      rate: Type.Number(),
      currency: Type.String(),
      breakdown: BreakdownView,
      billable_weight: nullable(Type.Integer()),
      billable_weight_unit: Type.Literal("lb"),
      zone: nullable(Type.String()),
      zone_estimated: Type.Boolean({ description: "Whether the zone is estimated, as for military addresses." }),
      delivery_days: nullable(Type.Integer()),
      ship_date: nullable(Type.String()),
      delivery_date: nullable(Timestamp),
      delivery_day: nullable(
        Type.String({ format: "date", description: "The calendar day of delivery at the destination." }),
      ),
      sample: Type.Boolean({ description: "Whether the price comes from a sample rate card." }),
    }),
    { description: "Sorted by currency, US dollars first, then by price." },
  ),
  messages: Type.Array(
    closed({
      carrier: Type.String({ description: "The carrier; for an account that failed, its connector." }),
      service: nullable(Type.String()),
      account_id,
      level: choice(["info", "warning", "error"]),
      code: Type.String({
        description: "A code such as over_weight_limit, zip_unknown, sample_rates, carrier_timeout or carrier_error.",
      }),
      message: Type.String(),
    }),
    { description: "Messages of carriers, including failures and timeouts." },
  ),
  parcel: closed({
    weight: Type.Number(),
    weight_unit: choice(weightUnits),
    dimensions: nullable(PackageDimensions),
  }),
});

export const CarriersView = closed({
  carriers: Type.Array(
    closed({
      code: Type.String(),
      name: Type.String(),
      services: Type.Array(Type.String()),
      service_names: Type.Record(Type.String(), Type.String(), {
        description: "The display names of the services, by code.",
      }),
      connector: Type.String({ description: "The connector that provides its rates and labels." }),
      account_id,
    }),
  ),
});
