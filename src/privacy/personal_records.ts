// All tables with text columns, and what an erasure does with each column. Erasures and access exports follow this
// list. A test fails for a column that is not in it.
import { textColumnsOf } from "../core/resource.ts";
import { productFields } from "../products/product.resource.ts";

/** The text that replaces erased text. */
export const erased_word = "Erased";
/** An email address that nobody can have: RFC 2606 reserves `.invalid`. */
export const erased_email = "erased@erased.invalid";

/** What an erasure does with a column. */
type Treatment =
  /** Set to null. */
  | "null"
  /** Set to `erased_word`. */
  | "word"
  /** Set to an email address that nobody has. */
  | "email"
  /** An address of which only the country is kept, for tax and customs figures. */
  | "place"
  /** Set to an empty object, list or text. */
  | "object"
  | "list"
  | "empty"
  /** A label drawing, replaced by a blank one. */
  | "drawing"
  /** A payload or response, dropped completely. */
  | "dropped"
  /** Kept until its retention time ends. */
  | "expires"
  /** Return shipping, without the link to its label. */
  | "label"
  /** A carrier's document or scan, whose row is deleted. */
  | "deleted"
  /** Kept: a number, a status, a value of a list, or the operator's text that names nobody. */
  | "kept";

/** A kind of record with personal data of buyers. */
interface PersonalRecords {
  /** Its name in responses. */
  readonly kind: PersonalKind;
  readonly table: string;
  readonly columns: Readonly<Record<string, Treatment>>;
  /** Whether the rows themselves are deleted. */
  readonly rows_deleted?: true;
}

/** The kinds, in the order in which they are erased. */
export const personalKinds = [
  ...["customers", "addresses", "search_words", "orders"],
  ...["tags", "staff_notes", "order_words", "order_lines", "holds", "history", "shipments", "labels"],
  ...["label_documents", "tracking", "scans", "waiting_scans", "returns", "return_items", "inspections", "refunds"],
  ...["printed_documents", "reports_to_platforms", "imports", "uploads", "imported_files", "imported_rows"],
  ...["column_mappings", "saved_views", "notifications", "events", "delivery_log"],
  ...["stored_responses", "request_log"],
] as const;
export type PersonalKind = (typeof personalKinds)[number];

const actor = { actor_type: "kept", actor_id: "kept", actor_name: "kept" } as const;
const where = { name: "word", company: "null", address_line1: "word", address_line2: "null", city: "word" } as const;

/** The tables with personal data of buyers. */
// biome-ignore format: the columns of a table are read together.
export const personalRecords: readonly PersonalRecords[] = [
  {
    kind: "customers",
    table: "customers",
    columns: {
      email: "email", email_key: "email", first_name: "null", last_name: "null", phone: "null",
      company: "null", metadata: "object",
    },
  },
  {
    kind: "addresses",
    table: "addresses",
    rows_deleted: true,
    columns: {
      ...where,
      state: "null", postal_code: "null", country: "word", phone: "null", verification: "null",
    },
  },
  { kind: "search_words", table: "customer_words", rows_deleted: true, columns: { word: "word" } },
  {
    kind: "orders",
    table: "orders",
    columns: {
      order_number: "kept", status: "kept", customer_email: "email", customer_name: "word",
      shipping_address: "place", address_verification: "null", fulfillment_type: "kept",
      shipping_method: "kept", shipping_method_code: "kept", order_notes: "null",
      packing_note: "null", shipping_choice: "kept", decided_by: "kept", tags: "list",
      currency: "kept", source_platform: "kept", source_external_id: "kept", metadata: "object",
      cancel_reason: "kept",
    },
  },
  { kind: "tags", table: "order_tags", rows_deleted: true, columns: { key: "deleted", tag: "deleted" } },
  {
    kind: "staff_notes",
    table: "staff_notes",
    rows_deleted: true,
    columns: { text: "deleted", ...actor },
  },
  { kind: "order_words", table: "order_words", rows_deleted: true, columns: { word: "deleted" } },
  { kind: "order_lines", table: "order_lines", columns: { sku: "kept", name: "kept", components: "kept" } },
  { kind: "holds", table: "order_holds", columns: { reason: "kept", note: "null" } },
  {
    kind: "history",
    table: "order_history",
    columns: {
      event: "kept", from_status: "kept", to_status: "kept", reason: "kept", note: "null",
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
      status: "kept", carrier: "kept", service: "kept", tracking_number: "kept", tracking_url: "null",
      currency: "kept", breakdown: "kept", zone: "kept", quote_nonce: "kept", offer_ref: "kept",
      carrier_ref: "kept", tracker_ref: "kept", package: "kept", from_address: "place", to_address: "place",
      drawing: "drawing", warnings: "list", fingerprint: "empty", asked_by: "kept", error_code: "kept",
      error_message: "null", void_status: "kept",
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
      tracking_number: "kept", carrier: "kept", service_type: "kept", tracking_url: "null", status: "kept",
      status_detail: "null", message: "null", event_status: "kept", event_hash: "kept",
      current_location: "null", signed_by: "null", weight: "kept", weight_unit: "kept", dimensions: "kept",
    },
  },
  {
    kind: "scans",
    table: "tracking_events",
    columns: {
      source: "kept", source_event_id: "kept", hash: "kept", status: "kept", message: "null",
      status_detail: "null", location: "null", carrier_status: "kept", carrier_code: "kept", reason: "null",
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
      status: "kept", reason: "kept", refund_status: "kept", return_shipping: "label",
      tracking_number: "kept", currency: "kept", customer_email: "null",
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
      currency: "kept", breakdown: "kept", method: "kept", status: "kept", notes: "null",
      estimated_completion: "kept",
    },
  },
  // A document is deleted for all of its orders. It can be printed again.
  {
    kind: "printed_documents",
    table: "document_chunks",
    rows_deleted: true,
    columns: { bytes: "deleted" },
  },
  {
    kind: "reports_to_platforms",
    table: "platform_reports",
    columns: { lines: "kept", status: "kept", external_id: "kept", error_code: "kept", error_message: "null" },
  },
  {
    kind: "imports",
    table: "platform_imports",
    // `seen` holds digests. Without them an order would be mistaken for a changed one and be imported again.
    columns: {
      external_id: "kept", status: "kept", payload: "null", seen: "kept", lines: "kept", error_code: "kept",
      error_message: "null",
    },
  },
  // Files of orders and customers are deleted completely: any of them may name the person, also in its name and, if it
  // has no header line, in the names of its columns.
  {
    kind: "uploads",
    table: "file_imports",
    columns: {
      kind: "kept", status: "kept", file_name: "null", encoding: "kept", separator: "kept", columns: "list",
      columns_key: "empty", map: "null", decimal: "kept", asked_by: "kept", problem: "null",
    },
  },
  { kind: "imported_files", table: "file_import_parts", rows_deleted: true, columns: { bytes: "deleted" } },
  {
    kind: "imported_rows",
    table: "file_import_rows",
    rows_deleted: true,
    columns: { change: "deleted", row: "deleted" },
  },
  // Only those that name the person.
  {
    kind: "column_mappings",
    table: "import_mappings",
    rows_deleted: true,
    columns: { kind: "deleted", columns_key: "deleted", map: "deleted", decimal: "deleted" },
  },
  {
    kind: "saved_views",
    table: "saved_views",
    rows_deleted: true,
    columns: { list: "deleted", name: "deleted", params: "deleted" },
  },
  {
    kind: "notifications",
    table: "platform_notifications",
    // A digest, the platform's topic, and our response: an order id and a date.
    columns: { dedupe_key: "kept", topic: "kept", answer: "kept" },
  },
  { kind: "events", table: "events", columns: { id: "kept", type: "kept", body: "dropped", previous: "dropped" } },
  {
    kind: "delivery_log",
    table: "delivery_attempts",
    // A receiver's response may repeat the event.
    columns: {
      trigger: "kept", status: "kept", url: "kept", signatures: "kept", response_headers: "dropped",
      response_body: "dropped", error_code: "kept", error_message: "kept", ip_address: "kept",
    },
  },
  {
    kind: "stored_responses",
    table: "idempotency_keys",
    columns: { key: "kept", fingerprint: "kept", headers: "dropped", body: "dropped" },
  },
  { kind: "request_log", table: "request_blocks", columns: { lines: "expires" } },
];

/**
 * Columns that an access export omits: data about staff, secrets and digests, the operator's carrier costs, and label
 * files, which it lists as documents.
 */
export const unexported: ReadonlySet<string> = new Set([
  ...["actor_type", "actor_id", "actor_name", "asked_by", "request_id", "merchant_id", "email_key"],
  ...["fingerprint", "seen", "hash", "event_hash", "signatures", "dedupe_key", "quote_nonce", "offer_ref"],
  ...["carrier_cost_cents", "account_id", "claimed_until", "leased_until", "next_at", "attempts", "revision"],
  ...["bytes", "drawing", "url", "headers", "subscription_id", "history_rows", "version"],
  ...["columns_key", "claims", "user_id"],
]);

/** The subject of a table without personal data of buyers. */
type RecordSubject =
  /** Products, stock and the ledger, billable facts, counts. */
  | "goods"
  /** Users of the operator and of merchants, and their actions. The *Privacy* guide states the legal grounds. */
  | "staff"
  /** Merchants, as companies. */
  | "merchants"
  /** Settings of the operator, carriers, stores and webhooks. */
  | "settings"
  /** Internal rows. */
  | "program";

/** The other tables, with all of their text columns. */
export const otherRecords: Readonly<
  Record<string, { readonly holds: RecordSubject; readonly columns: readonly string[] }>
> = {
  order_counts: { holds: "program", columns: ["status"] },
  movements: {
    holds: "goods",
    columns: [
      ...["type", "to_place", "reason", "notes", "reference_type", "reference_id", "actor_type", "actor_id"],
      ...["pack_level", "unit_cost_currency"],
    ],
  },
  lots: { holds: "goods", columns: ["lot_number", "status"] },
  lot_changes: {
    holds: "goods",
    columns: ["from_status", "to_status", "reason", "notes", "actor_type", "actor_id"],
  },
  count_lines: { holds: "goods", columns: ["counted_by", "value_source", "unit_value_currency"] },
  rounded_amounts: { holds: "goods", columns: ["noun", "field", "currency"] },
  totes: { holds: "goods", columns: ["code"] },
  waves: {
    holds: "staff",
    columns: ["mode", "status", "filters", "limits", "actor_type", "actor_id", "actor_name"],
  },
  work_claims: { holds: "staff", columns: ["kind", "device", "actor_type", "actor_id", "actor_name"] },
  counts: { holds: "goods", columns: ["status", "bins", "skus", "notes", "opened_by", "posted_by"] },
  transfers: { holds: "goods", columns: ["status", "reference"] },
  transfer_lines: { holds: "goods", columns: ["lot_number", "bin"] },
  receipts: {
    holds: "goods",
    columns: [
      ...["status", "reference", "supplier", "purchase_order_number", "carrier", "tracking_number"],
      "freight_currency",
    ],
  },
  receipt_lines: { holds: "goods", columns: ["lot_number", "unit_cost_currency"] },
  product_packs: { holds: "goods", columns: ["level", "dimensions", "weight", "weight_unit"] },
  product_barcodes: { holds: "goods", columns: ["value", "type"] },
  products: { holds: "goods", columns: textColumnsOf(productFields) },
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
  // Ids and order numbers, for a day.
  documents: {
    holds: "program",
    columns: [
      ...["status", "format", "sections", "paper", "items", "printed", "skipped", "error_message", "created_by"],
    ],
  },
  // Ids, for 30 days, and why a printer took nothing.
  print_jobs: {
    holds: "staff",
    columns: ["kind", "status", "error_code", "error", "actor_type", "actor_id", "actor_name"],
  },
  printers: { holds: "settings", columns: ["name", "kind", "host", "path", "media"] },
  stations: { holds: "settings", columns: ["name"] },
  cartons: { holds: "settings", columns: ["code", "name", "described", "currency"] },
  manifests: { holds: "staff", columns: ["carrier", "day", "created_by"] },
  packing_sessions: {
    holds: "staff",
    columns: [
      ...["status", "units", "weight", "weight_unit", "weight_reason", "carrier", "service", "label_error", "device"],
      ...["actor_type", "actor_id", "actor_name"],
    ],
  },
  carton_choices: { holds: "goods", columns: ["goods"] },
  audit_entries: {
    holds: "staff",
    columns: [...["actor_type", "actor_id", "actor_name", "mode", "action", "targets", "request_id", "ip", "facts"]],
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
  badges: { holds: "staff", columns: ["hash", "pin_hash"] },
  floor_devices: { holds: "settings", columns: ["name", "hash", "link_hash"] },
  key_observations: { holds: "staff", columns: ["addresses"] },
  merchants: {
    holds: "merchants",
    columns: [
      ...["code", "name", "legal_name", "status", "currency", "timezone", "contact", "return_address"],
      ...["ship_from_name", "color", "metadata"],
    ],
  },
  merchant_branding: {
    holds: "merchants",
    columns: ["accent_color", "display_name", "support_email", "support_phone", "website", "message"],
  },
  files: { holds: "staff", columns: ["kind", "content_type", "sha256", "name", "key", "created_by"] },
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
      ...["client_id", "previous_client_secret", "order_prefix", "status", "pending_orders", "test_orders"],
      "pickup_orders",
    ],
  },
  platform_stock: {
    holds: "settings",
    columns: ["places", "locations", "reading_cursor", "error_code", "error_message"],
  },
  platform_listings: {
    holds: "settings",
    columns: [
      ...["external_id", "location_id", "sku", "barcode", "name", "unsettable", "matched_by", "status"],
      ...["error_code", "error_message"],
    ],
  },
  platform_listing_variants: { holds: "settings", columns: ["variant_id", "external_id"] },
  platform_stock_pushes: {
    holds: "program",
    columns: ["external_id", "sku", "location_id", "result", "error_code", "error_message"],
  },
  platform_stock_differences: { holds: "program", columns: ["external_id", "sku", "location_id", "cause"] },
  // Digests, as imports have them.
  platform_import_parts: { holds: "program", columns: ["destination", "seen", "lines"] },
  platform_states: { holds: "settings", columns: ["access_token", "token_scopes", "token_error", "fetch_error"] },
  subscriptions: {
    holds: "settings",
    columns: [
      ...["merchants", "url", "events", "description", "version", "payload", "status", "disabled_reason"],
      ...["secret", "previous_secret", "recent_attempts"],
    ],
  },
  // A body is that of a test event, which is fictitious.
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
  shipping_rules: { holds: "settings", columns: ["name", "conditions", "actions"] },
  shipping_rule_versions: {
    holds: "settings",
    columns: ["content", "actor_type", "actor_id", "actor_name", "request_id"],
  },
  // Only digests of addresses, which are deleted after 15 minutes.
  rate_quotes: { holds: "program", columns: ["id", "content"] },
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
  // Only ids: email addresses and names are removed when an erasure is done.
  erasures: {
    holds: "program",
    columns: ["status", "customers", "terms", "email", "step", "place", "erased", "receivers", "asked_by"],
  },
};

/** A legal ground for keeping data. */
interface Ground {
  readonly data: string;
  readonly reason: string;
  /** The legal basis for keeping it; null for data that is no longer personal. */
  readonly legal_basis: string | null;
  readonly kept: "commercial" | "retention" | "always";
}

const commercial =
  "GDPR Art. 17(3)(b) with the duty to keep commercial records (Germany: § 257 HGB, § 147 AO; elsewhere as configured)";

/** The data that is kept of a person, with its legal ground. */
export const keptGrounds: readonly Ground[] = [
  {
    data: "orders without names: order number, platform order number, lines, amounts, timestamps, delivery country",
    reason: "sales and shipping records, needed for accounting, taxes and stock",
    legal_basis: commercial,
    kept: "commercial",
  },
  {
    data: "parcels and labels without names: carrier, service, tracking number, weight, cost, timestamps",
    reason: "proof of shipment and of payments to carriers",
    legal_basis: commercial,
    kept: "commercial",
  },
  {
    data: "returns and refunds without names and notes: items, amounts, timestamps",
    reason: "records of returned items and refunds",
    legal_basis: commercial,
    kept: "commercial",
  },
  {
    data: "the stock ledger and billable facts",
    reason: "they contain order ids but no personal data; without them the stock could not be explained",
    legal_basis: null,
    kept: "always",
  },
  {
    data: "the audit log: which user or key changed which record, by id",
    reason: "accountability for changes (GDPR Art. 5(2)), including this erasure",
    legal_basis: "GDPR Art. 5(2), Art. 17(3)(b)",
    kept: "retention",
  },
];

/** Steps that the operator must do manually. */
export const byHand: readonly string[] = [
  "Exported files, and spreadsheets, labels and packing slips that were printed or downloaded.",
  "Mailboxes and handwritten notes.",
  "Stores (Shopify, WooCommerce, BigCommerce), carriers and payment providers, which have their own copies.",
  "Webhook receivers: `receivers` lists those that received events about the person, or may have.",
  "Backups and archived logs: they expire on their own, and a restore erases the person again.",
  "Copies from upgrades: the folder data/upgrades keeps them for up to 30 days; data set aside by a rollback stays" +
    " until you delete it.",
  "Names in free text about stock: notes of movements, counts and lots, references of receipts, transfers and" +
    " reservations.",
  "Log files of the service and of proxies: they contain IP addresses, but no names and no bodies.",
];
