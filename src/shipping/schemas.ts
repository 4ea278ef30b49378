import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  idField,
  moneyField,
  nullable,
  quantityField,
  textField,
  weightUnitField,
} from "../kit/schema.ts";
import { weightUnits } from "../kit/weight_unit.ts";
import { lengthUnits } from "../products/status.ts";
import { drawingFormats } from "../typesetting/drawings/drawing.ts";
import { builtInCarrierCodes, serviceCodes } from "./services.ts";
import { labelStatuses } from "./status.ts";

const WeightField = Type.Union(
  [Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }), Type.String({ pattern: "^[0-9.]{1,32}$" })],
  { hint: "must be a decimal number above zero" },
);
const side = Type.Number({ exclusiveMinimum: 0, maximum: 10_000 });
const DimensionsField = closed({
  length: side,
  width: side,
  height: side,
  unit: Type.Optional(choice(lengthUnits)),
});
const CountryField = Type.String({ pattern: "^[A-Z]{2}$", hint: "must be a two-letter country code such as US" });

export const ShippingAddress = closed({
  name: textField(100),
  company: Type.Optional(nullable(textField(100, { min: 0 }))),
  street1: textField(200),
  street2: Type.Optional(nullable(textField(200, { min: 0 }))),
  city: textField(100),
  state: Type.Optional(nullable(textField(100, { min: 0 }))),
  zip: Type.Optional(nullable(textField(20, { min: 0 }))),
  country: CountryField,
  phone: Type.Optional(nullable(textField(40, { min: 0 }))),
});

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

const readOnly = [
  "label_id",
  "shipment_id",
  "status",
  "tracking_number",
  "tracking_url",
  "cost",
  "currency",
  "label_url",
  "documents",
  "warnings",
  "created_at",
  "voided_at",
];

const Item = closed({
  line_id: Type.Optional(idField("order_line")),
  sku: Type.Optional(textField(100)),
  quantity: quantityField(),
});

export const CreateLabel = closed(
  {
    order_id: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
      hint: "must be an order's id or its order number",
    }),
    carrier: textField(40),
    service: textField(40),
    from_address: Type.Optional(ShippingAddress),
    to_address: Type.Optional(ShippingAddress),
    package: closed({
      weight: WeightField,
      weight_unit: Type.Optional(weightUnitField("lb unless given.")),
      dimensions: Type.Optional(nullable(DimensionsField)),
    }),
    items: Type.Optional(
      Type.Array(Item, {
        minItems: 1,
        maxItems: 500,
        description: "The units in this parcel; all that are in no other parcel unless given.",
      }),
    ),
    additional: Type.Optional(Type.Boolean({ description: "Buys an equal label on purpose, for another carton." })),
  },
  readOnly,
);
export type CreateLabel = Static<typeof CreateLabel>;

export const ChooseDocument = closed({ format: Type.Optional(choice(drawingFormats)) });

export const FollowLink = closed({
  format: Type.Optional(choice(drawingFormats)),
  mode: choice(["live", "test"]),
  expires: Type.Integer({ minimum: 0, maximum: 100_000_000_000 }),
  signature: textField(100),
});
export type FollowLink = Static<typeof FollowLink>;

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

const text = nullable(Type.String());
const AddressView = closed({
  name: Type.String(),
  company: text,
  street1: Type.String(),
  street2: text,
  city: Type.String(),
  state: text,
  zip: text,
  country: Type.String(),
  phone: text,
});

export const PackageDimensions = closed({
  length: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
  unit: choice(lengthUnits),
});

export const LabelView = closed({
  label_id: Type.String(),
  shipment_id: Type.String(),
  order_id: Type.String(),
  status: choice(labelStatuses),
  carrier: Type.String(),
  service: Type.String(),
  tracking_number: text,
  tracking_url: text,
  cost: Type.Number(),
  currency: Type.String(),
  label_url: Type.String(),
  documents: Type.Array(closed({ format: choice(drawingFormats), url: Type.String() })),
  package: closed({
    weight: Type.Number(),
    weight_unit: choice(weightUnits),
    dimensions: nullable(PackageDimensions),
  }),
  from_address: AddressView,
  to_address: AddressView,
  warnings: Type.Array(closed({ field: Type.String(), code: Type.String(), message: Type.String() })),
  created_at: moment,
  voided_at: nullable(moment),
});
