import { default_currency } from "../core/money.ts";
import type { FieldPath, ResourceFields, ResourceLayout } from "../core/resource.ts";

/** Length, width and height. Their CSV columns are those of one unit. */
const dimensions = {
  length: {
    kind: "decimal",
    description: "The length, in `unit`.",
    label: "Length",
    csv: ["The length of one unit, in `dimension_unit`; give all four of these or none.", "12"],
  },
  width: {
    kind: "decimal",
    description: "The width, in `unit`.",
    label: "Width",
    csv: ["The width of one unit.", "9"],
  },
  height: {
    kind: "decimal",
    description: "The height, in `unit`.",
    label: "Height",
    csv: ["The height of one unit.", "10"],
  },
  unit: {
    kind: "choice",
    words: { in: "Inches", cm: "Centimeters" },
    description: "The unit of all three dimensions.",
    label: "Unit",
    first: "in",
    column: "dimension_unit",
    csv: ["One of {words}.", "cm"],
  },
} as const satisfies ResourceFields;

/** The fields of a product that clients set. */
export const productFields = {
  sku: {
    kind: "code",
    max: 100,
    description: "The product's code, unique within the merchant. It never changes.",
    label: "SKU",
    csv: ["The product's unique code.", "CUP-12"],
  },
  name: {
    kind: "text",
    max: 200,
    description: "The name, as shown on orders and packing slips.",
    label: "Name",
    csv: ["Its name; required for a new product.", "Cup, 12 oz"],
  },
  description: {
    kind: "notes",
    default: null,
    description: "A longer description; null if there is none.",
    label: "Description",
    csv: ["A description.", "Stoneware, blue"],
  },
  type: {
    kind: "choice",
    words: { simple: "Simple", bundle: "Bundle" },
    description: "A `simple` product has stock; a `bundle` consists of `components`. It cannot change later.",
    default: "simple",
    label: "Type",
    help: "A bundle is sold as one item and consists of other products.",
    fixed: true,
    csv: ["One of {words}; it cannot change later.", "simple"],
  },
  components: {
    kind: "list",
    of: {
      sku: { kind: "text", max: 100, description: "The SKU of a simple product of the same merchant." },
      quantity: { kind: "integer", min: 1, max: 1000, description: "Units of it in one set." },
    },
    max: 50,
    description: "The simple products in one set of a bundle; empty for a simple product.",
    default: [],
    label: "Bundle components",
    help: "Each order takes these components from stock. They limit how many bundles can be sold.",
    when: { type: "bundle" },
    csv: ["The components of one set of a bundle, as JSON.", '[{"sku":"CUP-12","quantity":4}]'],
  },
  barcodes: {
    kind: "list",
    of: {
      value: {
        kind: "code",
        max: 80,
        description: "What a scanner reads. No other product of the merchant may have it.",
      },
      type: {
        kind: "choice",
        words: { gtin: "GTIN", ean: "EAN", upc: "UPC", code128: "Code 128", other: "Other" },
        description: "`gtin`, `ean` and `upc` need a correct check digit; the others may be any text.",
      },
    },
    max: 50,
    description: "The codes on the product's packages, by which scanners find it.",
    default: [],
    label: "Barcodes",
    help: "One per line.",
    csv: ["Its barcodes, as JSON.", '[{"value":"4006381333931","type":"ean"}]'],
  },
  packs: {
    kind: "list",
    of: {
      level: {
        kind: "choice",
        words: { inner: "Inner pack", case: "Case", pallet: "Pallet" },
        label: "Pack",
        description: "What the pack is. A product may have several packs of a level, with different quantities.",
      },
      quantity: {
        kind: "integer",
        min: 2,
        max: 1_000_000,
        description: "The units in a full pack.",
        label: "Units",
      },
      barcode: {
        kind: "code",
        max: 80,
        optional: true,
        default: null,
        description:
          "What a scanner reads on the pack; null if it has none. 12 to 14 digits need a correct check digit. No" +
          " other pack or product of the merchant may have it.",
        label: "Barcode",
      },
      dimensions: {
        kind: "group",
        fields: dimensions,
        optional: true,
        default: null,
        description: "The size of a full pack; null if unknown.",
      },
      weight: {
        kind: "decimal",
        optional: true,
        default: null,
        description: "The weight of a full pack, in its own `weight_unit`; null if unknown.",
      },
      weight_unit: { kind: "weight_unit", optional: true, default: null },
    },
    max: 20,
    description:
      "The packs in which units come, such as a case of 6. Stock is counted in units; a scanned pack counts its units.",
    default: [],
    label: "Packs",
    help: "Scanning a pack's barcode counts its units.",
    when: { type: "simple" },
    csv: ["Its packs, as JSON.", '[{"level":"case","quantity":6,"barcode":"14006381333938"}]'],
  },
  weight: {
    kind: "weight",
    unit: "weight_unit",
    description: "The weight of one unit, in `weight_unit`; null if unknown.",
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
    fields: dimensions,
    default: null,
    description: "The size of one unit; null if unknown.",
    label: "Dimensions",
  },
  price: {
    kind: "money",
    default: null,
    description: "The price of one unit, in `currency`; null if unknown. It values stock without a known cost.",
    label: "Price",
    csv: ["The price of one unit, with at most the decimals of its currency.", "12.50"],
  },
  currency: {
    kind: "currency",
    default: default_currency,
    description: "The currency of `price` and of unit costs, as an ISO 4217 code.",
    csv: ["The ISO 4217 code; `USD` by default.", "USD"],
  },
  temperature_zone: {
    kind: "choice",
    // From the warmest to the coldest.
    words: { ambient: "Ambient", refrigerated: "Refrigerated", frozen: "Frozen" },
    default: "ambient",
    description: "The zone in which it must be stored; a colder one will do.",
    label: "Temperature",
    csv: ["Storage temperature: one of {words}.", "ambient"],
  },
  lot_tracking: {
    kind: "flag",
    default: false,
    description: "Whether units need a lot number when they come in.",
    label: "Track lots",
    help: "Every received unit needs a lot number.",
    csv: ["`true` when each unit belongs to a lot.", "true"],
  },
  expiration_tracking: {
    kind: "flag",
    default: false,
    description: "Whether each lot needs an expiry date. Requires `lot_tracking`.",
    label: "Track expiry",
    help: "Units that expire first ship first.",
    csv: ["`true` when each lot has an expiry date.", "false"],
  },
  min_shelf_life_days: {
    kind: "integer",
    min: 0,
    max: 3650,
    default: 0,
    description: "Days before its expiry that a lot must have left to be reserved.",
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
    description: "Fewer available units than this are low stock, as `inventory.low_stock` reports.",
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
        description: "The tariff number, 4 to 10 digits.",
        label: "HS code",
        csv: ["For customs: the tariff number, 4 to 10 digits.", "6912.00"],
      },
      country_of_origin: {
        kind: "country",
        optional: true,
        description: "Where it was made, as an ISO 3166-1 alpha-2 code such as `PT`.",
        label: "Country of origin",
        csv: ["For customs: the country of origin, as a two-letter code.", "PT"],
      },
      description: {
        kind: "text",
        max: 200,
        optional: true,
        label: "Customs description",
        description: "What customs documents call the goods.",
        column: "customs_description",
        csv: ["For customs: a plain description.", "Stoneware cup"],
      },
    },
    default: null,
    description: "What customs documents of international parcels state; null if unknown.",
  },
  status: {
    kind: "choice",
    words: { active: "Active", inactive: "Inactive" },
    default: "active",
    description: "Only `active` products can be ordered.",
    label: "Status",
    csv: ["One of {words}.", "active"],
  },
  metadata: { kind: "metadata", default: {}, csv: ["Your own data, as JSON.", '{"color":"blue"}'] },
} as const satisfies ResourceFields;

/** Where the dashboard shows which fields. */
export const productLayout = {
  form: [
    {
      title: "Basics",
      fields: ["sku", "status", "name", "type", "price", "components", "description", "barcodes", "packs"],
    },
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
        ...(["description", "type", "price", "weight", "dimensions", "barcodes", "packs"] as const),
        ...(["customs.hs_code", "customs.country_of_origin"] as const),
      ],
    },
    {
      title: "Storage",
      fields: ["temperature_zone", "lot_tracking", "expiration_tracking", "min_shelf_life_days", "reorder_point"],
    },
  ],
} as const satisfies ResourceLayout<FieldPath<typeof productFields>>;
