import type { ActionOf, Transitions } from "../core/transitions.ts";
import type { EventType } from "../events/event_types.ts";

export const shipmentStatuses = ["pending", "shipped", "delivered", "returned", "voided"] as const;
export type ShipmentStatus = (typeof shipmentStatuses)[number];

// A carrier may have taken a parcel that was voided with its order: `take` ships it.
// biome-ignore format: a table is read by its columns.
export const shipmentTransitions = {
  ship:    { from: ["pending"], to: "shipped",   held: false, emits: null },
  take:    { from: ["voided"],  to: "shipped",   held: true,  emits: null },
  deliver: { from: ["shipped"], to: "delivered", held: false, emits: null },
  void:    { from: ["pending"], to: "voided",    held: false, emits: null },
} as const satisfies Transitions<ShipmentStatus>;

/** The status of a new parcel. */
export const initialShipmentStatus = "pending" satisfies ShipmentStatus;
/** The status of a parcel that was voided. */
export const givenUp = "voided" satisfies ShipmentStatus;

/** Whether a parcel has not shipped yet. */
export const isUnshipped = (status: ShipmentStatus): boolean => status === "pending";
/** Whether a parcel was voided before it shipped. */
export const isGivenUp = (status: ShipmentStatus): boolean => status === givenUp;
/** Whether a parcel has shipped. */
export const hasLeft = (status: ShipmentStatus): boolean => !isUnshipped(status) && !isGivenUp(status);
/** Whether a parcel has shipped and has not arrived. */
export const isTravelling = (status: ShipmentStatus): boolean => status === "shipped";
/** Statuses of parcels that have reached the end of their journey. */
export const arrivedStatuses = ["delivered", "returned"] as const satisfies readonly ShipmentStatus[];

/** How an order leaves the warehouse: its parcels are shipped, or its buyer collects them. */
export const fulfillmentTypes = ["ship", "pickup"] as const;
export type FulfillmentType = (typeof fulfillmentTypes)[number];
/** The type of an order that states none. */
export const default_fulfillment_type = "ship" satisfies FulfillmentType;
/** Whether the buyer collects an order. */
export const isPickup = ({ fulfillment_type }: { readonly fulfillment_type: FulfillmentType }): boolean =>
  fulfillment_type === "pickup";

export const orderStatuses = ["pending", "processing", "fulfilled", "shipped", "delivered", "cancelled"] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** The statuses that the API shows: an order with an open hold is `on_hold`, whatever its internal status. */
export const publicOrderStatuses = [...orderStatuses, "on_hold"] as const;
export type PublicOrderStatus = (typeof publicOrderStatuses)[number];

/** The statuses of an order that is not packed yet. */
export const unpackedStatuses = ["pending", "processing"] as const satisfies OrderStatus[];
/** The statuses of an order that has not shipped. */
export const openStatuses = [...unpackedStatuses, "fulfilled"] as const satisfies OrderStatus[];
const [unpacked, open, every] = [unpackedStatuses, openStatuses, orderStatuses];
const undelivered = [...open, "shipped"] as const;
// A carrier may have taken a parcel of a cancelled order.
const in_transit = [...undelivered, "cancelled"] as const;
/** The status of an order that is being picked and packed. */
export const workStatuses = ["processing"] as const satisfies OrderStatus[];
const in_work = workStatuses;
const packed = ["fulfilled", "shipped"] as const;
const packable = ["processing", "fulfilled"] as const;
const reductions = ["cancel_items", "split"] as const;

// Every transition of an order. An action first performs the missing steps before it: a pending order that is shipped
// is processed, picked and packed first. `hold` and `release` change no status, since holds are separate records. The
// `rest_…` rows give the status of an order when all that it still waited for is cancelled or split off.
// biome-ignore format: a table is read by its columns.
export const orderTransitions = {
  process:        { from: ["pending"], to: "processing", held: false, emits: null },
  pick:           { from: unpacked,    to: "processing", held: false, emits: null },
  pack:           { from: unpacked,    to: "fulfilled",  held: false, emits: "order.fulfilled" },
  pack_part:      { from: unpacked,    to: "processing", held: false, emits: null, of: ["pack"] },
  unpick:         { from: in_work,     to: null,         held: true,  emits: null },
  unpack:         { from: packable,    to: "processing", held: true,  emits: null },
  // It was not fulfilled.
  unpack_part:    { from: in_work,     to: "processing", held: true,  emits: null, of: ["unpack"] },
  ship:           { from: open,        to: "shipped",    held: false, emits: "order.shipped" },
  // Units are still to be packed.
  ship_part:      { from: unpacked,    to: "processing", held: false, emits: null, of: ["ship"] },
  // All units are packed, some of them in parcels that have not shipped.
  ship_parcel:    { from: open,        to: "fulfilled",  held: false, emits: null, of: ["ship"] },
  // The parcel is an extra carton of goods that another parcel counts.
  ship_carton:    { from: open,        to: null,         held: false, emits: null, of: ["ship"] },
  // Only an order that its buyer collects is delivered before it has shipped.
  deliver:        { from: packed,      to: "delivered",  held: true,  emits: "order.delivered" },
  // Other parcels have not shipped or arrived yet.
  deliver_part:   { from: in_transit,  to: null,         held: true,  emits: null, of: ["deliver"] },
  hold:           { from: unpacked,    to: null,         held: true,  emits: null },
  release:        { from: every,       to: null,         held: true,  emits: null },
  cancel:         { from: open,        to: "cancelled",  held: true,  emits: "order.cancelled" },
  cancel_items:   { from: open,        to: null,         held: true,  emits: null },
  cancel_all:     { from: open,        to: "cancelled",  held: true,  emits: "order.cancelled", of: ["cancel_items"] },
  split:          { from: unpacked,    to: null,         held: false, emits: null },
  rest_packed:    { from: unpacked,    to: "fulfilled",  held: true,  emits: "order.fulfilled", of: reductions },
  rest_shipped:   { from: open,        to: "shipped",    held: true,  emits: "order.shipped",   of: reductions },
  rest_delivered: { from: undelivered, to: "delivered",  held: true,  emits: "order.delivered", of: reductions },
} as const satisfies Transitions<OrderStatus, EventType>;
export type OrderAction = ActionOf<typeof orderTransitions>;

/** The status of a new order. */
export const initialOrderStatus = "pending" satisfies OrderStatus;

/** Whether no work on an order has begun. */
export const awaitsWork = (status: OrderStatus): boolean => status === "pending";
/** Whether an order is not packed yet. */
export const isUnpacked = (status: OrderStatus): boolean => contains(unpackedStatuses, status);
/** Whether an order has neither shipped nor been cancelled. */
export const isOpen = (status: OrderStatus): boolean => contains(openStatuses, status);
/** Whether every open unit of an order is packed. */
export const isFulfilled = (status: OrderStatus): boolean => status === "fulfilled";
/** Whether all of an order has shipped, and not all of it has arrived. */
export const isOnItsWay = (status: OrderStatus): boolean => status === "shipped";
/** Whether all of an order has arrived. */
export const hasArrived = (status: OrderStatus): boolean => status === "delivered";
/** Whether an order is cancelled. */
export const isCancelled = (status: OrderStatus): status is "cancelled" => status === "cancelled";
/** Whether a public status is that of orders with an open hold. */
export const isOnHold = (status: PublicOrderStatus): status is "on_hold" => status === "on_hold";

const contains = (some: readonly OrderStatus[], status: OrderStatus) => some.includes(status);

/** The statuses in which past orders are imported, with the timestamps that each has after its creation, in order. */
export const pastTimestamps = {
  shipped: ["shipped_at"],
  delivered: ["shipped_at", "delivered_at"],
  cancelled: ["cancelled_at"],
} as const satisfies Partial<Record<OrderStatus, readonly string[]>>;
export type PastStatus = keyof typeof pastTimestamps;

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

/** The system's reasons that are about the address: nothing can be delivered to it, or its platform withholds it. */
export const addressHoldReasons = ["bad_address", "address_hidden"] as const;

/** Reasons that only the system sets. Their cause lifts them, not `release`. */
export const systemHoldReasons = [
  ...addressHoldReasons,
  "carrier_discrepancy",
  "merchant_suspended",
  "recalled_lot",
  "short_pick",
  "unknown_sku",
] as const;
export type SystemHoldReason = (typeof systemHoldReasons)[number];

/** Reasons that only the system sets. Somebody decides what to do, and then a release lifts them. */
const reviewHoldReasons = ["platform_change"] as const;
export type ReviewHoldReason = (typeof reviewHoldReasons)[number];

export const holdReasons = [...clientHoldReasons, ...systemHoldReasons, ...reviewHoldReasons] as const;
export type HoldReason = (typeof holdReasons)[number];

// These reasons write the units off. The other short reasons only make the order avoid that bin.
export const writeOffReasons = ["damaged", "expired", "lost", "shrinkage"] as const;
/** Why units were not found where they should have been picked. */
export const shortReasons = [...writeOffReasons, "not_found", "unreachable", "other"] as const;
export type ShortReason = (typeof shortReasons)[number];

export const cancelReasons = ["customer", "declined", "fraud", "inventory", "staff", "expired", "other"] as const;
export type CancelReason = (typeof cancelReasons)[number];

/** Why units are unpicked or unpacked, or a parcel is reopened. */
export const undoReasons = [
  "wrong_item",
  "wrong_quantity",
  "damaged",
  "address",
  "customer_request",
  "mistake",
  "other",
] as const;
