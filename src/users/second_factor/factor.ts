/** The second factor of a user, as it is kept. */
export interface SecondFactor {
  readonly user_id: number;
  /** Sealed for `second_factor_purpose`. */
  readonly secret: string;
  /** When its first code was shown; null while it is being set up. */
  readonly confirmed_at: number | null;
  /** The last period of which a code was taken. */
  readonly last_period: number;
  readonly created_at: number;
}

/** What the secret is sealed for. */
export const second_factor_purpose = "users.second_factor";

export const factorStatuses = ["off", "pending", "on"] as const;
type FactorStatus = (typeof factorStatuses)[number];

/** Where a user's second factor stands. */
export function factorStatus(factor: SecondFactor | null): FactorStatus {
  if (factor === null) return "off";
  return factor.confirmed_at === null ? "pending" : "on";
}
