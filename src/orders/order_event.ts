import { isoOrNull } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import { type DomainEvent, type EventType, previousOf } from "../events/event_types.ts";
import { isGivenUp } from "./order.transitions.ts";
import { fulfillmentStatus, type Order, orderView, publicStatus } from "./order.ts";

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
