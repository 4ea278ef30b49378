import { iso } from "../core/clock.ts";
import type { FieldProblem } from "../core/faults.ts";
import type { ContactAddress, PostalAddress } from "../core/postal_address.ts";

export const verificationStatuses = ["verified", "warning", "error", "unverified"] as const;
type VerificationStatus = (typeof verificationStatuses)[number];

/**
 * The status that follows from the findings of a check. Without a problem it is `verified`, provided that more than the
 * format of the postal code was compared.
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

/** Whether a check found that the address is undeliverable. */
export function isUndeliverable(status: VerificationStatus): boolean {
  return status === "error";
}

/** The result of an address check. */
export interface AddressVerification {
  /** `unverified` if only the format of postal codes is known for the country. */
  readonly status: VerificationStatus;
  /** `offline`, or the connector that responded, such as `easypost`. */
  readonly method: string;
  /** Problems that make the address undeliverable. */
  readonly errors: readonly FieldProblem[];
  /** Possible problems. */
  readonly warnings: readonly FieldProblem[];
  /** The complete corrected address; null without a correction. */
  readonly suggestion: PostalAddress | null;
  /** Whether it is a PO box, to which some services do not deliver. */
  readonly po_box: boolean;
  /** Whether it is a home; null if unknown. */
  readonly residential: boolean | null;
  readonly checked_at: number;
}

/** The check that is stored with an address. */
export interface StoredCheck {
  readonly verification: AddressVerification | null;
  readonly is_verified: boolean;
  /** When a carrier is due to verify the address (ms); null if none is. */
  readonly ask_at: number | null;
}

/** Whether an address counts as verified. Addresses stored before checks existed have no verification. */
export function isVerified(verification: AddressVerification | null): boolean {
  return verification !== null && hasPassed(verification.status);
}

/** A verification as the API shows it; null for an address that was never checked. */
export function verificationView(verification: AddressVerification | null, moment: (at: number) => string = iso) {
  return verification && { ...verification, checked_at: moment(verification.checked_at) };
}

/** A recipient's address as the API shows it: an unknown name, which is stored as empty text, is null. */
export function recipientView<A extends Pick<ContactAddress, "name">>(address: A) {
  return { ...address, name: address.name || null };
}

/** Whether an address names neither a recipient nor a company, so that no parcel can be sent to it. */
export function isNameless({ name, company }: Pick<ContactAddress, "name" | "company">): boolean {
  return name.trim() === "" && (company ?? "").trim() === "";
}

/** The warning about a recipient without a name; none otherwise. `remedy` says how the name is set. */
export function recipientWarnings(
  address: Pick<ContactAddress, "name" | "company">,
  path: string,
  remedy: string,
): FieldProblem[] {
  if (!isNameless(address)) return [];
  const message = `is missing: no label can be bought for a recipient without a name. ${remedy}`;
  return [{ field: `${path}name`, code: "missing", message }];
}
