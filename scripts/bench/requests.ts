// Each kind of request on the service and on its baseline, alternately.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { env, type Ids, placeOrders, skus, startStocked } from "./business.ts";
import { type Figures, load, median, type Shot } from "./load.ts";
import { adjust, askRates, createOrder, listOrders, listStock, orderById, reserveHot, reserveSome } from "./shots.ts";

/** How often each kind of request is measured. */
export const rounds = 3;
const order_count = 3000;
const sku_count = 100_000;

/** One kind of request. */
interface Measured {
  readonly name: string;
  /** The request of a round, counted from zero, to the service and then to its baseline. */
  readonly shot: (round: number) => Shot;
  /** The smallest acceptable share of the baseline. */
  readonly goal: number | null;
  /** A rate (requests per second) that is good enough whatever the baseline achieves. */
  readonly least?: number;
}

/** A round on the service and one on its baseline. */
interface Pair {
  readonly own: Figures;
  readonly bare: Figures;
  readonly ratio: number;
}

/** Measures the most frequent requests. Returns how many goals are missed. */
export async function measureRequests(seconds: number): Promise<number> {
  const { service, key } = await startStocked(sku_count - skus.length);
  const ids: Ids = await placeOrders(service.url, key, order_count);
  const missed = await measureAgainstBaseline({ service, key, seconds }, [
    { name: "order create (3 lines)", shot: () => createOrder(ids), goal: 0.6 },
    { name: "reserve (1 of 200 SKUs)", shot: () => reserveSome, goal: null },
    { name: "reserve (1 hot SKU)", shot: () => reserveHot, goal: null },
    { name: "adjust", shot: () => adjust, goal: null },
    { name: `inventory, list of 50 of ${sku_count}`, shot: () => listStock, goal: null },
    { name: "order by id", shot: () => orderById(ids), goal: 0.6 },
    { name: "orders, list of 50", shot: () => listOrders, goal: 0.6 },
    { name: "rates (3 cards)", shot: () => askRates, goal: null, least: 3000 },
  ]);
  await service.remove();
  return missed;
}

interface Measuring {
  readonly service: { readonly url: string; readonly data: string };
  readonly key: string;
  readonly seconds: number;
}

/** Measures each kind of request on a service and on its baseline, alternately. Returns how many goals are missed. */
export async function measureAgainstBaseline(
  { service, key, seconds }: Measuring,
  measured: readonly Measured[],
): Promise<number> {
  const baseline = await startBaseline(service.data);
  const heads = ["req/s", "p50 ms", "p99 ms", "ratio"].map((it) => it.padStart(10)).join("");
  console.log(`\n${"".padEnd(34)}${heads}`);
  let missed = 0;
  let first = 0;
  for (const { name, shot, goal, least = 0 } of measured) {
    const fire = (url: string, round: number) => {
      first += 1_000_000;
      return load({ url, key, shot: shot(round), seconds, first });
    };
    const pairs: Pair[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [own, bare] = [await fire(service.url, round), await fire(baseline.url, round)];
      pairs.push({ own, bare, ratio: own.requests_per_second / bare.requests_per_second });
    }
    // Each round is compared with the baseline's right after it: other load on the machine slows both.
    const { ratio } = median(pairs, (pair) => pair.ratio);
    const speed = ({ requests_per_second }: Figures) => requests_per_second;
    const { own } = median(pairs, (pair) => speed(pair.own));
    const short = goal !== null && ratio < goal;
    const slow = speed(own) < least;
    if (short || slow) missed += 1;
    const verdict = ratio.toFixed(2).padStart(10) + (short ? ` < ${goal}` : "") + (slow ? `  < ${least} req/s` : "");
    console.log(row(name, own, verdict));
    console.log(row("  its baseline", median(pairs, ({ bare }) => speed(bare)).bare));
  }
  baseline.stop();
  return missed;
}

/** The baseline, on a copy of the service's database. */
async function startBaseline(data: string): Promise<{ url: string; stop: () => void }> {
  const copy = join(data, "baseline.db");
  const original = new Database(join(data, "test.db"), { readonly: true });
  original.run(`vacuum into '${copy}'`);
  original.close();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "baseline.ts"), copy], {
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, ...env },
  });
  const { value } = await child.stdout.getReader().read();
  const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? "";
  return { url, stop: () => child.kill() };
}

function row(name: string, { requests_per_second, p50_ms, p99_ms, failed }: Figures, verdict = ""): string {
  const cells = [requests_per_second.toFixed(0), p50_ms.toFixed(1), p99_ms.toFixed(1)].map((it) => it.padStart(10));
  return `${name.padEnd(34)}${cells.join("")}${verdict}${failed === 0 ? "" : `  ${failed} refused`}`;
}
