// Runs commands of the command line on the stores of a service in memory.
import type { Command } from "../../src/cli/command.ts";
import { readFlags } from "../../src/core/flags.ts";
import type { Stores } from "../../src/storage/open_stores.ts";

/** Runs a command with these flags, and returns the lines that it prints. */
export async function runOn(
  stores: Pick<Stores, "live" | "test">,
  command: Command | undefined,
  words: readonly string[],
): Promise<string[]> {
  if (command === undefined) throw new Error("No such command.");
  const lines: string[] = [];
  const output = { print: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
  const options = readFlags(words, command.flags) as never;
  await command.run(options, { ...stores, registry: null, close: async () => {} }, output);
  return lines;
}
