// Kills `move --undo` at random moments.
import { join } from "node:path";
import { createDatabase, runCommand, startCommand } from "../service.ts";
import { at, chance, type Round, told } from "./move_places.ts";

/** Runs a command until a random moment and kills it. Returns the moment. */
async function kill(words: readonly string[], seed: number, lasts_ms: number): Promise<number> {
  const killed_after_ms = Math.round(chance(seed) * lasts_ms);
  const child = startCommand(words);
  await Promise.race([Bun.sleep(killed_after_ms), child.exited]);
  child.kill("SIGKILL");
  await child.exited;
  return killed_after_ms;
}

/** Prints the result of a round. Returns 1 if it failed. */
function tell({ line, problems }: Round): number {
  console.log(`  ${line}${problems.map((problem) => `\n    FAILED ${problem}`).join("")}`);
  return problems.length === 0 ? 0 : 1;
}

/** Runs a command that must succeed. Otherwise its output is a problem. */
async function well(problems: string[], ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand(words);
  if (code !== 0) problems.push(`${words.slice(0, 3).join(" ")}: ${code} ${err}`);
  return out;
}

/** What the source and target of a move may report after its undoing was killed. Never do both serve. */
const undone_states: Readonly<Record<string, string>> = {
  "moved serves": "not undone",
  "moved moved": "between",
  "serves moved": "undone",
};

/**
 * Kills the undoing of a move `count` times, checks both installations, undoes it and moves again. Returns how many
 * rounds failed. The keys of both environments show whether the data is complete.
 */
export async function killUndos(
  folder: string,
  count: number,
  first_seed: number,
  database_url: string | null,
): Promise<number> {
  const data = join(folder, "source");
  const target = database_url === null ? join(folder, "target") : await createDatabase(database_url);
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
