// The servers that run on one PostgreSQL database.
import { runningServers } from "../database/servers.ts";
import { type Finding, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** Who runs, and whether all of them are of one version. */
export async function lookAtServers({ database_url, stores }: Patient): Promise<Finding[]> {
  if (database_url === null || stores === null) return [];
  const running = await stores.live.read(runningServers);
  if (running.length === 0) {
    return [warning("servers", "none runs", "Start packhouse serve, unless it is stopped on purpose.")];
  }
  const shown = running.map(({ host, version, draining }) => `${host} (${version}${draining ? ", stopping" : ""})`);
  const versions = new Set(running.map(({ version, schema }) => `${version} ${schema}`));
  const said = `${running.length} run: ${shown.join(", ")}`;
  if (versions.size === 1) return [ok("servers", said)];
  return [warning("servers", said, "They are of different versions: end the upgrade by restarting the older ones.")];
}
