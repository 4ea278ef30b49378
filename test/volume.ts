// How much the marathons do: simulations, kills, fuzzing, and every look at the dashboard. `bun run test` gives each
// of them a small share with a fixed seed. `bun run test long` runs all of it; TEST_VOLUME=long says so to `bun test`.

/** Whether this is the long run. */
export const isLong = process.env["TEST_VOLUME"] === "long";

/** How often something is done: `short` times in `bun run test`, `long` times in the long run. */
export const volume = (short: number, long: number): number => (isLong ? long : short);

/** The seed of a marathon: the same each time, unless `SEED` is set. Other seeds find what is new. */
export const seed = Number(process.env["SEED"] ?? 20_260_301);

/** The settings of a property of fast-check. */
export const tries = (numRuns: number) => ({ seed, numRuns });
