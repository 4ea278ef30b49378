import { readPlace } from "../addresses/offline_verification.ts";
import { iso, isoOrNull } from "../core/clock.ts";
import { Fault, invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import type { NamedAddress } from "../core/postal_address.ts";
import { checkTimezone } from "../core/time_zone.ts";
import { allowedActions } from "../core/transitions.ts";
import type { UpdateMerchant } from "./merchant.schema.ts";
import { isClosed, isUnnamed, type MerchantStatus, merchantTransitions } from "./merchant.transitions.ts";

/** Whom the house asks about a merchant. */
interface MerchantContact {
  name: string | null;
  email: string | null;
  phone: string | null;
}

/** Whose goods lie in the house and whose orders leave it: the same record, with the same id, in both worlds. */
export interface Merchant {
  readonly id: number;
  /** What people and requests call it by; it never changes. */
  readonly code: string;
  readonly name: string;
  readonly legal_name: string | null;
  readonly status: MerchantStatus;
  readonly currency: string;
  /** IANA time zone. */
  readonly timezone: string;
  readonly contact: MerchantContact | null;
  readonly return_address: NamedAddress | null;
  /** Who its parcels say they come from; its name, where null. */
  readonly ship_from_name: string | null;
  /** Whether it may buy labels by itself, at the house's cost. */
  readonly may_buy_labels: boolean;
  /** `#1f6feb`, by which screens tell it from others. */
  readonly colour: string | null;
  readonly metadata: Record<string, unknown>;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly suspended_at: number | null;
  readonly closed_at: number | null;
}

/**
 * The name in which a merchant's parcels leave, and which buyers read; null for the first merchant as long as nobody
 * has named it: the warehouse's stands there then.
 */
export function senderName({
  code,
  name,
  ship_from_name,
}: Pick<Merchant, "code" | "name" | "ship_from_name">): string | null {
  return ship_from_name ?? (isUnnamed(code, name) ? null : name);
}

/** The merchant as the API shows it. */
export function merchantView(merchant: Merchant) {
  const { id, suspended_at, closed_at, created_at, updated_at, ...fields } = merchant;
  return {
    id: wireId("merchant", id),
    ...fields,
    allowed_actions: allowedActions(merchantTransitions, merchant.status, false),
    created_at: iso(created_at),
    updated_at: iso(updated_at),
    suspended_at: isoOrNull(suspended_at),
    closed_at: isoOrNull(closed_at),
  };
}

/** What a client says of a merchant. */
export type MerchantFields = Pick<
  Merchant,
  | "name"
  | "legal_name"
  | "currency"
  | "timezone"
  | "contact"
  | "return_address"
  | "ship_from_name"
  | "may_buy_labels"
  | "colour"
  | "metadata"
>;

/** What a merchant has of which nothing is said, beside what the house gives it. */
export const merchantDefaults = {
  legal_name: null,
  contact: null,
  return_address: null,
  ship_from_name: null,
  may_buy_labels: false,
  colour: null,
  metadata: {},
} as const satisfies Partial<MerchantFields>;

/** Refuses: validation_failed, for a code that would be read as an id. */
export function checkCode(code: string): void {
  if (!/[A-Z]/.test(code)) throw invalid("code", "must hold a letter: digits alone are read as an id");
}

/** What a request says, in the form in which it is kept; `name` is the merchant's. Refuses: validation_failed. */
export function readFields(input: Omit<UpdateMerchant, "code">, name: string): Partial<MerchantFields> {
  const { contact, return_address, colour, timezone, ...plain } = input;
  if (timezone !== undefined) checkTimezone(timezone);
  return {
    ...fieldsOf(plain),
    ...(timezone !== undefined && { timezone }),
    ...(contact !== undefined && { contact: contact && contactOf(contact) }),
    ...(return_address !== undefined && {
      return_address: return_address && readPlace(return_address, name, "return_address"),
    }),
    ...(colour !== undefined && { colour: colour?.toLowerCase() ?? null }),
  };
}

type PlainMerchantFields = Pick<
  UpdateMerchant,
  "name" | "legal_name" | "currency" | "ship_from_name" | "may_buy_labels" | "metadata"
>;

/** The fields that are kept as they are sent; what a client may send back is left out. */
function fieldsOf({ name, legal_name, currency, ship_from_name, may_buy_labels, metadata }: PlainMerchantFields) {
  return {
    ...(name !== undefined && { name }),
    ...(legal_name !== undefined && { legal_name }),
    ...(currency !== undefined && { currency }),
    ...(ship_from_name !== undefined && { ship_from_name }),
    ...(may_buy_labels !== undefined && { may_buy_labels }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** A contact with everything that a request leaves out; null where it says nothing. */
function contactOf({ name = null, email = null, phone = null }: Partial<MerchantContact>): MerchantContact | null {
  return name === null && email === null && phone === null ? null : { name, email, phone };
}

/** What a closed merchant is refused: that something is made for it, or that units come into its stock. */
const no_more = { made: "nothing new can be made for it", stock: "no units of it can come into stock" } as const;
export type ForMerchant = keyof typeof no_more;

/** Refuses to make something for a merchant that is closed, or to let its units in. Refuses: merchant_closed. */
export function refuseClosed({ code, status }: Pick<Merchant, "code" | "status">, what: ForMerchant = "made"): void {
  if (!isClosed(status)) return;
  throw new Fault("merchant_closed", `The merchant ${code} is closed: ${no_more[what]}.`, { merchant: code });
}

/** What of a merchant is still in the house, in one world. */
export interface OpenMerchantWork {
  readonly open_orders: number;
  readonly units: number;
}

/**
 * Refuses to close a merchant of whom something is still there, in either world.
 * Refuses: merchant_not_empty.
 */
export function refuseOpenWork(merchant: Merchant, world: "live" | "test", left: OpenMerchantWork): void {
  const { open_orders, units } = left;
  if (open_orders === 0 && units === 0) return;
  const [orders, stock] = [counted(open_orders, "open order"), counted(units, "unit")];
  const said = [open_orders > 0 ? orders : "", units > 0 ? `${stock} in stock` : ""].filter((text) => text !== "");
  const where = world === "test" ? " in the test world" : "";
  const message = `${merchant.code} still has ${said.join(" and ")}${where}: let them leave, or take them out, first.`;
  throw new Fault("merchant_not_empty", message, { merchant: wireId("merchant", merchant.id), world, ...left });
}

const counted = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
