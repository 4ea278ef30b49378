import { default_currency } from "../core/money.ts";
import type { FieldPath, ResourceFields, ResourceLayout } from "../core/resource.ts";

/** The fields of a product that clients set. */
export const productFields = {
  sku: { kind: "code", max: 100, label: "SKU", csv: ["The product's unique code.", "CUP-12"] },
  name: { kind: "text", max: 200, label: "Name", csv: ["Its name; required for a new product.", "Cup, 12 oz"] },
  description: { kind: "notes", default: null, label: "Description", csv: ["A description.", "Stoneware, blue"] },
  type: {
    kind: "choice",
    words: { simple: "Simple", bundle: "Bundle" },
    default: "simple",
    label: "Type",
    help: "A bundle is sold as one item and consists of other products.",
    fixed: true,
    csv: ["One of {words}; it cannot change later.", "simple"],
  },
  components: {
    kind: "list",
    of: { sku: { kind: "text", max: 100 }, quantity: { kind: "integer", min: 1, max: 1000 } },
    max: 50,
    description: "The simple products in one set of a bundle.",
    default: [],
    label: "Bundle components",
    help: "Each order takes these components from stock. They limit how many bundles can be sold.",
    when: { type: "bundle" },
    csv: ["The components of one set of a bundle, as JSON.", '[{"sku":"CUP-12","quantity":4}]'],
  },
  barcodes: {
    kind: "list",
    of: {
      value: { kind: "code", max: 80 },
      type: { kind: "choice", words: { gtin: "GTIN", ean: "EAN", upc: "UPC", code128: "Code 128", other: "Other" } },
    },
    max: 50,
    default: [],
    label: "Barcodes",
    help: "One per line.",
    csv: ["Its barcodes, as JSON.", '[{"value":"4006381333931","type":"ean"}]'],
  },
  weight: {
    kind: "weight",
    unit: "weight_unit",
    default: null,
    label: "Weight",
    csv: ["The weight of one unit, in `weight_unit`.", "0.35"],
  },
  weight_unit: {
    kind: "weight_unit",
    default: null,
    csv: ["One of {words}, or as people write them, such as `lbs`.", "kg"],
  },
  dimensions: {
    kind: "group",
    fields: {
      length: {
        kind: "decimal",
        label: "Length",
        csv: ["The length of one unit, in `dimension_unit`; give all four of these or none.", "12"],
      },
      width: { kind: "decimal", label: "Width", csv: ["The width of one unit.", "9"] },
      height: { kind: "decimal", label: "Height", csv: ["The height of one unit.", "10"] },
      unit: {
        kind: "choice",
        words: { in: "Inches", cm: "Centimeters" },
        label: "Unit",
        first: "in",
        column: "dimension_unit",
        csv: ["One of {words}.", "cm"],
      },
    },
    default: null,
    label: "Dimensions",
  },
  price: {
    kind: "money",
    default: null,
    label: "Price",
    csv: ["The price of one unit, with at most the decimals of its currency.", "12.50"],
  },
  currency: { kind: "currency", default: default_currency, csv: ["The ISO 4217 code; `USD` by default.", "USD"] },
  temperature_zone: {
    kind: "choice",
    // From the warmest to the coldest.
    words: { ambient: "Ambient", refrigerated: "Refrigerated", frozen: "Frozen" },
    default: "ambient",
    label: "Temperature",
    csv: ["Storage temperature: one of {words}.", "ambient"],
  },
  lot_tracking: {
    kind: "flag",
    default: false,
    label: "Track lots",
    help: "Every received unit needs a lot number.",
    csv: ["`true` when each unit belongs to a lot.", "true"],
  },
  expiration_tracking: {
    kind: "flag",
    default: false,
    label: "Track expiry",
    help: "Units that expire first ship first.",
    csv: ["`true` when each lot has an expiry date.", "false"],
  },
  min_shelf_life_days: {
    kind: "integer",
    min: 0,
    max: 3650,
    default: 0,
    label: "Minimum shelf life when shipped",
    suffix: "days",
    when: { expiration_tracking: true },
    csv: ["Minimum days before expiry that a lot must have when it ships.", "30"],
  },
  reorder_point: {
    kind: "integer",
    min: 0,
    max: 1_000_000,
    default: 0,
    label: "Reorder at",
    help: "Flag as low stock below this quantity.",
    csv: ["Available units below which stock counts as low.", "20"],
  },
  customs: {
    kind: "group",
    fields: {
      hs_code: {
        kind: "code",
        pattern: "^[0-9]{4}(\\.?[0-9]{2}){0,3}$",
        hint: "must be 4 to 10 digits, such as 0406.10",
        optional: true,
        label: "HS code",
        csv: ["For customs: the tariff number, 4 to 10 digits.", "6912.00"],
      },
      country_of_origin: {
        kind: "country",
        optional: true,
        label: "Country of origin",
        csv: ["For customs: the country of origin, as a two-letter code.", "PT"],
      },
      description: {
        kind: "text",
        max: 200,
        optional: true,
        label: "Customs description",
        column: "customs_description",
        csv: ["For customs: a plain description.", "Stoneware cup"],
      },
    },
    default: null,
  },
  status: {
    kind: "choice",
    words: { active: "Active", inactive: "Inactive" },
    default: "active",
    label: "Status",
    csv: ["One of {words}.", "active"],
  },
  metadata: { kind: "metadata", default: {}, csv: ["Your own data, as JSON.", '{"color":"blue"}'] },
} as const satisfies ResourceFields;

/** Where the dashboard shows which fields. */
export const productLayout = {
  form: [
    { title: "Basics", fields: ["sku", "status", "name", "type", "price", "components", "description", "barcodes"] },
    {
      title: "Weight and dimensions",
      fields: ["weight", "dimensions.unit", "dimensions.length", "dimensions.width", "dimensions.height"],
    },
    {
      title: "Storage",
      fields: ["temperature_zone", "reorder_point", "lot_tracking", "expiration_tracking", "min_shelf_life_days"],
    },
    {
      title: "Customs",
      help: "Printed on customs documents for international parcels.",
      fields: ["customs.hs_code", "customs.country_of_origin", "customs.description"],
    },
  ],
  list: ["sku", "name", "status", "type", "temperature_zone", "weight", "price"],
  hidden: ["reorder_point"],
  facts: [
    {
      title: "Details",
      fields: [
        ...(["description", "type", "price", "weight", "dimensions", "barcodes"] as const),
        ...(["customs.hs_code", "customs.country_of_origin"] as const),
      ],
    },
    {
      title: "Storage",
      fields: ["temperature_zone", "lot_tracking", "expiration_tracking", "min_shelf_life_days", "reorder_point"],
    },
  ],
} as const satisfies ResourceLayout<FieldPath<typeof productFields>>;
