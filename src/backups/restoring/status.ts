/** What may become of what waited to go out as of a backup: it goes out after all, or never does. */
export const decisions = ["send", "drop"] as const;
export type Decision = (typeof decisions)[number];
