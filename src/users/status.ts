/** Whether a user may sign in. */
export const userStatuses = ["active", "disabled"] as const;
export type UserStatus = (typeof userStatuses)[number];

/** The status of a new user. */
export const userStarts: UserStatus = "active";

/** Whether a user of this status may sign in. */
export const maySignIn = (status: UserStatus): boolean => status === "active";
