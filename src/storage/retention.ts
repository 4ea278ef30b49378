// For how long each kind of record is kept: what is usual, the least and the most, what it is, and what it costs.

/** One kind of record. */
interface RetentionFacts {
  /** The usual time; null for records that are kept for good unless the house says otherwise. */
  readonly usual: number | null;
  readonly least: number;
  readonly most: number;
  readonly unit: "days" | "years";
  readonly what: string;
  /** What keeping it longer costs, and what a shorter time takes away. */
  readonly costs: string;
}

/** The kinds. */
export const retentionKinds = [
  ...["event_payloads", "delivery_log", "receiver_answers", "request_log", "audit_trail"],
  ...["platform_notifications", "platform_orders", "carrier_callbacks", "unclaimed_scans", "kept_answers"],
  ...["label_documents", "closed_orders", "idle_customers", "invitations", "commercial_records"],
] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** What is known of each kind. */
export const retention: Readonly<Record<RetentionKind, RetentionFacts>> = {
  event_payloads: {
    ...{ usual: 30, least: 5, most: 400, unit: "days" },
    what: "What events say. The events themselves, their order and their deliveries stay.",
    costs: "About 0.4 KB an event, ten events an order. What is forgotten can be neither read nor sent again.",
  },
  delivery_log: {
    ...{ usual: 30, least: 5, most: 400, unit: "days" },
    what: "The log of deliveries to webhooks, finished recoveries, and notices.",
    costs: "About 0.5 KB an attempt.",
  },
  receiver_answers: {
    ...{ usual: 7, least: 1, most: 90, unit: "days" },
    what: "What receivers of webhooks answered; they may repeat what they were sent.",
    costs: "Up to 16 KB an attempt.",
  },
  request_log: {
    ...{ usual: 7, least: 1, most: 90, unit: "days" },
    what: "The log of requests: addresses on the network, paths and parameters, no bodies.",
    costs: "About 30 bytes a request, and never more than 256 MiB.",
  },
  audit_trail: {
    ...{ usual: 400, least: 90, most: 3650, unit: "days" },
    what: "Who of the staff did what to which record.",
    costs: "About 0.4 KB an act. A shorter time leaves nothing to show who did something.",
  },
  platform_notifications: {
    ...{ usual: 4, least: 3, most: 30, unit: "days" },
    what: "Which notifications of shops came, and what they were answered.",
    costs: "0.2 KB a notification. Shops repeat theirs for up to two days.",
  },
  platform_orders: {
    ...{ usual: 30, least: 1, most: 90, unit: "days" },
    what: "Orders of shops as they told them, which were never imported.",
    costs: "2 KB an order. What is forgotten is fetched from the shop once more when it is tried again.",
  },
  carrier_callbacks: {
    ...{ usual: 30, least: 7, most: 90, unit: "days" },
    what: "Which callbacks of carriers came.",
    costs: "0.1 KB a callback. Carriers repeat theirs for some days.",
  },
  unclaimed_scans: {
    ...{ usual: 90, least: 7, most: 365, unit: "days" },
    what: "What carriers told of parcels that nobody here knows.",
    costs: "0.3 KB a scan.",
  },
  kept_answers: {
    ...{ usual: 1, least: 1, most: 1, unit: "days" },
    what: "Answers that a repeated request with the same Idempotency-Key gets. The time is part of the API.",
    costs: "1 KB a request.",
  },
  label_documents: {
    ...{ usual: null, least: 7, most: 3650, unit: "days" },
    what: "Documents that carriers drew for labels, which show the recipient.",
    costs: "20 to 200 KB a label. What is forgotten cannot be printed again; the label, its number and its cost stay.",
  },
  closed_orders: {
    ...{ usual: null, least: 30, most: 3650, unit: "days" },
    what:
      "Names and addresses in orders that have left or were cancelled, with their labels, scans, notes and returns," +
      " counted from when the order last changed.",
    costs: "2 KB an order. Nobody can tell afterwards to whom it went; goods, amounts and moments stay.",
  },
  idle_customers: {
    ...{ usual: null, least: 30, most: 3650, unit: "days" },
    what:
      "Customers who have never ordered, or whose orders have all forgotten them: names, e-mail and other addresses," +
      " counted from when the customer or one of its orders last changed.",
    costs: "1 KB a customer. Whoever orders again does so as a new customer.",
  },
  invitations: {
    ...{ usual: null, least: 7, most: 3650, unit: "days" },
    what: "Invitations that were accepted, withdrawn or not used in their time. The live world alone has any.",
    costs: "0.5 KB an invitation. The audit trail says who was invited by whom, by ids.",
  },
  commercial_records: {
    ...{ usual: 10, least: 0, most: 30, unit: "years" },
    what:
      "How long the law of the house keeps records of what was sold and sent. Answers to erasures say it; nothing is" +
      " deleted by it.",
    costs: "Nothing.",
  },
};

/** The kinds that are kept for good unless the house says otherwise. */
type KeptForever = "label_documents" | "closed_orders" | "idle_customers" | "invitations";

/** For how long each kind is kept; null for good. */
export type Retention = Readonly<Record<Exclude<RetentionKind, KeptForever>, number>> &
  Readonly<Record<KeptForever, number | null>>;

/** What the flags of the service say, which count where the house has set nothing. */
export interface RetentionFlags {
  readonly event_retention_days: number;
  readonly request_log_days: number;
}

/** For how long each kind is kept where the house has set nothing. */
export function defaultRetention({
  event_retention_days: events,
  request_log_days: request_log,
}: RetentionFlags): Retention {
  const usual = Object.fromEntries(retentionKinds.map((kind) => [kind, retention[kind].usual])) as Retention;
  return { ...usual, event_payloads: events, delivery_log: events, request_log };
}

/** A change of some kinds; null goes back to what is usual. */
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
