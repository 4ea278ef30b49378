// The disk under the data: how fast it keeps what it is told to keep, and how much room it has.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const written_times = 15;
const block_bytes = 4096;
// A commit waits for the disk once or twice. At 20 ms the service answers some 50 groups of writes a second.
const slow_ms = 20;
const very_slow_ms = 100;
const room_bytes_min = 256 << 20;
const gibibyte = 1 << 30;

/** How fast the disk is, and whether it has room for what is written before somebody looks again. */
export async function lookAtDisk({ data, database_url }: Patient): Promise<Finding[]> {
  const folder = existsSync(data) ? data : dirname(data);
  if (!existsSync(folder))
    return [warning("disk", `the folder ${data} is not there yet`, "Start packhouse serve once.")];
  if (database_url !== null && !existsSync(data)) return [];
  const { bavail, bsize, blocks } = statfsSync(folder);
  const room = roomOf(folder, bavail * bsize, blocks * bsize);
  if (room.state === "problem") return [room];
  return [room, speedOf(folder)];
}

function roomOf(folder: string, free: number, all: number): Finding {
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
function speedOf(folder: string): Finding {
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
export function inWords(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const at = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${(bytes / 2 ** (10 * at)).toFixed(at < 2 ? 0 : 1)} ${units[at]}`;
}
