// Kills of what goes back, `move --undo`, and of moves of one merchant, at random moments.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { at, chance, makeDatabase, packhouse, type Round, startPackhouse, told } from "./move_places.ts";

/** Runs a command until a moment of chance, and kills it. Answers the moment. */
async function kill(words: readonly string[], seed: number, lasts_ms: number): Promise<number> {
  const killed_after_ms = Math.round(chance(seed) * lasts_ms);
  const child = startPackhouse(words);
  await Promise.race([Bun.sleep(killed_after_ms), child.exited]);
  child.kill("SIGKILL");
  await child.exited;
  return killed_after_ms;
}

/** Prints what came of a round; answers 1 when it failed. */
function tell({ line, problems }: Round): number {
  console.log(`  ${line}${problems.map((problem) => `\n    FAILED ${problem}`).join("")}`);
  return problems.length === 0 ? 0 : 1;
}

/** A command that has to end well; otherwise what it said is a problem. */
async function well(problems: string[], ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await packhouse(...words);
  if (code !== 0) problems.push(`${words.slice(0, 3).join(" ")}: ${code} ${err}`);
  return out;
}

/** What the ends of a move may say when its undoing was killed; never that both serve. */
const undone_states: Readonly<Record<string, string>> = {
  "moved serves": "not undone",
  "moved moved": "between",
  "serves moved": "undone",
};

/**
 * Kills the undoing of a move `count` times, looks at both ends, undoes it and moves again; answers how many rounds
 * failed. The keys of both worlds tell whether all is there.
 */
export async function killUndos(
  folder: string,
  count: number,
  first_seed: number,
  database_url: string | null,
): Promise<number> {
  const data = join(folder, "source");
  const target = database_url === null ? join(folder, "target") : await makeDatabase(database_url);
  const words = ["move", "--from", data, "--to", target];
  const start: string[] = [];
  for (const mode of ["live", "test"]) {
    await well(start, "keys", "create", "--create-data", "--name", `till ${mode}`, "--mode", mode, ...at(data));
  }
  const keys = await well(start, "keys", "list", ...at(data));
  await well(start, ...words);
  const begun_at = performance.now();
  await well(start, ...words, "--undo");
  const lasts_ms = performance.now() - begun_at;
  await well(start, ...words, "--begin-anew");
  let failed = start.length === 0 ? 0 : tell({ line: "before the first kill", problems: start });
  for (let seed = first_seed; seed < first_seed + count; seed += 1) {
    const problems: string[] = [];
    const killed_after_ms = await kill([...words, "--undo"], seed, lasts_ms);
    const both = `${await told(data)} ${await told(target)}`;
    const state = undone_states[both];
    if (state === undefined) problems.push(`the source and the target: ${both}`);
    if (state !== "undone") await well(problems, ...words, "--undo");
    const after = `${await told(data)} ${await told(target)}`;
    if (after !== "serves moved") problems.push(`after the end: ${after}`);
    if ((await well(problems, "keys", "list", ...at(data))) !== keys) problems.push("the source lists other keys");
    await well(problems, ...words, "--begin-anew");
    failed += tell({ line: `${seed}: killed after ${killed_after_ms} ms: ${state}`, problems });
  }
  return failed;
}

const merchant = "ROAST";

/** How a merchant stands at a place: its status, `absent`, or why the place is not served. */
async function standing(place: string): Promise<string> {
  const { code, out, err } = await packhouse("merchants", "list", ...at(place));
  if (code === 66) return "absent";
  if (code !== 0) return /holds half of a move of the merchant/.test(err) ? "half" : `${code}: ${err}`;
  const line = out.split("\n").find((one) => one.includes(merchant));
  return line === undefined ? "absent" : (/suspended|closed/.exec(line)?.[0] ?? "active");
}

/** What the ends may say of a merchant: one alone has it open, and none while the other holds half. */
const merchant_states: Readonly<Record<string, string>> = {
  "suspended absent": "old",
  "suspended half": "half",
  "closed half": "between",
  "closed suspended": "new",
};

/**
 * Kills moves of one of the sample merchants `count` times, from folder to database and back by turns; each is run
 * again until it is done, and each third one that is half is taken back first. Answers how many rounds failed.
 */
export async function killMerchantMoves(
  sample: string,
  folder: string,
  count: number,
  first_seed: number,
  database_url: string | null,
): Promise<number> {
  const start: string[] = [];
  let here = join(folder, "merchant");
  cpSync(sample, here, { recursive: true });
  await well(start, "merchants", "suspend", "--merchant", merchant, ...at(here));
  const before = await rowsMoved(start, here, folder);
  let failed = start.length === 0 ? 0 : tell({ line: "before the first kill", problems: start });
  const lasts_ms: number[] = [];
  for (let round = 0; round < count + 2; round += 1) {
    const problems: string[] = [];
    const there =
      round % 2 === 1 || database_url === null ? join(folder, `m${round}`) : await makeDatabase(database_url);
    const words = ["move", "--merchant", merchant, "--from", here, "--to", there];
    const begun_at = performance.now();
    const seed = first_seed + round - 2;
    // The first two are left to their end, which tells how long the others last.
    const lasts = lasts_ms[round % 2];
    const killed_after_ms = lasts === undefined ? null : await kill(words, seed, lasts);
    if (lasts === undefined) {
      await well(problems, ...words);
      lasts_ms[round] = performance.now() - begun_at;
    }
    const both = `${await standing(here)} ${await standing(there)}`;
    const state = merchant_states[both];
    if (state === undefined) problems.push(`the source and the target: ${both}`);
    if (state === "half" && round % 3 === 0) {
      await well(problems, ...words, "--undo");
      if ((await standing(there)) !== "absent") problems.push("what was taken back is still there");
    }
    await well(problems, ...words);
    const after = `${await standing(here)} ${await standing(there)}`;
    if (after !== "closed suspended") problems.push(`after the end: ${after}`);
    await well(problems, "verify", ...at(here));
    await well(problems, "verify", ...at(there));
    failed += tell({
      line: `${round < 2 ? "whole" : `${seed}: killed after ${killed_after_ms} ms`}: ${state}`,
      problems,
    });
    if (!here.includes("://")) rmSync(here, { recursive: true });
    here = there;
  }
  const last: string[] = [];
  const after = await rowsMoved(last, here, folder);
  if (after !== before) last.push(`it had ${before} rows, and has ${after} now`);
  return failed + (last.length === 0 ? 0 : tell({ line: "after the last move", problems: last }));
}

/** What is exported of the merchant: how many rows each file has. */
async function rowsMoved(problems: string[], place: string, folder: string): Promise<string> {
  const to = join(folder, "export");
  const line = ["export", "--merchant", merchant, "--to", to, "--mode", "test", ...at(place)];
  const said = await well(problems, ...line);
  rmSync(to, { recursive: true, force: true });
  return said;
}
