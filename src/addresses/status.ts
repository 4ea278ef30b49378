export const verificationStatuses = ["verified", "warning", "error", "unverified"] as const;
export type VerificationStatus = (typeof verificationStatuses)[number];

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
