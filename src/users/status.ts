/** Whether a user may sign in. */
export const userStatuses = ["active", "disabled"] as const;
export type UserStatus = (typeof userStatuses)[number];
