// What deliveries cost compared with a bare loop of the same requests, and how soon an event arrives.
import { join } from "node:path";
import { databaseUrl } from "../../src/core/config.ts";
import { startService } from "../service.ts";
import { env, sender } from "./business.ts";
import { median } from "./load.ts";

const rounds = 5;
const subscriptions = 8;
const events = 1000;
const deliveries = subscriptions * events;
const least_ratio = 0.6;
// As many attempts as these subscriptions may have in flight at once.
const at_once = 8 * subscriptions;
const events_per_second = 500;
const p50_goal_ms = 20;
const p99_goal_ms = 100;

type Send = ReturnType<typeof sender>;

interface Report {
  readonly count: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly waits: readonly number[];
}

/** A receiver in its own process. */
interface Receiver {
  readonly url: string;
  report(): Promise<Report>;
  forget(): Promise<void>;
  /** Waits until that many deliveries arrived, and returns them. */
  taken(count: number): Promise<Report>;
  stop(): void;
}

/** Measures deliveries. Returns how many goals are missed. With a PostgreSQL address, it measures that. */
export async function measureWebhooks(seconds: number): Promise<number> {
  const service = await startService({ env, database_url: databaseUrl });
  const send = sender(service.url, await service.makeKey("test"));
  const receiver = await openReceiver();
  // Simultaneous changes of one SKU become one event, so there are more SKUs than concurrent adjustments.
  const skus = Array.from({ length: 200 }, (_, n) => `HOOK-${Date.now()}-${n}`);
  for (const sku of skus) {
    await send("/products", { sku, name: "Hook" });
    await send("/inventory", { sku, quantity: 1000 });
  }
  let turn = 0;
  const adjust = () => send(`/inventory/${skus[turn++ % 200]}`, { adjustment: 1, reason: "found" }, "PATCH");
  const missed = (await measureRate(send, receiver, adjust)) + (await measureWait(send, receiver, adjust, seconds));
  receiver.stop();
  await service.remove();
  return missed;
}

/** Deliveries per second of pending deliveries, their attempts recorded, alternating with the bare loop. */
async function measureRate(send: Send, receiver: Receiver, adjust: () => Promise<unknown>): Promise<number> {
  const pairs: { own: number; bare: number; ratio: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    // One per second, so they wait until all are there.
    const hooks = await subscribe(send, receiver, subscriptions, { rate_limit_per_second: 1 });
    for (let n = 0; n < events; n += 50) await Promise.all(Array.from({ length: 50 }, adjust));
    const count = async (status: string) => {
      const path = (id: string) => `/webhooks/${id}/deliveries?limit=1&status=${status}`;
      const pages = await Promise.all(hooks.map((id) => send(path(id), null, "GET")));
      return pages.reduce((sum, { meta }) => sum + (meta.pagination.total as number), 0);
    };
    while ((await count("pending")) + (await count("delivered")) < deliveries) await Bun.sleep(100);
    const early = await count("delivered");
    await receiver.forget();
    const begun = performance.now();
    await Promise.all(hooks.map((id) => send(`/webhooks/${id}`, { rate_limit_per_second: null }, "PATCH")));
    // One more of each may have arrived before it was reset.
    await receiver.taken(deliveries - early - subscriptions);
    while ((await count("delivered")) < deliveries) await Bun.sleep(5);
    const own = (deliveries - early) / ((performance.now() - begun) / 1000);
    for (const id of hooks) await send(`/webhooks/${id}`, null, "DELETE");
    const bare = await bareRate(receiver);
    // The first round warms up.
    if (round > 0) pairs.push({ own, bare, ratio: own / bare });
  }
  const { own, bare, ratio } = median(pairs, (pair) => pair.ratio);
  const missed = ratio < least_ratio;
  console.log(`\n${deliveries} deliveries of ${subscriptions} subscriptions to one receiver, ${at_once} at once`);
  console.log(line("delivered and recorded", own, "/s", `${ratio.toFixed(2)} of the baseline`, missed, least_ratio));
  console.log(line("  its baseline, a bare loop", bare, "/s"));
  return missed ? 1 : 0;
}

function subscribe(send: Send, { url }: Receiver, count: number, fields: object): Promise<string[]> {
  const one = async (_: unknown, n: number) => {
    const body = { url: `${url}/hook/${n}`, events: ["inventory.updated"], ...fields };
    return (await send("/webhooks", body)).data.id as string;
  };
  return Promise.all(Array.from({ length: count }, one));
}

async function bareRate(receiver: Receiver): Promise<number> {
  const program = [process.execPath, join(import.meta.dir, "bare_sender.ts"), receiver.url, String(at_once)];
  const child = Bun.spawn(program, { stdout: "inherit", stderr: "inherit", env: { ...process.env, ...env } });
  if ((await child.exited) !== 0) throw new Error("the bare loop failed");
  const { count, first_at, last_at } = await receiver.report();
  return count / ((last_at - first_at) / 1000);
}

/** The time from the commit of an event to its receipt at a steady rate of events. */
async function measureWait(send: Send, receiver: Receiver, adjust: () => Promise<unknown>, seconds: number) {
  await receiver.forget();
  await subscribe(send, receiver, 1, {});
  const count = events_per_second * Math.max(4, seconds);
  const begun = performance.now();
  const adjustments: Promise<unknown>[] = [];
  for (let n = 0; n < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - begun) / 1000) * events_per_second));
    for (; n < due; n += 1) adjustments.push(adjust());
    await Bun.sleep(1);
  }
  await Promise.all(adjustments);
  const { waits } = await receiver.taken(count);
  // The first second warms up.
  const sorted = waits.slice(events_per_second).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const rate = (count / ((performance.now() - begun) / 1000)).toFixed(0);
  console.log(`\nfrom an event's commit to its receipt, ${rate} events a second`);
  const [p50, p99] = [at(0.5), at(0.99)];
  console.log(line("p50", p50, "ms", "", p50 > p50_goal_ms, p50_goal_ms));
  console.log(line("p99", p99, "ms", "", p99 > p99_goal_ms, p99_goal_ms));
  return [p50 > p50_goal_ms, p99 > p99_goal_ms].filter(Boolean).length;
}

function line(name: string, figure: number, unit: string, note = "", missed = false, goal = 0): string {
  const line = `${name.padEnd(34)}${figure.toFixed(figure < 100 ? 1 : 0).padStart(10)} ${unit}`;
  return `${line}${note === "" ? "" : `  ${note}`}${missed ? `  missed: ${goal}` : ""}`;
}

async function openReceiver(): Promise<Receiver> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "receiver.ts")], {
    ...{ stdout: "pipe" as const, stderr: "inherit" as const },
    env: { ...process.env, ...env },
  });
  const { value } = await child.stdout.getReader().read();
  const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? "";
  const report = async () => (await (await fetch(url)).json()) as Report;
  return {
    url,
    report,
    forget: async () => {
      await fetch(`${url}/forget`);
    },
    taken: async (count) => {
      const seen = async () => ((await (await fetch(`${url}/count`)).json()) as { count: number }).count;
      while ((await seen()) < count) await Bun.sleep(20);
      return await report();
    },
    stop: () => child.kill(),
  };
}
