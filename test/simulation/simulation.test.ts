// Random histories against the plain model, in separate processes, so that several cores are used. Set by SEED and
// OPERATIONS (for all of them together).
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { engine } from "../../src/core/config.ts";
import { seed, volume } from "../volume.ts";

const operations = Number(
  process.env["OPERATIONS"] ?? (engine === "postgres" ? volume(100, 5000) : volume(2000, 200_000)),
);
// On PostgreSQL one after another; on SQLite each player has its own files.
const players = engine === "postgres" ? 1 : volume(1, 2);
// With two cores one after another: the other core runs the other tests, which would otherwise wait for minutes.
const at_once = Math.max(1, Math.min(players, availableParallelism() - 1));

/** Plays in a separate process. The stores are in memory where possible, since disks do not matter here. */
async function play(own_seed: number, share: number): Promise<{ code: number; output: string }> {
  const words = [process.execPath, join(import.meta.dir, "play.ts"), String(own_seed), String(share)];
  const TMPDIR = existsSync("/dev/shm") ? "/dev/shm" : process.env["TMPDIR"];
  const child = Bun.spawn(words, { env: { ...process.env, TMPDIR }, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output: output + errors };
}

test(`${operations} operations of seed ${seed} leave the service and the model equal`, async () => {
  const share = Math.ceil(operations / players);
  const played: Awaited<ReturnType<typeof play>>[] = [];
  for (let first = 0; first < players; first += at_once) {
    const seeds = Array.from(
      { length: Math.min(at_once, players - first) },
      (_, at) => seed + (first + at) * 1_000_000,
    );
    played.push(...(await Promise.all(seeds.map((own_seed) => play(own_seed, share)))));
  }
  for (const { output } of played) console.log(output.split("\n")[0]);
  expect(played.filter(({ code }) => code !== 0)).toEqual([]);
}, 1_500_000);
