import { type WeightUnit, weightUnits } from "../../src/core/weight_units.ts";
import {
  type BarcodeType,
  type LengthUnit,
  type PackLevel,
  type ProductStatus,
  type ProductType,
  packLevels,
  productStatuses,
  type TemperatureZone,
  temperatureZones,
} from "../../src/products/product.ts";
import { bool, check, folded, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { owner } from "./merchants.ts";

export const products = table(
  "products",
  {
    id: id(),
    merchant_id: owner(),
    sku: text().notNull(),
    name: text().notNull(),
    description: text(),
    type: text().$type<ProductType>().notNull(),
    /** Decimal text, as the client sent it. */
    weight: text(),
    weight_unit: text().$type<WeightUnit>(),
    dimensions: json<{ length: number; width: number; height: number; unit: string }>(),
    price_cents: int(),
    currency: text().notNull(),
    temperature_zone: text().$type<TemperatureZone>().notNull(),
    lot_tracking: bool().notNull(),
    expiration_tracking: bool().notNull(),
    min_shelf_life_days: int().notNull(),
    reorder_point: int().notNull(),
    customs: json<{ hs_code?: string; country_of_origin?: string; description?: string }>(),
    status: text().$type<ProductStatus>().notNull(),
    metadata: json<Record<string, unknown>>().notNull(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("products_sku").on(t.sku, t.merchant_id),
    unique("products_owned").on(t.merchant_id, t.id),
    index("products_sku_folded").on(folded(t.sku)),
    index("products_name_folded").on(folded(t.name)),
    index("products_created").on(t.created_at, t.id),
    index("products_merchant").on(t.merchant_id, t.created_at, t.id),
    index("products_updated").on(t.updated_at),
    oneOf("products", "weight_unit", weightUnits),
    oneOf("products", "temperature_zone", temperatureZones),
    oneOf("products", "status", productStatuses),
    check("products_reorder_point", "reorder_point between 0 and 1000000000"),
    check("products_price", "price_cents >= 0"),
  ],
);

/** The packs in which units of a product come. Stock is counted in units. */
export const product_packs = table(
  "product_packs",
  {
    id: id(),
    merchant_id: owner(),
    product_id: int()
      .notNull()
      .references(() => products.id),
    level: text().$type<PackLevel>().notNull(),
    /** The units in it. */
    quantity: int().notNull(),
    dimensions: json<{ length: number; width: number; height: number; unit: LengthUnit }>(),
    /** Decimal text. */
    weight: text(),
    weight_unit: text().$type<WeightUnit>(),
  },
  (t) => [
    unique("product_packs_kind").on(t.product_id, t.level, t.quantity),
    oneOf("product_packs", "level", packLevels),
    oneOf("product_packs", "weight_unit", weightUnits),
    check("product_packs_quantity", "quantity between 2 and 1000000"),
  ],
);

/** The barcodes of units and packs. */
export const product_barcodes = table(
  "product_barcodes",
  {
    id: id(),
    merchant_id: owner(),
    product_id: int()
      .notNull()
      .references(() => products.id),
    value: text().notNull(),
    type: text().$type<BarcodeType>().notNull(),
    /** The pack that has it; null for one unit. */
    pack_id: int().references(() => product_packs.id),
  },
  (t) => [
    unique("product_barcodes_value").on(t.value, t.merchant_id),
    index("product_barcodes_product").on(t.product_id),
    index("product_barcodes_pack").on(t.pack_id).where(where("pack_id is not null")),
  ],
);
