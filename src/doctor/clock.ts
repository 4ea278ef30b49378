// The machine's clock: whether something keeps it right, and whether it runs behind what the data has seen.
import { existsSync } from "node:fs";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

// Before this program was written.
const earliest = Date.UTC(2026, 0, 1);
const minute_ms = 60_000;
// A step back of so much is followed by the service, and moves what waits.
const behind_ms_max = 5 * minute_ms;

/** Whether the clock can be believed. */
export async function lookAtClock({ now, stores }: Patient): Promise<Finding[]> {
  const machine = now();
  const shown = new Date(machine).toISOString();
  const advice = "Set the clock and let the system keep it, such as by systemd-timesyncd or chrony.";
  if (machine < earliest) return [problem("clock", `the machine says ${shown}, which is long ago`, advice)];
  const found: Finding[] = [];
  const last = stores === null ? null : await stores.live.read(async (db) => db.now);
  if (last !== null && last - machine > behind_ms_max) {
    const minutes = Math.round((last - machine) / minute_ms);
    found.push(problem("clock", `the machine says ${shown}, ${minutes} minutes before what the data has seen`, advice));
  }
  return found.length > 0 ? found : [keptBy(shown, advice)];
}

/** Says what is known of who keeps the clock. */
function keptBy(shown: string, advice: string): Finding {
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
