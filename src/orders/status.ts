import type { Moves } from "../kit/moves.ts";
import type { EventType } from "../outbox/catalog.ts";

export const orderStatuses = ["pending", "processing", "fulfilled", "shipped", "delivered", "cancelled"] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** What the API shows: an order with an open hold reads `on_hold`, whatever its state inside. */
export const publicOrderStatuses = [...orderStatuses, "on_hold"] as const;
export type PublicOrderStatus = (typeof publicOrderStatuses)[number];

// Every way an order moves. A row is the whole truth about one action; `hold` and `release` change no state, since a
// hold is a fact beside it; `cancel_items` and `split` leave the state to what is left of the order.
export const orderMoves = {
  process: { from: ["pending"], to: "processing", held: false, tells: null },
  pick: { from: ["pending", "processing"], to: "processing", held: false, tells: null },
  pack: { from: ["pending", "processing"], to: "fulfilled", held: false, tells: "order.fulfilled" },
  ship: { from: ["pending", "processing", "fulfilled"], to: "shipped", held: false, tells: "order.shipped" },
  deliver: { from: ["shipped"], to: "delivered", held: true, tells: "order.delivered" },
  hold: { from: ["pending", "processing"], to: null, held: true, tells: null },
  release: { from: orderStatuses, to: null, held: true, tells: null },
  cancel: { from: ["pending", "processing", "fulfilled"], to: "cancelled", held: true, tells: "order.cancelled" },
  cancel_items: { from: ["pending", "processing", "fulfilled"], to: null, held: true, tells: null },
  split: { from: ["pending", "processing"], to: null, held: false, tells: null },
} as const satisfies Moves<OrderStatus, EventType>;
export type OrderAction = keyof typeof orderMoves;

/** The states in which orders of the past are brought in, and the moments that each has after it was made, in order. */
export const pastMoments = {
  shipped: ["shipped_at"],
  delivered: ["shipped_at", "delivered_at"],
  cancelled: ["cancelled_at"],
} as const satisfies Partial<Record<OrderStatus, readonly string[]>>;
export type PastStatus = keyof typeof pastMoments;

export const fulfillmentStatuses = [
  "unfulfilled",
  "partially_fulfilled",
  "fulfilled",
  "partially_shipped",
  "shipped",
  "partially_delivered",
  "delivered",
] as const;
export type FulfillmentStatus = (typeof fulfillmentStatuses)[number];

/** Why a client may hold an order. */
export const clientHoldReasons = [
  "manual",
  "address",
  "payment",
  "fraud",
  "inventory",
  "customer_request",
  "compliance",
  "other",
] as const;
export type ClientHoldReason = (typeof clientHoldReasons)[number];

/** Reasons only the system gives; they are lifted by their cause, not by `release`. */
export const systemHoldReasons = [
  "bad_address",
  "carrier_discrepancy",
  "recalled_lot",
  "short_pick",
  "unknown_sku",
] as const;
export type SystemHoldReason = (typeof systemHoldReasons)[number];

export const holdReasons = [...clientHoldReasons, ...systemHoldReasons] as const;
export type HoldReason = (typeof holdReasons)[number];

// Units are off the books for the first of these; the others only keep the order from that bin.
export const writeOffReasons = ["damaged", "expired", "lost", "shrinkage"] as const;
/** Why units were not found where they were to be picked. */
export const shortReasons = [...writeOffReasons, "not_found", "unreachable", "other"] as const;
export type ShortReason = (typeof shortReasons)[number];

export const cancelReasons = ["customer", "declined", "fraud", "inventory", "staff", "expired", "other"] as const;
export type CancelReason = (typeof cancelReasons)[number];
