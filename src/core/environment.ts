// In its own file since every layer imports it.
/** The two environments of an installation. Each has its own data; an API key's prefix selects one. */
export const environments = ["live", "test"] as const;
export type Environment = (typeof environments)[number];
