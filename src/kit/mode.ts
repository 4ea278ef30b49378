/** The two worlds of an installation: each has its own data, and an API key's prefix selects one. */
export const modes = ["live", "test"] as const;
export type Mode = (typeof modes)[number];
