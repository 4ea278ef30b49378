import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { ClaimLine } from "./claim.ts";
import { isReserved, type ReservationStatus } from "./status.ts";

/** A claim on stock: of an order, or of a client for an order that may come later. */
export interface Reservation {
  readonly id: number;
  readonly merchant_id: number;
  readonly order_id: number | null;
  /** What the client called the order. */
  readonly order_ref: string;
  readonly source: string;
  readonly status: ReservationStatus;
  readonly priority: number;
  /** True while the order is on hold: its backorders are not filled. */
  readonly paused: boolean;
  readonly warehouse_id: number | null;
  readonly requires_cold_storage: boolean;
  readonly expires_at: number | null;
  readonly released_at: number | null;
  readonly created_at: number;
  readonly avoids: readonly Avoided[] | null;
}

/** A stock item in which units were missing at a pick; it is left alone until more lie there than did then. */
export interface Avoided {
  readonly stock_item_id: number;
  readonly on_hand: number;
}

/** What a reservation wants of one product. The counts change while a transaction works on them. */
export interface ReservationLine {
  readonly id: number;
  readonly merchant_id: number;
  readonly reservation_id: number;
  readonly product_id: number;
  readonly order_line_id: number | null;
  readonly quantity: number;
  wanted: number;
  reserved: number;
  picked: number;
}

/** Units of one stock item promised to a line. */
export interface Allocation {
  readonly id: number;
  readonly merchant_id: number;
  readonly reservation_line_id: number;
  stock_item_id: number;
  quantity: number;
}

/** A line with all that is promised to it, picked or not. */
export interface HeldLine extends ReservationLine {
  allocations: Allocation[];
}

/** The part of an order's line that other features see. */
export function claimLine({ order_line_id, product_id, wanted, reserved, picked }: ReservationLine): ClaimLine {
  return { order_line_id: order_line_id ?? 0, product_id, wanted, reserved, picked };
}

/** Units of one SKU, and the warehouse they are promised from; null for units that no stock is promised for. */
export interface ReservedUnits {
  readonly reservation_id: number;
  readonly sku: string;
  readonly quantity: number;
  readonly warehouse_id: number | null;
}

/** Whether a reservation is past its time at this moment (ms): it counts as expired before a job has ended it. */
export function isOverdue({ status, expires_at }: Reservation, now: number): boolean {
  return isReserved(status) && expires_at !== null && expires_at <= now;
}

/** The reservation as the API shows it. */
export function reservationView(reservation: Reservation, units: readonly ReservedUnits[], now: number) {
  const { id, order_id, order_ref, source, status, priority, expires_at, released_at, created_at } = reservation;
  return {
    reservation_id: wireId("reservation", id),
    merchant_id: wireId("merchant", reservation.merchant_id),
    order_id: order_id === null ? order_ref : wireId("order", order_id),
    status: isOverdue(reservation, now) ? ("expired" as const) : status,
    items: units.map(({ sku, quantity, warehouse_id }) => ({
      sku,
      quantity,
      reserved_from: warehouse_id === null ? null : wireId("warehouse", warehouse_id),
    })),
    source,
    priority,
    expires_at: isoOrNull(expires_at),
    released_at: isoOrNull(released_at),
    created_at: iso(created_at),
  };
}
