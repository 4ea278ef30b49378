import { createHash } from "node:crypto";
import { iso, isoOrNull } from "../../core/clock.ts";
import { Fault, type FaultCode, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { decimalsOf } from "../../core/money.ts";
import { type AddressFields, addressDefaults, defaultCompany, isErasedEmail } from "../../customers/customer.ts";
import { checkProduct, productDefaults } from "../../products/product.ts";
import type { PlatformLine, PlatformOrder, StoreConnection } from "../platform.ts";
import {
  type ImportAction,
  type ImportStatus,
  isQueued,
  type Platform,
  type PlatformOrderState,
} from "../platforms.transitions.ts";

/**
 * Digests of what was last imported of an order, by part: an equal digest means that nothing changed at the platform.
 */
export interface SeenPlatformOrder {
  readonly state: PlatformOrderState;
  readonly address: string;
  readonly lines: string;
  readonly shipping_method: string;
  readonly notes: string;
}

/** A line of the platform and what it ordered here. */
export interface ImportedLine {
  readonly external_id: string;
  readonly sku: string;
  readonly quantity: number;
}

/** The claim of one order of a platform to one order here, and the state of its import. */
export interface OrderImport {
  readonly id: number;
  readonly merchant_id: number;
  readonly connection_id: number;
  readonly external_id: string;
  /** The order's id here, given to it with the first notification. */
  readonly order_id: number;
  readonly status: ImportStatus;
  /** Counts the notifications of the order. */
  readonly revision: number;
  /** The order as last received; null when it has to be fetched, or was processed. */
  readonly payload: PlatformOrder | null;
  /** When the order, as last processed, had changed at the platform. */
  readonly external_updated_at: number | null;
  readonly seen: SeenPlatformOrder | null;
  readonly lines: readonly ImportedLine[];
  /** Tries since it was last queued. */
  readonly attempts: number;
  readonly next_at: number | null;
  readonly leased_until: number | null;
  /** When it is given up unless it succeeds before. */
  readonly give_up_at: number;
  /** Why it is not imported. */
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly imported_at: number | null;
}

/** An import claimed by this server, and the store that it is from. */
export interface ImportClaim {
  readonly connection: StoreConnection;
  readonly import: OrderImport;
}

/** The import as the API shows it. */
export function importView(one: OrderImport) {
  const { error_code: code, error_message: message } = one;
  return {
    id: wireId("import", one.id),
    external_id: one.external_id,
    order_id: wireId("order", one.order_id),
    status: one.status,
    reason: code === null ? null : { code, message: message ?? "" },
    attempts: one.attempts,
    next_attempt_at: one.status === "queued" ? isoOrNull(one.next_at) : null,
    external_updated_at: isoOrNull(one.external_updated_at),
    imported_at: isoOrNull(one.imported_at),
    created_at: iso(one.created_at),
    updated_at: iso(one.updated_at),
  };
}

// How a platform's order becomes an order here. Pure: what exists already is passed in.

const give_up_after_ms = 48 * 3_600_000;
const wait_first_ms = 5000;
const wait_max_ms = 3_600_000;
const hint_max_ms = 24 * 3_600_000;

/** When an import that is queued now is given up. */
export const giveUpAt = (now: number): number => now + give_up_after_ms;

/**
 * How long to wait after so many failed tries: 5 seconds, doubled each time, up to an hour; longer if the platform
 * asks.
 */
export function retryWait(attempts: number, retry_after_seconds: number | null): number {
  const own = Math.min(wait_first_ms * 2 ** Math.max(attempts - 1, 0), wait_max_ms);
  return Math.max(own, Math.min((retry_after_seconds ?? 0) * 1000, hint_max_ms));
}

const message_characters_max = 300;
// Refusals caused by the order itself: only a new version of it can help.
const unmendable: readonly FaultCode[] = ["validation_failed", "duplicate_order_number"];

/** Why a try failed, as it is stored. Secrets are removed from the message in case it contains any. */
export function reasonOf(error: unknown, secrets: readonly (string | null)[]) {
  const fault = error instanceof Fault ? error : null;
  const said = fault === null ? "Something went wrong on our side." : [fault.message, ...furtherOf(fault)].join(" ");
  const message = secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, "…") : text), said);
  const { permanent, retry_after_seconds } = fault?.facts ?? {};
  return {
    code: fault?.code ?? "internal_error",
    message: message.slice(0, message_characters_max),
    permanent: permanent === true || (fault !== null && unmendable.includes(fault.code)),
    retry_after_seconds: typeof retry_after_seconds === "number" ? retry_after_seconds : null,
  };
}

// The message for bad fields is that of the first field.
const furtherOf = ({ code, facts }: Fault) =>
  (facts.fields ?? []).slice(code === "validation_failed" ? 1 : 0).map(({ field, message }) => `${field} ${message}.`);

/** The later of two versions of an order; of two from one moment, the one that arrived later. */
function laterOf(before: PlatformOrder | null, order: PlatformOrder | null): PlatformOrder | null {
  if (before === null || order === null) return order ?? before;
  return before.updated_at > order.updated_at ? before : order;
}

/**
 * What an import processes after a new notification: the latest version of the order, or null to fetch it. An order
 * that has to be fetched stays so. Platforms write whole seconds: if two versions of one second differ, nobody can say
 * which is later, so the order is fetched if possible.
 */
export function payloadAfter(
  before: Pick<OrderImport, "status" | "payload" | "external_updated_at" | "seen">,
  order: PlatformOrder | null,
  fetchable: boolean,
): PlatformOrder | null {
  const { status, payload, external_updated_at, seen } = before;
  if (!fetchable) return laterOf(payload, order);
  if (order === null || (isQueued(status) && payload === null)) return null;
  if (external_updated_at === order.updated_at && !isAlike(seen, seenOf(order))) return null;
  if (payload?.updated_at === order.updated_at && !isAlike(seenOf(payload), seenOf(order))) return null;
  return laterOf(payload, order);
}

const isAlike = (one: SeenPlatformOrder | null, other: SeenPlatformOrder): boolean =>
  (Object.keys(other) as (keyof SeenPlatformOrder)[]).every((part) => one?.[part] === other[part]);

/** What to do with a platform's order. */
export type PlatformImportStep = "nothing" | "create" | "wait" | "ignore" | "cancel" | "change" | "hold" | "note";

/**
 * What to do with an order, whether it exists here or not. A version older than the last one changes nothing, so
 * notifications may arrive in any order.
 */
export function stepOf(
  order: PlatformOrder,
  before: Pick<OrderImport, "external_updated_at">,
  exists: boolean,
): PlatformImportStep {
  if (order.updated_at < (before.external_updated_at ?? 0)) return "nothing";
  if (!exists) {
    if (order.state === "open") return order.lines.length === 0 ? "ignore" : "create";
    return order.state === "unpaid" ? "wait" : "ignore";
  }
  if (order.state === "cancelled") return "cancel";
  if (order.state === "unpaid") return "hold";
  return order.state === "open" ? "change" : "note";
}

/** The import's status after an order in this state was processed, and why there is no order here yet. */
export function outcomeOf(state: PlatformOrderState, exists: boolean) {
  const outcome = (action: ImportAction, code: string | null = null, message: string | null = null) => {
    return { action, code, message };
  };
  if (exists) return outcome("import");
  if (state === "unpaid") return outcome("wait", "unpaid", "The order is not paid yet, according to the platform.");
  if (state === "cancelled")
    return outcome("ignore", "cancelled", "The order was cancelled at the platform" + " before it was imported.");
  if (state === "done") return outcome("ignore", "done", "The order was sent already, according to the platform.");
  return outcome("ignore", "nothing_to_send", "The order has nothing to send.");
}

const digest = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("base64url");

/** The digests of an order, by which its next version shows what changed at the platform. */
export function seenOf({ state, address, lines, shipping_method, notes, currency }: PlatformOrder): SeenPlatformOrder {
  // The unit price after discounts in hundredths, as it was digested before lines had totals and currencies decimals.
  const hundredths = 100 / 10 ** decimalsOf(currency);
  const parts = lines.map((line) => {
    const price = (totalOf(line) * hundredths) / Math.max(1, line.quantity);
    return [line.external_id, line.sku, line.variant_id, line.quantity, price];
  });
  return {
    state,
    address: digest(address),
    lines: digest(parts),
    shipping_method: digest(shipping_method),
    notes: digest(notes),
  };
}

/** The total of the units left of a line, in cents. */
const totalOf = ({ quantity, unit_price_cents, total_cents }: PlatformLine) =>
  total_cents ?? quantity * unit_price_cents;

/**
 * Text that fits a field: without control characters and outer spaces, and cut if it is too long; an empty one is null.
 */
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

/** As `fitted`, for text that keeps its line breaks. */
export function fittedNotes(text: string | null, max: number): string | null {
  const lines = (text ?? "").split(/\r\n?|\n/).map((line) => fitted(line, max) ?? "");
  const whole = lines
    .join("\n")
    .trim()
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, "");
  return whole === "" ? null : whole;
}

/** First and last name from a whole one. */
export function namesOf(name: string | null): { first_name: string | null; last_name: string | null } {
  const words = (fitted(name, 200) ?? "").split(/\s+/).filter(Boolean);
  const last = words.length > 1 ? (words.pop() ?? null) : null;
  return { first_name: fitted(words.join(" "), 100), last_name: fitted(last, 100) };
}

const email = /^[^\s@\p{Cc}\ufffd]{1,64}@[^\s@\p{Cc}\ufffd]+$/u;
const email_characters_max = 254;

/** The buyer's e-mail address; if the platform has none that can be one, a reserved address that nobody has. */
export function emailOf(platform: Platform, connection_id: number, order: PlatformOrder): string {
  const given = order.email?.trim() ?? "";
  if (given.length <= email_characters_max && email.test(given) && !isErasedEmail(given)) return given;
  const id = order.external_id.replace(/[^A-Za-z0-9-]/g, "-").slice(0, 40);
  return `order-${connection_id}-${id}@${platform}.invalid`;
}

/** The address of an order as a customer's address; missing fields stay empty. */
export function addressOf({ address, customer_name, phone }: PlatformOrder): AddressFields {
  const company = fitted(address?.company, 200);
  const name = fitted(address?.name ?? customer_name, 200) ?? company ?? "";
  return {
    ...addressDefaults,
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

/** A line as it is ordered here. */
export interface WantedLine {
  readonly external_id: string;
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unit_price_cents: number;
  readonly total_cents: number;
}

/**
 * The lines of an order with the SKU of each: the platform's, or if no product could have that, one made of the
 * platform's name and the variant's id. Refuses: validation_failed (a quantity beyond a million).
 */
export function wantedLines(platform: Platform, { lines }: PlatformOrder): WantedLine[] {
  return lines.map((line, at) => {
    const { external_id, quantity, unit_price_cents } = line;
    const whole = Number.isInteger(quantity) && quantity >= 1 && quantity <= units_max;
    if (!whole) throw invalid(`lines[${at}].quantity`, `must be 1 to ${units_max}`);
    const sku = skuOf(platform, line);
    const costs = { unit_price_cents, total_cents: totalOf(line) };
    return { external_id, sku, name: fitted(line.name, 200) ?? sku, quantity, ...costs };
  });
}

function skuOf(platform: Platform, { sku, variant_id }: PlatformLine): string {
  const given = sku?.trim() ?? "";
  return isSku(given) ? given : `${platform}-${fitted(variant_id, 60) ?? "unknown"}`;
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

/**
 * The numbers that an order may get here, the plainest first: the later of two orders with one number gets a suffix.
 */
export function numbersFor(prefix: string, { number, external_id }: PlatformOrder): string[] {
  const own = fitted(number, number_characters_max) ?? fitted(external_id, number_characters_max) ?? "order";
  const first = prefix + own;
  const suffixed = Array.from({ length: numbers_tried }, (_, at) => `${first}-${at + 2}`);
  const all = [first, ...suffixed, `${first}-${fitted(external_id, 40) ?? ""}`];
  // An order number may not look like an order's id.
  return all.filter((text) => !/^ord_\d+$/.test(text) && text.length <= 100);
}
