/** Throws when the program itself is wrong: 500 and a log line. Bad input is a `Fault`, never an assertion. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

// Every refusal of the service, in one closed table: code → HTTP status and error type.
export const faults = {
  malformed_request: { status: 400, type: "invalid_request" },
  malformed_header: { status: 400, type: "invalid_request" },
  invalid_cursor: { status: 400, type: "invalid_request" },
  authentication_required: { status: 401, type: "authentication" },
  invalid_api_key: { status: 401, type: "authentication" },
  api_key_revoked: { status: 401, type: "authentication" },
  api_key_expired: { status: 401, type: "authentication" },
  invalid_credentials: { status: 401, type: "authentication" },
  invalid_link: { status: 401, type: "authentication" },
  invalid_signature: { status: 401, type: "authentication" },
  second_factor_required: { status: 401, type: "authentication" },
  second_factor_invalid: { status: 401, type: "authentication" },
  new_pin_required: { status: 401, type: "authentication" },
  cross_site_request: { status: 403, type: "permission" },
  device_not_allowed: { status: 403, type: "permission" },
  insecure_connection: { status: 403, type: "permission" },
  insufficient_permission: { status: 403, type: "permission" },
  ip_not_allowed: { status: 403, type: "permission" },
  live_only: { status: 403, type: "permission" },
  not_for_merchants: { status: 403, type: "permission" },
  second_factor_setup_required: { status: 403, type: "permission" },
  merchant_suspended: { status: 403, type: "permission" },
  view_only: { status: 403, type: "permission" },
  route_not_found: { status: 404, type: "not_found" },
  resource_missing: { status: 404, type: "not_found" },
  import_pending: { status: 404, type: "not_found" },
  order_not_imported: { status: 404, type: "not_found" },
  method_not_allowed: { status: 405, type: "invalid_request" },
  ambiguous_barcode: { status: 409, type: "conflict" },
  ambiguous_identifier: { status: 409, type: "conflict" },
  bin_full: { status: 409, type: "conflict" },
  bin_of_other_merchant: { status: 409, type: "conflict" },
  customer_erased: { status: 409, type: "conflict" },
  duplicate_code: { status: 409, type: "conflict" },
  nothing_to_pick: { status: 409, type: "conflict" },
  order_cancelled: { status: 409, type: "conflict" },
  surplus_item: { status: 409, type: "conflict" },
  task_taken: { status: 409, type: "conflict" },
  tote_in_use: { status: 409, type: "conflict" },
  wave_closed: { status: 409, type: "conflict" },
  wrong_bin: { status: 409, type: "conflict" },
  wrong_lot: { status: 409, type: "conflict" },
  wrong_tote: { status: 409, type: "conflict" },
  duplicate_connection: { status: 409, type: "conflict" },
  duplicate_email: { status: 409, type: "conflict" },
  duplicate_label: { status: 409, type: "conflict" },
  duplicate_order_number: { status: 409, type: "conflict" },
  duplicate_sku: { status: 409, type: "conflict" },
  duplicate_subscription: { status: 409, type: "conflict" },
  file_in_use: { status: 409, type: "conflict" },
  idempotency_key_in_use: { status: 409, type: "conflict" },
  insufficient_inventory: { status: 409, type: "conflict" },
  invalid_state_transition: { status: 409, type: "conflict" },
  key_limit: { status: 409, type: "conflict" },
  label_in_progress: { status: 409, type: "conflict" },
  pickup_order: { status: 409, type: "conflict" },
  label_not_voidable: { status: 409, type: "conflict" },
  labels_not_voided: { status: 409, type: "conflict" },
  last_owner: { status: 409, type: "conflict" },
  lot_not_pickable: { status: 409, type: "conflict" },
  mail_not_configured: { status: 409, type: "conflict" },
  backups_not_configured: { status: 409, type: "conflict" },
  merchant_closed: { status: 409, type: "conflict" },
  merchant_not_empty: { status: 409, type: "conflict" },
  no_suggestion: { status: 409, type: "conflict" },
  nothing_to_manifest: { status: 409, type: "conflict" },
  nothing_to_return: { status: 409, type: "conflict" },
  orders_open: { status: 409, type: "conflict" },
  payload_expired: { status: 409, type: "conflict" },
  quantity_conflict: { status: 409, type: "conflict" },
  rate_card_overlap: { status: 409, type: "conflict" },
  record_in_use: { status: 409, type: "conflict" },
  quote_expired: { status: 409, type: "conflict" },
  quote_mismatch: { status: 409, type: "conflict" },
  quote_used: { status: 409, type: "conflict" },
  reservation_closed: { status: 409, type: "conflict" },
  reservation_committed: { status: 409, type: "conflict" },
  return_not_inspected: { status: 409, type: "conflict" },
  rotation_in_progress: { status: 409, type: "conflict" },
  subscription_disabled: { status: 409, type: "conflict" },
  subscription_limit: { status: 409, type: "conflict" },
  would_break_reservations: { status: 409, type: "conflict" },
  would_lock_out: { status: 409, type: "conflict" },
  already_packed: { status: 409, type: "conflict" },
  bundle_incomplete: { status: 409, type: "conflict" },
  lot_expired: { status: 409, type: "conflict" },
  no_matching_order: { status: 409, type: "conflict" },
  order_not_picked: { status: 409, type: "conflict" },
  order_on_hold: { status: 409, type: "conflict" },
  tote_empty: { status: 409, type: "conflict" },
  wrong_warehouse: { status: 409, type: "conflict" },
  write_conflict: { status: 409, type: "conflict" },
  wrong_item: { status: 409, type: "conflict" },
  precondition_failed: { status: 412, type: "conflict" },
  payload_too_large: { status: 413, type: "invalid_request" },
  unsupported_media_type: { status: 415, type: "invalid_request" },
  ambiguous_stock: { status: 422, type: "invalid_request" },
  blocked_address: { status: 422, type: "invalid_request" },
  carrier_refused: { status: 422, type: "invalid_request" },
  carrier_unauthorized: { status: 422, type: "invalid_request" },
  idempotency_key_reused: { status: 422, type: "invalid_request" },
  immutable_field: { status: 422, type: "invalid_request" },
  merchant_required: { status: 422, type: "invalid_request" },
  refund_exceeds_amount: { status: 422, type: "invalid_request" },
  unknown_barcode: { status: 422, type: "invalid_request" },
  unreadable_barcode: { status: 422, type: "invalid_request" },
  validation_failed: { status: 422, type: "invalid_request" },
  rate_limited: { status: 429, type: "rate_limit" },
  headers_too_large: { status: 431, type: "invalid_request" },
  internal_error: { status: 500, type: "api" },
  carrier_error: { status: 502, type: "api" },
  carrier_timeout: { status: 504, type: "api" },
  platform_error: { status: 502, type: "api" },
  storage_full: { status: 503, type: "api" },
  storage_unavailable: { status: 503, type: "api" },
  unavailable: { status: 503, type: "api" },
} as const;

export type FaultCode = keyof typeof faults;

/** A bad field of a request: `field` as the client wrote it (`line_items[0].quantity`), and what is wrong with it. */
export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** What a refusal adds to its message. `fields` becomes the error's `details`; the rest appears next to the code. */
interface FaultFacts {
  readonly fields?: readonly FieldProblem[];
  readonly [fact: string]: unknown;
}

/** An expected refusal. Thrown inside a transaction it rolls the transaction back. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly facts: FaultFacts;

  constructor(code: FaultCode, message: string, facts: FaultFacts = {}) {
    super(message);
    this.name = "Fault";
    this.code = code;
    this.facts = facts;
  }
}

/** Returns the result of `work`, or the fault that it throws. */
export function orFault<Done>(work: () => Done): Done | Fault {
  try {
    return work();
  } catch (error) {
    return asFault(error);
  }
}

/** Runs `work` on the list's items that are not faults. Returns each item's result or fault, in list order. */
export async function unlessRefused<Item, Done>(
  list: readonly (Item | Fault)[],
  work: (some: readonly Item[]) => Promise<readonly Done[]>,
): Promise<(Done | Fault)[]> {
  const done = (await work(list.filter((item): item is Item => !(item instanceof Fault)))).values();
  return list.map((item) => (item instanceof Fault ? item : (done.next().value as Done)));
}

/** Returns a fault as a value. Any other error is rethrown. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  throw error;
}

/** Creates a `validation_failed` for one field, for rules that no schema can express. */
export function invalid(field: string, message: string, code = "invalid_value"): Fault {
  return invalidFields([{ field, code, message }]);
}

// Nobody reads more, and a refusal must not be many times longer than the request.
const problems_max = 100;

/**
 * Creates a `validation_failed` that names up to 100 bad fields. Its message is the first problem and the number of the
 * others.
 */
export function invalidFields(fields: readonly FieldProblem[]): Fault {
  return ofFields("validation_failed", fields);
}

/** As `invalidFields`, with another code. */
export function ofFields(code: FaultCode, fields: readonly FieldProblem[]): Fault {
  return new Fault(code, summaryOf(fields), { fields: fields.slice(0, problems_max) });
}

const name_letters_max = 100;

/** `quantity must be at least 1 (and 2 more problems).` */
function summaryOf([first, ...more]: readonly FieldProblem[]): string {
  if (first === undefined) return "The request is not valid.";
  const letters = [...first.field];
  const name = letters.length > name_letters_max ? `${letters.slice(0, name_letters_max).join("")}…` : first.field;
  const rest = more.length === 0 ? "" : ` (and ${more.length} more ${more.length === 1 ? "problem" : "problems"})`;
  return `${name === "" ? "The body" : name} ${first.message}${rest}.`;
}

/** Creates a `resource_missing` for what is missing and the identifier that was used. */
export function missing(what: string, id: string | number): Fault {
  return new Fault("resource_missing", `No such ${what}: ${id}.`, { resource: what });
}

/**
 * Runs `work`. Faults about a field are reported for that field within `place`: `items[2].bin` for `bin`. Null adds no
 * place.
 */
export async function within<Done>(place: string | null, work: () => Promise<Done>): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    if (place === null || !(error instanceof Fault) || error.facts.fields === undefined) throw error;
    const fields = error.facts.fields.map((problem) => ({ ...problem, field: `${place}.${problem.field}` }));
    if (error.code === "validation_failed") throw invalidFields(fields);
    throw new Fault(error.code, error.message, { ...error.facts, fields });
  }
}
