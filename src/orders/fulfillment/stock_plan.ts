// Explains the stock of an order: what it holds, why other stock was passed over, and what it waits for.

import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import type { StockItem } from "../../inventory/ledger/stock_item.ts";
import type { AwaitedDelivery } from "../../inventory/receiving/receipt.ts";
import type { InTransit } from "../../inventory/receiving/transfer.ts";
import {
  allotmentsOf,
  allotmentView,
  type ProductAllotment,
  spotView,
} from "../../inventory/reservations/passed_over_stock.ts";
import { planStock } from "../../inventory/reservations/plan_stock.ts";
import type { HeldLine, Reservation } from "../../inventory/reservations/reservation.ts";
import type { ProductStock } from "../../inventory/stock/product_stock.ts";
import type { Backorder, HeldUnits } from "../../inventory/stock/stock_breakdown.ts";
import { incomingView } from "../../inventory/stock/stock_breakdown.ts";

/** The most listed holders of stock that an order waits for. */
export const holders_max = 20;

/** The most explained short SKUs of an order. */
export const short_max = 20;

/** What is known of a SKU that an order waits for. */
export interface Shortness {
  readonly promised: readonly HeldUnits[];
  /** All backorders, in the order in which they are served. */
  readonly waiting: readonly Backorder[];
  readonly awaited: readonly AwaitedDelivery[];
  readonly in_transit: readonly InTransit[];
}

interface HeldItem {
  readonly item: StockItem;
  readonly quantity: number;
}

/** What an order's allocation holds of one product. */
export interface HeldProductStock {
  readonly product_id: number;
  readonly sku: string;
  readonly wanted: number;
  readonly reserved: number;
  readonly picked: number;
  readonly held: readonly HeldItem[];
  /** What would be chosen now, and why other stock is passed over. */
  readonly allotment: ProductAllotment | null;
  /** Whether that differs from what it holds. */
  readonly differs: boolean;
}

type StockByProduct = ReadonlyMap<number, ProductStock>;

/** What a reservation holds of each product, and what would be chosen for it at `now` (ms). */
export function heldStock(
  { warehouse_id, requires_cold_storage }: Reservation,
  all: readonly HeldLine[],
  stocks: StockByProduct,
  now: number,
): HeldProductStock[] {
  const lines = all.filter(({ wanted }) => wanted > 0);
  const items = new Map([...stocks.values()].flatMap((stock) => stock.items.map((item) => [item.id, item])));
  const held = new Map<number, HeldItem[]>();
  for (const { product_id, allocations } of lines) {
    const own = held.getOrInsert(product_id, []);
    for (const { stock_item_id, quantity } of allocations) {
      const item = items.get(stock_item_id);
      if (item !== undefined) own.push({ item, quantity });
    }
  }
  const onShelf = [...held.values()].flat().filter(({ item }) => item.bin_kind !== "staging");
  const own = addedUp(onShelf);
  const wants = lines.map(({ product_id, wanted, picked }) => ({ product_id, quantity: wanted - picked }));
  const options = { now, warehouse_id, requires_cold_storage, avoids: null, own };
  const allotments = allotmentsOf(wants, planStock(wants, stocks, options), stocks, options);
  return [...held].flatMap(([product_id, units]) => {
    const stock = stocks.get(product_id);
    if (stock === undefined) return [];
    const sum = (count: "wanted" | "reserved" | "picked") =>
      lines.reduce((total, line) => total + (line.product_id === product_id ? line[count] : 0), 0);
    const allotment = allotments.find((one) => one.product_id === product_id) ?? null;
    const unpicked = addedUp(units.filter(({ item }) => item.bin_kind !== "staging"));
    const chosen = addedUp(allotment?.chosen ?? []);
    const differs = chosen.size !== unpicked.size || [...chosen].some(([id, count]) => unpicked.get(id) !== count);
    const counts = { wanted: sum("wanted"), reserved: sum("reserved"), picked: sum("picked") };
    return { product_id, sku: stock.product.sku, ...counts, held: units, allotment, differs };
  });
}

function addedUp(units: readonly HeldItem[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { item, quantity } of units) sums.set(item.id, (sums.get(item.id) ?? 0) + quantity);
  return sums;
}

/** What an order holds of one product as the API shows it; `known` if it is short and that is explained. */
export function heldView(
  held_stock: HeldProductStock,
  { id, paused }: Pick<Reservation, "id" | "paused">,
  stock: ProductStock,
  known: Shortness | null,
) {
  const { product_id, sku, wanted, reserved, picked, held, allotment, differs } = held_stock;
  const made = allotment === null ? null : allotmentView(allotment);
  return {
    product_id: wireId("product", product_id),
    sku,
    required: wanted,
    reserved,
    picked,
    backordered: wanted - reserved,
    allocated: held.map(({ item, quantity }) => ({ ...spotView(item), quantity, picked: item.bin_kind === "staging" })),
    reallocation: differs && !paused ? (made?.chosen ?? []) : null,
    not_chosen: made?.not_chosen ?? [],
    shortage: known === null ? null : shortnessView(id, wanted - reserved, stock, known),
  };
}

function shortnessView(reservation_id: number, missing: number, stock: ProductStock, known: Shortness) {
  const at = known.waiting.findIndex((one) => one.reservation_id === reservation_id);
  const before = (at < 0 ? known.waiting : known.waiting.slice(0, at)).filter(({ paused }) => !paused);
  const ahead = before.reduce((sum, { units }) => sum + units, 0);
  const others = known.promised.filter((one) => one.reservation_id !== reservation_id);
  return {
    units_ahead: ahead,
    reserved_elsewhere: {
      reservations: others.slice(0, holders_max).map(({ order_id, order_ref, units }) => ({
        order_id: order_id === null ? null : wireId("order", order_id),
        order_number: order_ref,
        units,
      })),
      has_more: others.length > holders_max,
    },
    incoming: incomingView(stock, known.awaited, known.in_transit),
    expected_at: expectedAt(known.awaited, ahead + missing),
  };
}

/** When expected deliveries together bring these units; null if those with a date do not. */
function expectedAt(awaited: readonly AwaitedDelivery[], units: number): string | null {
  const dated = awaited.flatMap(({ expected_at, units }) => (expected_at === null ? [] : [{ expected_at, units }]));
  let left = units;
  for (const delivery of dated.sort((a, b) => a.expected_at - b.expected_at)) {
    left -= delivery.units;
    if (left <= 0) return iso(delivery.expected_at);
  }
  return null;
}
