// Records how the last server on a data directory ended, so that the databases are checked completely only if
// necessary.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../core/config.ts";
import { environments } from "../../core/environment.ts";
import { writeAtomically } from "../../core/files.ts";

const name = "last_run.json";

/** While a server runs: the machine's boot id. After a clean end: the fingerprints of its files. */
interface LastRun {
  readonly version: string;
  readonly boot: string | null;
  readonly files: readonly string[] | null;
}

/** Records, durably, that a server starts to use the databases. */
export function noteStart(data: string): void {
  keep(data, { version, boot: thisBoot(), files: null });
}

/** Records a clean end, if both databases were closed: then they have no log. */
export function noteEnd(data: string): void {
  if (environments.some((mode) => existsSync(join(data, `${mode}.db-wal`)))) return;
  keep(data, { version, boot: null, files: environments.map((mode) => fingerprint(join(data, `${mode}.db`))) });
}

/** Deletes the record after a storage failure, if possible, so that the next start checks everything. */
export function forgetRun(data: string): void {
  try {
    rmSync(join(data, name), { force: true });
  } catch {
    // A failed disk is often read-only. What matters is that the process ends.
  }
}

/**
 * Why the databases should be checked completely before use, or null. A killed process is no reason: the kernel keeps
 * what it had written, and SQLite recovers. Reasons are a power cut or crash of the machine, use by another version,
 * and files that changed since they were closed.
 */
export function reasonToCheck(data: string): string | null {
  const last = read(data);
  if (last === null) return "it is unknown how the last server ended";
  if (last.version !== version) return "another version used the data";
  if (last.files === null) return last.boot !== null && last.boot === thisBoot() ? null : "the machine went down";
  const now = environments.map((mode) => fingerprint(join(data, `${mode}.db`)));
  return now.join() === last.files.join() ? null : "the files have changed";
}

/** The version that last used the data, if known. */
export function lastVersion(data: string): string | null {
  return read(data)?.version ?? null;
}

function keep(data: string, last: LastRun): void {
  writeAtomically(join(data, name), `${JSON.stringify(last)}\n`);
}

function read(data: string): LastRun | null {
  try {
    return JSON.parse(readFileSync(join(data, name), "utf8")) as LastRun;
  } catch {
    return null;
  }
}

/** Identifies a file and its last change. */
function fingerprint(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}

/** The machine's boot id; null if the system has none. */
function thisBoot(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return null;
  }
}
