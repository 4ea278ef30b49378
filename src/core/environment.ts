/** The two worlds of an installation: each has its own data, and an API key's prefix selects one. */
export const environments = ["live", "test"] as const;
export type Environment = (typeof environments)[number];
