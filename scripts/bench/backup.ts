// How long a backup of one gigabyte takes, compared with piping the same files through the same compressor, and what it
// costs requests during the backup.
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { default_secret_key, defaultProgram, startService } from "../service.ts";
import { env, type Ids, line, placeOrders, sender, skus, startStocked } from "./business.ts";
import { median } from "./load.ts";
import { copyOrders } from "./order_seed.ts";

const orders = 600_000;
const rounds = 3;
const writers = 8;
/** Orders per second: many times the rate of a busy warehouse. */
const paced_rate = 200;
const least_throughput = 0.5;
const most_p99 = 2;

/** Measures backups of one gigabyte. Returns how many goals are missed. */
export async function measureBackup(seconds: number): Promise<number> {
  if (Bun.which("zstd") === null) throw new Error("This part needs zstd (apt-get install zstd).");
  const { service, key } = await startStocked();
  const ids = await placeOrders(service.url, key, 1);
  await service.stop();
  const [model = ""] = ids.orders;
  copyOrders(join(service.data, "test.db"), [{ id: Number(model.replace("ord_", "")), share: 1 }], orders);
  const files = ["live.db", "test.db"].map((name) => join(service.data, name));
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  console.log(`\na backup of ${(size / 1e9).toFixed(2)} GB in ${orders} orders`);
  const place = join(service.data, "..", `${service.data.split("/").at(-1)}-backups`);

  const throughputs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const piped = await timed(["sh", "-c", `cat ${files.join(" ")} | zstd -3 -q -f -o ${place}.zst`]);
    const made = await timed(backupOf(service.data, place));
    throughputs.push(piped / made);
    console.log(`  piped through zstd in ${piped.toFixed(1)} s, backed up in ${made.toFixed(1)} s`);
    rmSync(place, { recursive: true });
    rmSync(`${place}.zst`);
  }
  const throughput = median(throughputs, (one) => one);
  console.log(`  ${throughput.toFixed(2)} of the throughput (goal: ${least_throughput})`);

  const running = await startService({ data: service.data, env });
  // The first requests to a service warm it up.
  await paced(running.url, key, ids, Bun.sleep(5000));
  const p99s: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await paced(running.url, key, ids, Bun.sleep(Math.max(seconds, 10) * 1000));
    const during = await paced(running.url, key, ids, timed(backupOf(service.data, place)));
    p99s.push(during / alone);
    console.log(`  ${paced_rate} orders a second: p99 ${alone.toFixed(1)} ms, during a backup ${during.toFixed(1)} ms`);
    rmSync(place, { recursive: true });
  }
  const p99 = median(p99s, (one) => one);
  console.log(`  p99 ${p99.toFixed(2)} times during a backup (goal: at most ${most_p99})`);
  await running.remove();
  return (throughput < least_throughput ? 1 : 0) + (p99 > most_p99 ? 1 : 0);
}

const backupOf = (data: string, place: string) => [...defaultProgram, "backup", place, "--data", data];

/** The duration of a command in seconds. */
async function timed(words: readonly string[]): Promise<number> {
  const begun_at = performance.now();
  const surroundings = { ...process.env, PACKHOUSE_SECRET_KEY: default_secret_key };
  const child = Bun.spawn([...words], { env: surroundings, stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")} failed`);
  return (performance.now() - begun_at) / 1000;
}

/** The 99th percentile (ms) of order creation at a steady rate until `end` settles. */
async function paced(url: string, key: string, { customer_id, shipping_address_id }: Ids, end: Promise<unknown>) {
  const send = sender(url, key);
  const took: number[] = [];
  let ended = false;
  void end.then(() => {
    ended = true;
  });
  const begun_at = performance.now();
  const write = async (writer: number) => {
    for (let at = 0; !ended; at += 1) {
      const due = begun_at + ((at + writer / writers) * 1000 * writers) / paced_rate;
      if (due > performance.now()) await Bun.sleep(due - performance.now());
      // A request that is sent late because the one before it was slow counts from the time it was due.
      const order_number = `P-${begun_at}-${writer}-${at}`;
      const line_items = [line(skus[at % skus.length] ?? "")];
      await send("/orders", { order_number, customer_id, shipping_address_id, line_items });
      took.push(performance.now() - due);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  await end;
  took.sort((one, other) => one - other);
  return took[Math.floor(took.length * 0.99)] ?? 0;
}
