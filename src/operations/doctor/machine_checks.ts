// The machine's clock: whether something keeps it right, and whether it runs behind what the data has seen.
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
import { tryLock } from "../../storage/sqlite/directory_lock.ts";
import { type CheckContext, type CheckResult, ok, problem, warning } from "./check.ts";

// Before this program was written.
const earliest = Date.UTC(2026, 0, 1);
const minute_ms = 60_000;
// A step back of so much is followed by the service, and moves what waits.
const behind_ms_max = 5 * minute_ms;

/** Whether the clock can be believed. */
export async function checkClock({ now, stores }: CheckContext): Promise<CheckResult[]> {
  const machine = now();
  const shown = new Date(machine).toISOString();
  const advice = "Set the clock and let the system keep it, such as by systemd-timesyncd or chrony.";
  if (machine < earliest) return [problem("clock", `the machine says ${shown}, which is long ago`, advice)];
  const found: CheckResult[] = [];
  const last = stores === null ? null : await stores.live.read(async (db) => db.now);
  if (last !== null && last - machine > behind_ms_max) {
    const minutes = Math.round((last - machine) / minute_ms);
    found.push(problem("clock", `the machine says ${shown}, ${minutes} minutes before what the data has seen`, advice));
  }
  return found.length > 0 ? found : [keptBy(shown, advice)];
}

/** Says what is known of who keeps the clock. */
function keptBy(shown: string, advice: string): CheckResult {
  if (process.platform !== "linux") return ok("clock", `the machine says ${shown}`);
  if (existsSync("/run/systemd/timesync/synchronized")) return ok("clock", `${shown}, kept by systemd-timesyncd`);
  const keepers = ["/run/chrony", "/var/run/chrony", "/run/ntpd.pid", "/var/run/ntpd.pid"];
  if (keepers.some((path) => existsSync(path))) return ok("clock", `${shown}, kept by a time service`);
  return warning(
    "clock",
    `${shown}; nothing on this machine is known to keep it`,
    `${advice} In a container its host does.`,
  );
}

// The disk under the data: how fast it keeps what it is told to keep, and how much room it has.

const written_times = 15;
const block_bytes = 4096;
// A commit waits for the disk once or twice. At 20 ms the service answers some 50 groups of writes a second.
const slow_ms = 20;
const very_slow_ms = 100;
const room_bytes_min = 256 << 20;
const gibibyte = 1 << 30;

/** How fast the disk is, and whether it has room for what is written before somebody looks again. */
export async function checkDisk({ data, database_url }: CheckContext): Promise<CheckResult[]> {
  const folder = existsSync(data) ? data : dirname(data);
  if (!existsSync(folder))
    return [warning("disk", `the folder ${data} is not there yet`, "Start packhouse serve once.")];
  if (database_url !== null && !existsSync(data)) return [];
  const { bavail, bsize, blocks } = statfsSync(folder);
  const room = roomOf(folder, bavail * bsize, blocks * bsize);
  if (room.state === "problem") return [room];
  return [room, speedOf(folder)];
}

function roomOf(folder: string, free: number, all: number): CheckResult {
  const said = `${inWords(free)} of ${inWords(all)} are free under ${folder}`;
  const advice = "Make room, or move --data to a larger disk: writes are answered 503 once the disk is full.";
  if (free < room_bytes_min) return problem("disk room", said, advice);
  const own = sizeOf(folder);
  if (free < Math.max(gibibyte, own)) {
    const more = own > gibibyte ? ` A backup or an upgrade needs as much again as the data (${inWords(own)}).` : "";
    return warning("disk room", said, `${advice}${more}`);
  }
  return ok("disk room", said);
}

/** Writes and syncs small blocks, as commits do, and takes the median. */
function speedOf(folder: string): CheckResult {
  const own = mkdtempSync(join(folder, ".doctor-"));
  try {
    const file = openSync(join(own, "probe"), "w", 0o600);
    const times = Array.from({ length: written_times }, () => {
      writeSync(file, new Uint8Array(block_bytes));
      const begun_at = performance.now();
      fsyncSync(file);
      return performance.now() - begun_at;
    }).sort((a, b) => a - b);
    closeSync(file);
    const median = times[written_times >> 1] ?? 0;
    const slowest = times.at(-1) ?? 0;
    const said = `keeps a block in ${median.toFixed(1)} ms (median; the slowest took ${slowest.toFixed(1)} ms)`;
    const advice = "Each group of writes waits for that. Use a local SSD instead of a network disk or a memory card.";
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

/** A size as people read it. */
function inWords(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const at = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${(bytes / 2 ** (10 * at)).toFixed(at < 2 ? 0 : 1)} ${units[at]}`;
}

// What the system lets a process have.

const files_min = 4096;
const memory_bytes_min = 512 << 20;

/** Memory and open files, as they are for this process: a service manager may have other limits. */
export async function checkLimits(): Promise<CheckResult[]> {
  const files = openFilesLimit();
  const found: CheckResult[] = [];
  if (files !== null) {
    const said = `a process may have ${files} files and connections open`;
    const advice = "Raise it, such as by LimitNOFILE=65536 of systemd: each client and each receiver takes one.";
    found.push(files < files_min ? warning("open files", said, advice) : ok("open files", said));
  }
  const capped = memoryCap();
  const memory = Math.min(totalmem(), capped ?? Number.POSITIVE_INFINITY);
  const said = `${inWords(memory)} of memory${capped === null ? `, ${inWords(freemem())} free` : " may be used"}`;
  const advice = "Give it 512 MiB at least: a full process is ended by the system in the middle of its work.";
  found.push(memory < memory_bytes_min ? warning("memory", said, advice) : ok("memory", said));
  return found;
}

/** What a control group lets its processes use; null where there is no limit. */
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

// Who has the data folder for himself.

/** Whether a server has the data folder, and which process that is. */
export async function checkLocks({ data, database_url }: CheckContext): Promise<CheckResult[]> {
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

// The settings of the environment: misspelt ones would be passed over without a word.

/** Whether every variable that is set is one that is known, and says something that can be used. */
export async function checkVariables({
  variables,
  refused,
  secret_key,
  database_url,
}: CheckContext): Promise<CheckResult[]> {
  const strange = variables.set.filter((name) => !variables.known.includes(name));
  const found = strange.map((name) => {
    const meant = closest(name, variables.known);
    const advice = meant === null ? "Remove it; packhouse serve --help lists what there is." : `Call it ${meant}.`;
    return problem("configuration", `${name} is set, and no setting is called so`, advice);
  });
  found.push(...refused.map((said) => problem("configuration", said, "The service does not start with it.")));
  if (secret_key === "none" && database_url !== null) {
    const advice =
      "Set the same 32 bytes on every server (openssl rand -hex 32), and keep them apart from the backups.";
    found.push(problem("secret key", "PACKHOUSE_SECRET_KEY is not set, and PostgreSQL needs it", advice));
  } else if (secret_key === "file") {
    const advice = "Keep a copy of secret.key apart from the data: a backup has it only with --with-key.";
    found.push(warning("secret key", "it lies beside the data that it seals", advice));
  }
  if (found.some(({ subject }) => subject === "configuration")) return found;
  return [ok("configuration", `${variables.set.length} variables are set, and all are known`), ...found];
}
