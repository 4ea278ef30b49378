/** What became of a key. It follows from two dates, and nothing but time and `revoke` moves it. */
export const keyStatuses = ["active", "expired", "revoked"] as const;
export type KeyStatus = (typeof keyStatuses)[number];
