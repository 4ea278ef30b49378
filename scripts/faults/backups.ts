// Makes backups while orders come in. Each is restored and verified, and must have every order acknowledged before it
// began. In between, backups are killed at random moments and must leave nothing behind.
import { Database } from "bun:sqlite";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { client, stockUp } from "../../test/flows/service.ts";
import { runCommand, type StartedService, startCommand, startService } from "../service.ts";
import type { FaultScript } from "./fault_script.ts";

const writers = 8;
const kills_of = 4;

export const backups: FaultScript = {
  description:
    "makes backups under load, kills every fifth at a random moment, restores and verifies each of the others",
  lacks: async () => null,
  run: async (count = 200) => {
    const folder = mkdtempSync(join(tmpdir(), "packhouse-faults-backups-"));
    const service = await startService({ env: { PACKHOUSE_LOG_LEVEL: "error" } });
    try {
      return await tryBackups(service, folder, count);
    } finally {
      await service.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function run(words: readonly string[]): Promise<{ code: number; output: string }> {
  const { out, err, code } = await runCommand(words);
  return { code, output: out + err };
}

/** Returns how many checks failed, and prints each of them. */
async function tryBackups(service: StartedService, folder: string, count: number): Promise<number> {
  const load = await startLoad(service);
  const made = join(folder, "made");
  let [failed, killed, seconds] = [0, 0, 0];
  const report = (problem: string) => {
    failed += 1;
    console.log(`FAILED ${problem}`);
  };
  for (let at = 0; at < count; at += 1) {
    if (at % (kills_of + 1) === kills_of) {
      killed += 1;
      await killOne(service, made);
      continue;
    }
    const before = [...load.acknowledged];
    const backup = await run(["backup", made, "--json", "--data", service.data]);
    if (backup.code !== 0) {
      report(`backup ${at}: ${backup.output}`);
      continue;
    }
    const { place, seconds: took } = JSON.parse(backup.output);
    seconds += took;
    await check(place, join(folder, `restored_${at}`), before, (problem) => report(`backup ${at}: ${problem}`));
    rmSync(place);
  }
  const orders = await load.stop();
  const left = readdirSync(made).filter((name) => name.endsWith(".part"));
  // The last run removes what the killed runs left.
  if (left.length > 1) report(`${left.length} half-written files were left`);
  const each = (seconds / Math.max(1, count - killed)).toFixed(2);
  console.log(
    `${count - killed} backups of ${each} s, ${killed} killed, ${orders} orders in that time: ${failed} failed`,
  );
  return failed;
}

async function killOne(service: StartedService, made: string): Promise<void> {
  const child = startCommand(["backup", made, "--data", service.data]);
  await Bun.sleep(Math.random() * 600);
  child.kill("SIGKILL");
  await child.exited;
}

async function check(file: string, into: string, orders: readonly string[], report: (problem: string) => void) {
  const restored = await run(["restore", file, "--into", into]);
  if (restored.code !== 0) return report(`it was not restored: ${restored.output}`);
  const verified = await run(["verify", "--data", into]);
  if (verified.code !== 0) report(`it has differences: ${verified.output}`);
  const raw = new Database(join(into, "test.db"));
  const found = new Set(
    raw
      .query("select order_number from orders")
      .values()
      .map(([number]) => String(number)),
  );
  raw.close();
  const lost = orders.filter((number) => !found.has(number));
  if (lost.length > 0) report(`${lost.length} acknowledged orders are missing, such as ${lost[0]}`);
  rmSync(into, { recursive: true, force: true });
}

/** Creates orders with several clients at once. Returns the numbers of acknowledged orders. */
async function startLoad(service: StartedService) {
  const api = client(service.url, await service.makeKey("test"));
  const to = await stockUp(api, ["A", "B", "C"], 1_000_000);
  const line_items = ["A", "B", "C"].map((sku) => ({ sku, quantity: 1, unit_price: "5.00" }));
  const { customer_id, shipping_address_id } = to;
  const acknowledged: string[] = [];
  let [stopped, next] = [false, 0];
  const write = async () => {
    while (!stopped) {
      const order_number = `B-${next++}`;
      const { status } = await api.send("POST", "/orders", {
        customer_id,
        shipping_address_id,
        order_number,
        line_items,
      });
      if (status === 201) acknowledged.push(order_number);
      await Bun.sleep(20);
    }
  };
  const all = Array.from({ length: writers }, write);
  return {
    acknowledged,
    stop: async () => {
      stopped = true;
      await Promise.all(all);
      return acknowledged.length;
    },
  };
}
