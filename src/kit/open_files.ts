// How many files and connections this process has open, and may have.
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";

/** How many there may be; null where the system does not tell. */
export function openFilesLimit(): number | null {
  if (process.platform !== "linux") return null;
  const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  return Number.isNaN(limit) ? null : limit;
}

/** How many there are; null where the system does not tell, and while too many are open even to look. */
export function countOpenFiles(): Promise<number | null> {
  return readdir("/proc/self/fd").then(
    (all) => all.length,
    () => null,
  );
}
