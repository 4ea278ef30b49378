// A data directory on its way back to the snapshot of before an upgrade is opened by nobody until it has arrived.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startRefused } from "./exit.ts";

/** The file that is there while a data directory goes back. */
export const goingBackFile = (data: string): string => join(data, "upgrades", "going_back.json");

/** Refuses a data directory on its way back. */
export function refuseGoingBack(data: string): void {
  if (!existsSync(goingBackFile(data))) return;
  const advice = "Run packhouse rollback once more: it finishes. Then start the older Packhouse.";
  throw startRefused("unsuitable", `The data in ${data} was on its way back to before an upgrade. ${advice}`);
}
