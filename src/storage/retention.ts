// Retention: how long each type of record is kept, its default and limits, and what it costs.

/** The retention facts of one type of record. */
interface RetentionFacts {
  /** The default; null for records that are kept forever unless the operator sets a limit. */
  readonly usual: number | null;
  readonly least: number;
  readonly most: number;
  readonly unit: "days" | "years";
  readonly what: string;
  /** The cost of keeping records longer, and the effect of a shorter time. */
  readonly costs: string;
}

/** The types of records with a retention time. */
export const retentionKinds = [
  ...["event_payloads", "delivery_log", "receiver_answers", "request_log", "audit_trail"],
  ...["platform_notifications", "platform_orders", "carrier_callbacks", "unclaimed_scans", "kept_answers"],
  ...["label_documents", "closed_orders", "idle_customers", "invitations", "commercial_records"],
] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** The retention facts by type. */
// biome-ignore format: the limits of a kind are read together.
export const retention: Readonly<Record<RetentionKind, RetentionFacts>> = {
  event_payloads: {
    usual: 30, least: 5, most: 400, unit: "days",
    what: "Event payloads. The events themselves, their order and their deliveries are kept.",
    costs: "About 0.4 KB per event, ten events per order. Deleted payloads can't be viewed or resent.",
  },
  delivery_log: {
    usual: 30, least: 5, most: 400, unit: "days",
    what: "The delivery log of webhooks, finished recoveries, and notices.",
    costs: "About 0.5 KB per attempt.",
  },
  receiver_answers: {
    usual: 7, least: 1, most: 90, unit: "days",
    what: "Responses of webhook receivers, which may repeat what they received.",
    costs: "Up to 16 KB per attempt.",
  },
  request_log: {
    usual: 7, least: 1, most: 90, unit: "days",
    what: "The request log: IP addresses, paths and parameters, no bodies.",
    costs: "About 30 bytes per request, at most 256 MiB.",
  },
  audit_trail: {
    usual: 400, least: 90, most: 3650, unit: "days",
    what: "Which user or key changed which record.",
    costs: "About 0.4 KB per action. Older actions can no longer be traced.",
  },
  platform_notifications: {
    usual: 4, least: 3, most: 30, unit: "days",
    what: "Notifications from stores and the responses to them.",
    costs: "0.2 KB per notification. Stores repeat theirs for up to two days.",
  },
  platform_orders: {
    usual: 30, least: 1, most: 90, unit: "days",
    what: "Orders of stores that were never imported, as received.",
    costs: "2 KB per order. A deleted order is fetched from the store again when its import is retried.",
  },
  carrier_callbacks: {
    usual: 30, least: 7, most: 90, unit: "days",
    what: "Which callbacks from carriers were received.",
    costs: "0.1 KB per callback. Carriers repeat theirs for several days.",
  },
  unclaimed_scans: {
    usual: 90, least: 7, most: 365, unit: "days",
    what: "Carrier scans of unknown parcels.",
    costs: "0.3 KB per scan.",
  },
  kept_answers: {
    usual: 1, least: 1, most: 1, unit: "days",
    what: "Responses for repeated requests with the same Idempotency-Key. The time is part of the API.",
    costs: "1 KB per request.",
  },
  label_documents: {
    usual: null, least: 7, most: 3650, unit: "days",
    what: "Label files from carriers, which show the recipient.",
    costs: "Uses 20–200 KB per label. Deleted files cannot be reprinted; the label, its number and its cost are kept.",
  },
  closed_orders: {
    usual: null, least: 30, most: 3650, unit: "days",
    what:
      "Names and addresses in shipped or cancelled orders, and their labels, scans, notes and returns, counted" +
      " from the last change of the order.",
    costs: "2 KB per order. The recipient can no longer be looked up; items, amounts and timestamps are kept.",
  },
  idle_customers: {
    usual: null, least: 30, most: 3650, unit: "days",
    what:
      "Customers with no remaining orders: names, email and postal addresses, counted from the last change of" +
      " the customer or its orders.",
    costs: "1 KB per customer. A customer who orders again becomes a new customer.",
  },
  invitations: {
    usual: null, least: 7, most: 3650, unit: "days",
    what: "Accepted, withdrawn and expired invitations. They exist only in live data.",
    costs: "0.5 KB per invitation. The audit trail shows who invited whom, by id.",
  },
  commercial_records: {
    usual: 10, least: 0, most: 30, unit: "years",
    what:
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
  const usual = Object.fromEntries(retentionKinds.map((kind) => [kind, retention[kind].usual])) as Retention;
  return { ...usual, event_payloads: events, delivery_log: events, request_log };
}

/** A change of some types; null restores the default. */
export type RetentionChange = { readonly [Kind in RetentionKind]?: number | null };

/** The settings as the API shows them. */
export function retentionView(kept: Retention, flags: RetentionFlags) {
  const usual = defaultRetention(flags);
  return {
    kinds: retentionKinds.map((kind) => {
      const { least, most, unit, what, costs } = retention[kind];
      return { kind, kept: kept[kind], usual: usual[kind], least, most, unit, what, costs };
    }),
  };
}
