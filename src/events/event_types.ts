// All event types, in the order of the documentation.
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
 * An event to be stored. `object` names the kind of resource; the other fields are the resource as its GET returns it.
 */
export interface DomainEvent {
  readonly type: EventType;
  /** The merchant that owns the record. */
  readonly merchant_id: number;
  readonly data: { readonly object: string } & Readonly<Record<string, unknown>>;
  /** The previous values of changed fields of `data`; absent if none. */
  readonly previous?: Readonly<Record<string, unknown>>;
}

/** The payload of a stored event. */
export interface EventContent {
  /** The body for version 1 subscriptions, byte for byte. */
  readonly body: string;
  /** The previous values of changed fields as JSON, for version 2 subscriptions; null if none. */
  readonly previous: string | null;
}

/** The previous values of fields that changed. */
export function previousOf<T extends object>(before: T, after: { readonly [K in keyof T]: unknown }): Partial<T> {
  const changed: Partial<T> = {};
  for (const field of Object.keys(before) as (keyof T)[]) {
    if (after[field] !== before[field]) changed[field] = before[field];
  }
  return changed;
}
