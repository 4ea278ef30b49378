// Checks of the machine: clock, disk, limits, lock and environment variables.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { freemem, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { closest } from "../../core/did_you_mean.ts";
import { openFilesLimit } from "../../core/process.ts";
import { minute_ms } from "../../core/time.ts";
import { tryLock } from "../../storage/sqlite/directory_lock.ts";
import { type CheckContext, type CheckResult, ok, problem, warning } from "./check.ts";

// This program did not exist before.
const earliest = Date.UTC(2026, 0, 1);
// The service follows a step back of this size, which reschedules pending work.
const behind_ms_max = 5 * minute_ms;

/** Checks that the clock is plausible, not behind the data, and synchronized. */
export async function checkClock({ now, stores }: CheckContext): Promise<CheckResult[]> {
  const machine = now();
  const shown = new Date(machine).toISOString();
  const advice = "Set the clock and synchronize it, for example with systemd-timesyncd or chrony.";
  if (machine < earliest) return [problem("clock", `the machine's time is ${shown}, which is in the past`, advice)];
  const found: CheckResult[] = [];
  const last = stores === null ? null : await stores.live.read(async (db) => db.now);
  if (last !== null && last - machine > behind_ms_max) {
    const minutes = Math.round((last - machine) / minute_ms);
    found.push(problem("clock", `the machine's time is ${shown}, ${minutes} minutes behind the data`, advice));
  }
  return found.length > 0 ? found : [synchronization(shown, advice)];
}

/** Checks whether the clock is synchronized, as far as the system shows it. */
function synchronization(shown: string, advice: string): CheckResult {
  if (process.platform !== "linux") return ok("clock", shown);
  if (existsSync("/run/systemd/timesync/synchronized"))
    return ok("clock", `${shown}, synchronized by systemd-timesyncd`);
  const services = ["/run/chrony", "/var/run/chrony", "/run/ntpd.pid", "/var/run/ntpd.pid"];
  if (services.some((path) => existsSync(path))) return ok("clock", `${shown}, synchronized by a time service`);
  return warning(
    "clock",
    `${shown}; no time service was found on this machine`,
    `${advice} For a container, check its host.`,
  );
}

// The disk of the data: its speed and its free space.

const writes = 15;
const block_bytes = 4096;
// A commit waits for one or two syncs. At 20 ms, the service commits some 50 groups of writes per second.
const slow_ms = 20;
const very_slow_ms = 100;
const room_bytes_min = 256 << 20;
const gibibyte = 1 << 30;

/** Checks the speed of the disk and its free space. */
export async function checkDisk({ data, database_url }: CheckContext): Promise<CheckResult[]> {
  const folder = existsSync(data) ? data : dirname(data);
  if (!existsSync(folder))
    return [warning("disk", `the folder ${data} does not exist yet`, "Start packhouse serve once.")];
  if (database_url !== null && !existsSync(data)) return [];
  const { bavail, bsize, blocks } = statfsSync(folder);
  const room = roomOf(folder, bavail * bsize, blocks * bsize);
  if (room.state === "problem") return [room];
  return [room, speedOf(folder)];
}

function roomOf(folder: string, free: number, all: number): CheckResult {
  const said = `${inWords(free)} of ${inWords(all)} are free under ${folder}`;
  const advice = "Free some space, or move --data to a larger disk. On a full disk, writes fail with 503.";
  if (free < room_bytes_min) return problem("disk room", said, advice);
  const own = sizeOf(folder);
  if (free < Math.max(gibibyte, own)) {
    const more = own > gibibyte ? ` An upgrade or its rollback needs as much again as the data (${inWords(own)}).` : "";
    return warning("disk room", said, `${advice}${more}`);
  }
  return ok("disk room", said);
}

/** Measures the median time to write and sync a small block, as commits do. */
function speedOf(folder: string): CheckResult {
  const own = mkdtempSync(join(folder, ".doctor-"));
  try {
    const file = openSync(join(own, "probe"), "w", 0o600);
    const times = Array.from({ length: writes }, () => {
      writeSync(file, new Uint8Array(block_bytes));
      const begun_at = performance.now();
      fsyncSync(file);
      return performance.now() - begun_at;
    }).sort((a, b) => a - b);
    closeSync(file);
    const median = times[writes >> 1] ?? 0;
    const slowest = times.at(-1) ?? 0;
    const said = `a block is written and synced in ${median.toFixed(1)} ms (median; slowest ${slowest.toFixed(1)} ms)`;
    const advice = "Each group of writes waits this long. Use a local SSD instead of a network disk or a memory card.";
    if (median >= very_slow_ms) return problem("disk speed", said, advice);
    return median >= slow_ms ? warning("disk speed", said, advice) : ok("disk speed", said);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function sizeOf(folder: string): number {
  const files = ["live.db", "live.db-wal", "test.db", "test.db-wal"].map((name) => join(folder, name));
  return files.reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

/** Formats bytes as `1.5 GiB`. */
function inWords(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const at = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${(bytes / 2 ** (10 * at)).toFixed(at < 2 ? 0 : 1)} ${units[at]}`;
}

// The limits of a process.

const files_min = 4096;
const memory_bytes_min = 512 << 20;

/** Checks the limits on memory and open files of this process. A service manager may set others for the server. */
export async function checkLimits(): Promise<CheckResult[]> {
  const files = openFilesLimit();
  const found: CheckResult[] = [];
  if (files !== null) {
    const said = `a process may open ${files} files and connections`;
    const advice =
      "Raise the limit, for example with LimitNOFILE=65536 in systemd. Each client and each receiver uses one.";
    found.push(files < files_min ? warning("open files", said, advice) : ok("open files", said));
  }
  const capped = memoryCap();
  const memory = Math.min(totalmem(), capped ?? Number.POSITIVE_INFINITY);
  const said = `${inWords(memory)} of memory${capped === null ? `, ${inWords(freemem())} free` : " allowed"}`;
  const advice = "Allow at least 512 MiB. The system kills a process that runs out of memory.";
  found.push(memory < memory_bytes_min ? warning("memory", said, advice) : ok("memory", said));
  return found;
}

/** Returns the memory limit of the control group in bytes; null if there is none. */
function memoryCap(): number | null {
  for (const path of ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]) {
    try {
      const bytes = Number(readFileSync(path, "utf8").trim());
      if (bytes > 0 && bytes < totalmem()) return bytes;
    } catch {
      // Another kind of control groups, or none.
    }
  }
  return null;
}

// The lock of the data directory.

/** Checks whether a server is running on the data directory, and reports its process id. */
export async function checkLocks({ data, database_url }: CheckContext): Promise<CheckResult[]> {
  const path = join(data, "instance.lock");
  if (database_url !== null || !existsSync(path)) return [];
  const taken = tryLock(path, 0);
  if (taken !== null) {
    taken.release();
    return [warning("lock", `no server runs on ${data}`, "Start packhouse serve, unless it is stopped on purpose.")];
  }
  const holder = holderOf(data);
  return [ok("lock", `a server runs on ${data}${holder === null ? "" : ` (process ${holder})`}`)];
}

/** Returns the id of the process that locked a folder; null if the system does not report it. */
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

// Environment variables. The server ignores misspelled ones.

/** Checks that every variable that is set is known and valid, and where the secret key is. */
export async function checkVariables({
  variables,
  refused,
  secret_key,
  database_url,
}: CheckContext): Promise<CheckResult[]> {
  const unknown = variables.set.filter((name) => !variables.known.includes(name));
  const found = unknown.map((name) => {
    const similar = closest(name, variables.known);
    const advice = similar === null ? "Remove it. packhouse serve --help lists all settings." : `Use ${similar}.`;
    return problem("configuration", `${name} is not a known setting`, advice);
  });
  found.push(...refused.map((said) => problem("configuration", said, "The server does not start with this setting.")));
  if (secret_key === "none" && database_url !== null) {
    const advice =
      "Set the same 32 bytes on every server (openssl rand -hex 32), and store a copy apart from the backups.";
    found.push(problem("secret key", "PACKHOUSE_SECRET_KEY is not set, which is required with PostgreSQL", advice));
  } else if (secret_key === "file") {
    const advice = "Store a copy of secret.key elsewhere. A backup contains it only with --with-key.";
    found.push(warning("secret key", "it is stored with the data that it encrypts", advice));
  }
  if (found.some(({ subject }) => subject === "configuration")) return found;
  return [ok("configuration", `${variables.set.length} variables are set, all of them known`), ...found];
}
