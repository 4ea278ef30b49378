import { iso, isoOrNull } from "../../core/clock.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { WeightUnit } from "../../core/weight_units.ts";
import type { PackKind } from "../../products/product.ts";
import { type AdjustmentReason, isReserved, type ReservationStatus } from "../inventory.transitions.ts";

/** Units of an order that lost their allocation and are backordered. */
export interface Shortfall {
  readonly order_id: number | null;
  readonly order_ref: string;
  readonly quantity: number;
}

/**
 * The refusal to remove reserved units. It names the orders that would be backordered, and the option that allows it.
 */
export function wouldBreakReservations(
  sku: string,
  shortfalls: readonly Shortfall[],
  option = "allow_shortfall",
): Fault {
  const orders = shortfallsView(shortfalls);
  const named = orders.slice(0, 5).map(({ order_number }) => order_number);
  const more = orders.length > named.length ? ` and ${orders.length - named.length} more` : "";
  const message = `Units of ${sku} are reserved for ${named.join(", ")}${more}. Use ${option} to backorder them.`;
  return new Fault("would_break_reservations", message, { orders });
}

/** The backordered orders as the API shows them: each once, however many of its lines are affected. */
export function shortfallsView(shortfalls: readonly Shortfall[]) {
  const orders = Map.groupBy(shortfalls, ({ order_id, order_ref }) => `${order_id} ${order_ref}`);
  return [...orders.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { order_id, order_ref } = first;
    const quantity = others.reduce((sum, other) => sum + other.quantity, first.quantity);
    return { order_id: order_id === null ? null : wireId("order", order_id), order_number: order_ref, quantity };
  });
}

/** What an order wants of the stock, and its constraints. */
export interface OrderAllocation {
  readonly merchant_id: number;
  readonly order_id: number;
  readonly order_number: string;
  /** `api`, or `<platform>:<connection>`. An earlier reservation is adopted only from the same source. */
  readonly source: string;
  /** Higher is served first when stock is short. */
  readonly priority: number;
  /** Only stock of this warehouse; null for any. */
  readonly warehouse_id: number | null;
  readonly requires_cold_storage: boolean;
  readonly allow_backorder: boolean;
  /** The reservation to adopt, if the client named one. */
  readonly reservation_id: number | null;
  readonly lines: readonly {
    readonly order_line_id: number;
    readonly product_id: number;
    readonly quantity: number;
  }[];
}

/**
 * An order line's allocation of one product: units wanted and not yet shipped, and those of them reserved and picked.
 */
export interface AllocationLine {
  readonly order_line_id: number;
  readonly product_id: number;
  readonly wanted: number;
  readonly reserved: number;
  readonly picked: number;
}

/** Units of an order line; of a bundle, whole sets. */
export interface LineUnits {
  readonly order_line_id: number;
  readonly quantity: number;
}

/** Units that an order line wants of the stock. */
export interface AllocationUnits extends LineUnits {
  /** The component of a bundle's line; a line of one product needs none. */
  readonly product_id?: number | undefined;
}

/** Units of one product for an order line: the product itself, or a component of its bundle. */
export interface PartUnits extends LineUnits {
  readonly product_id: number;
}

/** Units taken from the shelf for an order line; without lot and bin they are taken as planned. */
export interface PickedUnits extends AllocationUnits {
  readonly lot_number?: string | undefined;
  readonly bin?: string | undefined;
  /** The pack in which they were taken. */
  readonly pack?: PackKind | undefined;
}

/** Units of a line that were taken from the stock of a warehouse. */
export interface TakenUnits extends LineUnits {
  readonly warehouse_id: number;
  readonly pack: PackKind | null;
  readonly product: {
    readonly id: number;
    /** Decimal text in `weight_unit`. */
    readonly weight: string | null;
    readonly weight_unit: WeightUnit | null;
  };
}

/** Units that were not found where they should have been picked. */
export interface MissingUnits extends PickedUnits {
  /** Why they are written off; null when they are only released. */
  readonly write_off: AdjustmentReason | null;
}

/** Units allocated to an order line, and where they are: a row of a pick list. */
export interface PlannedUnits extends AllocationUnits {
  readonly order_id: number;
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly bin: string;
  readonly pick_order: number;
  readonly lot_number: string | null;
  /** The lot's last day, in days since 1970-01-01. */
  readonly expires_on: number | null;
  /** True when they are already in staging. */
  readonly picked: boolean;
}

/** Stock reserved for an order, or by a client for an order that may be created later. */
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
  readonly avoids: readonly AvoidedItem[] | null;
}

/** A stock item in which units were missing at a pick. It is avoided until it holds more than it did then. */
export interface AvoidedItem {
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

/** Units of one stock item allocated to a line. */
export interface Allocation {
  readonly id: number;
  readonly merchant_id: number;
  readonly reservation_line_id: number;
  stock_item_id: number;
  quantity: number;
}

/** A line with its allocations, picked or not. */
export interface HeldLine extends ReservationLine {
  allocations: Allocation[];
}

/** The part of an order's line that other features see. */
export function allocationLine({
  order_line_id,
  product_id,
  wanted,
  reserved,
  picked,
}: ReservationLine): AllocationLine {
  return { order_line_id: order_line_id ?? 0, product_id, wanted, reserved, picked };
}

/** Units of one SKU and the warehouse where they are reserved; null for units without reserved stock. */
export interface ReservedUnits {
  readonly reservation_id: number;
  readonly sku: string;
  readonly quantity: number;
  readonly warehouse_id: number | null;
}

/** Whether a reservation is past its expiry at `now` (ms). It counts as expired before the job has ended it. */
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
