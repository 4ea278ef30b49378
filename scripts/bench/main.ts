// `bun run bench`: what requests cost, how long others wait, and what growth does to both. See `usage`.
import { cpus } from "node:os";
import { measureActs } from "./acts.ts";
import { measureBackup } from "./backup.ts";
import { measureCarriers } from "./carriers.ts";
import { measureConventions } from "./conventions.ts";
import { fdatasyncLatency } from "./disk.ts";
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
given). The figures hold for a machine that does nothing else meanwhile.

  requests   each kind of request on the service and on its floor: a bare server that does the same rows by hand
  acts       label, pick, pack, ship and scans, each of an order that nobody has touched, on both likewise
  postgres   one and two servers on PostgreSQL against hand-written transactions, and what each act asks of it
  servers    one, two and four servers together on one PostgreSQL, and what a request costs each
  pause      how long others wait while ten thousand reservations end at once
  growth     what a change of stock costs with a million movements in the ledger, against ten thousand
  conventions  what each convention of the API (key, limit, envelope, log …) adds to a read by id
  orders     what creating, getting and listing orders costs with a million of them, against a thousand
  merchants  what requests cost in a house of fifty merchants, against one with as many products
  backup     how fast a gigabyte is backed up, against a plain compressor, and what it costs requests meanwhile
  shipping   what it costs writes that commits are shipped, against the same writes without it
  space      what an order takes of the disk, by table and index, alone and with three subscriptions
  upgrade    how long a million orders on PostgreSQL take to be upgraded, and to go back, against a plain pg_dump
  start      how soon the binary answers after its start, with and without data, and what memory it holds
  webhooks   deliveries a second against a bare loop of the same requests, and how soon an event is received
  carriers   rates of several carriers while one of them hangs, and what others notice of it`;

/** A part measures for rounds of so many seconds, prints what it found, and answers how many goals are missed. */
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
};

/** The seconds of a round and the parts that the words ask for; null when they make no sense. */
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
  const asked = readWords(words);
  if (asked === null) {
    console.error(usage);
    return 2;
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "CPU"}`;
  const disk = fdatasyncLatency();
  console.log(`${machine}, Bun ${Bun.version}, ${driver}, ${connections} connections, rounds of ${asked.seconds} s`);
  console.log(`fdatasync of 4 KiB: p50 ${disk.p50_ms.toFixed(2)} ms, p99 ${disk.p99_ms.toFixed(2)} ms`);
  let missed = 0;
  for (const name of asked.named) missed += (await parts[name]?.(asked.seconds)) ?? 0;
  console.log(missed === 0 ? "\nEvery goal is met." : `\n${missed} goals are missed.`);
  return 0;
}

process.exit(await main(process.argv.slice(2)));
