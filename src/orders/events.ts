import { isoOrNull } from "../kit/clock.ts";
import { wireId } from "../kit/ids.ts";
import type { DomainEvent, EventType } from "../outbox/catalog.ts";
import { type Order, orderView } from "./order.ts";

/** What the world is told of an order: all that its GET answers. `now` in milliseconds. */
export function orderEvent(type: EventType, order: Order, now: number): DomainEvent {
  return { type, data: type === "order.fulfilled" ? fulfilled(order) : { object: "order", ...orderView(order, now) } };
}

/** The specification's shape of order.fulfilled; the parcel's fields are null before there is a label. */
function fulfilled(order: Order) {
  const labelled = order.shipments.findLast(
    ({ status, tracking_number }) => status !== "voided" && tracking_number !== null,
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
