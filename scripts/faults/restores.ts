// Kills a restore at random moments. Afterwards there is no data, or all of it, and the commands report which.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { createDatabase, runCommand, startCommand } from "../service.ts";
import { type FaultScript, onBothEngines } from "./fault_script.ts";

const usual_kills = 50;

/**
 * The result of some kills: how often nothing was restored, everything was, or it ended before the kill; and what was
 * wrong.
 */
interface RestoreKills {
  readonly nothing: number;
  readonly all: number;
  readonly in_time: number;
  readonly problems: readonly string[];
}

export const restores: FaultScript = {
  description:
    "kills a restore at random moments: afterwards there is no data or all of it, and a repeat reports which",
  lacks: async () => null,
  run: async (count = usual_kills) => {
    const seed = Date.now() % 1_000_000;
    return onBothEngines(async (engine, server) => {
      const { nothing, all, in_time, problems } = await killRestores(count, seed, ["demo"], server);
      const figures = `${nothing} left nothing, ${all} everything, ${in_time} came too late`;
      console.log(`  ${engine}: ${count} kills (seed ${seed}): ${figures}`);
      for (const problem of problems) console.log(`  FAILED ${problem}`);
      return problems.length;
    });
  },
};

async function run(...words: string[]) {
  const { out, err, code } = await runCommand(words);
  return { output: out + err, code };
}

/** Where an installation is, and the flags that select it for a restore and for other commands. */
interface Home {
  readonly data: string;
  readonly restore: readonly string[];
  readonly others: readonly string[];
}

/** A place for a new installation: a folder, or a database of a PostgreSQL server and a folder. */
async function newHome(data: string, server: string | null): Promise<Home> {
  if (server === null) return { data, restore: ["--into", data], others: ["--data", data] };
  const words = ["--data", data, "--database-url", await createDatabase(server)];
  return { data, restore: words, others: words };
}

/**
 * Kills restores of one backup, each at a random moment. `fill` is the command that creates the data; `server` is the
 * address of a PostgreSQL server, or null for SQLite.
 */
export async function killRestores(
  count: number,
  seed: number,
  fill: readonly string[],
  server: string | null,
): Promise<RestoreKills> {
  const root = mkdtempSync(join(tmpdir(), "packhouse-killed-restores-"));
  try {
    const source = await newHome(join(root, "data"), server);
    const backups = join(root, "backups");
    for (const words of [fill, ["backup", backups]]) {
      const { output, code } = await run(...words, ...source.others);
      if (code !== 0) throw new Error(`packhouse ${words[0]}: ${output}`);
    }
    const [name = ""] = readdirSync(backups).filter((file) => file.endsWith(".tar.zst"));
    const archive = join(backups, name);
    const begun = performance.now();
    await run("restore", archive, ...(await newHome(join(root, "whole"), server)).restore);
    const lasts_ms = performance.now() - begun;
    const random = seededRandom(seed);
    const found = { nothing: 0, all: 0, in_time: 0, problems: [] as string[] };
    for (let kill = 0; kill < count; kill += 1) {
      const home = await newHome(join(root, `into-${kill}`), server);
      await killOnce({ archive, home, lasts_ms, random }, found);
      rmSync(home.data, { recursive: true, force: true });
    }
    return found;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Kill {
  readonly archive: string;
  readonly home: Home;
  /** How long an uninterrupted restore takes. */
  readonly lasts_ms: number;
  readonly random: Random;
}

type Counted = { -readonly [K in "nothing" | "all" | "in_time"]: number } & { readonly problems: string[] };

async function killOnce({ archive, home, lasts_ms, random }: Kill, found: Counted): Promise<void> {
  const child = startCommand(["restore", archive, ...home.restore]);
  const at_ms = Math.floor(random.next() * lasts_ms);
  await Promise.race([Bun.sleep(at_ms), child.exited]);
  child.kill("SIGKILL");
  const ended = (await child.exited) === 0;
  const wrong = (what: string) => found.problems.push(`killed after ${at_ms} ms: ${what}`);
  const looked = await run("verify", ...home.others);
  const has_all = looked.code === 0 && looked.output.includes("test: 0 differences");
  const says_nothing =
    looked.code === 66 || /interrupted, and nothing was restored|not finished, or was interrupted/.test(looked.output);
  if (!has_all && !says_nothing) wrong(`verify printed ${looked.code}: ${looked.output}`);
  if (has_all) found[ended ? "in_time" : "all"] += 1;
  else found.nothing += 1;
  const had_begun = existsSync(join(home.data, ".restoring")) || looked.output.includes("not finished");
  const again = await run("restore", archive, ...home.restore);
  const repeat_says = has_all
    ? again.code === 78 && again.output.includes("never overwrites")
    : again.code === 0 &&
      again.output.includes("Restored ") &&
      had_begun === again.output.includes("of an interrupted restore; they were not in use");
  if (!repeat_says) wrong(`the repeat printed ${again.code}: ${again.output}`);
  const after = await run("verify", ...home.others);
  if (after.code !== 0) wrong(`after the repeat verify printed: ${after.output}`);
  const left = readdirSync(home.data).filter((name) => /^\.(?:packhouse-)?restor/.test(name));
  if (left.length > 0) wrong(`${left.join(", ")} was left`);
}
