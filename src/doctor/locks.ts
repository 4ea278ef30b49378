// Who has the data folder for himself.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "../database/lock.ts";
import { type Finding, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** Whether a server has the data folder, and which process that is. */
export async function lookAtLocks({ data, database_url }: Patient): Promise<Finding[]> {
  const path = join(data, "instance.lock");
  if (database_url !== null || !existsSync(path)) return [];
  const taken = tryLock(path, 0);
  if (taken !== null) {
    taken.release();
    return [warning("lock", `no server has ${data}`, "Start packhouse serve, unless it is stopped on purpose.")];
  }
  const holder = holderOf(data);
  return [ok("lock", `a server has ${data}${holder === null ? "" : ` (process ${holder})`}`)];
}

/** The process that has locked a folder; null where the system does not tell. */
function holderOf(folder: string): string | null {
  try {
    const { ino } = statSync(folder);
    const lines = readFileSync("/proc/locks", "utf8").split("\n");
    const line = lines.find((text) => / FLOCK /.test(text) && text.includes(`:${ino} `));
    return line?.trim().split(/\s+/)[4] ?? null;
  } catch {
    return null;
  }
}
