// The volume of the marathons: simulations, kills, fuzzing, and every size and color scheme of each screen.
// `bun run test` runs each at a small volume, `bun run test long` at full volume. TEST_VOLUME=long does the same for
// `bun test`.

/** Whether this is the long run. */
export const isLong = process.env["TEST_VOLUME"] === "long";

/** How often something is done: `short` times in `bun run test`, `long` times in the long run. */
export const volume = (short: number, long: number): number => (isLong ? long : short);

/** The seed of a marathon: the same each time, unless `SEED` is set. Other seeds may find new failures. */
export const seed = Number(process.env["SEED"] ?? 20_260_301);

/** The settings of a property of fast-check. */
export const tries = (numRuns: number) => ({ seed, numRuns });
