import {
  type AddressVerification,
  isVerified,
  recipientView,
  recipientWarnings,
  verificationView,
} from "../addresses/address.ts";
import { iso, isoOrNull } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import { money, shareOf } from "../core/money.ts";
import type { ContactAddress } from "../core/postal_address.ts";
import { allowedActions } from "../core/transitions.ts";
import { type DomainEvent, type EventType, previousOf } from "../events/event_types.ts";
import { tagged } from "../http/preconditions.ts";
import type { PartUnits } from "../inventory/reservations/reservation.ts";
import type { DispatchCalendar, WarehouseCalendar } from "../inventory/warehouses/dispatch_calendar.ts";
import { shipBy, shipDate } from "./fulfillment/ship_dates.ts";
import { printedView, type Shipment, shipmentView } from "./fulfillment/shipment.ts";
import {
  type CancelReason,
  type FulfillmentStatus,
  type FulfillmentType,
  type HoldReason,
  hasLeft,
  isCancelled,
  isGivenUp,
  isOpen,
  isPickup,
  type OrderAction,
  type OrderStatus,
  orderStatuses,
  orderTransitions,
  type PublicOrderStatus,
  systemHoldReasons,
} from "./order.transitions.ts";
import { choiceView, type DecidedBy, decidedByView, type ShippingChoice } from "./shipping_rules/shipping_choice.ts";

/** A component of an ordered bundle: units in one set, and the units that the line's allocation has of it. */
export interface LinePart {
  readonly product_id: number;
  readonly sku: string;
  readonly quantity: number;
  readonly wanted: number;
  readonly reserved: number;
  readonly picked: number;
}

/** An order line. `wanted`, `reserved` and `picked` are read from the order's allocation. */
export interface OrderLine {
  readonly id: number;
  readonly product_id: number;
  readonly sku: string;
  readonly name: string;
  /** The bundle's components when it was ordered; null for a simple product. All counters count whole sets. */
  readonly components: readonly LinePart[] | null;
  readonly quantity: number;
  readonly unit_price_cents: number;
  /** The discount on all of its units together. */
  readonly discount_cents: number;
  /** Units packed so far, including shipped ones; the counters below count likewise. */
  readonly quantity_packed: number;
  readonly quantity_shipped: number;
  readonly quantity_delivered: number;
  readonly quantity_returned: number;
  readonly quantity_cancelled: number;
  /** Units wanted and not yet shipped. */
  readonly wanted: number;
  /** Of these, reserved units. */
  readonly reserved: number;
  /** Of these, units in staging. */
  readonly picked: number;
}

/** A hold on an order. */
export interface OrderHold {
  readonly id: number;
  readonly reason: HoldReason;
  readonly note: string | null;
  readonly hold_until: number | null;
  readonly reserve_inventory: boolean;
  readonly created_at: number;
}

/** The stored fields of an order. */
export interface OrderFields {
  /** The merchant of its customer. */
  readonly merchant_id: number;
  readonly order_number: string;
  readonly status: OrderStatus;
  /** True while at least one hold is open. */
  readonly held: boolean;
  readonly customer_id: number;
  readonly customer_email: string;
  readonly customer_name: string;
  readonly shipping_address_id: number;
  /** A copy of the customer's address, which later changes of the customer do not affect. */
  readonly shipping_address: ContactAddress;
  /** The result of the last check of that address; null for an order from before there were checks. */
  readonly address_verification: AddressVerification | null;
  readonly fulfillment_type: FulfillmentType;
  readonly shipping_method: string | null;
  /** The shop's code of the method. */
  readonly shipping_method_code: string | null;
  readonly order_notes: string | null;
  readonly packing_note: string | null;
  readonly shipping_choice: ShippingChoice | null;
  /** What decided each field that rules decide. */
  readonly decided_by: DecidedBy | null;
  readonly tags: readonly string[];
  readonly requires_cold_storage: boolean;
  readonly priority: number;
  readonly allow_backorder: boolean;
  readonly warehouse_id: number | null;
  readonly subtotal_cents: number;
  readonly shipping_amount_cents: number;
  readonly currency: string;
  readonly source_platform: string;
  readonly source_external_id: string | null;
  readonly metadata: Record<string, unknown>;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly processing_at: number | null;
  readonly fulfilled_at: number | null;
  readonly shipped_at: number | null;
  readonly delivered_at: number | null;
  readonly cancelled_at: number | null;
  readonly cancel_reason: CancelReason | null;
  /** True for an imported past order, which never affected stock here. */
  readonly imported: boolean;
}

/** An order with everything that belongs to it. */
export interface Order extends OrderFields {
  readonly id: number;
  /** Whether its merchant is suspended, read with the order: the hold for that may still be missing. */
  readonly suspended: boolean;
  readonly lines: readonly OrderLine[];
  /** When its first packing slip and its first pick list were printed (ms), and how often: slips of the whole order. */
  readonly slip_printed_at: number | null;
  readonly slip_prints: number;
  readonly pick_list_printed_at: number | null;
  readonly pick_list_prints: number;
  /** The open holds, oldest first. */
  readonly holds: readonly OrderHold[];
  readonly shipments: readonly Shipment[];
  /** Ids of its returns. */
  readonly returns: readonly number[];
  /** The dispatch calendars of the warehouses that its units ship from. */
  readonly calendars: readonly WarehouseCalendar[];
  /** The calendar on which its promised ship date is based; null while there is no warehouse. */
  readonly promised_by: DispatchCalendar | null;
}

/** The prints of a new order. */
export const unprinted = { slip_printed_at: null, slip_prints: 0, pick_list_printed_at: null, pick_list_prints: 0 };

/** A parcel and its order, after an act. */
export interface OrderParcel {
  readonly order: Order;
  readonly shipment: Shipment;
}

/** The public status of an order: `on_hold` while a hold is open. */
export function publicStatus({ status, held }: Pick<Order, "status" | "held">): PublicOrderStatus {
  return held ? "on_hold" : status;
}

/**
 * Why an order may not proceed: the reasons of its open holds, and the suspension of its merchant as soon as that
 * begins, even before the job has held the order. Empty if it may.
 */
export function hinderedBy({ status, suspended, holds }: Pick<Order, "status" | "suspended" | "holds">): HoldReason[] {
  const reasons = holds.map(({ reason }) => reason);
  const waits = suspended && isOpen(status) && !reasons.includes("merchant_suspended");
  return waits ? [...reasons, "merchant_suspended"] : reasons;
}

/** The stock that a line wants: the components of a bundle, or the product itself. */
export function partsOf(line: OrderLine): readonly LinePart[] {
  const { product_id, sku, wanted, reserved, picked } = line;
  return line.components ?? [{ product_id, sku, quantity: 1, wanted, reserved, picked }];
}

/** Units of a line that are not cancelled, including shipped ones. */
export function uncancelledUnits(line: Pick<OrderLine, "quantity" | "quantity_cancelled">): number {
  return line.quantity - line.quantity_cancelled;
}

/** The amounts of a line, in cents. */
export type LineAmounts = Pick<OrderLine, "quantity" | "unit_price_cents" | "discount_cents">;

/** The cost of all units of a line, including cancelled ones, in cents. */
export function lineTotal({ quantity, unit_price_cents, discount_cents }: LineAmounts): number {
  return quantity * unit_price_cents - discount_cents;
}

/**
 * The cost (cents) of `units` of a line that come after `before` others. The line's total is spread over its units so
 * that all parts add up to it exactly.
 */
export function costOf(line: LineAmounts, units: number, before = 0): number {
  const total = lineTotal(line);
  return shareOf(total, before + units, line.quantity) - shareOf(total, before, line.quantity);
}

/** Units of a line that have neither shipped nor been cancelled. */
export function openUnits(line: OrderLine): number {
  return uncancelledUnits(line) - line.quantity_shipped;
}

/** The backordered units of an order. */
export function backorderedUnits(order: Pick<Order, "lines">): number {
  return order.lines.reduce((sum, line) => sum + line.wanted - line.reserved, 0);
}

/** Whether a hold is the system's: its cause lifts it, not `release`. */
export function isSystemHold({ reason }: Pick<OrderHold, "reason">): boolean {
  return (systemHoldReasons as readonly string[]).includes(reason);
}

// The first two end when the allocation is filled. Orders of a suspended merchant keep reserving stock.
const stock_keeping_reasons: readonly HoldReason[] = ["carrier_discrepancy", "short_pick", "merchant_suspended"];

/** Whether an order's holds pause its allocation. */
export function isStopped({ holds }: Pick<Order, "holds">): boolean {
  return holds.some(({ reason }) => !stock_keeping_reasons.includes(reason));
}

/** Whether units of a line are in staging; for a bundle, of any of its components. */
export function isBegun(line: OrderLine): boolean {
  return line.components === null ? line.picked > 0 : line.components.some(({ picked }) => picked > 0);
}

/** Why an action is forbidden that the transitions would allow, as text; null when it is not. */
export function hindrance(order: Order, action: OrderAction): string | null {
  if (action === "hold" && order.lines.some(isBegun)) return "units have been picked";
  if (action === "ship" && isPickup(order)) return "its buyer collects it; deliver it once it is packed";
  if (action === "deliver" && isOpen(order.status)) return whyUncollected(order);
  if (action === "cancel" && order.shipments.some(({ status }) => hasLeft(status))) {
    return order.lines.some((line) => openUnits(line) > 0)
      ? "a parcel has shipped; create a return instead, and cancel the items that have not shipped"
      : "a parcel has shipped; create a return instead";
  }
  if (action === "cancel_items" && !isCancelled(order.status) && order.lines.every((line) => openUnits(line) === 0)) {
    return "every unit has shipped";
  }
  if (action === "release" && !order.held) return "it is not on hold";
  if (action === "split") return whyWhole(order);
  if (action === "unpick" && loosePicks(order).length === 0) return "no picked units are left that are not packed";
  if (action === "unpack" && order.lines.every((line) => line.quantity_packed === line.quantity_shipped)) {
    return "no packed units are left that have not shipped";
  }
  return null;
}

/** Why an order that has not shipped cannot be delivered, as text; null when its buyer may collect it. */
function whyUncollected(order: Order): string | null {
  if (!isPickup(order)) return "it has not shipped";
  return hinderedBy(order).length > 0 ? "it must not leave" : null;
}

/** Why nothing can be split off an order, as text; null when something can. */
function whyWhole(order: Order): string | null {
  if (order.source_external_id !== null) {
    return "its platform treats it as one order; ship it in several parcels instead";
  }
  const loose = order.lines.reduce((sum, line) => sum + looseUnits(line), 0);
  if (loose === 0) return "no unpicked units are left";
  return order.lines.reduce((sum, line) => sum + uncancelledUnits(line), 0) === 1 ? "it has only one unit" : null;
}

/** Units in staging that are not packed, by line and product. */
export function loosePicks({ lines }: Pick<Order, "lines">): PartUnits[] {
  return lines.flatMap((line) => {
    const sets = line.quantity_packed - line.quantity_shipped;
    return partsOf(line).flatMap(({ product_id, quantity, picked }) => {
      const loose = picked - sets * quantity;
      return loose > 0 ? [{ order_line_id: line.id, product_id, quantity: loose }] : [];
    });
  });
}

/** Units of a line that have neither shipped nor been picked; none for a bundle with a picked component. */
export function looseUnits(line: OrderLine): number {
  if (line.components !== null && isBegun(line)) return 0;
  return Math.max(0, openUnits(line) - Math.max(line.picked, line.quantity_packed - line.quantity_shipped));
}

const actionsIn = (held: boolean) =>
  new Map(
    orderStatuses.map((status) => [
      status,
      allowedActions<OrderStatus, typeof orderTransitions>(orderTransitions, status, held),
    ]),
  );
const [freeActions, heldActions] = [actionsIn(false), actionsIn(true)];

/** The actions that the order allows now, in the table's order. */
export function actionsOf(order: Order): OrderAction[] {
  const actions = (order.held || hinderedBy(order).length > 0 ? heldActions : freeActions).get(order.status) ?? [];
  return actions.filter((action) => hindrance(order, action) === null);
}

/** How far an order's units have come, from the counters of its lines. Cancelled units do not count. */
export function fulfillmentStatus(lines: readonly OrderLine[]): FulfillmentStatus {
  let [all, packed, shipped, delivered] = [0, 0, 0, 0];
  for (const line of lines) {
    all += uncancelledUnits(line);
    packed += line.quantity_packed;
    shipped += line.quantity_shipped;
    delivered += line.quantity_delivered;
  }
  if (delivered > 0) return delivered === all ? "delivered" : "partially_delivered";
  if (shipped > 0) return shipped === all ? "shipped" : "partially_shipped";
  if (packed > 0) return packed === all ? "fulfilled" : "partially_fulfilled";
  return "unfulfilled";
}

/** The day (`YYYY-MM-DD`) on which the order is expected to ship, or shipped; null when unknown. */
export function estimatedShipDate(order: Order, now: number): string | null {
  return shipDate(order, backorderedUnits(order), now);
}

/** The order as the API shows it; `now` in milliseconds. */
export function orderView(order: Order, now: number) {
  const backordered_units = backorderedUnits(order);
  const customer_id = wireId("customer", order.customer_id);
  return {
    id: wireId("order", order.id),
    merchant_id: wireId("merchant", order.merchant_id),
    order_number: order.order_number,
    status: publicStatus(order),
    held_from: order.held ? order.status : null,
    fulfillment_status: fulfillmentStatus(order.lines),
    customer_id,
    customer: { id: customer_id, email: order.customer_email, name: order.customer_name },
    shipping_address_id: wireId("address", order.shipping_address_id),
    shipping_address: {
      ...recipientView(order.shipping_address),
      is_verified: isVerified(order.address_verification),
      verification: verificationView(order.address_verification),
    },
    line_items: order.lines.map((line) => lineView(line, order.currency)),
    fulfillment_type: order.fulfillment_type,
    shipping_method: order.shipping_method,
    shipping_method_code: order.shipping_method_code,
    order_notes: order.order_notes,
    packing_note: order.packing_note,
    shipping_choice: choiceView(order),
    decided_by: decidedByView(order.decided_by),
    tags: [...order.tags],
    requires_cold_storage: order.requires_cold_storage,
    priority: order.priority,
    allow_backorder: order.allow_backorder,
    warehouse_id: order.warehouse_id === null ? null : wireId("warehouse", order.warehouse_id),
    printed: printedView(order),
    holds: order.holds.map(holdView),
    shipments: shipmentViews(order),
    returns: order.returns.map((id) => wireId("return", id)),
    subtotal: money(order.subtotal_cents, order.currency),
    shipping_amount: money(order.shipping_amount_cents, order.currency),
    currency: order.currency,
    allocation: { complete: backordered_units === 0, backordered_units },
    estimated_ship_date: shipDate(order, backordered_units, now),
    ship_by: isoOrNull(shipBy(order)),
    source: { platform: order.source_platform, external_id: order.source_external_id },
    imported: order.imported,
    metadata: order.metadata,
    ...warningsOf(order),
    allowed_actions: actionsOf(order),
    revision: order.revision,
    created_at: iso(order.created_at),
    updated_at: iso(order.updated_at),
    processing_at: isoOrNull(order.processing_at),
    fulfilled_at: isoOrNull(order.fulfilled_at),
    shipped_at: isoOrNull(order.shipped_at),
    delivered_at: isoOrNull(order.delivered_at),
    cancelled_at: isoOrNull(order.cancelled_at),
    cancel_reason: order.cancel_reason,
  };
}

/** The order as single-resource responses show it. */
export const orderAnswer = (order: Order, now: number) => taggedOrder(orderView(order, now));

/**
 * An order's view with its tag, which covers what stock, calendars, suspensions and prints change without a new
 * revision.
 */
export function taggedOrder<View extends ReturnType<typeof orderView>>(view: View): View {
  const lines = view.line_items.map((line) => [
    line.quantity_reserved,
    line.quantity_backordered,
    line.quantity_picked,
  ]);
  return tagged(view, view.revision, [view.estimated_ship_date, lines, view.allowed_actions, view.printed]);
}

const name_remedy =
  "Correct the customer's address and set it as the order's shipping_address_id, or buy the label with a to_address.";

/** The warnings about an order that has not shipped, as a field; none if there are no warnings. */
function warningsOf({ status, imported, shipping_address }: Order) {
  const warnings =
    isOpen(status) && !imported ? recipientWarnings(shipping_address, "shipping_address.", name_remedy) : [];
  return warnings.length > 0 && { warnings };
}

function lineView(line: OrderLine, currency: string) {
  return {
    id: wireId("order_line", line.id),
    product_id: wireId("product", line.product_id),
    sku: line.sku,
    name: line.name,
    ...(line.components === null
      ? {}
      : { components: line.components.map(({ sku, quantity }) => ({ sku, quantity })) }),
    quantity: line.quantity,
    unit_price: money(line.unit_price_cents, currency),
    discount_amount: money(line.discount_cents, currency),
    line_total: money(lineTotal(line), currency),
    quantity_reserved: line.reserved,
    quantity_backordered: line.wanted - line.reserved,
    quantity_picked: line.picked + line.quantity_shipped,
    quantity_packed: line.quantity_packed,
    quantity_shipped: line.quantity_shipped,
    quantity_delivered: line.quantity_delivered,
    quantity_returned: line.quantity_returned,
    quantity_cancelled: line.quantity_cancelled,
  };
}

function holdView(hold: OrderHold) {
  return {
    id: wireId("hold", hold.id),
    reason: hold.reason,
    note: hold.note,
    hold_until: isoOrNull(hold.hold_until),
    reserve_inventory: hold.reserve_inventory,
    lifted_by: isSystemHold(hold) ? ("cause" as const) : ("release" as const),
    created_at: iso(hold.created_at),
  };
}

function shipmentViews({ shipments, lines }: Order) {
  if (shipments.length === 0) return [];
  const skus = new Map(lines.map(({ id, sku }) => [id, sku]));
  return shipments.map((shipment) => shipmentView(shipment, skus));
}

/**
 * An event of an order: everything that its GET returns, and the previous values from `before`, unless it is new. `now`
 * in ms.
 */
export function orderEvent(type: EventType, order: Order, now: number, before?: Order): DomainEvent {
  const is_fulfilled = type === "order.fulfilled";
  const data = is_fulfilled ? fulfilled(order) : { object: "order", ...orderView(order, now) };
  const { merchant_id } = order;
  if (before === undefined) return { type, merchant_id, data };
  const { status, ...others } = statusFields(before);
  return {
    type,
    merchant_id,
    data,
    previous: previousOf(is_fulfilled ? { status } : { status, ...others }, statusFields(order)),
  };
}

/** The status fields of an order that events report with their previous values. */
function statusFields(order: Order) {
  return {
    status: publicStatus(order),
    held_from: order.held ? order.status : null,
    fulfillment_status: fulfillmentStatus(order.lines),
  };
}

/** The specified shape of order.fulfilled. The parcel's fields are null before there is a label. */
function fulfilled(order: Order) {
  const labelled = order.shipments.findLast(
    ({ status, tracking_number }) => !isGivenUp(status) && tracking_number !== null,
  );
  return {
    object: "order",
    id: wireId("order", order.id),
    order_number: order.order_number,
    status: order.status,
    customer: { email: order.customer_email, name: order.customer_name },
    shipment: {
      tracking_number: labelled?.tracking_number ?? null,
      carrier: labelled?.carrier ?? null,
      service: labelled?.service ?? null,
    },
    fulfilled_at: isoOrNull(order.fulfilled_at),
  };
}
