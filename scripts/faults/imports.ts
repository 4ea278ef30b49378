// Hostile CSV files, and their effect on other requests.
import { createDatabase, type StartedService, startService } from "../service.ts";
import { type FaultScript, onBothEngines } from "./fault_script.ts";

const file_bytes = 9 << 20;
const at_once = 30;
const quiet_ms = 3000;
const ratio_max = 30;
const floor_ms = 20;

const head = "sku,name\n";
const files: Readonly<Record<string, string>> = {
  "no line break": head + "x".repeat(file_bytes),
  "line breaks alone": head + "\n".repeat(file_bytes),
  "separators alone": head + ",".repeat(file_bytes),
  "a quote that stays open": `${head}"${"x,y,z\n".repeat(file_bytes / 6)}`,
  "rows that cannot be read": head + 'A,5" pipe\n'.repeat(file_bytes / 10),
};

export const imports: FaultScript = {
  description: "sends hostile files of CSV, one and thirty at a time, and measures how long other requests wait",
  lacks: async () => null,
  run: () => onBothEngines(attackAll),
};

async function attackAll(engine: string, server_url: string | null): Promise<number> {
  const database_url = server_url && (await createDatabase(server_url));
  const service = await startService({ database_url, env: { PACKHOUSE_LOG_LEVEL: "error" } });
  try {
    const key = await service.makeKey("test");
    const quiet = await latencies(service, key, Bun.sleep(quiet_ms));
    console.log(`${`${engine}, quiet`.padEnd(32)} ${told(quiet)}`);
    let failed = 0;
    for (const [name, file] of Object.entries(files)) {
      for (const count of [1, at_once]) failed += await attack(service, key, { name, file, count, quiet });
    }
    return failed;
  } finally {
    await service.remove();
  }
}

interface Attack {
  readonly name: string;
  readonly file: string;
  readonly count: number;
  readonly quiet: readonly number[];
}

async function attack(service: StartedService, key: string, { name, file, count, quiet }: Attack): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "text/csv" };
  const send = async () => {
    const answer = await fetch(`${service.url}/v1/products/import`, { method: "POST", headers, body: file });
    await answer.text();
    return answer.status;
  };
  const began = performance.now();
  const sent = Promise.all(Array.from({ length: count }, send));
  const waits = await latencies(service, key, sent);
  const statuses = Object.entries(Object.groupBy(await sent, String)).map(
    ([status, all]) => `${all?.length} × ${status}`,
  );
  const took = ((performance.now() - began) / 1000).toFixed(1);
  const ratio = at(waits, 0.99) / Math.max(at(quiet, 0.99), floor_ms);
  console.log(`${`${count} × ${name}`.padEnd(32)} ${told(waits)}, ${ratio.toFixed(1)} times; ${statuses} in ${took} s`);
  if (ratio <= ratio_max) return 0;
  console.log(`FAILED: other requests waited more than ${ratio_max} times as long as on an idle service`);
  return 1;
}

/** How long requests take, one after another, until `until` settles; sorted, in ms. */
async function latencies({ url }: StartedService, key: string, until: Promise<unknown>): Promise<number[]> {
  let is_over = false;
  const over = until.finally(() => {
    is_over = true;
  });
  const found: number[] = [];
  while (!is_over) {
    const began = performance.now();
    await (await fetch(`${url}/v1/products?limit=1`, { headers: { authorization: `Bearer ${key}` } })).text();
    found.push(performance.now() - began);
    await Bun.sleep(5);
  }
  await over;
  return found.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
const told = (sorted: readonly number[]) =>
  `p50 ${at(sorted, 0.5).toFixed(1)} ms, p99 ${at(sorted, 0.99).toFixed(1)} ms`;
