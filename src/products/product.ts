import { iso } from "../kit/clock.ts";
import { wireId } from "../kit/ids.ts";
import { money } from "../kit/money.ts";
import type { WeightUnit } from "../kit/weight_unit.ts";
import type { BarcodeType, LengthUnit, ProductStatus, ProductType, TemperatureZone } from "./status.ts";

export interface Barcode {
  readonly value: string;
  readonly type: BarcodeType;
}

interface Dimensions {
  readonly length: number;
  readonly width: number;
  readonly height: number;
  readonly unit: LengthUnit;
}

export interface Customs {
  readonly hs_code?: string;
  readonly country_of_origin?: string;
  readonly description?: string;
}

/** A simple product and its units in one set of a bundle. */
export interface Component {
  readonly sku: string;
  readonly quantity: number;
}

/** What the warehouse keeps under one SKU. */
export interface Product {
  readonly id: number;
  readonly merchant_id: number;
  readonly sku: string;
  readonly name: string;
  readonly description: string | null;
  readonly type: ProductType;
  /** The components of one set of a bundle; none for a simple product. */
  readonly components: readonly Component[];
  readonly barcodes: readonly Barcode[];
  /** Decimal text in `weight_unit`. */
  readonly weight: string | null;
  readonly weight_unit: WeightUnit | null;
  readonly dimensions: Dimensions | null;
  readonly price_cents: number | null;
  readonly currency: string;
  readonly temperature_zone: TemperatureZone;
  readonly lot_tracking: boolean;
  readonly expiration_tracking: boolean;
  readonly min_shelf_life_days: number;
  readonly reorder_point: number;
  readonly customs: Customs | null;
  readonly status: ProductStatus;
  readonly metadata: Record<string, unknown>;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The product as the API shows it. */
export function productView(product: Product) {
  const { id, merchant_id, price_cents, weight, created_at, updated_at, ...same } = product;
  return {
    id: wireId("product", id),
    merchant_id: wireId("merchant", merchant_id),
    ...same,
    weight: weight === null ? null : Number(weight),
    price: price_cents === null ? null : money(price_cents, product.currency),
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  };
}
