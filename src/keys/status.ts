/** The status of a key. It follows from two dates: only time and `revoke` change it. */
export const keyStatuses = ["active", "expired", "revoked"] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/** Whether a key is valid. */
export const isActive = (status: KeyStatus): boolean => status === "active";

/** The code with which a key that has ended is refused; null for one that is active. */
export const endedCode = {
  active: null,
  expired: "api_key_expired",
  revoked: "api_key_revoked",
} as const satisfies Readonly<Record<KeyStatus, string | null>>;
