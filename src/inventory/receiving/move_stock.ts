// Moving units from one bin to another of the same warehouse: to a better place, off sale, or back on sale.

import { billFacts } from "../../billing/bill_facts.ts";
import { packsAttribute } from "../../billing/billable_event.ts";
import type { Actor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { Fault, invalid } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { refuseWrongPacks } from "../../products/handled_packs.ts";
import type { Tx } from "../../storage/database.ts";
import type { BinKind } from "../inventory.transitions.ts";
import type { BinSpot, StockItem } from "../ledger/stock_item.ts";
import { displaceReserved, fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, lockedStockOf, moveUnits } from "../reservations/locked_stock.ts";
import { shortfallsView, wouldBreakReservations } from "../reservations/reservation.ts";
import { missingSku, refuseBundle } from "../stock/product_stock.ts";
import { findStockedIdIn } from "../stock/stock.sql.ts";
import { binSpot } from "../warehouses/warehouse.ts";
import { calendarAt, shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor, transitSpot } from "../warehouses/warehouses.ts";
import type { MoveReason, MoveStock } from "./move_stock.schema.ts";

/** Kinds of bins between which units can be moved. The other kinds have their own acts. */
const movable: readonly BinKind[] = ["storage", "quarantine", "damage"];
const kindFor = { quarantined: "quarantine", damaged: "damage" } as const;

/**
 * Moves units of a SKU to another bin of the same warehouse. Reserved units are first reserved from other stock. Orders
 * for which there is none keep the moved units, if these can be sold in the new bin. Orders are backordered only with
 * `allow_shortfall`.
 * Refuses: resource_missing, validation_failed, ambiguous_stock, merchant_required, insufficient_inventory, bin_full,
 * bin_of_other_merchant, would_break_reservations.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function moveStock(tx: Tx, input: MoveStock, actor: Actor) {
  const { sku, quantity, pack, notes = null } = input;
  const warehouse_id = input.location === undefined ? null : (readId("warehouse", input.location) ?? 0);
  const id = await findStockedIdIn(tx, sku, input.bin, warehouse_id);
  if (id === null) throw missingSku(sku);
  const stocks = await lockFreshStock(tx, [id]);
  const stock = lockedStockOf(stocks, id);
  refuseBundle(stock.product);
  await refuseWrongPacks(tx, [{ product_id: id, quantity, pack }], () => "");
  const item = movedItem(stock, input);
  const place = await newPlace(tx, stock, item, input);
  const reason = input.reason ?? defaultReason(item.bin_kind, place.bin_kind);
  const waited = stock.backordered;
  const promised = Math.max(0, quantity - (item.on_hand - item.reserved));
  const shortfalls = await displaceReserved(tx, stocks, stock, item, promised);
  const { id: movement_id, to } = await moveUnits(tx, stock, {
    type: "transfer",
    quantity,
    pack,
    from: item,
    to: { ...item, ...place },
    to_place: null,
    promised: false,
    reason,
    notes,
    reference: null,
    confirmed: true,
    actor,
  });
  await fillBackorders(tx, stocks, [id]);
  const waits = shortfalls.length > 0 && stock.backordered > waited;
  if (waits && !input.allow_shortfall) throw wouldBreakReservations(sku, shortfalls);
  billFacts(tx, [
    {
      act: "stock.move",
      merchant_id: stock.product.merchant_id,
      warehouse: await calendarAt(tx, item.warehouse_id),
      quantity,
      source: { id: movement_id },
      attributes: { sku, from_bin: item.bin, to_bin: place.bin, reason, ...packsAttribute([{ quantity, pack }]) },
    },
  ]);
  return {
    sku,
    quantity,
    lot_number: item.lot_number,
    location: wireId("warehouse", item.warehouse_id),
    from_bin: item.bin,
    from_quantity: item.on_hand,
    bin: place.bin,
    bin_quantity: to?.on_hand ?? quantity,
    reason,
    notes,
    movement_id: wireId("movement", movement_id),
    backordered_orders: waits ? shortfallsView(shortfalls) : [],
    moved_at: iso(tx.now),
    moved_by: actor.id,
  };
}

/** The fields of a request that identify units. */
type UnitsToMove = Pick<MoveStock, "quantity" | "bin" | "lot_number" | "location">;

/** The stock item that a request means. Refuses: ambiguous_stock, insufficient_inventory, validation_failed. */
export function movedItem({ items, product }: LockedStock, input: UnitsToMove): StockItem {
  const { quantity, bin, lot_number, location } = input;
  const warehouse_id = location === undefined ? null : (readId("warehouse", location) ?? 0);
  const [item, ...others] = items.filter(
    (item) =>
      item.on_hand > 0 &&
      (bin === undefined ? movable.includes(item.bin_kind) : item.bin === bin) &&
      (warehouse_id === null || item.warehouse_id === warehouse_id) &&
      (lot_number === undefined || item.lot_number === lot_number),
  );
  const { sku } = product;
  if (item !== undefined && others.length > 0) {
    throw new Fault("ambiguous_stock", `${sku} is in several bins or lots. Specify location, bin and lot_number.`, {
      candidates: [item, ...others].map((other) => ({
        location: wireId("warehouse", other.warehouse_id),
        bin: other.bin,
        lot_number: other.lot_number,
        quantity: other.on_hand,
      })),
    });
  }
  if (item !== undefined && !movable.includes(item.bin_kind)) throw invalid("bin", ownAct(item.bin_kind));
  const there = item?.on_hand ?? 0;
  if (item === undefined || there < quantity) {
    const few = there === 1 ? "1 unit" : `${there} units`;
    throw new Fault("insufficient_inventory", `Only ${few} of ${sku} can be moved from there.`, {
      shortages: [{ sku, requested: quantity, available: there }],
    });
  }
  return item;
}

function ownAct(kind: BinKind): string {
  if (kind === "staging") return "is the staging bin of an order";
  return "holds units to restock: record the restock instead";
}

/** The destination of the units. Refuses: validation_failed, bin_full, bin_of_other_merchant. */
async function newPlace(tx: Tx, { product }: LockedStock, item: StockItem, input: MoveStock): Promise<BinSpot> {
  const { to_bin, condition, quantity } = input;
  const kind = condition && kindFor[condition];
  if (to_bin === undefined && kind === undefined) throw invalid("to_bin", "or condition is required", "required");
  const warehouse = await shareWarehouse(tx, item.warehouse_id);
  const place =
    to_bin === undefined && kind !== undefined
      ? await transitSpot(tx, item.warehouse_id, kind, item.merchant_id)
      : binSpot(warehouse, await binFor(tx, warehouse, product, to_bin, quantity));
  const field = to_bin === undefined ? "condition" : "to_bin";
  if (!movable.includes(place.bin_kind)) throw invalid(field, ownAct(place.bin_kind));
  if (kind !== undefined && place.bin_kind !== kind) throw invalid("to_bin", `is not a ${kind} bin`);
  if (place.bin_id === item.bin_id) throw invalid(field, "already holds these units");
  return place;
}

function defaultReason(from: BinKind, to: BinKind): MoveReason {
  if (to === "quarantine") return "quality_hold";
  if (to === "damage") return "damaged";
  return from === "storage" ? "relocation" : "released";
}
