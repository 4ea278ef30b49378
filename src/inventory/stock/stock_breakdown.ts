// Explains the stock of a SKU: the ledger from its beginning, the reservations, and what makes units unavailable.

import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import type { BinKind, MovementType, ReservationStatus } from "../inventory.transitions.ts";
import type { AwaitedDelivery } from "../receiving/receipt.ts";
import type { InTransit } from "../receiving/transfer.ts";
import { binShown } from "../warehouses/bin_visibility.ts";
import type { StockedPart } from "./product_stock.ts";
import { isPromisable, type ProductStock, totalsOf, unavailableCauseOf } from "./product_stock.ts";

/** The sum of the movements of one type and reason; `units` is below zero for units that left. */
export interface LedgerSum {
  readonly type: MovementType;
  readonly reason: string;
  readonly movements: number;
  readonly units: number;
}

/** A bin and lot with units, and the sums of all movements to and from it. */
export interface BreakdownPlace {
  readonly warehouse_id: number;
  readonly bin: string;
  readonly bin_kind: BinKind;
  readonly lot_number: string | null;
  readonly movements: readonly LedgerSum[];
}

/** A reservation that holds units. */
export interface HeldUnits {
  readonly reservation_id: number;
  readonly order_id: number | null;
  readonly order_ref: string;
  readonly status: ReservationStatus;
  readonly expires_at: number | null;
  readonly units: number;
  /** Of these, units in staging. */
  readonly picked: number;
}

/** A reservation that waits for units. */
export interface Backorder {
  readonly reservation_id: number;
  readonly order_id: number | null;
  readonly order_ref: string;
  readonly units: number;
  readonly priority: number;
  readonly paused: boolean;
  readonly created_at: number;
}

/** The most reservations, receipts and transfers that are listed. */
export const named_max = 100;

/** The stock at a time from the ledger: opening balance, movements and places. */
export function ledgerView(
  { merchant_id, sku, name }: ProductStock["product"],
  sums: readonly LedgerSum[],
  places: readonly BreakdownPlace[],
  as_of: number | null,
  shows_bins: boolean,
) {
  return {
    merchant_id: wireId("merchant", merchant_id),
    sku,
    name,
    as_of: isoOrNull(as_of),
    opening: 0 as const,
    movements: sums,
    on_hand: unitsOf(sums),
    places: places.map(({ warehouse_id, bin, bin_kind, lot_number, movements }) => ({
      warehouse_id: wireId("warehouse", warehouse_id),
      bin: binShown(bin, shows_bins),
      lot_number,
      kind: bin_kind,
      opening: 0 as const,
      movements,
      on_hand: unitsOf(movements),
    })),
  };
}

function unitsOf(sums: readonly LedgerSum[]): number {
  return sums.reduce((units, sum) => units + sum.units, 0);
}

/** Why units on hand cannot be reserved at `now` (ms), and the waiting reservations. */
export function demandView(
  stock: ProductStock,
  held: readonly HeldUnits[],
  waiting: readonly Backorder[],
  now: number,
  shows_bins: boolean,
) {
  const { product, items, backordered, sets } = stock;
  const { reserved, picked, available: own } = totalsOf(stock, now);
  const available = sets ?? own;
  const unavailable = items.filter((item) => !isPromisable(item, product, now) && item.on_hand > item.reserved);
  return {
    available,
    reserved: {
      units: reserved,
      picked,
      reservations: held.slice(0, named_max).map(({ status, expires_at, units, picked, ...reservation }) => ({
        ...claimantView(reservation),
        status: status === "reserved" && expires_at !== null && expires_at <= now ? "expired" : status,
        expires_at: isoOrNull(expires_at),
        units,
        picked,
      })),
      has_more: held.length > named_max,
    },
    unavailable: unavailable.map((item) => ({
      cause: unavailableCauseOf(item, now),
      warehouse_id: wireId("warehouse", item.warehouse_id),
      bin: binShown(item.bin, shows_bins),
      lot_number: item.lot_number,
      units: item.on_hand - item.reserved,
    })),
    backordered: {
      units: backordered,
      reservations: waiting.slice(0, named_max).map(({ units, priority, paused, created_at, ...reservation }) => ({
        ...claimantView(reservation),
        units,
        priority,
        paused,
        created_at: iso(created_at),
      })),
      has_more: waiting.length > named_max,
    },
  };
}

/** Incoming units by receipt and transfer. */
export function incomingView(
  { incoming }: ProductStock,
  awaited: readonly AwaitedDelivery[],
  in_transit: readonly InTransit[],
) {
  return {
    units: incoming,
    receipts: awaited.slice(0, named_max).map(({ receipt_id, reference, warehouse_id, expected_at, units }) => ({
      receipt_id: wireId("receipt", receipt_id),
      reference,
      location: wireId("warehouse", warehouse_id),
      expected_at: isoOrNull(expected_at),
      units,
    })),
    transfers: in_transit.slice(0, named_max).map(({ transfer_id, reference, shipped_at, units, ...way }) => ({
      transfer_id: wireId("transfer", transfer_id),
      reference,
      from_location: wireId("warehouse", way.from_warehouse_id),
      to_location: wireId("warehouse", way.to_warehouse_id),
      shipped_at: isoOrNull(shipped_at),
      units,
    })),
    has_more: awaited.length > named_max || in_transit.length > named_max,
  };
}

/** The components of a bundle: the scarcest limits the number of sets. */
export function partsView(parts: readonly StockedPart[]) {
  return parts.map(({ product_id: _id, ...part }) => part);
}

/** Past reservations are not stored, so a past time shows the ledger alone. */
export const noDemand = { available: null, reserved: null, unavailable: null, backordered: null, incoming: null };

function claimantView({
  reservation_id,
  order_id,
  order_ref,
}: Pick<HeldUnits, "reservation_id" | "order_id" | "order_ref">) {
  return {
    reservation_id: wireId("reservation", reservation_id),
    order_id: order_id === null ? null : wireId("order", order_id),
    order_number: order_ref,
  };
}
