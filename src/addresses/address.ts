import { iso } from "../core/clock.ts";
import type { FieldProblem } from "../core/faults.ts";

export const verificationStatuses = ["verified", "warning", "error", "unverified"] as const;
type VerificationStatus = (typeof verificationStatuses)[number];

/**
 * What a check of an address comes to. Without a problem it is verified, provided that more than the form of its postal
 * code was compared.
 */
export function verdictOf(
  { errors, warnings }: { readonly errors: readonly object[]; readonly warnings: readonly object[] },
  compared: boolean,
): VerificationStatus {
  if (errors.length > 0) return "error";
  if (warnings.length > 0) return "warning";
  return compared ? "verified" : "unverified";
}

/** Whether a check found nothing wrong. */
export function hasPassed(status: VerificationStatus): boolean {
  return status === "verified";
}

/** Whether a check found that nothing can be delivered. */
export function isUndeliverable(status: VerificationStatus): boolean {
  return status === "error";
}

/** What of an address says where to deliver. */
export interface PostalAddress {
  readonly address_line1: string;
  readonly address_line2: string | null;
  readonly city: string;
  readonly state: string | null;
  readonly postal_code: string | null;
  /** Two-letter code of ISO 3166-1. */
  readonly country: string;
}

/** The fields of a postal address, in the order in which they are written. */
export const postalFields = ["address_line1", "address_line2", "city", "state", "postal_code", "country"] as const;

/** What a check found of an address. */
export interface AddressVerification {
  /** `unverified` when nobody knows anything of the country beside the form of its postal codes. */
  readonly status: VerificationStatus;
  /** `offline`, or the connector that answered, such as `easypost`. */
  readonly method: string;
  /** What is wrong: it cannot be delivered to as it stands. */
  readonly errors: readonly FieldProblem[];
  /** What may be wrong, and may be right. */
  readonly warnings: readonly FieldProblem[];
  /** The whole address as it probably should be; null when there is nothing better to say. */
  readonly suggestion: PostalAddress | null;
  /** Whether it is a box at a post office, to which some services do not deliver. */
  readonly po_box: boolean;
  /** Whether it is a home; null when nobody said so. */
  readonly residential: boolean | null;
  readonly checked_at: number;
}

/** A check as it is stored with an address. */
export interface StoredCheck {
  readonly verification: AddressVerification | null;
  readonly is_verified: boolean;
  /** When a carrier is to be asked about the address; null when nobody is. */
  readonly ask_at: number | null;
}

/** Whether an address counts as verified. One that was stored before there were checks has no verification. */
export function isVerified(verification: AddressVerification | null): boolean {
  return verification !== null && hasPassed(verification.status);
}

/** A verification as the API shows it; null for an address that was never checked. */
export function verificationView(verification: AddressVerification | null, moment: (at: number) => string = iso) {
  return verification && { ...verification, checked_at: moment(verification.checked_at) };
}

/** Whether two addresses are the same place, whoever lives there. */
export function isSamePlace(some: PostalAddress, other: PostalAddress): boolean {
  return postalFields.every((field) => some[field] === other[field]);
}

/** The postal fields of an address, without what else is known of it. */
export function postalOf(address: PostalAddress): PostalAddress {
  const { address_line1, address_line2, city, state, postal_code, country } = address;
  return { address_line1, address_line2, city, state, postal_code, country };
}
