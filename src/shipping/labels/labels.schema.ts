import { type Static, Type } from "@sinclair/typebox";
import { csvExportFields } from "../../core/csv_columns.ts";
import {
  choice,
  closed,
  idField,
  moneyField,
  nullable,
  Timestamp,
  textField,
  weightUnitField,
} from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import { drawingFormats } from "../../documents/drawing.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { documentKinds } from "../offer.ts";
import {
  AddressView,
  BreakdownView,
  DimensionsField,
  PackageDimensions,
  PackedItem,
  ShippingAddress,
  WeightField,
} from "../shipping.schema.ts";
import { labelStatuses, voidStatuses } from "./label.transitions.ts";

const DayField = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", hint: "must be a date, such as 2026-01-31", description });

const period = {
  from: Type.Optional(DayField("The first day; by default 29 days before the last.")),
  to: Type.Optional(DayField("The last day (inclusive); today by default. A period has at most 366 days.")),
  carrier: Type.Optional(textField(100)),
};

export const ListCosts = closed(period);
export type ListCosts = Static<typeof ListCosts>;

export const ExportCosts = closed({ ...period, ...csvExportFields });

export const CostsView = closed({
  timezone: Type.String({ description: "The time zone of the days: that of the first warehouse." }),
  from: Type.String(),
  to: Type.String(),
  costs: Type.Array(
    closed({
      date: Type.String(),
      carrier: Type.String(),
      currency: Type.String(),
      label_count: Type.Integer({ minimum: 0, description: "The number of valid labels." }),
      cost: Type.Number({ description: "The sum charged for them." }),
      carrier_cost: Type.Number({ description: "The sum that the carrier charges for them." }),
      voided_count: Type.Integer({
        minimum: 0,
        description: "The number of labels offerFields on this day and voided later.",
      }),
    }),
  ),
});

const readOnly = [
  "merchant_id",
  "label_id",
  "shipment_id",
  "return_id",
  "status",
  "tracking_number",
  "tracking_url",
  "cost",
  "carrier_cost",
  "currency",
  "breakdown",
  "sample",
  "billable_weight",
  "zone",
  "delivery_date",
  "delivery_day",
  "label_url",
  "documents",
  "warnings",
  "error",
  "void_status",
  "created_at",
  "voided_at",
];

export const PackageField = closed({
  weight: WeightField,
  weight_unit: Type.Optional(weightUnitField("The default is lb.")),
  dimensions: Type.Optional(nullable(DimensionsField)),
  value: Type.Optional(nullable(moneyField("Declared value, in US dollars."))),
  insurance: Type.Optional(
    Type.Boolean({ description: "Insures the parcel for its `value`, if the service offers insurance." }),
  ),
});

export const AccountField = Type.Optional(
  nullable(
    idField(
      "carrier_account",
      "The carrier account to buy with, if several sell the carrier's labels. Not available to merchants.",
    ),
  ),
);

/** The fields that choose what to buy: a quote, or a carrier's service. */
const offerFields = {
  carrier: Type.Optional(textField(100, { description: "Required without `quote_id`." })),
  service: Type.Optional(textField(100, { description: "Required without `quote_id`." })),
  account_id: AccountField,
  quote_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description:
        "A quote from `POST /shipping/rates`. The label costs exactly its rate. The order, parcel and addresses must" +
        " match the quote.",
    }),
  ),
} as const;

export const CreateLabel = closed(
  {
    order_id: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
      hint: "must be an order id or an order number",
    }),
    ...offerFields,
    from_address: Type.Optional(ShippingAddress),
    to_address: Type.Optional(ShippingAddress),
    package: PackageField,
    items: Type.Optional(
      Type.Array(PackedItem, {
        minItems: 1,
        maxItems: 500,
        description: "The units in this parcel; by default all unpacked units.",
      }),
    ),
    reason: Type.Optional(
      textField(200, {
        description: "The reason for labeling units that are not reserved. The warning `not_reserved` includes it.",
      }),
    ),
    additional: Type.Optional(
      Type.Boolean({ description: "Allows a label equal to a recent one, for another carton." }),
    ),
  },
  readOnly,
);
export type CreateLabel = Static<typeof CreateLabel>;

const documentFields = {
  format: Type.Optional(
    choice(drawingFormats, { description: "A PDF by default, or the carrier's format if it has no PDF." }),
  ),
  document: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: "The position in the carrier's documents, as in the document's link.",
    }),
  ),
  dpi: Type.Optional(
    choice(["203", "300"], { description: "The resolution of a built-in label as PNG; 203 by default." }),
  ),
};

export const ChooseDocument = closed(documentFields);

export const FollowLink = closed({
  ...documentFields,
  mode: choice(["live", "test"]),
  expires: Type.Integer({ minimum: 0, maximum: 100_000_000_000 }),
  signature: textField(100),
});
export type FollowLink = Static<typeof FollowLink>;

const text = nullable(Type.String());

export const LabelView = closed({
  label_id: Type.String(),
  merchant_id: OwnerView,
  shipment_id: nullable(Type.String({ description: "Null for a return label." })),
  order_id: Type.String(),
  return_id: text,
  account_id: nullable(
    Type.String({ description: "The carrier account; null for a built-in label, and always null for merchants." }),
  ),
  status: choice(labelStatuses),
  carrier: Type.String(),
  service: Type.String(),
  tracking_number: text,
  tracking_url: text,
  cost: nullable(Type.Number({ description: "The amount charged; null until an offer is chosen." })),
  carrier_cost: nullable(Type.Number({ description: "The amount that the carrier charges." })),
  currency: Type.String(),
  breakdown: nullable(BreakdownView),
  sample: Type.Boolean({ description: "Whether it was offerFields at a sample rate card's price." }),
  billable_weight: nullable(Type.Integer({ description: "In pounds." })),
  zone: text,
  delivery_date: nullable(Timestamp),
  delivery_day: nullable(
    Type.String({ format: "date", description: "The calendar day of delivery at the destination." }),
  ),
  label_url: nullable(
    Type.String({
      description: "Null until the label is offerFields, and if the carrier's document could not be read.",
    }),
  ),
  documents: Type.Array(closed({ kind: choice(documentKinds), format: choice(drawingFormats), url: Type.String() })),
  package: closed({
    weight: Type.Number(),
    weight_unit: choice(weightUnits),
    dimensions: nullable(PackageDimensions),
    value: nullable(Type.Number({ description: "In US dollars." })),
    insurance: Type.Boolean(),
  }),
  from_address: AddressView,
  to_address: AddressView,
  warnings: Type.Array(closed({ field: Type.String(), code: Type.String(), message: Type.String() })),
  error: nullable(closed({ code: Type.String(), message: Type.String() })),
  void_status: nullable(
    choice(voidStatuses, {
      description: "The progress of voiding a carrier's label: requested (`asked`), awaiting a decision, or accepted.",
    }),
  ),
  created_at: Timestamp,
  voided_at: nullable(Timestamp),
});
