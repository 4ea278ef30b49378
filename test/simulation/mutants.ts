// Injects each fault of the list, one at a time, into a copy of the tree, and runs the simulation there:
//   bun test/simulation/mutants.ts [operations] [words of the names to try]
// The seed is 7, or SEED if it is set.
// Prints a table of what caught each fault, and fails if one was not caught. The copy contains no data and is deleted.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Mutant, mutants } from "./mutant_list.ts";

const root = join(import.meta.dir, "../..");
const [operations = "20000", ...words] = process.argv.slice(2);
const seed = process.env["SEED"] ?? "7";
const longest_history = "300";
const copy = mkdtempSync(join(tmpdir(), "packhouse-mutants-"));

function copyTree(): void {
  const { stdout } = Bun.spawnSync(["git", "ls-files", "src", "db", "test", "*.json", "*.ts"], { cwd: root });
  for (const file of stdout.toString().trim().split("\n")) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
}

/** Plays with the fault injected. Returns what detected it, or null. */
async function caughtBy({ file, search, replace }: Mutant): Promise<string | null> {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  if (text.split(search).length !== 2) return "NOT PLANTED: the text does not occur once";
  writeFileSync(
    path,
    text.replace(search, () => replace),
  );
  const player = [process.execPath, "test/simulation/play.ts", seed, operations, longest_history, "0"];
  const child = Bun.spawn(player, { cwd: copy, stdout: "pipe", stderr: "pipe", timeout: 300_000 });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  writeFileSync(path, text);
  if (code === 0) return null;
  const told = [...(output + errors).matchAll(/^(?:error|\w*Error): (?!Property failed)(.*)$/gm)].map(
    ([, line]) => line,
  );
  return (told.at(-1) ?? "it did not start").slice(0, 110);
}

copyTree();
let missed = 0;
console.log("| fault | caught by | after |\n|-|-|-|");
for (const mutant of mutants.filter(({ name }) => words.every((word) => name.includes(word)))) {
  const began = performance.now();
  const by = await caughtBy(mutant);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (by === null || by.startsWith("NOT PLANTED")) missed += 1;
  console.log(`| ${mutant.name} | ${by ?? "NOTHING"} | ${seconds} s |`);
}
rmSync(copy, { recursive: true });
process.exit(missed === 0 ? 0 : 1);
