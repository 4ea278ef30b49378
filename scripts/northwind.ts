// `bun run northwind FOLDER [--url … --key …]`: runs the Northwind tables through the service as realistic input.
import { parseArgs } from "node:util";
import { awaitDeliveries, check, countEvents, type Findings } from "./northwind/checks.ts";
import { connect, type Json } from "./northwind/client.ts";
import { drive } from "./northwind/drive.ts";
import { planNorthwind } from "./northwind/mapping.ts";
import { openReceiver } from "./northwind/receiver.ts";
import { readTables } from "./northwind/tables.ts";
import { type StartedService, startService } from "./service.ts";

const usage = `Usage: bun run northwind FOLDER [--url URL --key KEY]

Reads the Northwind tables (CSV) of FOLDER and runs the business they describe through the service: customers, products,
stock, orders, picks, labels and tracking. Without --url a service with a fresh database is started and stopped again.
KEY is a test key with full permission (ph_test_…); the database must not hold this business yet.`;

/** The results of one run. */
export interface Outcome extends Findings {
  readonly seconds: number;
}

/** Runs the whole business against the service at `url` and returns the results. */
export async function runNorthwind(folder: string, url: string, key: string): Promise<Outcome> {
  const started_ms = performance.now();
  const plan = planNorthwind(await readTables(folder));
  const client = connect(url, key);
  const receiver = openReceiver();
  try {
    const events = ((await client.get("/event_types"))["data"] as Json[]).map(({ type }) => type);
    const subscription = await client.post("/webhooks", { url: receiver.url, events, description: "Northwind" });
    receiver.trust(String((subscription["data"] as Json)["secret"]));
    const before = await countEvents(client);
    await drive(client, plan);
    const written = await awaitDeliveries(client, receiver, before);
    const findings = await check(client, plan, receiver, written);
    return { ...findings, seconds: (performance.now() - started_ms) / 1_000 };
  } finally {
    await receiver.stop();
  }
}

/** The results as a readable table, followed by the differences if there are any. */
export function summary(outcome: Outcome): string {
  const { orders_by_status, units, events, stock_differences, differences, seconds } = outcome;
  const rows: readonly (readonly [string, string | number])[] = [
    ...[...orders_by_status].map(([status, count]) => [`orders ${status}`, count] as const),
    ["units received", units.received],
    ["units sold", units.sold],
    ["units on hand", units.on_hand],
    ["units reserved", units.reserved],
    ["units backordered", units.backordered],
    ["events written", events.written],
    ["events delivered, signature verified", events.delivered],
    ["deliveries refused by the receiver", events.unverified],
    ["stock against ledger and table", `${stock_differences} differences`],
    ["all differences", differences.length],
    ["time", `${seconds.toFixed(1)} s`],
  ];
  const label_width = Math.max(...rows.map(([label]) => label.length));
  const value_width = Math.max(...rows.map(([, value]) => String(value).length));
  const lines = rows.map(([label, value]) => `${label.padEnd(label_width)}  ${String(value).padStart(value_width)}`);
  return [...lines, ...differences.slice(0, 50).map((difference) => `DIFFERENCE ${difference}`)].join("\n");
}

/** The command line. Exit code 0 means no differences, 1 differences or a failure, 2 wrong usage. */
async function main(words: readonly string[]): Promise<number> {
  const wrongUse = (message: string) => {
    console.error(`${message}\n\n${usage}`);
    return 2;
  };
  let given: ReturnType<typeof readWords>;
  try {
    given = readWords(words);
  } catch (error) {
    return wrongUse(error instanceof Error ? error.message : String(error));
  }
  const { url, key, help } = given.values;
  const [folder, ...more] = given.positionals;
  if (help === true) {
    console.log(usage);
    return 0;
  }
  if (folder === undefined || more.length > 0) return wrongUse("Name one folder.");
  if ((url === undefined) !== (key === undefined)) return wrongUse("--url and --key go together.");
  let own: StartedService | null = null;
  try {
    if (url === undefined) own = await startService();
    const outcome = await runNorthwind(folder, own?.url ?? url ?? "", (await own?.makeKey("test")) ?? key ?? "");
    console.log(summary(outcome));
    const isConsistent = own === null || (await own.verify()).code === 0;
    if (!isConsistent)
      console.error("DIFFERENCE packhouse verify finds differences between the ledger and the balances.");
    return outcome.differences.length === 0 && isConsistent ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    await own?.remove();
  }
}

function readWords(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    options: { url: { type: "string" }, key: { type: "string" }, help: { type: "boolean" } },
    allowPositionals: true,
  });
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)));
