import type { EventType } from "../../../../events/event_types.ts";

// The compiler reports a missing type.
const known: Readonly<Record<EventType, true>> = {
  "order.created": true,
  "order.fulfilled": true,
  "order.shipped": true,
  "order.delivered": true,
  "order.cancelled": true,
  "inventory.updated": true,
  "inventory.low_stock": true,
  "inventory.received": true,
  "shipment.created": true,
  "shipment.tracking_updated": true,
  "shipment.in_transit": true,
  "shipment.delivered": true,
  "shipment.exception": true,
  "return.created": true,
  "return.received": true,
  "return.processed": true,
};

/** Every event type, in display order. */
export const eventTypes = Object.keys(known) as readonly EventType[];
