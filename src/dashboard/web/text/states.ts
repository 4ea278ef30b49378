/** The meaning of a state, which sets its color. */
export type Tone = "neutral" | "info" | "good" | "warning" | "bad";

/** The states of the API and their tones. States that are not listed are neutral. */
export const tones: Readonly<Record<string, Tone>> = {
  active: "good",
  available: "good",
  closed: "good",
  connected: "good",
  delivered: "good",
  done: "good",
  ok: "good",
  posted: "good",
  received: "good",
  refunded: "good",
  serving: "good",
  shipped: "good",
  succeeded: "good",
  valid: "good",
  verified: "good",
  allocated: "info",
  approved: "info",
  counting: "info",
  in_transit: "info",
  open: "info",
  out_for_delivery: "info",
  packed: "info",
  partially_shipped: "info",
  picking: "info",
  picked: "info",
  processing: "info",
  requested: "info",
  shipping: "info",
  inspected: "info",
  expected: "info",
  attention: "warning",
  backordered: "warning",
  corrected: "warning",
  degraded: "warning",
  expired: "warning",
  low: "warning",
  on_hold: "warning",
  partially_allocated: "warning",
  paused: "warning",
  quarantine: "warning",
  quarantined: "warning",
  retrying: "warning",
  review: "warning",
  stopping: "warning",
  unverified: "warning",
  blocked: "bad",
  disabled: "bad",
  exception: "bad",
  failed: "bad",
  invalid: "bad",
  recalled: "bad",
  rejected: "bad",
  revoked: "bad",
  short: "bad",
  undeliverable: "bad",
};

/** The states of one kind of record. */
export type States = Readonly<Record<string, readonly [text: string, tone: Tone]>>;

/** The states of records that have texts or tones of their own. */
// biome-ignore format: a table is read by its columns.
export const states = {
  address: {
    verified: ["Verified", "good"], warning: ["Warning", "warning"], error: ["Error", "bad"],
    unverified: ["Not verified", "neutral"],
  },
  attempt: { success: ["Delivered", "good"], failed: ["Failed", "bad"], blocked: ["Blocked", "bad"] },
  count: {
    open: ["Counting", "info"], review: ["In review", "warning"], posted: ["Posted", "good"],
    cancelled: ["Cancelled", "neutral"],
  },
  delivery: {
    pending: ["Pending", "info"], delivered: ["Delivered", "good"], exhausted: ["Failed permanently", "bad"],
    skipped: ["Skipped", "warning"], cancelled: ["Cancelled", "neutral"],
  },
  file_import: {
    mapping: ["Choose columns", "warning"], checking: ["Checking", "info"], checked: ["Ready to import", "info"],
    importing: ["Importing", "info"], done: ["Imported", "good"], failed: ["Failed", "bad"],
    cancelled: ["Cancelled", "neutral"],
  },
  imported_row: {
    failed: ["Error", "bad"], held: ["Held back", "warning"], created: ["New", "good"], updated: ["Updated", "info"],
  },
  import: {
    queued: ["Queued", "info"], imported: ["Imported", "good"], waiting: ["Pending", "warning"],
    ignored: ["Ignored", "neutral"], failed: ["Failed", "bad"],
  },
  floor_device: {
    unopened: ["Link not opened", "warning"], active: ["Active", "good"], revoked: ["Revoked", "neutral"],
  },
  invitation: {
    open: ["Open", "info"], accepted: ["Accepted", "good"], revoked: ["Revoked", "neutral"],
    expired: ["Expired", "warning"],
  },
  label: {
    processing: ["Processing", "info"], completed: ["Bought", "good"], error: ["Failed", "bad"],
    voided: ["Voided", "neutral"],
  },
  lot: {
    available: ["Available", "good"], on_hold: ["On hold", "warning"], quarantined: ["Quarantined", "warning"],
    recalled: ["Recalled", "bad"], expired: ["Expired", "bad"], damaged: ["Damaged", "bad"],
  },
  merchant: { active: ["Active", "good"], suspended: ["Suspended", "warning"], closed: ["Closed", "neutral"] },
  print_job: {
    queued: ["Queued", "info"], sending: ["Printing", "info"], sent: ["Sent", "good"], failed: ["Failed", "bad"],
    cancelled: ["Cancelled", "neutral"],
  },
  receipt: {
    expected: ["Expected", "info"], receiving: ["Receiving", "warning"], closed: ["Closed", "good"],
    cancelled: ["Cancelled", "neutral"],
  },
  shipment_update: {
    queued: ["Queued", "info"], reported: ["Reported", "good"], skipped: ["Skipped", "neutral"],
    failed: ["Failed", "bad"],
  },
  stock_listing: { idle: ["Up to date", "good"], queued: ["Queued", "info"], failed: ["Refused", "bad"] },
  stock_push: {
    set: ["Set", "good"], stale: ["Changed there", "warning"], refused: ["Refused", "bad"],
    failed: ["Retried", "warning"],
  },
  stock: {
    in_stock: ["In stock", "good"], low_stock: ["Low", "warning"], out_of_stock: ["Out of stock", "bad"],
    backordered: ["Backordered", "bad"], inactive: ["Inactive", "neutral"],
  },
  transfer: {
    pending: ["Planned", "neutral"], in_transit: ["In transit", "info"], received: ["Received", "good"],
    cancelled: ["Cancelled", "neutral"],
  },
  tote: { free: ["Free", "neutral"], taken: ["In use", "info"], set_aside: ["Set aside", "warning"] },
  user: { active: ["Active", "good"], disabled: ["Disabled", "bad"] },
  void: {
    requested: ["Void requested", "warning"], submitted: ["Pending with carrier", "warning"],
    accepted: ["Void accepted", "warning"],
  },
  wave: {
    planned: ["Planned", "neutral"], released: ["Released", "info"], picking: ["Picking", "info"],
    picked: ["Picked", "good"], closed: ["Closed", "good"], cancelled: ["Cancelled", "neutral"],
  },
} as const satisfies Record<string, States>;

/** A kind of record whose states have texts of their own. */
export type Stated = keyof typeof states;
/** A state of such a record. */
export type StateOf<Kind extends Stated> = keyof (typeof states)[Kind] & string;

/** The text of a state: "On hold" for `on_hold`. */
export function stateWords(state: string): string {
  const text = state.replaceAll("_", " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The text of a state of a record with texts of its own. */
export function stateText<Kind extends Stated>(of: Kind, state: StateOf<Kind>): string {
  return (states[of] as States)[state]?.[0] ?? stateWords(state);
}
