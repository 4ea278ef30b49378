// Every event type that a subscription may choose, in the order of the documentation.
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

/**
 * What happened, ready to be stored: `object` names the kind; the other fields are the resource as its GET answers it.
 */
export interface DomainEvent {
  readonly type: EventType;
  /** The merchant whose record it is about. */
  readonly merchant_id: number;
  readonly data: { readonly object: string } & Readonly<Record<string, unknown>>;
  /** The old values of changed fields of `data`, as far as the event shows them; absent if none. */
  readonly previous?: Readonly<Record<string, unknown>>;
}

/** The payload of a stored event. */
export interface EventContent {
  /** What subscriptions of version 1 receive, byte for byte. */
  readonly body: string;
  /** The old values of changed fields, as JSON, for subscriptions of version 2; null if none. */
  readonly previous: string | null;
}

/** The old values, by field, that differ now. */
export function previousOf<T extends object>(before: T, after: { readonly [K in keyof T]: unknown }): Partial<T> {
  const changed: Partial<T> = {};
  for (const field of Object.keys(before) as (keyof T)[]) {
    if (after[field] !== before[field]) changed[field] = before[field];
  }
  return changed;
}
