// A restore that is killed at any moment: there is no data then, or all of it, and what is said tells which.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Random, seededRandom } from "../../src/kit/random.ts";
import { usual_secret_key, usualProgram } from "../service.ts";
import type { FaultScript } from "./fault_script.ts";

const usual_kills = 50;

/** What became of some kills: in how many nothing was restored, all was, or it ended before; and what was wrong. */
export interface RestoreKills {
  readonly nothing: number;
  readonly all: number;
  readonly in_time: number;
  readonly problems: readonly string[];
}

export const restores: FaultScript = {
  tells: "kills a restore at random moments: there is no data then, or all of it, and a repeat says which",
  lacks: async () => null,
  run: async (count = usual_kills) => {
    const seed = Date.now() % 1_000_000;
    const { nothing, all, in_time, problems } = await killRestores(count, seed);
    console.log(`  ${count} kills (seed ${seed}): ${nothing} left nothing, ${all} all, ${in_time} came too late`);
    for (const problem of problems) console.log(`  FAILED ${problem}`);
    return problems.length;
  },
};

function start(...words: string[]) {
  const env = { ...process.env, PACKHOUSE_SECRET_KEY: usual_secret_key, PACKHOUSE_DATABASE_URL: "" };
  return Bun.spawn([...usualProgram, ...words], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
}

async function run(...words: string[]) {
  const child = start(...words);
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { said: out + err, code };
}

/** Kills so many restores of one backup, each at a random moment. `fill` is the command that makes the data. */
export async function killRestores(
  count: number,
  seed: number,
  fill: readonly string[] = ["demo"],
): Promise<RestoreKills> {
  const root = mkdtempSync(join(tmpdir(), "packhouse-killed-restores-"));
  try {
    const data = join(root, "data");
    const backups = join(root, "backups");
    for (const words of [fill, ["backup", backups]]) {
      const { said, code } = await run(...words, "--data", data);
      if (code !== 0) throw new Error(`packhouse ${words[0]}: ${said}`);
    }
    const [name = ""] = readdirSync(backups).filter((file) => file.endsWith(".tar.zst"));
    const archive = join(backups, name);
    const begun = performance.now();
    await run("restore", archive, "--into", join(root, "whole"));
    const lasts_ms = performance.now() - begun;
    const random = seededRandom(seed);
    const found = { nothing: 0, all: 0, in_time: 0, problems: [] as string[] };
    for (let kill = 0; kill < count; kill += 1) {
      const into = join(root, `into-${kill}`);
      await killOnce({ archive, into, lasts_ms, random }, found);
      rmSync(into, { recursive: true, force: true });
    }
    return found;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Kill {
  readonly archive: string;
  readonly into: string;
  /** How long a restore takes that is not killed. */
  readonly lasts_ms: number;
  readonly random: Random;
}

type Counted = { -readonly [K in "nothing" | "all" | "in_time"]: number } & { readonly problems: string[] };

async function killOnce({ archive, into, lasts_ms, random }: Kill, found: Counted): Promise<void> {
  const child = start("restore", archive, "--into", into);
  const at_ms = Math.floor(random.next() * lasts_ms);
  await Promise.race([Bun.sleep(at_ms), child.exited]);
  child.kill("SIGKILL");
  const ended = (await child.exited) === 0;
  const wrong = (what: string) => found.problems.push(`killed after ${at_ms} ms: ${what}`);
  const looked = await run("verify", "--data", into);
  const has_all = looked.code === 0 && looked.said.includes("test: 0 differences");
  const says_nothing = looked.code === 66 || /interrupted, and nothing was restored/.test(looked.said);
  if (!has_all && !says_nothing) wrong(`verify said ${looked.code}: ${looked.said}`);
  if (has_all) found[ended ? "in_time" : "all"] += 1;
  else found.nothing += 1;
  const had_begun = existsSync(join(into, ".restoring"));
  const again = await run("restore", archive, "--into", into);
  const repeat_says = has_all
    ? again.code === 78 && again.said.includes("never overwrites")
    : again.code === 0 && again.said.includes("Restored ") && had_begun === again.said.includes("was removed");
  if (!repeat_says) wrong(`the repeat said ${again.code}: ${again.said}`);
  const after = await run("verify", "--data", into);
  if (after.code !== 0) wrong(`after the repeat verify said: ${after.said}`);
  const left = readdirSync(into).filter((name) => /^\.restor/.test(name));
  if (left.length > 0) wrong(`${left.join(", ")} was left`);
}
