import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Median and 99th percentile of writing 4 KiB and `fdatasync`, in milliseconds: what a durable commit waits for. */
export function fdatasyncLatency(rounds = 300): { p50_ms: number; p99_ms: number } {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-disk-"));
  const file = openSync(join(folder, "file"), "w");
  const page = Buffer.alloc(4096, 1);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    times.push(performance.now() - begun);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { p50_ms: at(0.5), p99_ms: at(0.99) };
}
