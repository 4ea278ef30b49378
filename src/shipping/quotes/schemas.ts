import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, moneyField, nullable, textField, weightUnitField } from "../../kit/schema.ts";
import { builtInCarrierCodes, serviceCodes } from "../rates/services.ts";
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
      carrier: choice(builtInCarrierCodes),
      service: choice(serviceCodes),
      rate: Type.Number(),
      rate_cents: Type.Integer(),
      currency: Type.String(),
      breakdown: Type.Array(closed({ code: Type.String(), amount_cents: Type.Integer() })),
      billable_weight: Type.Integer(),
      billable_weight_unit: Type.Literal("lb"),
      delivery_days: Type.Integer(),
      ship_date: Type.String(),
      delivery_date: moment,
    }),
  ),
  messages: Type.Array(
    closed({
      carrier: Type.String(),
      service: nullable(Type.String()),
      level: choice(["info", "warning"]),
      code: choice(["over_weight_limit", "insurance_not_offered"]),
      message: Type.String(),
    }),
  ),
});

export const CarriersView = closed({
  carriers: Type.Array(closed({ code: Type.String(), name: Type.String(), services: Type.Array(Type.String()) })),
});
