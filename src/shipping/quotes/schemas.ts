import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, moneyField, nullable, textField, weightUnitField } from "../../kit/schema.ts";
import { CountryField, DimensionsField, WeightField } from "../schemas.ts";

export const GetRates = closed({
  from_zip: textField(20),
  to_zip: textField(20),
  from_country: Type.Optional(CountryField),
  to_country: Type.Optional(CountryField),
  weight: WeightField,
  weight_unit: Type.Optional(weightUnitField("lb unless given.")),
  dimensions: Type.Optional(nullable(DimensionsField)),
  value: Type.Optional(nullable(moneyField("Declared value."))),
  insurance: Type.Optional(Type.Boolean()),
});
export type GetRates = Static<typeof GetRates>;

const moment = Type.String({ format: "date-time" });

export const RatesView = closed({
  rates: Type.Array(
    closed({
      quote_id: Type.String({ description: "A label bought by it costs exactly this. It is used once." }),
      expires_at: Type.String({ format: "date-time", description: "Until when: fifteen minutes from now." }),
      carrier: Type.String(),
      carrier_name: Type.String(),
      service: Type.String(),
      service_name: Type.String(),
      account_id: nullable(Type.String({ description: "Whose carrier it is; null for the built-in one." })),
      rate: Type.Number(),
      rate_cents: Type.Integer(),
      currency: Type.String(),
      breakdown: Type.Array(closed({ code: Type.String(), amount_cents: Type.Integer() })),
      billable_weight: nullable(Type.Integer()),
      billable_weight_unit: Type.Literal("lb"),
      zone: nullable(Type.String()),
      zone_estimated: Type.Boolean({ description: "Whether the zone is a guess, as for military addresses." }),
      delivery_days: nullable(Type.Integer()),
      ship_date: nullable(Type.String()),
      delivery_date: nullable(moment),
    }),
  ),
  messages: Type.Array(
    closed({
      carrier: Type.String(),
      service: nullable(Type.String()),
      level: choice(["info", "warning", "error"]),
      code: Type.String({ description: "Such as over_weight_limit, zip_unknown or insurance_not_offered." }),
      message: Type.String(),
    }),
  ),
});

export const CarriersView = closed({
  carriers: Type.Array(closed({ code: Type.String(), name: Type.String(), services: Type.Array(Type.String()) })),
});
