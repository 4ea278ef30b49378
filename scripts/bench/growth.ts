// What a write costs when the ledger is a hundred times as long.
import { join } from "node:path";
import { startService } from "../service.ts";
import { type Figures, load, type Shot } from "./load.ts";
import { fillLedger } from "./seed.ts";

const sizes = [10_000, 1_000_000] as const;
const worst_ratio = 1.2;

/** What is measured, what is there to measure it with, and how. */
export interface Growth {
  readonly shots: readonly { readonly name: string; readonly shot: Shot }[];
  /** Fills the fresh service through its API. */
  readonly stockUp: (url: string, key: string) => Promise<void>;
  readonly connections: number;
  readonly seconds: number;
  readonly middle: (figures: readonly Figures[]) => Figures;
}

/** Measures each shot with ten thousand movements and with a million; answers how many cost over 1.2 times as much. */
export async function measureGrowth({ shots, stockUp, connections, seconds, middle }: Growth): Promise<number> {
  const first = await startService({ env: { NODE_ENV: "production" } });
  const key = await first.makeKey("test");
  await stockUp(first.url, key);
  await first.stop();
  const figures: Figures[][] = [];
  let begin = 0;
  for (const size of sizes) {
    fillLedger(join(first.data, "test.db"), size);
    const service = await startService({ data: first.data, env: { NODE_ENV: "production" } });
    const own: Figures[] = [];
    for (const { shot } of shots) {
      const rounds: Figures[] = [];
      for (let round = 0; round < 4; round += 1) {
        begin += 1_000_000;
        rounds.push(await load({ url: service.url, key, shot, connections, seconds, first: begin }));
      }
      // The first round warms the service and its cache.
      own.push(middle(rounds.slice(1)));
    }
    figures.push(own);
    await (size === sizes[1] ? service.remove() : service.stop());
  }
  let missed = 0;
  console.log(`\ncost with ${sizes[1]} movements against ${sizes[0]} (goal: at most ${worst_ratio})`);
  for (const [at, { name }] of shots.entries()) {
    const [few, many] = figures.map((own) => own[at]?.requests_per_second ?? 0) as [number, number];
    const ratio = few / many;
    if (ratio > worst_ratio) missed += 1;
    const said = [few, many].map((it) => it.toFixed(0).padStart(10)).join("");
    console.log(`${name.padEnd(34)}${said}${ratio.toFixed(2).padStart(20)}${ratio > worst_ratio ? " missed" : ""}`);
  }
  return missed;
}
