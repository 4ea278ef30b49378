import type { WeightUnit } from "../../kit/weight_unit.ts";
import type { AdjustmentReason } from "../status.ts";

/** What an order wants of the stock, and how. */
export interface OrderClaim {
  readonly merchant_id: number;
  readonly order_id: number;
  readonly order_number: string;
  /** `api`, or `<platform>:<connection>`: an earlier reservation is adopted only from the same source. */
  readonly source: string;
  /** Higher is served first when stock is short. */
  readonly priority: number;
  /** Only stock of this warehouse, when given. */
  readonly warehouse_id: number | null;
  readonly requires_cold_storage: boolean;
  readonly allow_backorder: boolean;
  /** The reservation to adopt, when the client named it. */
  readonly reservation_id: number | null;
  readonly lines: readonly {
    readonly order_line_id: number;
    readonly product_id: number;
    readonly quantity: number;
  }[];
}

/** What stock holds of a product for an order line: units wanted and not yet shipped, of these promised and picked. */
export interface ClaimLine {
  readonly order_line_id: number;
  readonly product_id: number;
  readonly wanted: number;
  readonly reserved: number;
  readonly picked: number;
}

/** Some units of an order line; of a bundle, whole sets. */
export interface LineUnits {
  readonly order_line_id: number;
  readonly quantity: number;
}

/** Some units of what an order line wants of the stock. */
export interface ClaimUnits extends LineUnits {
  /** Which component of a bundle's line; a line of one product needs none. */
  readonly product_id?: number | undefined;
}

/** Some units of one product for an order line: of itself, or of a component of its bundle. */
export interface PartUnits extends LineUnits {
  readonly product_id: number;
}

/** Units taken from the shelf for an order line; without lot and bin they are taken as planned. */
export interface PickedUnits extends ClaimUnits {
  readonly lot_number?: string | undefined;
  readonly bin?: string | undefined;
}

/** Units of a line that were taken from the shelves of a warehouse. */
export interface TakenUnits extends LineUnits {
  readonly warehouse_id: number;
  readonly product: {
    readonly id: number;
    /** Decimal text in `weight_unit`. */
    readonly weight: string | null;
    readonly weight_unit: WeightUnit | null;
  };
}

/** Units that were not found where they were to be picked. */
export interface Miss extends PickedUnits {
  /** Why they are written off; null when they are only given free. */
  readonly write_off: AdjustmentReason | null;
}

/** Units promised to an order line, and where they lie: a row of a pick list. */
export interface PlannedUnits extends ClaimUnits {
  readonly order_id: number;
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly bin: string;
  readonly pick_order: number;
  readonly lot_number: string | null;
  /** The lot's last day, in days since 1970-01-01. */
  readonly expires_on: number | null;
  /** True when they lie in staging already. */
  readonly picked: boolean;
}
