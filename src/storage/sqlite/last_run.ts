// How the last server on a data directory ended: what it left is looked through as a whole only when there is a reason.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../core/config.ts";
import { environments } from "../../core/environment.ts";
import { writeAtomically } from "../../core/files.ts";

const name = "last_run.json";

/** What is kept: while a server runs, what the machine calls this time; after it ended, what its files look like. */
interface LastRun {
  readonly version: string;
  readonly boot: string | null;
  readonly files: readonly string[] | null;
}

/** Records, durably, that a server starts to use the databases. */
export function noteStart(data: string): void {
  keep(data, { version, boot: thisBoot(), files: null });
}

/** Notes that both databases were closed in order, if they were: then no log is left beside them. */
export function noteEnd(data: string): void {
  if (environments.some((mode) => existsSync(join(data, `${mode}.db-wal`)))) return;
  keep(data, { version, boot: null, files: environments.map((mode) => look(join(data, `${mode}.db`))) });
}

/** Forgets how it went, where that can be done on a storage that has failed: the next start shall check everything. */
export function forgetRun(data: string): void {
  try {
    rmSync(join(data, name), { force: true });
  } catch {
    // A disk that failed is often read-only by now; what matters is that the process ends.
  }
}

/**
 * Why the databases should be checked as a whole before they are used, or null. A process that was killed is no reason:
 * the kernel keeps what it had written, and SQLite finds its way in it. After a power cut or a crash of the machine, by
 * another version, and in files that are not those that were closed, anything may have happened.
 */
export function reasonToCheck(data: string): string | null {
  const last = read(data);
  if (last === null) return "it is not known how the last server ended";
  if (last.version !== version) return "another version has used the data";
  if (last.files === null) return last.boot !== null && last.boot === thisBoot() ? null : "the machine went down";
  const now = environments.map((mode) => look(join(data, `${mode}.db`)));
  return now.join() === last.files.join() ? null : "the files are not as they were left";
}

/** The version that has used the data last, as far as it is known. */
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

/** What tells a file from any other, and from itself after it was written to. */
function look(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}

/** What names the time since this machine was started; null where no system tells. */
function thisBoot(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return null;
  }
}
