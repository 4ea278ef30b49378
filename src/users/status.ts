/** Whether a user may sign in. */
export const userStatuses = ["active", "disabled"] as const;
export type UserStatus = (typeof userStatuses)[number];

/** The status of a new user. */
export const userStarts: UserStatus = "active";

/** Whether a user of this status may sign in. */
export const maySignIn = (status: UserStatus): boolean => status === "active";

/** What a membership is about: the whole house, or one merchant. */
export const covers = ["house", "merchant"] as const;
export type Covers = (typeof covers)[number];
