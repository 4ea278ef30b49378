// Compares two services that differ only in how much data they hold, measured alternately.
import { type Figures, load, median, type Shot } from "./load.ts";

const rounds = 5;

/** One kind of request to both services, and the highest accepted ratio of costs; null reports it only. */
export interface Compared {
  readonly name: string;
  readonly few: Shot;
  readonly many: Shot;
  readonly worst_ratio: number | null;
  /** The API key, if it is not the same for all requests. */
  readonly key?: string;
}

export interface Pair {
  readonly few: { readonly url: string };
  readonly many: { readonly url: string };
  /** A key that both services know; a comparison may have its own. */
  readonly key?: string;
}

interface Round {
  readonly few: Figures;
  readonly many: Figures;
  readonly ratio: number;
}

/**
 * Measures each kind of request on both services, one right after the other, and takes the median of the ratios.
 * Returns how many cost too much. A first round warms up both and does not count.
 */
export async function comparePair({ few, many, key = "" }: Pair, compared: readonly Compared[], seconds: number) {
  console.log(`${"".padEnd(34)}${["few req/s", "many req/s", "cost"].map((it) => it.padStart(12)).join("")}`);
  const urls = { few: few.url, many: many.url };
  let missed = 0;
  let first = 0;
  for (const { name, worst_ratio, key: own_key = key, ...shots } of compared) {
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const fire = async (side: "few" | "many") => {
        first += 1_000_000;
        return load({ url: urls[side], key: own_key, shot: shots[side], seconds, first });
      };
      // They also alternate in going first.
      const early = round % 2 === 0 ? await fire("few") : null;
      const there = await fire("many");
      const here = early ?? (await fire("few"));
      const ratio = here.requests_per_second / there.requests_per_second;
      if (round > 0) measured.push({ few: here, many: there, ratio });
    }
    const { ratio } = median(measured, (round) => round.ratio);
    const late = worst_ratio !== null && ratio > worst_ratio;
    if (late) missed += 1;
    const speeds = (["few", "many"] as const).map((side) => {
      return median(measured, (it) => it[side].requests_per_second)[side].requests_per_second;
    });
    const cells = speeds.map((it) => it.toFixed(0).padStart(12)).join("") + ratio.toFixed(2).padStart(12);
    const refused = measured.reduce((sum, it) => sum + it.few.failed + it.many.failed, 0);
    const notes = `${late ? ` > ${worst_ratio}` : ""}${refused === 0 ? "" : `  ${refused} refused`}`;
    console.log(`${name.padEnd(34)}${cells}${notes}`);
  }
  return missed;
}
