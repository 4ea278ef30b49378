// Every event type a subscription may choose, in the order the documentation lists them.
export const eventTypes = [
  "order.created",
  "order.fulfilled",
  "order.shipped",
  "order.delivered",
  "order.cancelled",
  "inventory.updated",
  "inventory.low_stock",
  "inventory.received",
  "shipment.created",
  "shipment.tracking_updated",
  "shipment.in_transit",
  "shipment.delivered",
  "shipment.exception",
  "return.created",
  "return.received",
  "return.processed",
] as const;
export type EventType = (typeof eventTypes)[number];

/** What happened, ready to be stored: `object` names the kind, the rest is the resource as its GET answers it. */
export interface DomainEvent {
  readonly type: EventType;
  readonly data: { readonly object: string } & Readonly<Record<string, unknown>>;
}
