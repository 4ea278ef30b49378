// How long rates from several carriers take while one of them hangs, and whether other requests have to wait for it.
import { startService } from "../service.ts";
import { env, sender } from "./business.ts";

const at_once = 100;
// The limit for the whole response, including the connector that never responds.
const deadline_ms = 8000;
// A quick read alongside may take this much longer than alone, plus a little that any machine takes now and then.
const slower_max = 3;
const hiccup_ms = 25;

const question = JSON.stringify({ from_zip: "43215", to_zip: "90210", weight: 2.5, weight_unit: "lb" });

/** A carrier's API in Karrio's format: one quotes at once, the other never responds. */
function openCarrier(hangs: boolean) {
  const rate = { id: "rat_1", carrier_name: "swift", carrier_id: "swift", service: "ground", test_mode: true };
  const answer = { messages: [], rates: [{ ...rate, total_charge: 7.5, currency: "USD", transit_days: 3 }] };
  const quote = () => Response.json(answer);
  const never = () => new Promise<Response>(() => {});
  return Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 60, fetch: hangs ? never : quote });
}

/** Measures concurrent rate requests while one carrier hangs. Returns how many goals are missed. */
export async function measureCarriers(seconds: number): Promise<number> {
  // Each request that waits for the hanging carrier is slow, which writes a log line.
  const service = await startService({ env: { ...env, PACKHOUSE_LOG_LEVEL: "error" } });
  const key = await service.makeKey("test");
  const send = sender(service.url, key);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const [quick, hung] = [openCarrier(false), openCarrier(true)];
  const add = ({ port }: { port?: number | undefined }) => {
    const credentials = { api_url: `http://127.0.0.1:${port}`, api_key: `bench-key-${port}` };
    return send("/shipping/carrier_accounts", { connector: "karrio", credentials });
  };
  const ask = async () => {
    const answer = await fetch(`${service.url}/v1/shipping/rates`, { method: "POST", headers, body: question });
    if (!answer.ok) throw new Error(`rates returned ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { data: { rates: { carrier: string }[]; messages: { code: string }[] } };
  };
  const look = async () => {
    await (await fetch(`${service.url}/v1/shipping/carriers`, { headers })).arrayBuffer();
  };
  await add(quick);
  for (let n = 0; n < 3; n += 1) await crowd(ask);
  const alone = { rates: await crowd(ask), reads: await readsDuring(look, Bun.sleep(seconds * 1000)) };
  await add(hung);
  // Every request of this batch waits for the hanging carrier. Later requests know that it hangs.
  const waiting = crowd(ask);
  const reads = await readsDuring(look, waiting);
  const [first, next] = [await waiting, await crowd(ask)];
  const all = await ask();
  await service.remove();
  for (const carrier of [quick, hung]) await carrier.stop(true);
  if (!all.data.rates.some(({ carrier }) => carrier === "swift") || all.data.messages.length === 0) {
    throw new Error(`the carriers were not called: ${JSON.stringify(all)}`);
  }

  const goals = [
    line(`rates of 2 carriers, ${at_once} at once, p99`, alone.rates, null),
    line("  while a third hangs", first, deadline_ms),
    line("  and once it is known to hang", next, deadline_ms / 10),
    line("a read alongside, p99", alone.reads, null),
    line("  while a third hangs", reads, alone.reads * slower_max + hiccup_ms),
  ];
  return goals.filter((missed) => missed).length;
}

/** The 99th percentile of equal requests that are sent at once, in milliseconds. */
async function crowd(ask: () => Promise<unknown>): Promise<number> {
  const took = Array.from({ length: at_once }, async () => {
    const begun = performance.now();
    await ask();
    return performance.now() - begun;
  });
  return p99(await Promise.all(took));
}

/** How long reads take, one after another, until `other` is done. */
async function readsDuring(read: () => Promise<void>, other: Promise<unknown>): Promise<number> {
  let is_done = false;
  const done = other.then(() => {
    is_done = true;
  });
  const took: number[] = [];
  while (!is_done) {
    const begun = performance.now();
    await read();
    took.push(performance.now() - begun);
    await Bun.sleep(5);
  }
  await done;
  return p99(took);
}

function p99(took: readonly number[]): number {
  const sorted = took.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN;
}

function line(name: string, ms: number, goal: number | null): boolean {
  const missed = goal !== null && ms > goal;
  const goal_text = goal === null ? "" : `  goal: at most ${goal.toFixed(0)}${missed ? "  missed" : ""}`;
  console.log(`${name.padEnd(44)}${ms.toFixed(1).padStart(10)} ms${goal_text}`);
  return missed;
}
