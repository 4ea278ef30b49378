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
  /** The old values of fields of `data` that changed, as far as they are told; absent where nothing is. */
  readonly previous?: Readonly<Record<string, unknown>>;
}

/** What is told by an event that was stored. */
export interface EventContent {
  /** What version 1 subscriptions receive, byte for byte. */
  readonly body: string;
  /** The old values of what changed, as JSON, for version 2 subscriptions; null where nothing is told of them. */
  readonly previous: string | null;
}

/** Those of some old values, by field, that are others now. */
export function previousOf<T extends object>(before: T, after: { readonly [K in keyof T]: unknown }): Partial<T> {
  const changed = Object.entries(before).filter(([field, value]) => after[field as keyof T] !== value);
  return Object.fromEntries(changed) as Partial<T>;
}
