import { type Static, Type } from "@sinclair/typebox";
import { csvExportFields } from "../../core/csv_columns.ts";
import {
  choice,
  closed,
  idField,
  momentField,
  moneyField,
  nullable,
  pageFields,
  textField,
  weightUnitField,
} from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import { drawingFormats } from "../../documents/drawing.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { documentKinds } from "../offer.ts";
import {
  AddressView,
  DimensionsField,
  PackageDimensions,
  PackedItem,
  ShippingAddress,
  WeightField,
} from "../shipping.schema.ts";
import { labelStatuses, voidStatuses } from "./label.transitions.ts";

const filters = {
  order_id: Type.Optional(textField(100, { description: "An order's id or its order number." })),
  shipment_id: Type.Optional(idField("shipment")),
  return_id: Type.Optional(idField("return")),
  manifest_id: Type.Optional(idField("manifest", "Only labels on this manifest.")),
  on_manifest: Type.Optional(Type.Boolean({ description: "Only labels that are on a manifest, or on none." })),
  status: Type.Optional(choice(labelStatuses)),
  carrier: Type.Optional(textField(100)),
  service: Type.Optional(textField(100)),
  tracking_number: Type.Optional(textField(60, { description: "As written or as scanned." })),
  created_after: Type.Optional(momentField()),
  created_before: Type.Optional(momentField()),
};

export const ListLabels = closed({ ...pageFields, ...filters });
export type ListLabels = Static<typeof ListLabels>;

export const ExportLabels = closed({ ...filters, ...csvExportFields });
export type ExportLabels = Static<typeof ExportLabels>;

const DayField = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", hint: "must be a day such as 2026-01-31", description });

const period = {
  from: Type.Optional(DayField("The first day. By default 29 days before the last.")),
  to: Type.Optional(DayField("The last day, included; today by default. At most 366 days.")),
  carrier: Type.Optional(textField(100)),
};

export const ListCosts = closed(period);
export type ListCosts = Static<typeof ListCosts>;

export const ExportCosts = closed({ ...period, ...csvExportFields });

export const CostsView = closed({
  timezone: Type.String({ description: "The time zone of the first warehouse, by which days are counted." }),
  from: Type.String(),
  to: Type.String(),
  costs: Type.Array(
    closed({
      date: Type.String(),
      carrier: Type.String(),
      currency: Type.String(),
      label_count: Type.Integer({ minimum: 0, description: "Labels that are valid." }),
      cost: Type.Number({ description: "What was charged for them." }),
      carrier_cost: Type.Number({ description: "What the carrier takes for them." }),
      voided_count: Type.Integer({ minimum: 0, description: "Labels that were bought that day and later voided." }),
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
  weight_unit: Type.Optional(weightUnitField("lb by default.")),
  dimensions: Type.Optional(nullable(DimensionsField)),
  value: Type.Optional(nullable(moneyField("Declared value, in US dollars."))),
  insurance: Type.Optional(
    Type.Boolean({ description: "Insures the parcel for its `value`, where the service offers that." }),
  ),
});

export const AccountField = Type.Optional(
  nullable(
    idField(
      "carrier_account",
      "The carrier account to buy with, if several sell for the carrier. Only the operator may name one.",
    ),
  ),
);

/** What to buy: the offer of a quote, or a carrier's service. */
const bought = {
  carrier: Type.Optional(textField(100, { description: "Not needed with `quote_id`." })),
  service: Type.Optional(textField(100, { description: "Not needed with `quote_id`." })),
  account_id: AccountField,
  quote_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8000,
      description:
        "A quote of `POST /shipping/rates`. The label costs what it says. The order, the parcel and the" +
        " addresses must" +
        " be those of the quote.",
    }),
  ),
} as const;

export const CreateLabel = closed(
  {
    order_id: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
      hint: "must be an order's id or its order number",
    }),
    ...bought,
    from_address: Type.Optional(ShippingAddress),
    to_address: Type.Optional(ShippingAddress),
    package: PackageField,
    items: Type.Optional(
      Type.Array(PackedItem, {
        minItems: 1,
        maxItems: 500,
        description: "The units in this parcel. By default all that are in no other parcel.",
      }),
    ),
    reason: Type.Optional(
      textField(200, {
        description: "Why units are labeled that stock has not reserved. The warning `not_reserved` repeats it.",
      }),
    ),
    additional: Type.Optional(Type.Boolean({ description: "Buys an equal label on purpose, for another carton." })),
  },
  readOnly,
);
export type CreateLabel = Static<typeof CreateLabel>;

const wish = {
  format: Type.Optional(
    choice(drawingFormats, { description: "A PDF by default, or the carrier's format if it made no PDF." }),
  ),
  document: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: "The position among the carrier's documents, as" + " in its link.",
    }),
  ),
  dpi: Type.Optional(choice(["203", "300"], { description: "The resolution of a PNG of our own; 203 by default." })),
};

export const ChooseDocument = closed(wish);

export const FollowLink = closed({
  ...wish,
  mode: choice(["live", "test"]),
  expires: Type.Integer({ minimum: 0, maximum: 100_000_000_000 }),
  signature: textField(100),
});
export type FollowLink = Static<typeof FollowLink>;

const moment = Type.String({ format: "date-time" });

const text = nullable(Type.String());

export const LabelView = closed({
  label_id: Type.String(),
  merchant_id: OwnerView,
  shipment_id: nullable(Type.String({ description: "Null for a return label." })),
  order_id: Type.String(),
  return_id: text,
  account_id: nullable(
    Type.String({ description: "The carrier account; null for a label of our own, and for merchants." }),
  ),
  status: choice(labelStatuses),
  carrier: Type.String(),
  service: Type.String(),
  tracking_number: text,
  tracking_url: text,
  cost: nullable(Type.Number({ description: "What is charged; null until an offer is chosen." })),
  carrier_cost: nullable(Type.Number({ description: "What the carrier takes." })),
  currency: Type.String(),
  breakdown: nullable(
    Type.Array(
      closed({
        code: Type.String(),
        amount_cents: Type.Integer({ description: "In the smallest unit of `currency`: cents, fils, whole yen." }),
      }),
    ),
  ),
  sample: Type.Boolean({ description: "Whether it was bought at the prices of a sample rate card." }),
  billable_weight: nullable(Type.Integer({ description: "In pounds." })),
  zone: text,
  delivery_date: nullable(moment),
  delivery_day: nullable(
    Type.String({ format: "date", description: "The calendar day of the delivery, at its destination." }),
  ),
  label_url: nullable(
    Type.String({ description: "Null until it is bought, and if the carrier's document could not be read." }),
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
      description: "The voiding of a carrier's label: the carrier is being asked, has yet to decide, or has agreed.",
    }),
  ),
  created_at: moment,
  voided_at: nullable(moment),
});
