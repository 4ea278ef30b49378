import { shownToMerchant } from "../../access/for_merchants.ts";
import type { Permission } from "../../access/permission.ts";
import {
  briefView,
  type Membership,
  type MerchantBrief,
  membershipAt,
  membershipView,
  openMemberships,
} from "../membership.ts";
import type { User } from "../user.ts";
import type { Session } from "./session.ts";

/** A merchant as its people know it. */
interface OwnMerchant extends MerchantBrief {
  readonly status: string;
  readonly may_buy_labels: boolean;
}

/** The merchants by their ids, and which of them are closed. */
interface KnownMerchants {
  byId(id: number): OwnMerchant | null;
  readonly isClosed: (id: number) => boolean;
}

/** As whom a user acts. */
export interface Acting {
  readonly membership: Membership;
  /** The merchant whose records are seen; null for the house. */
  readonly merchant: OwnMerchant | null;
  /** Whether the user is of the house, and only looks on as that merchant. */
  readonly views: boolean;
}

/**
 * As whom the user of a session acts: what the session has chosen, else the first of the memberships that are open. A
 * member of merchants may name another one for a single request. Null when there is no such membership.
 */
export function actingOf(
  { memberships }: Pick<User, "memberships">,
  { acts_for, views_as }: Pick<Session, "acts_for" | "views_as">,
  merchants: KnownMerchants,
  named: number | null,
): Acting | null {
  const open = openMemberships(memberships, merchants.isClosed);
  const own = (acts_for === null ? open[0] : membershipAt(open, acts_for)) ?? null;
  if (own === null) return null;
  if (own.merchant_id === null) {
    const viewed = views_as === null ? null : merchants.byId(views_as);
    return { membership: own, merchant: viewed, views: viewed !== null };
  }
  const membership = named === null ? own : membershipAt(open, named);
  if (membership?.merchant_id == null) return null;
  return { membership, merchant: merchants.byId(membership.merchant_id), views: false };
}

/** What screens are told that a user may do now. */
export function shownPermissions({ membership, merchant, views }: Acting): Permission[] {
  const { permissions } = membership;
  const shown = merchant === null ? [...permissions] : shownToMerchant(permissions, merchant);
  return views ? shown.filter((word) => word.endsWith(".read")) : shown;
}

/** As whom a user acts, as the API shows it. */
export function actingView({ membership, merchant, views }: Acting, merchants: KnownMerchants) {
  return {
    current: membershipView(membership, merchants),
    merchant: ownMerchantView(merchant),
    view_as: views ? briefView(merchant) : null,
  };
}

function ownMerchantView(merchant: OwnMerchant | null) {
  const brief = briefView(merchant);
  if (merchant === null || brief === null) return null;
  return { ...brief, status: merchant.status, may_buy_labels: merchant.may_buy_labels };
}
