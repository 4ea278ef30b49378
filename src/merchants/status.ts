// The states of a merchant.

export const merchantStatuses = ["active", "suspended", "closed"] as const;
export type MerchantStatus = (typeof merchantStatuses)[number];
