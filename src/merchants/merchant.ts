import { iso, isoOrNull } from "../kit/clock.ts";
import { wireId } from "../kit/ids.ts";
import { allowedActions } from "../kit/moves.ts";
import type { Place } from "../kit/place.ts";
import { isUnnamed, type MerchantStatus, merchantMoves } from "./status.ts";

/** Whom the house asks about a merchant. */
export interface Contact {
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
  readonly contact: Contact | null;
  readonly return_address: Place | null;
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
    allowed_actions: allowedActions(merchantMoves, merchant.status, false),
    created_at: iso(created_at),
    updated_at: iso(updated_at),
    suspended_at: isoOrNull(suspended_at),
    closed_at: isoOrNull(closed_at),
  };
}
