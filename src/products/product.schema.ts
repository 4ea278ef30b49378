import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  codeField,
  currencyField,
  metadataField,
  momentField,
  moneyField,
  notesField,
  nullable,
  pageFields,
  Timestamp,
  textField,
  weightUnitField,
} from "../core/schema.ts";
import { weightUnits } from "../core/weight_units.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";
import { barcodeTypes, lengthUnits, productStatuses, productTypes, temperatureZones } from "./product.ts";

const positive = Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 });

const Barcode = closed({ value: codeField(80), type: choice(barcodeTypes) });
/** Length, width and height in one unit. */
export const Dimensions = closed({ length: positive, width: positive, height: positive, unit: choice(lengthUnits) });
const Component = closed({ sku: textField(100), quantity: Type.Integer({ minimum: 1, maximum: 1000 }) });
const Customs = closed({
  hs_code: Type.Optional(
    Type.String({ pattern: "^[0-9]{4}(\\.?[0-9]{2}){0,3}$", hint: "must be 4 to 10 digits, such as 0406.10" }),
  ),
  country_of_origin: Type.Optional(Type.String({ pattern: "^[A-Z]{2}$", hint: "must be a two-letter country code" })),
  description: Type.Optional(textField(200)),
});

const optionalFields = {
  description: Type.Optional(nullable(notesField())),
  type: Type.Optional(choice(productTypes)),
  components: Type.Optional(
    Type.Array(Component, { maxItems: 50, description: "The simple products in one set of a bundle." }),
  ),
  barcodes: Type.Optional(Type.Array(Barcode, { maxItems: 50 })),
  weight: Type.Optional(nullable(positive)),
  weight_unit: Type.Optional(nullable(weightUnitField())),
  dimensions: Type.Optional(nullable(Dimensions)),
  price: Type.Optional(nullable(moneyField())),
  currency: Type.Optional(currencyField()),
  temperature_zone: Type.Optional(choice(temperatureZones)),
  lot_tracking: Type.Optional(Type.Boolean()),
  expiration_tracking: Type.Optional(Type.Boolean()),
  min_shelf_life_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 3650 })),
  reorder_point: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  customs: Type.Optional(nullable(Customs)),
  status: Type.Optional(choice(productStatuses)),
  metadata: Type.Optional(metadataField()),
};

const readOnly = ["merchant_id", "id", "version", "created_at", "updated_at"];

export const CreateProduct = closed(
  { ...ofMerchant, sku: codeField(100), name: textField(200), ...optionalFields },
  readOnly,
);
export type CreateProduct = Static<typeof CreateProduct>;

export const UpdateProduct = closed(
  { sku: Type.Optional(textField(100)), name: Type.Optional(textField(200)), ...optionalFields },
  readOnly,
);
export type UpdateProduct = Static<typeof UpdateProduct>;

/** A row of a file. An existing product keeps what the row leaves out. */
export const ImportProduct = closed({
  sku: codeField(100),
  name: Type.Optional(textField(200)),
  ...optionalFields,
});
export type ImportProduct = Static<typeof ImportProduct>;

export const ListProducts = closed({
  ...pageFields,
  sku: Type.Optional(textField(100)),
  barcode: Type.Optional(textField(80)),
  q: Type.Optional(textField(100, { description: "Part of the SKU or the name." })),
  status: Type.Optional(choice(productStatuses)),
  updated_after: Type.Optional(momentField()),
  sort: Type.Optional(choice(["created_at", "-created_at"])),
});

export const ProductView = closed({
  id: Type.String(),
  merchant_id: OwnerView,
  sku: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  type: choice(productTypes),
  components: Type.Array(Component),
  barcodes: Type.Array(Barcode),
  weight: nullable(Type.Number()),
  weight_unit: nullable(choice(weightUnits)),
  dimensions: nullable(Dimensions),
  price: nullable(Type.Number()),
  currency: Type.String(),
  temperature_zone: choice(temperatureZones),
  lot_tracking: Type.Boolean(),
  expiration_tracking: Type.Boolean(),
  min_shelf_life_days: Type.Integer(),
  reorder_point: Type.Integer(),
  customs: nullable(Customs),
  status: choice(productStatuses),
  metadata: metadataField(),
  version: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
