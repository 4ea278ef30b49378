// Folders that processes of this machine make for a while, and what killed ones have left of them.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "./processes.ts";

/** Makes a folder in another, under a name that begins so and tells whose it is. Removes those of ended processes. */
export function folderForNow(within: string, beginning: string): string {
  for (const name of readdirSync(within)) {
    if (!name.startsWith(beginning)) continue;
    const pid = Number(/^(\d+)-/.exec(name.slice(beginning.length))?.[1]);
    if (Number.isNaN(pid) || pid === process.pid || isRunning(pid)) continue;
    try {
      rmSync(join(within, name), { recursive: true, force: true });
    } catch {
      // It is another user's, who has to remove it.
    }
  }
  return mkdtempSync(join(within, `${beginning}${process.pid}-`));
}
