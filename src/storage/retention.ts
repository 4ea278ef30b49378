// Retention: how long each type of record is kept, its default and limits, and what it costs.

/** The retention facts of one type of record. */
interface RetentionFacts {
  /** The default; null for records that are kept forever unless the operator sets a limit. */
  readonly default: number | null;
  readonly minimum: number;
  readonly maximum: number;
  readonly unit: "days" | "years";
  readonly description: string;
  /** The cost of keeping records longer, and the effect of a shorter time. */
  readonly costs: string;
}

/** The types of records with a retention time. */
export const retentionKinds = [
  ...["event_payloads", "delivery_log", "webhook_responses", "request_log", "audit_trail"],
  ...["platform_notifications", "platform_orders", "carrier_callbacks", "unclaimed_scans", "stored_responses"],
  ...["label_documents", "closed_orders", "idle_customers", "invitations", "commercial_records"],
] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** The retention facts by type. */
// biome-ignore format: the limits of a kind are read together.
export const retention: Readonly<Record<RetentionKind, RetentionFacts>> = {
  event_payloads: {
    default: 30, minimum: 5, maximum: 400, unit: "days",
    description: "Event payloads. The events themselves, their order and their deliveries are kept.",
    costs: "About 0.4 KB per event, ten events per order. Deleted payloads can't be viewed or resent.",
  },
  delivery_log: {
    default: 30, minimum: 5, maximum: 400, unit: "days",
    description: "The delivery log of webhooks, finished recoveries, and notices.",
    costs: "About 0.5 KB per attempt.",
  },
  webhook_responses: {
    default: 7, minimum: 1, maximum: 90, unit: "days",
    description: "Responses of webhook receivers, which may repeat what they received.",
    costs: "Up to 16 KB per attempt.",
  },
  request_log: {
    default: 7, minimum: 1, maximum: 90, unit: "days",
    description: "The request log: IP addresses, paths and parameters, no bodies.",
    costs: "About 30 bytes per request, at most 256 MiB.",
  },
  audit_trail: {
    default: 400, minimum: 90, maximum: 3650, unit: "days",
    description: "Which user or key changed which record.",
    costs: "About 0.4 KB per action. Older actions can no longer be traced.",
  },
  platform_notifications: {
    default: 4, minimum: 3, maximum: 30, unit: "days",
    description: "Notifications from stores and the responses to them.",
    costs: "0.2 KB per notification. Stores repeat theirs for up to two days.",
  },
  platform_orders: {
    default: 30, minimum: 1, maximum: 90, unit: "days",
    description: "Orders of stores that were never imported, as received.",
    costs: "2 KB per order. A deleted order is fetched from the store again when its import is retried.",
  },
  carrier_callbacks: {
    default: 30, minimum: 7, maximum: 90, unit: "days",
    description: "Which callbacks from carriers were received.",
    costs: "0.1 KB per callback. Carriers repeat theirs for several days.",
  },
  unclaimed_scans: {
    default: 90, minimum: 7, maximum: 365, unit: "days",
    description: "Carrier scans of unknown parcels.",
    costs: "0.3 KB per scan.",
  },
  stored_responses: {
    default: 1, minimum: 1, maximum: 1, unit: "days",
    description: "Responses for repeated requests with the same Idempotency-Key. The time is part of the API.",
    costs: "1 KB per request.",
  },
  label_documents: {
    default: null, minimum: 7, maximum: 3650, unit: "days",
    description: "Label files from carriers, which show the recipient.",
    costs: "Uses 20–200 KB per label. Deleted files cannot be reprinted; the label, its number and its cost are kept.",
  },
  closed_orders: {
    default: null, minimum: 30, maximum: 3650, unit: "days",
    description:
      "Names and addresses in shipped or cancelled orders, and their labels, scans, notes and returns, counted" +
      " from the last change of the order.",
    costs: "2 KB per order. The recipient can no longer be looked up; items, amounts and timestamps are kept.",
  },
  idle_customers: {
    default: null, minimum: 30, maximum: 3650, unit: "days",
    description:
      "Customers with no remaining orders: names, email and postal addresses, counted from the last change of" +
      " the customer or its orders.",
    costs: "1 KB per customer. A customer who orders again becomes a new customer.",
  },
  invitations: {
    default: null, minimum: 7, maximum: 3650, unit: "days",
    description: "Accepted, withdrawn and expired invitations. They exist only in live data.",
    costs: "0.5 KB per invitation. The audit trail shows who invited whom, by id.",
  },
  commercial_records: {
    default: 10, minimum: 0, maximum: 30, unit: "years",
    description:
      "Your statutory retention period for sales and shipping records. Shown in erasure reports; nothing is" +
      " deleted.",
    costs: "Nothing.",
  },
};

/** The types that are kept forever unless the operator sets a limit. */
export type KeptForever = "label_documents" | "closed_orders" | "idle_customers" | "invitations";

/** The retention of each type; null for forever. */
export type Retention = Readonly<Record<Exclude<RetentionKind, KeptForever>, number>> &
  Readonly<Record<KeptForever, number | null>>;

/** The flags of the service, which apply where the operator has set nothing. */
export interface RetentionFlags {
  readonly event_retention_days: number;
  readonly request_log_days: number;
}

/** The retention of each type where the operator has set nothing. */
export function defaultRetention({
  event_retention_days: events,
  request_log_days: request_log,
}: RetentionFlags): Retention {
  const defaults = Object.fromEntries(retentionKinds.map((kind) => [kind, retention[kind].default])) as Retention;
  return { ...defaults, event_payloads: events, delivery_log: events, request_log };
}

/** A change of some types; null restores the default. */
export type RetentionChange = { readonly [Kind in RetentionKind]?: number | null };

/** The settings as the API shows them. */
export function retentionView(current: Retention, flags: RetentionFlags) {
  const defaults = defaultRetention(flags);
  return {
    kinds: retentionKinds.map((kind) => {
      const { minimum, maximum, unit, description, costs } = retention[kind];
      return { kind, value: current[kind], default: defaults[kind], minimum, maximum, unit, description, costs };
    }),
  };
}
