// What a stock change costs when the ledger is a hundred times as long.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { startService } from "../service.ts";
import { env, startStocked } from "./business.ts";
import { comparePair } from "./pairs.ts";
import { fillLedger } from "./seed.ts";
import { adjust, reserveSome } from "./shots.ts";

const [few_count, many_count] = [10_000, 1_000_000];
const worst_ratio = 1.2;

/** Measures stock changes with ten thousand movements and with a million. Returns how many goals are missed. */
export async function measureGrowth(seconds: number): Promise<number> {
  const { service, key } = await startStocked();
  await service.stop();
  const many_data = `${service.data}-many`;
  await cp(service.data, many_data, { recursive: true });
  fillLedger(join(service.data, "test.db"), few_count);
  fillLedger(join(many_data, "test.db"), many_count);
  const few = await startService({ data: service.data, env });
  const many = await startService({ data: many_data, env });
  console.log(`\ncost with ${many_count} movements against ${few_count} (goal: at most ${worst_ratio})`);
  const compared = [
    { name: "adjust", few: adjust, many: adjust, worst_ratio },
    { name: "reserve (1 of 200 SKUs)", few: reserveSome, many: reserveSome, worst_ratio },
  ];
  const missed = await comparePair({ few, many, key }, compared, seconds);
  await few.remove();
  await many.remove();
  return missed;
}
