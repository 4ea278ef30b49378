import { readPlace } from "../addresses/offline_verification.ts";
import { iso, isoOrNull } from "../core/clock.ts";
import { Fault, invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import type { ContactAddress } from "../core/postal_address.ts";
import { checkTimezone } from "../core/time_zone.ts";
import { allowedActions } from "../core/transitions.ts";
import type { UpdateMerchant } from "./merchant.schema.ts";
import { isClosed, isUnnamed, type MerchantStatus, merchantTransitions } from "./merchant.transitions.ts";

/** The contact person of a merchant. */
interface MerchantContact {
  name: string | null;
  email: string | null;
  phone: string | null;
}

/** A merchant, whose stock the operator holds and whose orders it ships. Same record and id in both environments. */
export interface Merchant {
  readonly id: number;
  /** Its short code, which never changes. */
  readonly code: string;
  readonly name: string;
  readonly legal_name: string | null;
  readonly status: MerchantStatus;
  readonly currency: string;
  /** IANA time zone. */
  readonly timezone: string;
  readonly contact: MerchantContact | null;
  readonly return_address: ContactAddress | null;
  /** The sender on its parcels; null for its name. */
  readonly ship_from_name: string | null;
  /** Whether its own keys may buy labels at the operator's cost. */
  readonly may_buy_labels: boolean;
  /** Whether its orders may be picked in one walk with those of other merchants. */
  readonly shared_waves: boolean;
  /** Its color in the dashboard, such as `#1f6feb`. */
  readonly color: string | null;
  readonly metadata: Record<string, unknown>;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly suspended_at: number | null;
  readonly closed_at: number | null;
}

/**
 * The sender on a merchant's parcels, which buyers see. Null for a first merchant without a name, which uses the
 * warehouse's.
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

/** The fields of a merchant that a client may set. */
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
  | "shared_waves"
  | "color"
  | "metadata"
>;

/** The defaults of a new merchant. */
export const merchantDefaults = {
  legal_name: null,
  contact: null,
  return_address: null,
  ship_from_name: null,
  may_buy_labels: false,
  shared_waves: true,
  color: null,
  metadata: {},
} as const satisfies Partial<MerchantFields>;

/** Refuses a code that could be mistaken for an id. Refuses: validation_failed. */
export function checkCode(code: string): void {
  if (!/[A-Z]/.test(code)) throw invalid("code", "must contain a letter, so that it cannot be mistaken for an id");
}

/** The fields of a request as they are stored. `name` is the merchant's. Refuses: validation_failed. */
export function readFields(input: Omit<UpdateMerchant, "code">, name: string): Partial<MerchantFields> {
  const { contact, return_address, color, timezone, ...plain } = input;
  if (timezone !== undefined) checkTimezone(timezone);
  return {
    ...fieldsOf(plain),
    ...(timezone !== undefined && { timezone }),
    ...(contact !== undefined && { contact: contact && contactOf(contact) }),
    ...(return_address !== undefined && {
      return_address: return_address && readPlace(return_address, name, "return_address"),
    }),
    ...(color !== undefined && { color: color?.toLowerCase() ?? null }),
  };
}

type PlainMerchantFields = Pick<
  UpdateMerchant,
  "name" | "legal_name" | "currency" | "ship_from_name" | "may_buy_labels" | "shared_waves" | "metadata"
>;

/** The fields that are stored as they are sent. */
function fieldsOf({ name, legal_name, currency, ship_from_name, metadata, ...choices }: PlainMerchantFields) {
  const { may_buy_labels, shared_waves } = choices;
  return {
    ...(name !== undefined && { name }),
    ...(legal_name !== undefined && { legal_name }),
    ...(currency !== undefined && { currency }),
    ...(ship_from_name !== undefined && { ship_from_name }),
    ...(may_buy_labels !== undefined && { may_buy_labels }),
    ...(shared_waves !== undefined && { shared_waves }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** A contact with null for missing fields; null for none. */
function contactOf({ name = null, email = null, phone = null }: Partial<MerchantContact>): MerchantContact | null {
  return name === null && email === null && phone === null ? null : { name, email, phone };
}

/** The messages for what a closed merchant is refused: new records, or incoming stock. */
const no_more = { made: "no new records can be created", stock: "no units of it can come into stock" } as const;
export type ForMerchant = keyof typeof no_more;

/** Refuses new records or incoming stock for a closed merchant. Refuses: merchant_closed. */
export function refuseClosed({ code, status }: Pick<Merchant, "code" | "status">, what: ForMerchant = "made"): void {
  if (!isClosed(status)) return;
  throw new Fault("merchant_closed", `The merchant ${code} is closed: ${no_more[what]}.`, { merchant: code });
}

/** The open orders and stock of a merchant in one environment. */
export interface OpenMerchantWork {
  readonly open_orders: number;
  readonly units: number;
}

/**
 * Refuses to close a merchant with open orders or stock in an environment.
 * Refuses: merchant_not_empty.
 */
export function refuseOpenWork(merchant: Merchant, mode: "live" | "test", left: OpenMerchantWork): void {
  const { open_orders, units } = left;
  if (open_orders === 0 && units === 0) return;
  const [orders, stock] = [counted(open_orders, "open order"), counted(units, "unit")];
  const parts = [open_orders > 0 ? orders : "", units > 0 ? `${stock} in stock` : ""].filter((text) => text !== "");
  const where = mode === "test" ? " in test" : "";
  const message = `${merchant.code} still has ${parts.join(" and ")}${where}. Ship, cancel or remove them first.`;
  throw new Fault("merchant_not_empty", message, { merchant: wireId("merchant", merchant.id), mode, ...left });
}

const counted = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
