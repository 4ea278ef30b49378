// Where people's data is: every table with its columns of text, what they hold, and what an erasure does with them.
// The erasure, the disclosure and the answers to both go by this; a test fails for a column that has no place in it.

/** What stands where something was erased. */
export const erased_word = "Erased";
/** An address that nobody can have: `.invalid` is kept free for that by RFC 2606. */
export const erased_email = "erased@erased.invalid";

/** What becomes of a column when its person is erased. */
type Treatment =
  /** Becomes null. */
  | "null"
  /** Becomes the word *Erased*. */
  | "word"
  /** Becomes an e-mail address that nobody has. */
  | "email"
  /** An address of which the country is left: figures of taxes and customs are by country. */
  | "place"
  /** Becomes an empty object, list or text. */
  | "object"
  | "list"
  | "empty"
  /** The drawing of a label, in whose place one without names is put. */
  | "drawing"
  /** A payload or a response, which is dropped as a whole. */
  | "dropped"
  /** It stays until its retention time is over. */
  | "expires"
  /** How a parcel comes back, without the link to its label. */
  | "label"
  /** A carrier's document, whose row is deleted. */
  | "deleted"
  /** It stays: a number, a state, a word of a list, or text of the house that names nobody. */
  | "kept";

/** A kind of record that tells of a person who orders. */
interface PersonalRecords {
  /** What an answer calls them. */
  readonly kind: PersonalKind;
  readonly table: string;
  readonly columns: Readonly<Record<string, Treatment>>;
  /** Whether the rows themselves are deleted. */
  readonly rows_deleted?: true;
}

/** The kinds, in the order in which they are reached. */
export const personalKinds = [
  ...["customers", "addresses", "search_words", "orders", "order_lines", "holds", "history", "shipments", "labels"],
  ...["label_documents", "tracking", "scans", "waiting_scans", "returns", "return_items", "inspections", "refunds"],
  ...["reports_to_platforms", "imports", "notifications", "events", "delivery_log", "kept_answers", "request_log"],
] as const;
export type PersonalKind = (typeof personalKinds)[number];

const actor = { actor_type: "kept", actor_id: "kept", actor_name: "kept" } as const;
const where = { name: "word", company: "null", address_line1: "word", address_line2: "null", city: "word" } as const;

/** The tables that tell of people who order. */
export const personalRecords: readonly PersonalRecords[] = [
  {
    kind: "customers",
    table: "customers",
    columns: {
      ...{ email: "email", email_key: "email", first_name: "null", last_name: "null", phone: "null" },
      ...{ company: "null", metadata: "object" },
    },
  },
  {
    kind: "addresses",
    table: "addresses",
    rows_deleted: true,
    columns: {
      ...where,
      ...{ state: "null", postal_code: "null", country: "word", phone: "null", verification: "null" },
    },
  },
  { kind: "search_words", table: "customer_words", rows_deleted: true, columns: { word: "word" } },
  {
    kind: "orders",
    table: "orders",
    columns: {
      ...{ order_number: "kept", status: "kept", customer_email: "email", customer_name: "word" },
      ...{ shipping_address: "place", address_verification: "null", shipping_method: "kept", order_notes: "null" },
      ...{ currency: "kept", source_platform: "kept", source_external_id: "kept", metadata: "object" },
      cancel_reason: "kept",
    },
  },
  { kind: "order_lines", table: "order_lines", columns: { sku: "kept", name: "kept", components: "kept" } },
  { kind: "holds", table: "order_holds", columns: { reason: "kept", note: "null" } },
  {
    kind: "history",
    table: "order_history",
    columns: {
      ...{ event: "kept", from_status: "kept", to_status: "kept", reason: "kept", note: "null" },
      ...actor,
      request_id: "kept",
    },
  },
  {
    kind: "shipments",
    table: "shipments",
    columns: { status: "kept", carrier: "kept", service: "kept", tracking_number: "kept", told_url: "null" },
  },
  {
    kind: "labels",
    table: "labels",
    columns: {
      ...{ status: "kept", carrier: "kept", service: "kept", tracking_number: "kept", tracking_url: "null" },
      ...{ currency: "kept", breakdown: "kept", zone: "kept", quote_nonce: "kept", offer_ref: "kept" },
      ...{ carrier_ref: "kept", tracker_ref: "kept", package: "kept", from_address: "place", to_address: "place" },
      ...{ drawing: "drawing", warnings: "list", fingerprint: "empty", asked_by: "kept", error_code: "kept" },
      ...{ error_message: "null", void_status: "kept" },
    },
  },
  {
    kind: "label_documents",
    table: "label_documents",
    rows_deleted: true,
    columns: { kind: "kept", content_type: "kept", bytes: "deleted" },
  },
  {
    kind: "tracking",
    table: "tracking_records",
    columns: {
      ...{ tracking_number: "kept", carrier: "kept", service_type: "kept", tracking_url: "null", status: "kept" },
      ...{ status_detail: "null", message: "null", event_status: "kept", event_hash: "kept" },
      ...{ current_location: "null", signed_by: "null", weight: "kept", weight_unit: "kept", dimensions: "kept" },
    },
  },
  {
    kind: "scans",
    table: "tracking_events",
    columns: {
      ...{ source: "kept", source_event_id: "kept", hash: "kept", status: "kept", message: "null" },
      ...{ status_detail: "null", location: "null", carrier_status: "kept", carrier_code: "kept", reason: "null" },
    },
  },
  {
    kind: "waiting_scans",
    table: "waiting_updates",
    rows_deleted: true,
    columns: { tracking_number: "kept", told: "deleted" },
  },
  {
    kind: "returns",
    table: "returns",
    columns: {
      ...{ status: "kept", reason: "kept", refund_status: "kept", return_shipping: "label" },
      ...{ tracking_number: "kept", currency: "kept", customer_email: "null" },
    },
  },
  { kind: "return_items", table: "return_items", columns: { sku: "kept", condition: "kept", notes: "null" } },
  {
    kind: "inspections",
    table: "return_inspections",
    columns: { condition: "kept", disposition: "kept", notes: "null" },
  },
  {
    kind: "refunds",
    table: "refunds",
    columns: {
      ...{ currency: "kept", breakdown: "kept", method: "kept", status: "kept", notes: "null" },
      estimated_completion: "kept",
    },
  },
  {
    kind: "reports_to_platforms",
    table: "platform_reports",
    columns: { lines: "kept", status: "kept", external_id: "kept", error_code: "kept", error_message: "null" },
  },
  {
    kind: "imports",
    table: "platform_imports",
    // What was seen are digests: without them an order would be taken for a changed one, and be read again.
    columns: {
      ...{ external_id: "kept", status: "kept", payload: "null", seen: "kept", lines: "kept", error_code: "kept" },
      error_message: "null",
    },
  },
  {
    kind: "notifications",
    table: "platform_notifications",
    // A digest, the platform's word for what happened, and our answer: the id of an order and a day.
    columns: { dedupe_key: "kept", topic: "kept", answer: "kept" },
  },
  { kind: "events", table: "events", columns: { id: "kept", type: "kept", body: "dropped", previous: "dropped" } },
  {
    kind: "delivery_log",
    table: "delivery_attempts",
    // What a receiver answered may repeat what it was sent.
    columns: {
      ...{ trigger: "kept", status: "kept", url: "kept", signatures: "kept", response_headers: "dropped" },
      ...{ response_body: "dropped", error_code: "kept", error_message: "kept", ip_address: "kept" },
    },
  },
  {
    kind: "kept_answers",
    table: "idempotency_keys",
    columns: { key: "kept", fingerprint: "kept", headers: "dropped", body: "dropped" },
  },
  { kind: "request_log", table: "request_blocks", columns: { lines: "expires" } },
];

/**
 * Columns that a disclosure leaves out: what tells of people of the house, secrets and digests, what carriers cost the
 * house, and bytes and drawings, which it names as documents.
 */
export const undisclosed: ReadonlySet<string> = new Set([
  ...["actor_type", "actor_id", "actor_name", "asked_by", "request_id", "merchant_id", "email_key"],
  ...["fingerprint", "seen", "hash", "event_hash", "signatures", "dedupe_key", "quote_nonce", "offer_ref"],
  ...["carrier_cost_cents", "account_id", "claimed_until", "leased_until", "next_at", "attempts", "revision"],
  ...["bytes", "drawing", "url", "headers", "subscription_id", "history_rows", "version"],
]);

/** Whose the text of a table is that tells nothing of people who order. */
type RecordKeeper =
  /** The catalogue, the stock and what was done with it: the ledger, facts to be billed, counts, reports. */
  | "goods"
  /** People of the house and of merchants, and what they did: the grounds of the *Privacy* guide. */
  | "staff"
  /** Merchants, as companies. */
  | "merchants"
  /** Settings of the house and of its carriers, shops and receivers. */
  | "settings"
  /** The program's own rows. */
  | "program";

/** The other tables, with all of their columns of text. */
export const otherRecords: Readonly<
  Record<string, { readonly holds: RecordKeeper; readonly columns: readonly string[] }>
> = {
  order_counts: { holds: "program", columns: ["status"] },
  movements: {
    holds: "goods",
    columns: [
      ...["type", "to_place", "reason", "notes", "reference_type", "reference_id", "actor_type", "actor_id"],
      "unit_cost_currency",
    ],
  },
  lots: { holds: "goods", columns: ["lot_number", "status"] },
  lot_changes: {
    holds: "goods",
    columns: ["from_status", "to_status", "reason", "notes", "actor_type", "actor_id"],
  },
  count_lines: { holds: "goods", columns: ["counted_by", "value_source", "unit_value_currency"] },
  rounded_amounts: { holds: "goods", columns: ["noun", "field", "currency"] },
  counts: { holds: "goods", columns: ["status", "bins", "skus", "notes", "opened_by", "posted_by"] },
  transfers: { holds: "goods", columns: ["status", "reference"] },
  transfer_lines: { holds: "goods", columns: ["lot_number", "bin"] },
  receipts: { holds: "goods", columns: ["status", "reference", "supplier"] },
  receipt_lines: { holds: "goods", columns: ["lot_number"] },
  product_barcodes: { holds: "goods", columns: ["value", "type"] },
  products: {
    holds: "goods",
    columns: [
      ...["sku", "name", "description", "type", "weight", "weight_unit", "dimensions", "currency"],
      ...["temperature_zone", "customs", "status", "metadata"],
    ],
  },
  reservations: { holds: "goods", columns: ["order_ref", "source", "status", "avoids"] },
  claim_news: { holds: "goods", columns: ["kind"] },
  bins: { holds: "goods", columns: ["code", "kind"] },
  zones: { holds: "goods", columns: ["zone_id", "temperature_zone", "temperature_range"] },
  warehouses: {
    holds: "settings",
    columns: ["name", "address", "timezone", "working_days", "holidays", "cutoff_time"],
  },
  billable_events: {
    holds: "goods",
    columns: ["kind", "act", "business_date", "unit", "source_type", "attributes"],
  },
  storage_closes: { holds: "goods", columns: ["business_date"] },
  storage_days: { holds: "goods", columns: ["business_date", "temperature_zone", "oldest_receipt_date"] },
  manifests: { holds: "staff", columns: ["carrier", "day", "created_by"] },
  audit_entries: {
    holds: "staff",
    columns: [...["actor_type", "actor_id", "actor_name", "world", "action", "targets", "request_id", "ip", "facts"]],
  },
  audit_targets: { holds: "staff", columns: ["target"] },
  users: { holds: "staff", columns: ["email", "email_key", "name", "password_hash", "status"] },
  memberships: { holds: "staff", columns: ["covers", "role", "status"] },
  sessions: { holds: "staff", columns: ["hash", "ip", "user_agent"] },
  one_time_links: { holds: "staff", columns: ["hash", "purpose"] },
  invitations: {
    holds: "staff",
    columns: [
      ...["email", "email_key", "name", "role", "hash", "proof_hash", "invited_by_id", "invited_by_name", "mail_link"],
      "mail_status",
    ],
  },
  second_factors: { holds: "staff", columns: ["secret"] },
  recovery_codes: { holds: "staff", columns: ["hash"] },
  key_observations: { holds: "staff", columns: ["addresses"] },
  merchants: {
    holds: "merchants",
    columns: [
      ...["code", "name", "legal_name", "status", "currency", "timezone", "contact", "return_address"],
      ...["ship_from_name", "colour", "metadata"],
    ],
  },
  api_keys: {
    holds: "settings",
    columns: ["name", "hash", "last_four", "permission", "ip_mode", "ip_list"],
  },
  roles: { holds: "settings", columns: ["name", "permissions"] },
  carrier_accounts: {
    holds: "settings",
    columns: [
      ...["key", "connector", "name", "credentials", "credentials_digest", "callback_secret"],
      ...["previous_callback_secret", "status", "carriers", "check_code", "check_message"],
    ],
  },
  platform_connections: {
    holds: "settings",
    columns: [
      ...["key", "platform", "name", "store_id", "api_url", "api_key", "api_token", "client_secret"],
      ...["previous_client_secret", "order_prefix", "status"],
    ],
  },
  subscriptions: {
    holds: "settings",
    columns: [
      ...["merchants", "url", "events", "description", "version", "payload", "status", "disabled_reason"],
      ...["secret", "previous_secret", "recent_attempts"],
    ],
  },
  // A body is that of a test event, which is made up.
  deliveries: {
    holds: "program",
    columns: ["event_id", "event_type", "status", "form", "body", "trigger", "restored"],
  },
  recoveries: { holds: "program", columns: ["status", "statuses"] },
  notices: { holds: "settings", columns: ["kind", "message", "mail_status"] },
  carrier_callbacks: { holds: "program", columns: ["event_id"] },
  holiday_sets: { holds: "settings", columns: ["carrier", "rules", "days"] },
  rate_cards: { holds: "settings", columns: ["service", "zone_system", "holidays"] },
  rate_card_versions: {
    holds: "settings",
    columns: ["content", "actor_type", "actor_id", "actor_name", "request_id"],
  },
  zone_charts: { holds: "settings", columns: ["country", "origin", "ranges"] },
  zone_systems: { holds: "settings", columns: ["name", "overrides"] },
  postal_codes: { holds: "settings", columns: ["city", "state"] },
  counters: { holds: "program", columns: ["name"] },
  installation: { holds: "program", columns: ["mode", "seal", "moving"] },
  servers: { holds: "program", columns: ["version", "schema", "host"] },
  held_claims: { holds: "program", columns: ["kind", "ids"] },
  backup_runs: { holds: "program", columns: ["kind", "status", "cause", "place", "sha256", "error"] },
  restorations: { holds: "program", columns: ["archive", "decision", "decided_by"] },
  leases: { holds: "program", columns: ["name", "owner"] },
  retention_settings: { holds: "settings", columns: ["kind"] },
  // Ids; the e-mail addresses are gone when an erasure is done.
  erasures: {
    holds: "program",
    columns: ["status", "customers", "terms", "email", "step", "place", "erased", "receivers", "asked_by"],
  },
};

/** Why something is kept. */
interface Ground {
  readonly what: string;
  readonly why: string;
  /** The law that it is kept by, as one may look it up; null where it is no person's data any more. */
  readonly law: string | null;
  readonly kept: "commercial" | "retention" | "always";
}

const commercial =
  "GDPR Art. 17(3)(b) with the duty to keep commercial records (Germany: § 257 HGB, § 147 AO; elsewhere as set)";

/** What stays of a person, and on which ground. */
export const keptGrounds: readonly Ground[] = [
  {
    what: "orders without names: number, platform's number, lines, amounts, moments, country of delivery",
    why: "records of what was sold and sent, on which accounts, taxes and stock rest",
    law: commercial,
    kept: "commercial",
  },
  {
    what: "parcels and labels without names: carrier, service, number, weight, cost, moments",
    why: "proof of carriage, and of what carriers were paid",
    law: commercial,
    kept: "commercial",
  },
  {
    what: "returns and refunds without names and notes: goods, amounts, moments",
    why: "records of what came back and what was repaid",
    law: commercial,
    kept: "commercial",
  },
  {
    what: "the ledger of stock and the facts to be billed",
    why: "they name an order by its id and no person; changed, they would explain the stock no more",
    law: null,
    kept: "always",
  },
  {
    what: "the audit trail: who of the staff did what to which id",
    why: "accountability for what was done (GDPR Art. 5(2)), this erasure among it",
    law: "GDPR Art. 5(2), Art. 17(3)(b)",
    kept: "retention",
  },
];

/** What no program can reach: the operator does it. */
export const byHand: readonly string[] = [
  "Files that were exported, sheets, labels and packing slips that were printed or downloaded.",
  "Mailboxes and what people wrote down.",
  "The shops (Shopify, WooCommerce, BigCommerce), carriers and payment services that have the data by themselves.",
  "Receivers of webhooks: `receivers` lists those that were sent events of the person, and those that may have been.",
  "Backups and what is shipped beside them: they end with their own time, and a restore erases the person again.",
  "What upgrades kept: the folder data/upgrades, for up to 30 days, and what a rollback put aside, until you remove" +
    " it.",
  "Names in free texts about goods: notes of movements, counts and lots, references of receipts, transfers and" +
    " reservations.",
  "Log files of the service and of proxies: they hold no names and no bodies, but addresses on the network.",
];
