import { createHash } from "node:crypto";
import { iso, isoOrNull } from "../../core/clock.ts";
import { Fault, type FaultCode, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { decimalsOf, shareOf } from "../../core/money.ts";
import type { CompleteAddress } from "../../core/postal_address.ts";
import type { RetrySchedule } from "../../core/retry.ts";
import { day_ms, hour_ms, second_ms } from "../../core/time.ts";
import { defaultCompany, isErasedEmail } from "../../customers/customer.ts";
import type { FulfillmentType } from "../../orders/order.transitions.ts";
import { costOf, type LineAmounts, type OrderLine, uncancelledUnits } from "../../orders/order.ts";
import { without } from "../../outbound/api.ts";
import { checkProduct, productDefaults } from "../../products/product.ts";
import type { PlatformLine, PlatformOrder, StoreConnection } from "../platform.ts";
import {
  type ImportAction,
  type ImportStatus,
  isQueued,
  type PickupChoice,
  type Platform,
  type PlatformOrderState,
} from "../platforms.transitions.ts";

/** Digests of an order as it was last imported, by part. An equal digest means no change at the platform. */
export interface SeenPlatformOrder {
  readonly state: PlatformOrderState;
  readonly address: string;
  readonly lines: string;
  readonly shipping_method: string;
  readonly notes: string;
  // Records of older releases lack it.
  readonly staff_notes?: string;
  readonly attributes?: string;
  readonly currency?: string;
  readonly shipping_method_code?: string;
  readonly fulfillment_type?: FulfillmentType | null;
}

/** A line of a platform's order, as it was last processed. */
export interface ImportedLine {
  readonly external_id: string;
  readonly sku: string;
  /** The units to ship here, including those that have shipped. */
  readonly quantity: number;
  /** The units that the platform's order had, by anyone; absent in records of older releases. */
  readonly ordered?: number;
}

/** The link between a platform's order and an order here, with the state of the import. */
export interface OrderImport {
  readonly id: number;
  readonly merchant_id: number;
  readonly connection_id: number;
  readonly external_id: string;
  /** The id of the order here, allotted with the first notification. */
  readonly order_id: number;
  readonly status: ImportStatus;
  /** The number of notifications of the order. */
  readonly revision: number;
  /** The order as last received; null when it has to be fetched or is processed. */
  readonly payload: PlatformOrder | null;
  /** The time of the order's last processed change at the platform (ms). */
  readonly external_updated_at: number | null;
  readonly seen: SeenPlatformOrder | null;
  readonly lines: readonly ImportedLine[];
  /** Attempts since it was last queued. */
  readonly attempts: number;
  readonly next_at: number | null;
  readonly leased_until: number | null;
  /** The time after which a failed import is given up. */
  readonly give_up_at: number;
  /** The reason why the order is not imported. */
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly imported_at: number | null;
}

/** An import that this server has claimed, with its connection. */
export interface ImportClaim {
  readonly connection: StoreConnection;
  readonly import: OrderImport;
}

/** Returns the import as the API shows it. */
export function importView(record: OrderImport, parts: readonly ImportPart[]) {
  const { error_code: code, error_message: message } = record;
  return {
    id: wireId("import", record.id),
    external_id: record.external_id,
    order_id: wireId("order", record.order_id),
    other_order_ids: parts
      .filter(({ import_id }) => import_id === record.id)
      .map(({ order_id }) => wireId("order", order_id)),
    status: record.status,
    reason: code === null ? null : { code, message: message ?? "" },
    attempts: record.attempts,
    next_attempt_at: record.status === "queued" ? isoOrNull(record.next_at) : null,
    external_updated_at: isoOrNull(record.external_updated_at),
    imported_at: isoOrNull(record.imported_at),
    created_at: iso(record.created_at),
    updated_at: iso(record.updated_at),
  };
}

// The rules for converting a platform's order. They are pure: existing records are passed in.

/** When failed calls to platforms are repeated. */
export const platformRetries: RetrySchedule = { first_ms: 5 * second_ms, max_ms: hour_ms, hint_max_ms: day_ms };

const give_up_after_ms = 2 * day_ms;

/** Returns when an import that is queued now is given up (ms). */
export const giveUpAt = (now: number): number => now + give_up_after_ms;

const message_characters_max = 300;
// Refusals caused by the order itself. Only a new version of it can help.
const permanent_codes: readonly FaultCode[] = ["validation_failed", "duplicate_order_number"];

/** Returns the reason for a failed attempt as it is stored, without secrets. */
export function reasonOf(error: unknown, secrets: readonly (string | null)[]) {
  const fault = error instanceof Fault ? error : null;
  const text = fault === null ? "An internal error occurred." : [fault.message, ...otherFieldMessages(fault)].join(" ");
  const { permanent, retry_after_seconds } = fault?.facts ?? {};
  return {
    code: fault?.code ?? "internal_error",
    message: without(secrets, text).slice(0, message_characters_max),
    permanent: permanent === true || (fault !== null && permanent_codes.includes(fault.code)),
    retry_after_seconds: typeof retry_after_seconds === "number" ? retry_after_seconds : null,
  };
}

/** What a log says of a failed attempt. Any error other than a refusal is a bug of ours. */
export function failureFacts(error: unknown, { code, message }: ReturnType<typeof reasonOf>) {
  return { code, reason: message, error: error instanceof Fault ? null : rootOf(error) };
}

/** The text of an error's innermost cause. Outer messages contain statement values, which may be a buyer's data. */
function rootOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? (error.stack ?? error.message) : rootOf(error.cause);
}

// The fault's own message is that of the first invalid field.
const otherFieldMessages = ({ code, facts }: Fault) =>
  (facts.fields ?? []).slice(code === "validation_failed" ? 1 : 0).map(({ field, message }) => `${field} ${message}.`);

/** Returns the later of two versions of an order; of equal times, the one that arrived later. */
function laterOf(before: PlatformOrder | null, order: PlatformOrder | null): PlatformOrder | null {
  if (before === null || order === null) return order ?? before;
  return before.updated_at > order.updated_at ? before : order;
}

/**
 * Returns what an import processes after a new notification: the latest version of the order, or null to fetch it. An
 * order that has to be fetched stays so. If two versions with the same second differ, their order is unknown and the
 * order is fetched, if possible.
 */
export function payloadAfter(
  before: Pick<OrderImport, "status" | "payload" | "external_updated_at" | "seen">,
  order: PlatformOrder | null,
  fetchable: boolean,
): PlatformOrder | null {
  const { status, payload, external_updated_at, seen } = before;
  if (!fetchable) return laterOf(payload, order);
  if (order === null || (isQueued(status) && payload === null)) return null;
  if (external_updated_at === order.updated_at && !isEqual(seen, seenOf(order))) return null;
  if (payload?.updated_at === order.updated_at && !isEqual(seenOf(payload), seenOf(order))) return null;
  return laterOf(payload, order);
}

const isEqual = (a: SeenPlatformOrder | null, b: SeenPlatformOrder): boolean =>
  // A part that a notification leaves open is null.
  (Object.keys(b) as (keyof SeenPlatformOrder)[]).every((part) => b[part] === null || a?.[part] === b[part]);

/** A further order of an import, for another destination. */
export interface ImportPart {
  readonly import_id: number;
  /** Its place among the orders of the import, from 2. */
  readonly part: number;
  /** The platform's name of the destination. */
  readonly destination: string;
  readonly order_id: number;
  readonly seen: SeenPlatformOrder | null;
  readonly lines: readonly ImportedLine[];
}

/** The step that a platform's order requires. */
export type PlatformImportStep = "nothing" | "create" | "wait" | "ignore" | "cancel" | "change" | "hold" | "note";

/** Whether an order is not imported, since its buyer collects it. */
function isLeftOut({ fulfillment_type }: PlatformOrder, pickup_orders: PickupChoice): boolean {
  return fulfillment_type === "pickup" && pickup_orders === "ignore";
}

/** Returns the step for an order. A version older than the last one changes nothing, whatever the order of arrival. */
export function stepOf(
  order: PlatformOrder,
  before: Pick<OrderImport, "external_updated_at">,
  exists: boolean,
  pickup_orders: PickupChoice,
): PlatformImportStep {
  if (order.updated_at < (before.external_updated_at ?? 0)) return "nothing";
  if (!exists) {
    if (isLeftOut(order, pickup_orders)) return "ignore";
    if (order.state === "open") return order.lines.every((line) => leftOf(line) === 0) ? "ignore" : "create";
    return order.state === "unpaid" ? "wait" : "ignore";
  }
  if (order.state === "cancelled") return "cancel";
  if (order.state === "unpaid") return "hold";
  return order.state === "open" ? "change" : "note";
}

/** Returns the import's action after its order was processed, and the reason if there is no order here yet. */
export function outcomeOf(order: PlatformOrder, exists: boolean, pickup_orders: PickupChoice) {
  const { state } = order;
  const outcome = (action: ImportAction, code: string | null = null, message: string | null = null) => {
    return { action, code, message };
  };
  if (exists) return outcome("import");
  if (isLeftOut(order, pickup_orders)) {
    return outcome("ignore", pickup_order, "The buyer collects the order, and the connection ignores such orders.");
  }
  if (state === "unpaid") return outcome("wait", "unpaid", "The platform reports the order as unpaid.");
  if (state === "cancelled")
    return outcome("ignore", "cancelled", "The order was cancelled at the platform before it was imported.");
  if (state === "done") return outcome("ignore", "done", "The platform reports the order as already shipped.");
  return outcome("ignore", "nothing_to_send", "The order has nothing to ship.");
}

/** The code of an import that is ignored because its order is a test order. */
export const test_order = "test_order";
const pickup_order = "pickup";
/** The codes of ignored orders that another choice of the connection may import. */
export const ignored_by_choice: readonly string[] = [test_order, pickup_order];

/** Returns the order in the state that the connection's choices give it. */
export function treatedBy({ pending_orders }: Pick<StoreConnection, "pending_orders">, order: PlatformOrder) {
  const is_open = order.state === "unpaid" && order.is_pending === true && pending_orders === "import";
  return is_open ? { ...order, state: "open" as const } : order;
}

/** Whether the platform withholds the address of an order: it gives the country, but neither a name nor a street. */
export function isAddressHidden(platform: Platform, { address }: PlatformOrder): boolean {
  if (platform !== "shopify" || address?.country == null) return false;
  return address.name === null && address.company === null && address.address_line1 === null;
}

const digest = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("base64url");

/** Returns the digests of an order, with which its next version is compared. */
export function seenOf(order: PlatformOrder): SeenPlatformOrder {
  const { state, lines, shipping_method, notes, currency } = order;
  // Unit prices after discounts in hundredths, as earlier digests computed them.
  const hundredths = 100 / 10 ** decimalsOf(currency);
  const parts = lines.map((line) => {
    const price = (totalOf(line) * hundredths) / Math.max(1, line.quantity);
    return [line.external_id, line.sku, line.variant_id, line.quantity, price, line.left ?? null];
  });
  return {
    state,
    address: digest(addressOf(order)),
    lines: digest(parts),
    shipping_method: digest(shipping_method),
    notes: digest(notes),
    staff_notes: digest(order.staff_notes ?? null),
    attributes: digest(order.attributes ?? {}),
    currency,
    shipping_method_code: digest(order.shipping_method_code ?? null),
    fulfillment_type: order.fulfillment_type ?? null,
  };
}

/** The units of a line that are left to ship when `shipped` of them have shipped here. */
function leftOf({ quantity, left }: PlatformLine, shipped = 0): number {
  return left ?? Math.max(0, quantity - shipped);
}

/** The total of the units of a line, in cents. */
const totalOf = ({ quantity, unit_price_cents, total_cents }: PlatformLine) =>
  total_cents ?? quantity * unit_price_cents;

/** Fits text into a field: no control characters, trimmed, and cut at `max`; null when empty. */
export function fitted(text: string | null | undefined, max: number): string | null {
  const plain = (text ?? "").replace(/[\p{Cc}\ufffd]+/gu, " ").trim();
  const cut =
    plain.length <= max
      ? plain
      : plain
          .slice(0, max)
          .replace(/[\ud800-\udbff]$/, "")
          .trim();
  return cut === "" ? null : cut;
}

/** Like `fitted`, but keeps line breaks. */
export function fittedNotes(text: string | null, max: number): string | null {
  const lines = (text ?? "").split(/\r\n?|\n/).map((line) => fitted(line, max) ?? "");
  const text_lines = lines
    .join("\n")
    .trim()
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, "");
  return text_lines === "" ? null : text_lines;
}

/** Splits a full name into first and last name. */
export function namesOf(name: string | null): { first_name: string | null; last_name: string | null } {
  const words = (fitted(name, 200) ?? "").split(/\s+/).filter(Boolean);
  const last = words.length > 1 ? (words.pop() ?? null) : null;
  return { first_name: fitted(words.join(" "), 100), last_name: fitted(last, 100) };
}

const email = /^[^\s@\p{Cc}\ufffd]{1,64}@[^\s@\p{Cc}\ufffd]+$/u;
const email_characters_max = 254;

/** Returns the buyer's email address, or a reserved address if the platform has no valid one. */
export function emailOf(platform: Platform, connection_id: number, order: PlatformOrder): string {
  const address = order.email?.trim() ?? "";
  if (address.length <= email_characters_max && email.test(address) && !isErasedEmail(address)) return address;
  const id = order.external_id.replace(/[^A-Za-z0-9-]/g, "-").slice(0, 40);
  return `order-${connection_id}-${id}@${platform}.invalid`;
}

/** Converts an order's address to a customer's address. Missing fields stay empty. */
export function addressOf({ address, customer_name, phone }: PlatformOrder): CompleteAddress {
  const company = fitted(address?.company, 200);
  const name = fitted(address?.name ?? customer_name, 200) ?? company ?? "";
  return {
    name,
    company: defaultCompany({ company }, name),
    address_line1: fitted(address?.address_line1, 200) ?? "",
    address_line2: fitted(address?.address_line2, 200),
    city: fitted(address?.city, 100) ?? "",
    state: fitted(address?.state, 100),
    postal_code: fitted(address?.postal_code, 20),
    country: /^[A-Z]{2}$/i.test(address?.country ?? "") ? (address?.country ?? "").toUpperCase() : "",
    phone: fitted(address?.phone ?? phone, 50),
  };
}

const sku_characters_max = 100;
const units_max = 1_000_000;

/** An order line to create here. */
export interface WantedLine extends Required<ImportedLine> {
  readonly name: string;
  readonly unit_price_cents: number;
  readonly total_cents: number;
}

/**
 * Returns the lines of an order that has not shipped here, with the units that are left to ship. A line without a valid
 * SKU gets one from the platform's name and the variant's id. A quantity beyond a million is refused.
 * Refuses: validation_failed.
 */
export function wantedLines(platform: Platform, { lines }: PlatformOrder): WantedLine[] {
  return lines.flatMap((line, at) => {
    const { external_id, quantity: ordered, unit_price_cents } = line;
    const is_valid = Number.isInteger(ordered) && ordered >= 1 && ordered <= units_max;
    if (!is_valid) throw invalid(`lines[${at}].quantity`, `must be 1 to ${units_max}`);
    const quantity = leftOf(line);
    if (quantity === 0) return [];
    const sku = skuOf(platform, line);
    const costs = { unit_price_cents, total_cents: shareOf(totalOf(line), quantity, ordered) };
    return [{ external_id, sku, name: fitted(line.name, 200) ?? sku, quantity, ordered, ...costs }];
  });
}

/**
 * Returns the lines of an order, to all of its destinations, with the units that are left to ship, and without those
 * that cannot be counted.
 */
export function linesLeft(platform: Platform, { lines, others = [] }: PlatformOrder): Required<ImportedLine>[] {
  const all = [...lines, ...others.flatMap((other) => other.lines)];
  return all.flatMap((line) => {
    const quantity = leftOf(line);
    const is_valid = Number.isInteger(quantity) && quantity > 0 && quantity <= units_max;
    const { external_id, quantity: ordered } = line;
    return is_valid ? [{ external_id, sku: skuOf(platform, line), quantity, ordered }] : [];
  });
}

/** Changes of an order's lines at its platform, after work on the order has begun here. */
interface LineChanges {
  /** The lines as they are now. */
  readonly lines: readonly ImportedLine[];
  /** By SKU, the units that are no longer to ship here, and those that were added. */
  readonly fewer: ReadonlyMap<string, number>;
  readonly more: ReadonlyMap<string, number>;
}

/**
 * Compares a platform's order with its lines as they were last processed. `shipped` has the units that have shipped
 * here, by SKU. The platform counts these as left until it is told of them, so a reduction may show only later.
 */
export function lineChanges(
  platform: Platform,
  { lines: received }: PlatformOrder,
  known: readonly ImportedLine[],
  shipped: ReadonlyMap<string, number>,
): LineChanges {
  const unassigned = new Map(shipped);
  const [fewer, more] = [new Map<string, number>(), new Map<string, number>()];
  const add = (to: Map<string, number>, sku: string, units: number) => {
    if (units > 0) to.set(sku, (to.get(sku) ?? 0) + units);
  };
  const isSame = (one: ImportedLine, now: PlatformLine) =>
    one.external_id === now.external_id && one.sku === skuOf(platform, now);
  const lines = known.map((line) => {
    const now = received.find((one) => isSame(line, one));
    const own = Math.min(line.quantity, unassigned.get(line.sku) ?? 0);
    unassigned.set(line.sku, (unassigned.get(line.sku) ?? 0) - own);
    const quantity = Math.min(line.quantity, own + (now === undefined ? 0 : leftOf(now, own)));
    const { ordered = line.quantity } = line;
    add(fewer, line.sku, line.quantity - quantity);
    add(more, line.sku, (now?.quantity ?? 0) - ordered);
    return { ...line, quantity, ordered: now?.quantity ?? 0 };
  });
  const added = received.filter((now) => !known.some((line) => isSame(line, now)));
  const fresh = added.map((line) => {
    const sku = skuOf(platform, line);
    add(more, sku, leftOf(line));
    return { external_id: line.external_id, sku, quantity: 0, ordered: line.quantity };
  });
  return { lines: [...lines, ...fresh], fewer, more };
}

/**
 * Returns the amounts of order lines whose cost at the platform has changed, by the id of the line. Lines of one SKU
 * are compared in their order; if their number differs, their prices stay.
 */
export function changedAmounts(lines: readonly OrderLine[], { lines: received }: PlatformOrder, platform: Platform) {
  const open = Map.groupBy(
    lines.filter((line) => uncancelledUnits(line) > 0),
    ({ sku }) => sku,
  );
  const theirs = Map.groupBy(received, (line) => skuOf(platform, line));
  const changed = new Map<number, Pick<LineAmounts, "unit_price_cents" | "discount_cents">>();
  for (const [sku, own] of open) {
    const now = theirs.get(sku) ?? [];
    if (now.length !== own.length) continue;
    for (const [at, line] of own.entries()) {
      const { quantity, unit_price_cents, ...other } = now[at] as PlatformLine;
      const total = totalOf({ ...other, quantity, unit_price_cents });
      const units = uncancelledUnits(line);
      if (units > quantity || costOf(line, units) === shareOf(total, units, quantity)) continue;
      // The total of all units here, cancelled ones included, at the present price.
      const discount_cents = line.quantity * unit_price_cents - shareOf(total, line.quantity, quantity);
      if (unit_price_cents === line.unit_price_cents && discount_cents === line.discount_cents) continue;
      changed.set(line.id, { unit_price_cents, discount_cents });
    }
  }
  return changed;
}

function skuOf(platform: Platform, { sku, variant_id }: PlatformLine): string {
  const own_sku = sku?.trim() ?? "";
  return isSku(own_sku) ? own_sku : `${platform}-${fitted(variant_id, 60) ?? "unknown"}`;
}

function isSku(sku: string): boolean {
  if (sku === "" || sku.length > sku_characters_max || /[\p{Cc}\ufffd]/u.test(sku)) return false;
  try {
    checkProduct({ ...productDefaults, sku, name: sku });
    return true;
  } catch {
    return false;
  }
}

const number_characters_max = 80;
const numbers_tried = 9;

/** Lists order numbers to try, the plain one first. The later of two orders with one number gets a suffix. */
export function numbersFor(prefix: string, { number, external_id }: PlatformOrder): string[] {
  const own = fitted(number, number_characters_max) ?? fitted(external_id, number_characters_max) ?? "order";
  const first = prefix + own;
  const suffixed = Array.from({ length: numbers_tried }, (_, at) => `${first}-${at + 2}`);
  const all = [first, ...suffixed, `${first}-${fitted(external_id, 40) ?? ""}`];
  // An order number must not look like an order's id.
  return all.filter((text) => !/^ord_\d+$/.test(text) && text.length <= 100);
}
