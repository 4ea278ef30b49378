// `bun run bench`: what requests cost, how long others wait, and how growth affects both. See `usage`.
import { cpus } from "node:os";
import { measureActs } from "./acts.ts";
import { measureBackup } from "./backup.ts";
import { measureCarriers } from "./carriers.ts";
import { measureConventions } from "./conventions.ts";
import { fdatasyncLatency } from "./disk.ts";
import { measureFloor } from "./floor.ts";
import { measureGrowth } from "./growth.ts";
import { connections, driver } from "./load.ts";
import { measureMerchants } from "./merchants.ts";
import { measureOrders } from "./orders.ts";
import { measurePause } from "./pause.ts";
import { measurePostgres } from "./postgres.ts";
import { measureRequests } from "./requests.ts";
import { measureServers } from "./servers.ts";
import { measureShipping } from "./shipping.ts";
import { measureSpace } from "./space.ts";
import { measureStart } from "./start.ts";
import { measureUpgrade } from "./upgrade.ts";
import { measureWebhooks } from "./webhooks.ts";

const usage = `Usage: bun run bench [SECONDS] [PART ...]

Measures the service on temporary databases, all parts or the named ones. Each round of requests takes SECONDS (3 unless
given). The figures hold for an otherwise idle machine.

  requests   each kind of request on the service and on its baseline: a bare server that handles the same rows by hand
  acts       label, pick, pack, ship and scans, each on a fresh order, on both servers
  postgres   one and two servers on PostgreSQL compared with hand-written transactions, and the statements of each act
  servers    one, two and four servers on one PostgreSQL, and what a request costs each of them
  pause      how long other requests wait while ten thousand reservations expire at once
  growth     what a stock change costs with a million movements in the ledger, compared with ten thousand
  conventions  what each convention of the API (key, limit, envelope, log …) adds to a read by id
  orders     what creating, getting and listing orders costs with a million of them, compared with a thousand
  merchants  what requests cost with fifty merchants, compared with one that has as many products
  backup     how fast a gigabyte is backed up, compared with a plain compressor, and what it costs requests
  shipping   what log archiving costs writes, compared with the same writes without it
  space      how much disk space an order takes, by table and index, alone and with three subscriptions
  upgrade    how long an upgrade of a million orders on PostgreSQL takes, and its rollback, compared with pg_dump
  start      how soon the binary responds after its start, with and without data, and its memory
  webhooks   deliveries per second compared with a bare loop of the same requests, and how soon events arrive
  carriers   rates of several carriers while one of them hangs, and the effect on other requests
  floor      scans and look-ups while orders are imported and waves of 500 are planned from fifty thousand open orders`;

/** A part measures for rounds of that many seconds, prints the results, and returns how many goals are missed. */
const parts: Readonly<Record<string, (seconds: number) => Promise<number>>> = {
  requests: measureRequests,
  acts: measureActs,
  conventions: measureConventions,
  pause: measurePause,
  postgres: measurePostgres,
  servers: measureServers,
  growth: measureGrowth,
  merchants: measureMerchants,
  orders: measureOrders,
  backup: measureBackup,
  shipping: measureShipping,
  space: measureSpace,
  upgrade: measureUpgrade,
  start: measureStart,
  webhooks: measureWebhooks,
  carriers: measureCarriers,
  floor: measureFloor,
};

/** The duration of a round and the parts that the arguments name; null if they are invalid. */
function readWords(words: readonly string[]) {
  const isNumber = /^[1-9]\d?$/.test(words[0] ?? "");
  const named = isNumber ? words.slice(1) : words;
  if (!named.every((name) => Object.hasOwn(parts, name))) return null;
  return { seconds: isNumber ? Number(words[0]) : 3, named: named.length === 0 ? Object.keys(parts) : named };
}

async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const run = readWords(words);
  if (run === null) {
    console.error(usage);
    return 2;
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "CPU"}`;
  const disk = fdatasyncLatency();
  console.log(`${machine}, Bun ${Bun.version}, ${driver}, ${connections} connections, rounds of ${run.seconds} s`);
  console.log(`fdatasync of 4 KiB: p50 ${disk.p50_ms.toFixed(2)} ms, p99 ${disk.p99_ms.toFixed(2)} ms`);
  let missed = 0;
  for (const name of run.named) missed += (await parts[name]?.(run.seconds)) ?? 0;
  console.log(missed === 0 ? "\nEvery goal is met." : `\n${missed} goals are missed.`);
  return 0;
}

process.exit(await main(process.argv.slice(2)));
