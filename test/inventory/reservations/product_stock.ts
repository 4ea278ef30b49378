// One product and its stock items, as the planner sees them.
import { day_ms } from "../../../src/core/time.ts";
import type { StockItem } from "../../../src/inventory/ledger/stock_item.ts";
import type { PlanOptions } from "../../../src/inventory/reservations/plan_stock.ts";
import type { StockedProduct } from "../../../src/inventory/stock/product_stock.ts";

export const now = Date.parse("2026-03-01T00:00:00.000Z");
/** Today, in days since 1970-01-01. */
export const today = now / day_ms;
export const usual: PlanOptions = { now, warehouse_id: null, requires_cold_storage: false };

export const product: StockedProduct = {
  id: 1,
  merchant_id: 1,
  sku: "A",
  name: "A",
  temperature_zone: "ambient",
  type: "simple",
  currency: "USD",
  lot_tracking: false,
  expiration_tracking: false,
  min_shelf_life_days: 0,
  reorder_point: 0,
  weight: null,
  weight_unit: null,
  status: "active",
  created_at: now,
};

export function item(id: number, fields: Partial<StockItem>): StockItem {
  return {
    id,
    merchant_id: 1,
    product_id: 1,
    warehouse_id: 1,
    warehouse_priority: 100,
    timezone: "UTC",
    bin_id: id,
    bin: `A-${id}`,
    bin_kind: "storage",
    pick_order: 0,
    temperature_zone: "ambient",
    temperature_range: null,
    lot_id: null,
    lot_number: null,
    lot_status: null,
    lot_received_date: null,
    expires_on: null,
    turns_on: null,
    count_id: null,
    received_at: now,
    updated_at: now,
    on_hand: 10,
    reserved: 0,
    ...fields,
  };
}

export const lot = (days: number, status: StockItem["lot_status"] = "available") => ({
  lot_id: days,
  lot_number: `L${days}`,
  lot_status: status,
  expires_on: today + days,
});
