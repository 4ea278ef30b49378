// `bun run faults`: what the service does when clocks step, power is cut, clients do not read, processes are killed and
// imports are hostile.
import { cpus } from "node:os";
import { backups } from "./backups.ts";
import { clock } from "./clock.ts";
import { continuous } from "./continuous/main.ts";
import type { FaultScript } from "./fault_script.ts";
import { imports } from "./imports.ts";
import { largeReads } from "./large_reads.ts";
import { moves } from "./moves.ts";
import { packages } from "./packages/main.ts";
import { power } from "./power.ts";
import { purchases } from "./purchases/main.ts";
import { restores } from "./restores.ts";
import { unread } from "./unread.ts";
import { upgrades } from "./upgrades.ts";

const scripts: Readonly<Record<string, FaultScript>> = {
  backups,
  clock,
  continuous,
  power,
  imports,
  moves,
  unread,
  "large-reads": largeReads,
  purchases,
  packages,
  restores,
  upgrades,
};

const usage = () =>
  [
    "Usage: bun run faults [NAME [COUNT] ...]",
    "",
    "Starts services and exposes them to faults of the machine and of clients: all kinds, or the named ones.",
    "A number after a name sets how often, where that can be chosen.",
    "",
    ...Object.entries(scripts).map(([name, { description }]) => `  ${name.padEnd(11)} ${description}`),
  ].join("\n");

interface ChosenScript {
  readonly name: string;
  readonly script: FaultScript;
  count?: number;
}

/**
 * The scripts that the arguments name, each with the number after it. All scripts if there are no arguments; null if a
 * name is unknown.
 */
function chosen(words: readonly string[]): ChosenScript[] | null {
  const wanted: ChosenScript[] = [];
  for (const name of words.length === 0 ? Object.keys(scripts) : words) {
    const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
    const last = wanted.at(-1);
    if (script !== undefined) wanted.push({ name, script });
    else if (/^[1-9]\d{0,5}$/.test(name) && last !== undefined && last.count === undefined) last.count = Number(name);
    else return null;
  }
  return wanted;
}

async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help")) {
    console.log(usage());
    return 0;
  }
  const wanted = chosen(words);
  if (wanted === null) {
    console.error(usage());
    return 2;
  }
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? "CPU"}, Bun ${Bun.version}`);
  let failed = 0;
  for (const { name, script, count } of wanted) {
    console.log(`\n${name}: ${script.description}`);
    const lacking = await script.lacks();
    if (lacking !== null) console.log(`SKIPPED ${name}: ${lacking}`);
    else failed += await script.run(count);
  }
  console.log(failed === 0 ? "\nEvery check passed." : `\n${failed} checks failed.`);
  return failed === 0 ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
