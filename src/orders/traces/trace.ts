import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { type Order, publicStatus } from "../order.ts";

/** What the ledger tells of an order that got units of a lot. */
export interface TracedUnits {
  readonly quantity: number;
  /** Of these, scanned when they were picked; the others are assumed by the plan. */
  readonly confirmed: number;
  readonly first_at: number;
  readonly last_at: number;
}

/** An order that got units of a lot of this product, as the API shows it: who has them and how they went. */
export function traceView(order: Order, product_id: number, units: TracedUnits) {
  const lines = new Set(order.lines.filter((line) => line.product_id === product_id).map(({ id }) => id));
  const parcels = order.shipments.filter(
    ({ shipped_at, lines: own }) => shipped_at !== null && own.some(({ order_line_id }) => lines.has(order_line_id)),
  );
  return {
    order_id: wireId("order", order.id),
    order_number: order.order_number,
    status: publicStatus(order),
    customer: {
      id: wireId("customer", order.customer_id),
      email: order.customer_email,
      name: order.customer_name,
    },
    quantity: units.quantity,
    confirmed_quantity: units.confirmed,
    assumed_quantity: units.quantity - units.confirmed,
    shipments: parcels.map(({ id, status, carrier, tracking_number, shipped_at }) => ({
      id: wireId("shipment", id),
      status,
      carrier,
      tracking_number,
      shipped_at: isoOrNull(shipped_at),
    })),
    first_shipped_at: iso(units.first_at),
    last_shipped_at: iso(units.last_at),
  };
}
