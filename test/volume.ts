// How much the marathons do: simulations, kills, fuzzing, and every look at the dashboard. `bun run test` gives each
// of them a small share with a fixed seed. `bun run test long` runs all of it; TEST_VOLUME=long says so to `bun test`.

/** Whether this is the long run. */
export const isLong = process.env["TEST_VOLUME"] === "long";

/** How often something is done: `short` times in `bun run test`, `long` times in the long run. */
export const volume = (short: number, long: number): number => (isLong ? long : short);

/** The seed of a marathon: `SEED` where it is set, else the same in each short run and a new one in each long run. */
export const seed = Number(process.env["SEED"] ?? (isLong ? Date.now() % 1_000_000 : 20_260_301));

/** The settings of a property of fast-check: in the long run it is tried ten times as often. */
export const tries = (numRuns: number) => ({ seed, numRuns: volume(numRuns, 10 * numRuns) });
