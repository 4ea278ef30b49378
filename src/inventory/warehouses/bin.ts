import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import type { TemperatureZone } from "../../products/product.ts";
import type { BinKind } from "../inventory.transitions.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { isLotGood, isPromisable, unavailableCauseOf } from "../stock/product_stock.ts";
import { dedicatedView } from "./warehouse.ts";

/** A bin with its zone, and the number of units and SKUs in it. */
interface FilledBin {
  readonly id: number;
  readonly warehouse_id: number;
  readonly code: string;
  readonly kind: BinKind;
  readonly pick_order: number;
  readonly capacity: number | null;
  readonly zone_id: string | null;
  readonly temperature_zone: TemperatureZone | null;
  readonly temperature_range: string | null;
  readonly dedicated_merchant_id: number | null;
  readonly mix_merchants: boolean;
  readonly used: number;
  readonly skus: number;
}

/** The bin as the API shows it. */
export function binView({ id: _id, warehouse_id, capacity, used, ...bin }: FilledBin) {
  const free = capacity === null ? null : Math.max(0, capacity - used);
  const dedicated_merchant_id = dedicatedView(bin);
  return { warehouse_id: wireId("warehouse", warehouse_id), ...bin, dedicated_merchant_id, capacity, used, free };
}

/** A stock item with its SKU, the product's name and the zone. */
interface StoredItem extends StockItem {
  readonly sku: string;
  readonly name: string;
  readonly zone_id: string | null;
  readonly min_shelf_life_days: number;
}

/** A stock item as the API shows it at `now` (ms). */
export function storedItemView(item: StoredItem, now: number) {
  const canBeReserved = isPromisable(item, item, now);
  return {
    merchant_id: wireId("merchant", item.merchant_id),
    sku: item.sku,
    name: item.name,
    warehouse_id: wireId("warehouse", item.warehouse_id),
    bin: item.bin,
    kind: item.bin_kind,
    zone_id: item.zone_id,
    temperature_zone: item.temperature_zone,
    lot_id: item.lot_id === null ? null : wireId("lot", item.lot_id),
    lot_number: item.lot_number,
    lot_status: item.lot_status === "available" && !isLotGood(item, now) ? "expired" : item.lot_status,
    expiration_date: dayEndTextOrNull(item.expires_on),
    quantity: item.on_hand,
    reserved: item.reserved,
    available: canBeReserved ? item.on_hand - item.reserved : 0,
    cause: canBeReserved || item.on_hand === item.reserved ? null : unavailableCauseOf(item, now),
    received_date: iso(item.received_at),
    last_updated: iso(item.updated_at),
  };
}
