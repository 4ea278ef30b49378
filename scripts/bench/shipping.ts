// What log archiving costs writes, as ratios to the same writes without it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leases } from "../../db/schema/service.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { folderPlace } from "../../src/operations/log_archive/archive_destination.ts";
import { startLogArchiving } from "../../src/operations/log_archive/archive_logs.ts";
import { openStores } from "../../src/storage/open_stores.ts";
import { insert } from "../../src/storage/statements.ts";

const rounds = 3;
const writers = 32;
/** Several times as many writes per second as a busy warehouse has. */
const paced_rate = 1000;
const p99_ratio_most = 2;

interface Measured {
  readonly rate: number;
  readonly p99_ms: number;
}

/**
 * Measures writes with and without archiving, at full speed and at a steady rate. Returns how many goals are missed.
 */
export async function measureShipping(seconds: number): Promise<number> {
  // A shorter run would include too few uploads of segments.
  const lasting = Math.max(seconds, 12);
  console.log("\nwrites of ten rows by 32 writers, with log archiving to a folder on the same disk, and without");
  let missed = 0;
  for (const rate of [null, paced_rate]) {
    const pairs: { rate: number; p99: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [without, shipped] = [await measure(false, rate, lasting), await measure(true, rate, lasting)];
      pairs.push({ rate: shipped.rate / without.rate, p99: shipped.p99_ms / without.p99_ms });
      const figures = [without, shipped].map((it) => `${it.rate.toFixed(0)}/s, p99 ${it.p99_ms.toFixed(1)} ms`);
      console.log(`  ${figures.join("; archived ")}`);
    }
    const ratios = { rate: middle(pairs.map((pair) => pair.rate)), p99: middle(pairs.map((pair) => pair.p99)) };
    const kind = rate === null ? "as fast as they go" : `at ${rate}/s (goal: p99 at most doubled)`;
    console.log(`  ${kind}: ${ratios.rate.toFixed(2)} of the rate, p99 ${ratios.p99.toFixed(2)} times`);
    if (rate !== null && ratios.p99 > p99_ratio_most) missed += 1;
  }
  return missed;
}

async function measure(ships: boolean, rate: number | null, seconds: number): Promise<Measured> {
  const root = mkdtempSync(join(tmpdir(), "packhouse-shipping-"));
  const data = join(root, "data");
  const clock = systemClock();
  const shipping = ships
    ? startLogArchiving({
        ...{ data, place: folderPlace(join(root, "place")), log: silentLog, now: () => clock.now() },
        ...{ backUp: async () => {}, backups: async () => [] },
      })
    : null;
  const fatal = (error: unknown) => {
    throw error;
  };
  const followers = shipping?.followers;
  const stores = await openStores({ data, database_url: null, purpose: "serve", log: silentLog, fatal, followers });
  shipping?.start();
  const took: number[] = [];
  const end = performance.now() + seconds * 1000;
  const write = async (writer: number) => {
    const begun_at = performance.now();
    for (let at = 0; performance.now() < end; at += 1) {
      // Each writer has its own offset within the interval.
      const due = rate === null ? 0 : begun_at + ((at + writer / writers) * 1000 * writers) / rate;
      if (due > performance.now()) await Bun.sleep(due - performance.now());
      const asked_at = performance.now();
      const rows = Array.from({ length: 10 }, (_, row) => ({ name: `${writer}-${at}-${row}`, owner: "x".repeat(200) }));
      await stores.live.write((tx) =>
        insert(
          tx,
          leases,
          rows.map((row) => ({ ...row, until: at })),
        ),
      );
      took.push(performance.now() - asked_at);
    }
  };
  try {
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  } finally {
    await stores.close();
    await shipping?.finish(10_000);
    rmSync(root, { recursive: true, force: true });
  }
  took.sort((one, other) => one - other);
  return { rate: took.length / seconds, p99_ms: took[Math.floor(took.length * 0.99)] ?? 0 };
}

function middle(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
