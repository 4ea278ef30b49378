// Backups while orders come in: each is restored and verified, and nothing acknowledged before it began is missing.
// Between them backups are killed at random moments, of which nothing may be left.
import { Database } from "bun:sqlite";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { client, stockUp } from "../../test/flows/service.ts";
import { type StartedService, startService, usual_secret_key, usualProgram } from "../service.ts";
import type { FaultScript } from "./fault_script.ts";

const writers = 8;
const kills_of = 4;

export const backups: FaultScript = {
  tells: "makes backups under load, kills every fifth at a random moment, restores and verifies each of the others",
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

// Settings of the surroundings would lead it to another database.
const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("PACKHOUSE_"));
const env = { ...Object.fromEntries(kept), PACKHOUSE_SECRET_KEY: usual_secret_key };

async function run(words: readonly string[]): Promise<{ code: number; said: string }> {
  const child = Bun.spawn([...usualProgram, ...words], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, said: said.join("") };
}

/** Answers how many checks failed, and prints each that did. */
async function tryBackups(service: StartedService, folder: string, count: number): Promise<number> {
  const load = await startLoad(service);
  const made = join(folder, "made");
  let [failed, killed, seconds] = [0, 0, 0];
  const tell = (problem: string) => {
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
      tell(`backup ${at}: ${backup.said}`);
      continue;
    }
    const { place, seconds: took } = JSON.parse(backup.said);
    seconds += took;
    await check(place, join(folder, `restored_${at}`), before, (problem) => tell(`backup ${at}: ${problem}`));
    rmSync(place);
  }
  const orders = await load.stop();
  const left = readdirSync(made).filter((name) => name.endsWith(".part"));
  // The last run clears what the killed ones before it have left.
  if (left.length > 1) tell(`${left.length} half-written files were left`);
  const each = (seconds / Math.max(1, count - killed)).toFixed(2);
  console.log(`${count - killed} backups of ${each} s, ${killed} killed, ${orders} orders meanwhile: ${failed} failed`);
  return failed;
}

async function killOne(service: StartedService, made: string): Promise<void> {
  const child = Bun.spawn([...usualProgram, "backup", made, "--data", service.data], {
    env,
    stdio: ["ignore", "ignore", "ignore"],
  });
  await Bun.sleep(Math.random() * 600);
  child.kill("SIGKILL");
  await child.exited;
}

async function check(file: string, into: string, orders: readonly string[], tell: (problem: string) => void) {
  const restored = await run(["restore", file, "--into", into]);
  if (restored.code !== 0) return tell(`it was not restored: ${restored.said}`);
  const verified = await run(["verify", "--data", into]);
  if (verified.code !== 0) tell(`it has differences: ${verified.said}`);
  const raw = new Database(join(into, "test.db"));
  const found = new Set(
    raw
      .query("select order_number from orders")
      .values()
      .map(([number]) => String(number)),
  );
  raw.close();
  const lost = orders.filter((number) => !found.has(number));
  if (lost.length > 0) tell(`${lost.length} acknowledged orders are missing, such as ${lost[0]}`);
  rmSync(into, { recursive: true, force: true });
}

/** Orders by some clients at once; the numbers of those that were acknowledged. */
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
