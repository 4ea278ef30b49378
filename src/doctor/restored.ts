// What waits since a restore until somebody has decided about it.
import { listRestorations } from "../database/restorations.ts";
import { modes } from "../kit/mode.ts";
import { type Finding, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** Whether a world came from a backup, and whether what was to go out then still waits. */
export async function lookAtRestored({ stores }: Patient): Promise<Finding[]> {
  if (stores === null) return [];
  const found: Finding[] = [];
  for (const mode of modes) {
    const [last] = await stores[mode].read(listRestorations);
    if (last === undefined) continue;
    const said = `the ${mode} world was restored as of ${new Date(last.as_of).toISOString()}`;
    const count = last.waiting_deliveries + last.waiting_reports + last.waiting_purchases;
    if (last.settled_at !== null) found.push(ok("restored", said));
    else {
      const waits = `${said}; ${count} deliveries, reports and purchases wait since then`;
      const advice = "Decide whether they are sent or dropped: the guide of restoring says how.";
      found.push(warning("restored", waits, advice));
    }
  }
  return found;
}
