// `bun run faults`: what the service does when clocks step, power is cut, clients do not read and imports are hostile.
import { cpus } from "node:os";
import type { FaultScript } from "./fault_script.ts";

const scripts: Readonly<Record<string, FaultScript>> = {};

const usage = () =>
  [
    "Usage: bun run faults [NAME ...]",
    "",
    "Tries faults of the machine and of clients on services of its own, all of them or the named ones.",
    "",
    ...Object.entries(scripts).map(([name, { tells }]) => `  ${name.padEnd(10)} ${tells}`),
  ].join("\n");

async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help")) {
    console.log(usage());
    return 0;
  }
  if (!words.every((name) => Object.hasOwn(scripts, name))) {
    console.error(usage());
    return 2;
  }
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? "CPU"}, Bun ${Bun.version}`);
  let failed = 0;
  for (const name of words.length === 0 ? Object.keys(scripts) : words) {
    const script = scripts[name];
    if (script === undefined) continue;
    console.log(`\n${name}: ${script.tells}`);
    const lacking = await script.lacks();
    if (lacking !== null) console.log(`SKIPPED ${name}: ${lacking}`);
    else failed += await script.run();
  }
  console.log(failed === 0 ? "\nEvery check passed." : `\n${failed} checks failed.`);
  return failed === 0 ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
