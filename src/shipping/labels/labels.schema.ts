import { type Static, Type } from "@sinclair/typebox";
import { csvExportFields } from "../../core/csv_columns.ts";
import {
  choice,
  closed,
  currencyField,
  idField,
  moneyField,
  nameField,
  nullable,
  textField,
  timestamp,
  weightUnitField,
} from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import { drawingFormats } from "../../documents/drawing.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { documentKinds } from "../offer.ts";
import {
  AddressView,
  BreakdownView,
  CarrierView,
  DeliveryDayView,
  DimensionsField,
  PackageDimensions,
  PackedItem,
  ServiceView,
  ShippingAddress,
  WeightField,
} from "../shipping.schema.ts";
import { labelStatuses, shownVoidStatuses } from "./label.transitions.ts";

const DayField = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", hint: "must be a date, such as 2026-01-31", description });

const period = {
  from: Type.Optional(DayField("The first day; by default 29 days before the last.")),
  to: Type.Optional(DayField("The last day (inclusive); today by default. A period has at most 366 days.")),
  carrier: Type.Optional(textField(100, { description: "Only this carrier, by code." })),
};

export const ListCosts = closed(period);
export type ListCosts = Static<typeof ListCosts>;

export const ExportCosts = closed({ ...period, ...csvExportFields });

export const CostsView = closed({
  timezone: Type.String({ description: "The time zone of the days: that of the first warehouse." }),
  from: Type.String({ description: "The first day of the period." }),
  to: Type.String({ description: "The last day of the period." }),
  costs: Type.Array(
    closed({
      date: Type.String({ description: "The day on which the labels were bought." }),
      carrier: CarrierView,
      currency: Type.String({ description: "The currency of both amounts." }),
      label_count: Type.Integer({ minimum: 0, description: "The number of valid labels." }),
      cost: Type.Number({ description: "The sum charged for them." }),
      carrier_cost: Type.Number({ description: "The sum that the carrier charges for them." }),
      voided_count: Type.Integer({
        minimum: 0,
        description: "The number of labels bought on this day and voided later.",
      }),
    }),
    { description: "One row for each day, carrier and currency with labels, newest day first." },
  ),
});

const readOnly = [
  "merchant_id",
  "external",
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
  "printed_at",
  "print_count",
];

export const PackageField = closed({
  weight: { ...WeightField, description: "The weight of the packed parcel." },
  weight_unit: Type.Optional(weightUnitField("The default is lb.")),
  dimensions: Type.Optional(
    nullable({ ...DimensionsField, description: "The outer size. Without it, only the weight decides the price." }),
  ),
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
  carrier: Type.Optional(
    textField(100, {
      description:
        "The carrier by code, as `GET /shipping/carriers` lists it. Without it, a quote or the order's choice decides.",
    }),
  ),
  service: Type.Optional(textField(100, { description: "The carrier's service by code. Required with `carrier`." })),
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
      description: "The order, by id or order number.",
    }),
    ...offerFields,
    from_address: Type.Optional({ ...ShippingAddress, description: "The sender. Default: the order's warehouse." }),
    to_address: Type.Optional({
      ...ShippingAddress,
      description: "The recipient. Default: the shipping address of the order.",
    }),
    package: { ...PackageField, description: "The parcel's weight, size and value." },
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
      Type.Boolean({
        description:
          "True: buys the label even if an equal one was bought in the last ten minutes. The units that are in no" +
          " parcel go into it; it may be empty.",
      }),
    ),
  },
  readOnly,
);
export type CreateLabel = Static<typeof CreateLabel>;

const { order_id, package: package_field, items, reason, additional } = CreateLabel.properties;

export const CreateExternalLabel = closed({
  order_id,
  carrier: nameField(100, {
    description:
      "The carrier. The code of a carrier that an account sells, such as `usps`, lets the account track the parcel.",
  }),
  service: nameField(100, { description: "The carrier's service, by code or name." }),
  tracking_number: textField(60, { description: "The number on the label." }),
  cost: moneyField("What the label cost, as it is billed: 0 if the merchant paid for it."),
  currency: Type.Optional(currencyField("The currency of `cost`, as an ISO 4217 code. Default: `USD`.")),
  file_id: Type.Optional(
    nullable(
      idField(
        "file",
        "The label to print, uploaded with the kind `label`. The label keeps a copy. Null for a label that is on the" +
          " parcel already, such as one written by hand: there is nothing to print.",
      ),
    ),
  ),
  package: Type.Optional({
    ...package_field,
    description: "The parcel's weight and size. Default: the weight of its products, and the order's carton.",
  }),
  items,
  reason,
  additional: {
    ...additional,
    description: "True: for another carton. The units that are in no parcel go into it; it may be empty.",
  },
});
export type CreateExternalLabel = Static<typeof CreateExternalLabel>;

const documentFields = {
  format: Type.Optional(
    choice(drawingFormats, {
      description: "A PDF by default. A label that was not drawn here exists only in the formats of its files.",
    }),
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
  mode: choice(["live", "test"], { description: "The environment of the label, as in the link." }),
  expires: Type.Integer({
    minimum: 0,
    maximum: 100_000_000_000,
    description: "When the link expires, in seconds since 1970, as in the link.",
  }),
  signature: textField(100, { description: "The signature, as in the link." }),
});
export type FollowLink = Static<typeof FollowLink>;

export const LabelView = closed({
  label_id: Type.String(),
  merchant_id: OwnerView,
  shipment_id: nullable(Type.String({ description: "The parcel, such as `shp_1001`; null for a return label." })),
  order_id: Type.String(),
  return_id: nullable(Type.String({ description: "The return that a return label is for; null otherwise." })),
  account_id: nullable(
    Type.String({
      description: "The carrier account; null for a label that none bought, and always null for merchants.",
    }),
  ),
  external: Type.Boolean({ description: "Whether it was bought elsewhere and recorded here." }),
  status: choice(labelStatuses, {
    description: "`processing`: the carrier has not confirmed the purchase yet. `error`: not bought, or unknown.",
  }),
  carrier: CarrierView,
  service: ServiceView,
  tracking_number: nullable(Type.String({ description: "The number on the label; null until it is bought." })),
  tracking_url: nullable(
    Type.String({ description: "The public tracking page: the carrier's, or Packhouse's if the carrier has none." }),
  ),
  cost: nullable(Type.Number({ description: "The amount charged; null until an offer is chosen." })),
  carrier_cost: nullable(
    Type.Number({ description: "The amount that the carrier charges; always null for merchants." }),
  ),
  currency: Type.String({ description: "The currency of `cost`, `carrier_cost` and `breakdown`." }),
  breakdown: nullable({
    ...BreakdownView,
    description: "The charges that add up to the price; null until an offer is chosen, and for merchants.",
  }),
  sample: Type.Boolean({ description: "Whether it was bought at a sample rate card's price." }),
  billable_weight: nullable(Type.Integer({ description: "The weight that decided the price, in pounds." })),
  zone: nullable(Type.String({ description: "The zone that decided the price; null if the carrier names none." })),
  delivery_date: nullable(timestamp("The end of the day on which the parcel should arrive; null if unknown.")),
  delivery_day: DeliveryDayView,
  label_url: nullable(
    Type.String({
      description:
        "The label to print; the link needs no key and expires after 7 days. Null until the label is bought, and if" +
        " there is no file to print.",
    }),
  ),
  documents: Type.Array(
    closed({
      kind: choice(documentKinds, { description: "`customs` is a customs form to attach." }),
      format: choice(drawingFormats, { description: "The file format." }),
      url: Type.String({ description: "The link to print it, as `label_url`." }),
    }),
    { description: "Everything to print: a built-in label in each format, or the stored documents." },
  ),
  package: {
    ...closed({
      weight: Type.Number({ description: "The weight in `weight_unit`." }),
      weight_unit: choice(weightUnits),
      dimensions: nullable({ ...PackageDimensions, description: "The outer size; null if unknown." }),
      value: nullable(Type.Number({ description: "The declared value in US dollars; null if none." })),
      insurance: Type.Boolean({ description: "Whether insurance for `value` was requested." }),
    }),
    description: "The parcel's weight, size and value.",
  },
  from_address: { ...AddressView, description: "The sender on the label." },
  to_address: { ...AddressView, description: "The recipient on the label." },
  warnings: Type.Array(
    closed({
      field: Type.String({ description: "The part that it concerns, such as `recipient.name`." }),
      code: Type.String({ description: "What it is about, such as `shortened_text`, `po_box` or `not_reserved`." }),
      message: Type.String(),
    }),
    { description: "What to check before the parcel leaves, such as text that did not fit." },
  ),
  error: nullable({
    ...closed({
      code: Type.String({ description: "The reason; `purchase_unknown` if the carrier may have sold it." }),
      message: Type.String(),
    }),
    description: "Why it was not bought; null unless `status` is `error`.",
  }),
  void_status: nullable(
    choice(shownVoidStatuses, {
      description:
        "The progress at the carrier. `requested`: the label is still valid. `submitted`: voided, but the refund is" +
        " undecided. Null for a label of no carrier account, and until it is to be voided.",
    }),
  ),
  created_at: timestamp("When the purchase was requested."),
  voided_at: nullable(timestamp("When it was voided; null if it was not.")),
  printed_at: nullable(timestamp("When `POST /documents` first printed it; null if it has not.")),
  print_count: Type.Integer({ minimum: 0, description: "How often `POST /documents` printed it." }),
});

/** What a dry run shows of a label: nothing that has its id. */
export const LabelPreview = closed({ ...LabelView.properties, label_id: nullable(Type.String()) });
